"""Tables of papers' experiments: our figures beside the published ones, and whether the claims hold."""

from __future__ import annotations

from collections.abc import Mapping

from ...evaluation.report import Section
from ...papers import Experiment, Outcome, Source
from ...papers.experiment import Figures
from ..console.output import print_line, print_table
from ._report_table import print_report

_ANSWERS = {True: "yes", False: "no", None: "cannot tell"}

#: Remark on the outcome of a quick run.
QUICK_RUN = "Quick run (--quick) on a subset of the data: its figures and claims are not conclusive."


def print_outcome(found: Experiment, source: Source, label: str, outcome: Outcome) -> None:
    """Print the paper's table, the claims, and the comparison by query or by class."""
    columns, rows = figures_table(blocks(found, label, outcome))
    print_table(columns, rows, f"{found.name}: {found.title}", wrapped=range(len(columns)))
    _print_claims(["claim", f"holds on {label}"], found.check_claims(outcome, source))
    for remark in outcome.remarks:
        print_line(remark)
    if outcome.report is not None:
        print_report(outcome.report)


def print_published(found: Experiment) -> None:
    """Print the published figures and the claims."""
    if found.published:
        columns, rows = figures_table(_published(found))
        print_table(columns, rows, f"Published on {', '.join(found.published)}")
    for claim in found.claims:
        prefix = f"Claim, for {', '.join(claim.sources)}" if claim.sources else "Claim"
        print_line(f"{prefix}: {claim.text}")


def outcome_section(found: Experiment, source: Source, label: str, outcome: Outcome) -> Section:
    """Section of the HTML report."""
    answers = [[text, _ANSWERS[holds]] for text, holds in found.check_claims(outcome, source)]
    tables = [figures_table(blocks(found, label, outcome)), *([(["claim", "holds"], answers)] if answers else [])]
    text = " ".join([*outcome.remarks, *([f"Differences from the paper: {found.differences}"] if found.differences else [])])
    return Section(found.title, text, tables, {caption: draw() for caption, draw in outcome.charts.items()})


def blocks(found: Experiment, label: str, outcome: Outcome) -> dict[str, Figures]:
    """Our figures, then the published ones."""
    return {f"ours, {label}": outcome.figures, **_published(found)}


def _published(found: Experiment) -> dict[str, Figures]:
    return {f"published, {name}": figures for name, figures in found.published.items()}


def figures_table(blocks: Mapping[str, Figures]) -> tuple[list[str], list[list[str]]]:
    """Columns and rows of a table with a row for each figure and a column for each block of figures.

    A single block keeps its own rows and columns. Rows name their column of the block only if there are several.
    """
    names = list(dict.fromkeys(row for block in blocks.values() for row in block))
    columns = list(dict.fromkeys(column for block in blocks.values() for row in block.values() for column in row))
    shown = {name: _shown(block, columns) for name, block in blocks.items()}
    if len(blocks) == 1:
        (cells,) = shown.values()
        return ["", *columns], [[name, *(cells.get((name, column), "") for column in columns)] for name in names]
    rows = [
        [name if len(columns) == 1 else f"{name}, {column}", *(cells.get((name, column), "") for cells in shown.values())]
        for name in names
        for column in columns
    ]
    return [columns[0] if len(columns) == 1 else "", *blocks], [row for row in rows if any(row[1:])]


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
