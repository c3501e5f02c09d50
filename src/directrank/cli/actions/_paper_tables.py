"""Tables of papers' experiments: our figures beside the published ones, and whether the claims hold."""

from __future__ import annotations

from collections.abc import Mapping

from ...evaluation.report import Section
from ...papers import Experiment, Outcome, Source
from ...papers.experiment import Figures
from ..console.output import print_sentence, print_table
from ._report_table import print_report

#: Number of rows of the longest table that has ours beside the published figures.
_LONGEST = 24

_ANSWERS = {True: "yes", False: "no", None: "cannot tell"}

#: Remark on the outcome of a quick run.
QUICK_RUN = "Quick run (--quick) on a subset of the data: its figures and claims are not conclusive."


def print_outcome(found: Experiment, source: Source, label: str, outcome: Outcome) -> None:
    """Print the paper's table, the claims, and the comparison by query or by class."""
    _print_figures(blocks(found, label, outcome), f"{found.name}: {found.title}")
    _print_claims(["claim", f"holds on {label}"], found.check_claims(outcome, source))
    for remark in outcome.remarks:
        print_sentence(remark)
    if outcome.report is not None:
        print_report(outcome.report)


def print_published(found: Experiment) -> None:
    """Print the published figures and the claims."""
    if found.published:
        _print_figures(_published(found), f"Published on {', '.join(found.published)}")
    for claim in found.claims:
        prefix = f"Claim, for {', '.join(claim.sources)}" if claim.sources else "Claim"
        print_sentence(f"{prefix}: {claim.text}")


def outcome_section(found: Experiment, source: Source, label: str, outcome: Outcome) -> Section:
    """Section of the HTML report."""
    answers = [[text, _ANSWERS[holds]] for text, holds in found.check_claims(outcome, source)]
    tables = [*figures_tables(blocks(found, label, outcome)), *([(["claim", "holds"], answers)] if answers else [])]
    text = " ".join([*outcome.remarks, *([f"Differences from the paper: {found.differences}"] if found.differences else [])])
    return Section(found.title, text, tables, {caption: draw() for caption, draw in outcome.charts.items()})


def _print_figures(blocks: Mapping[str, Figures], title: str) -> None:
    heading: str | None = title
    for columns, rows in figures_tables(blocks):
        print_table(columns, rows, heading)
        heading = None


def blocks(found: Experiment, label: str, outcome: Outcome) -> dict[str, Figures]:
    """Our figures, then the published ones."""
    return {f"ours, {label}": outcome.figures, **_published(found)}


def _published(found: Experiment) -> dict[str, Figures]:
    return {f"published, {name}": figures for name, figures in found.published.items()}


def figures_tables(blocks: Mapping[str, Figures]) -> list[tuple[list[str], list[list[str]]]]:
    """Columns and rows of tables that fit a screen.

    Up to `_LONGEST` figures are one table with a row for each and a column for each block, so that ours stand beside the
    published ones; rows name their column of the block if there are several. More are a table for each block, with its own
    rows and columns and its name in the corner.
    """
    names = list(dict.fromkeys(row for block in blocks.values() for row in block))
    columns = list(dict.fromkeys(column for block in blocks.values() for row in block.values() for column in row))
    shown = {name: _shown(block, columns) for name, block in blocks.items()}
    rows = [
        [name if len(columns) == 1 else f"{name}, {column}", *(cells.get((name, column), "") for cells in shown.values())]
        for name in names
        for column in columns
    ]
    rows = [row for row in rows if any(row[1:])]
    if len(blocks) > 1 and (len(columns) == 1 or len(rows) <= _LONGEST):
        return [([columns[0] if len(columns) == 1 else "", *blocks], rows)]
    return [_grid(name if len(blocks) > 1 else "", block, shown[name]) for name, block in blocks.items()]


def _grid(name: str, block: Figures, cells: Mapping[tuple[str, str], str]) -> tuple[list[str], list[list[str]]]:
    """A block with its own rows and columns."""
    columns = list(dict.fromkeys(column for row in block.values() for column in row))
    return [name, *columns], [[row, *(cells.get((row, column), "") for column in columns)] for row in block]


def _shown(block: Figures, columns: list[str]) -> dict[tuple[str, str], str]:
    """Figures as text, with the same number of decimals in each column."""
    found = {}
    for column in columns:
        values = {name: row[column] for name, row in block.items() if column in row}
        decimals = 4 if all(abs(value) <= 1 for value in values.values() if isinstance(value, float)) else 2
        found.update({(name, column): _text(value, decimals) for name, value in values.items()})
    return found


def _text(value: float | str, decimals: int) -> str:
    if isinstance(value, float):
        return f"{value:z,.{decimals}f}"
    return f"{value:,}" if isinstance(value, int) else value


def _print_claims(columns: list[str], claims: list[tuple[str, bool | None]]) -> None:
    if claims:
        print_table(columns, [(text, _ANSWERS[holds]) for text, holds in claims], wrapped=(0, 1))
