"""Printing a comparison of rankings."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from ...evaluation import Report
from ...evaluation.report.report_tables import Cell, detail_columns, details, headline
from ...evaluation.report.text_formats import raised
from ..console.output import print_line, print_table, supports_unicode


def print_report(report: Report, *, title: str | None = None, detailed: Sequence[str] | None = None) -> None:
    """Print the means, best in bold, with letters for significance; then each ranking against the baseline, if any.

    Parameters
    ----------
    report : Report
    title : str, optional
        Title of the table of means.
    detailed : sequence of str, optional
        Measures for which rankings are compared with the baseline; all by default.
    """
    _print_means(report, title)
    shown = [] if report.baseline is None else report.measures if detailed is None else detailed
    with_intervals = [_print_details(report, measure) for measure in shown]
    for sentence in report.sentences(intervals=any(with_intervals)):
        print_line(sentence)


def _print_means(report: Report, title: str | None) -> None:
    columns = ["", "", *report.measures]
    rows = [(line.letter, line.name, *map(_shown, line.cells)) for line in headline(report)]
    # Left-aligned, so that digits line up; long lists of letters wrap, as names do.
    print_table(columns, rows, title, left=len(columns), wrapped=range(1, len(columns)))


def _print_details(report: Report, measure: str) -> bool:
    """Print each ranking against the baseline; returns whether there was room for intervals."""
    columns = detail_columns(report)
    title, intervals = f"{measure}, against {report.baseline}", columns.index("95 % interval")
    return print_table(columns, details(report, measure), title, optional=intervals)


def _shown(cell: Cell) -> Text:
    marks = raised(cell.marks) if supports_unicode() else f"^{cell.marks}" if cell.marks else ""
    return Text.assemble((cell.value, "bold" if cell.best else ""), marks)
