"""A comparison of rankings on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from ..evaluation import Report
from ..evaluation.report.report_tables import Cell, detail_columns, details, headline
from ..evaluation.report.text_formats import raised
from .output import print_line, print_table, speaks_unicode


def print_report(report: Report, *, title: str | None = None, detailed: Sequence[str] | None = None) -> None:
    """The means of each ranking, best in bold, with letters for significance; then each against the baseline, if any.

    Parameters
    ----------
    report : Report
    title : str, optional
        Of the table of means.
    detailed : names of measures, optional
        By which each ranking is shown against the baseline; by default all.
    """
    _print_means(report, title)
    shown = [] if report.baseline is None else report.measures if detailed is None else detailed
    with_intervals = [_print_details(report, measure) for measure in shown]
    for sentence in report.sentences(intervals=any(with_intervals)):
        print_line(sentence)


def _print_means(report: Report, title: str | None) -> None:
    columns = ["", "", *report.measures]
    rows = [(line.letter, line.name, *map(_shown, line.cells)) for line in headline(report)]
    # All to the left, for the digits to stand below each other; many letters are folded, as names are.
    print_table(columns, rows, title, left=len(columns), folded=range(1, len(columns)))


def _print_details(report: Report, measure: str) -> bool:
    """Each ranking against the baseline; whether there was room for intervals."""
    columns = detail_columns(report)
    title, spare = f"{measure}, against {report.baseline}", columns.index("95 % interval")
    return print_table(columns, details(report, measure), title, spare=spare)


def _shown(cell: Cell) -> Text:
    marks = raised(cell.marks) if speaks_unicode() else f"^{cell.marks}" if cell.marks else ""
    return Text.assemble((cell.value, "bold" if cell.best else ""), marks)
