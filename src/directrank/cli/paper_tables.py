"""Our figures beside those of a paper, and what became of its claims, on the terminal and for a page."""

from __future__ import annotations

from collections.abc import Mapping

from ..evaluation.report import Section
from ..papers import Experiment, Outcome
from ..papers.experiment import Figures
from .output import print_line, print_table
from .report_table import print_report

#: Side by side.
MOST_COLUMNS = 10

_ANSWERS = {True: "yes", False: "no", None: "cannot tell"}


def print_outcome(found: Experiment, label: str, outcome: Outcome) -> None:
    """The table of the paper, the claims, and the comparison by query or by class."""
    columns, rows = figures_table(blocks(found, label, outcome))
    print_table(columns, rows, f"{found.name}: {found.title}")
    _print_claims(["claim", f"holds on {label}"], judged(found, outcome))
    for remark in outcome.remarks:
        print_line(remark)
    if outcome.report is not None:
        print_report(outcome.report)


def print_published(found: Experiment) -> None:
    """What the paper has."""
    if found.published:
        columns, rows = figures_table(found.published)
        print_table(columns, rows, "Published")
    for claim in found.claims:
        print_line(f"Claim: {claim.text}")


def section(found: Experiment, label: str, outcome: Outcome) -> Section:
    """For the page of a report."""
    answers = [[text, _ANSWERS[holds]] for text, holds in judged(found, outcome)]
    tables = [figures_table(blocks(found, label, outcome)), *([(["claim", "holds"], answers)] if answers else [])]
    text = " ".join([*outcome.remarks, *([f"Not as in the paper: {found.differs}"] if found.differs else [])])
    return Section(found.title, text, tables, dict(outcome.charts))


def judged(found: Experiment, outcome: Outcome) -> list[tuple[str, bool | None]]:
    """Each claim and whether it holds."""
    return [(claim.text, claim.holds(outcome)) for claim in found.claims]


def blocks(found: Experiment, label: str, outcome: Outcome) -> dict[str, Figures]:
    """Ours, then what was published."""
    return {f"{label}, ours": outcome.figures, **{f"{name}, published": each for name, each in found.published.items()}}


def figures_table(blocks: Mapping[str, Figures]) -> tuple[list[str], list[list[str]]]:
    """Columns and rows of several blocks of figures, side by side if there is room, else one below the other."""
    if len(blocks) > 1 and sum(len(_columns(figures)) for figures in blocks.values()) > MOST_COLUMNS:
        return _stacked(blocks)
    names = list(dict.fromkeys(row for block in blocks.values() for row in block))
    columns = [(block, column) for block, figures in blocks.items() for column in _columns(figures)]
    rows = [[name, *(_shown(blocks[block].get(name, {}).get(column)) for block, column in columns)] for name in names]
    return ["", *(f"{column} ({block})" for block, column in columns)], rows


def _stacked(blocks: Mapping[str, Figures]) -> tuple[list[str], list[list[str]]]:
    columns = list(dict.fromkeys(column for figures in blocks.values() for column in _columns(figures)))
    rows = [
        [f"{block}: {name}", *(_shown(row.get(column)) for column in columns)]
        for block, figures in blocks.items()
        for name, row in figures.items()
    ]
    return ["", *columns], rows


def _columns(figures: Figures) -> list[str]:
    return list(dict.fromkeys(column for row in figures.values() for column in row))


def _shown(value: float | str | None) -> str:
    if isinstance(value, float):
        return f"{value:.4f}" if abs(value) < 1 else f"{value:,.2f}"
    return "" if value is None else f"{value:,}" if isinstance(value, int) else value


def _print_claims(columns: list[str], claims: list[tuple[str, bool | None]]) -> None:
    if claims:
        print_table(columns, [(text, _ANSWERS[holds]) for text, holds in claims])
