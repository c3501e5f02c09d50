"""Our figures beside those of a paper, and what became of its claims, on the terminal and for a page."""

from __future__ import annotations

from collections.abc import Mapping

from ..evaluation.report import Section
from ..papers import Experiment, Outcome, Source
from ..papers.experiment import Figures
from .output import print_line, print_table
from .report_table import print_report

_ANSWERS = {True: "yes", False: "no", None: "cannot tell"}


#: What has to be said of figures that took a minute.
TASTE = "This is a taste (--quick), on less than the paper had: its figures and claims say little."


def print_outcome(found: Experiment, source: Source, label: str, outcome: Outcome) -> None:
    """The table of the paper, the claims, and the comparison by query or by class."""
    columns, rows = figures_table(blocks(found, label, outcome))
    print_table(columns, rows, f"{found.name}: {found.title}", folded=range(len(columns)))
    _print_claims(["claim", f"holds on {label}"], found.judged(outcome, source))
    for remark in outcome.remarks:
        print_line(remark)
    if outcome.report is not None:
        print_report(outcome.report)


def print_published(found: Experiment) -> None:
    """What the paper has."""
    if found.published:
        columns, rows = figures_table(_published(found))
        print_table(columns, rows, f"Published of {', '.join(found.published)}")
    for claim in found.claims:
        print_line(f"Claim: {claim.text}")


def section(found: Experiment, source: Source, label: str, outcome: Outcome) -> Section:
    """For the page of a report."""
    answers = [[text, _ANSWERS[holds]] for text, holds in found.judged(outcome, source)]
    tables = [figures_table(blocks(found, label, outcome)), *([(["claim", "holds"], answers)] if answers else [])]
    text = " ".join([*outcome.remarks, *([f"Not as in the paper: {found.differs}"] if found.differs else [])])
    return Section(found.title, text, tables, {caption: draw() for caption, draw in outcome.charts.items()})


def blocks(found: Experiment, label: str, outcome: Outcome) -> dict[str, Figures]:
    """Ours, then what was published."""
    return {f"ours, {label}": outcome.figures, **_published(found)}


def _published(found: Experiment) -> dict[str, Figures]:
    return {f"published, {name}": figures for name, figures in found.published.items()}


def figures_table(blocks: Mapping[str, Figures]) -> tuple[list[str], list[list[str]]]:
    """Columns and rows of a table that has a line for each figure and a column for each block of them.

    A single block stays the table that it is; and where there is one column only, lines are not told which.
    """
    names = list(dict.fromkeys(row for block in blocks.values() for row in block))
    columns = list(dict.fromkeys(column for block in blocks.values() for row in block.values() for column in row))
    if len(blocks) == 1:
        (block,) = blocks.values()
        return ["", *columns], [[name, *(_shown(block[name].get(column)) for column in columns)] for name in names]
    places = [
        (name, column) for name in names for column in columns if any(_at(b, name, column) != "" for b in blocks.values())
    ]
    rows = [
        [_line(name, column, columns), *(_at(block, name, column) for block in blocks.values())] for name, column in places
    ]
    return [columns[0] if len(columns) == 1 else "", *blocks], rows


def _line(name: str, column: str, columns: list[str]) -> str:
    return name if len(columns) == 1 else f"{name}, {column}"


def _at(block: Figures, name: str, column: str) -> str:
    return _shown(block.get(name, {}).get(column))


def _shown(value: float | str | None) -> str:
    if isinstance(value, float):
        return f"{value:z.4f}" if abs(value) < 1 else f"{value:,.2f}"
    return "" if value is None else f"{value:,}" if isinstance(value, int) else value


def _print_claims(columns: list[str], claims: list[tuple[str, bool | None]]) -> None:
    if claims:
        print_table(columns, [(text, _ANSWERS[holds]) for text, holds in claims], folded=(0, 1))
