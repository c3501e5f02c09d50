"""A comparison of rankings on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from ..evaluation import Report
from ..evaluation.report.formats import raised
from ..evaluation.report.tables import Line, detail_columns, details, headline
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
    for measure in shown:
        columns = detail_columns(report)
        rows, spare = details(report, measure), columns.index("95 % interval")
        print_table(columns, rows, f"{measure}, against {report.baseline}", spare=spare)
    for sentence in report.sentences(intervals=bool(shown)):
        print_line(sentence)


def _print_means(report: Report, title: str | None) -> None:
    lines = headline(report)
    columns = [_cells(lines, j) for j in range(len(report.measures))]
    rows = [(line.letter, line.name, *cells) for line, *cells in zip(lines, *columns, strict=True)]
    print_table(["", "", *report.measures], rows, title, left=2)


def _cells(lines: list[Line], j: int) -> list[Text]:
    """The cells of a measure, filled up on the right so that the digits stand below each other."""
    marks = [raised(line.cells[j].marks) if speaks_unicode() else _plain(line.cells[j].marks) for line in lines]
    width = max(map(len, marks))
    return [
        Text(line.cells[j].value, style="bold" if line.cells[j].best else "") + Text(mark.ljust(width))
        for line, mark in zip(lines, marks, strict=True)
    ]


def _plain(marks: str) -> str:
    return f"^{marks}" if marks else ""
