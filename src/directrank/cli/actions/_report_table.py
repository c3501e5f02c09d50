"""Printing a comparison of rankings."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from ...evaluation import Report
from ...evaluation.report.report_tables import TALLY, Cell, detail_columns, details, differences, has_details, headline
from ...evaluation.report.text_formats import raised
from ..console.output import print_sentence, print_table, supports_unicode


def print_report(report: Report, *, title: str | None = None, detailed: Sequence[str] | None = None) -> None:
    """Print the means, best in bold, with letters for significance; then differences from the baseline, if any.

    Parameters
    ----------
    report : Report
    title : str, optional
        Title of the table of means.
    detailed : sequence of str, optional
        Measures for which rankings are compared with the baseline; all by default.
    """
    _print_means(report, title)
    shown = report.measures if detailed is None else detailed
    for measure in shown if has_details(report) else ():
        _print_details(report, measure)
    for sentence in report.sentences(intervals=report.baseline is not None):
        print_sentence(sentence)


def _print_means(report: Report, title: str | None) -> None:
    columns = ["", "", *report.measures]
    rows: list[tuple[object, ...]] = [(line.letter, line.name, *map(_shown, line.cells)) for line in headline(report)]
    rows += [("", label, *cells) for label, cells in differences(report)]
    # Left-aligned, so that digits line up; long lists of letters wrap, as names do.
    print_table(columns, rows, title, left=len(columns), keys=2, wrapped=range(1, len(columns)))


def _print_details(report: Report, measure: str) -> None:
    """Print the difference of each ranking from the baseline; the interval and p have a place in any terminal."""
    columns = detail_columns(report)
    optional = [columns.index(name) for name in ("effect", *(["p"] if "corrected p" in columns else []), TALLY)]
    print_table(columns, details(report, measure), f"{measure}, against {report.baseline}", optional=optional)


def _shown(cell: Cell) -> Text:
    marks = raised(cell.marks) if supports_unicode() else f"^{cell.marks}" if cell.marks else ""
    return Text.assemble((cell.value, "bold" if cell.best else ""), marks)
