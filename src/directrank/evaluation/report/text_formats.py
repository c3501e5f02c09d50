"""Tables of a report as text, Markdown, LaTeX, HTML, CSV and JSON."""

from __future__ import annotations

import csv
import html
import io
import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ...version import __version__
from .report_tables import Cell, detail_columns, details, differences, has_details, headline, rows

if TYPE_CHECKING:
    from .report import Report

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}
_LATEX |= {character: f"\\{character}" for character in "&%$#_{}"}

#: Characters at which spreadsheets start a formula, in both widths, and characters that some of them skip before it.
_FORMULA, _BEFORE_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20"), ("\t", "\n")

#: Superscripts of the marks of significance.
_RAISED = dict(zip("abcdefghijklmnoprstuvwxyz0123456789-", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ⁰¹²³⁴⁵⁶⁷⁸⁹⁻", strict=True))


def text(report: Report) -> str:
    """Table of means, followed by differences from the baseline, if any."""
    lines = headline(report)
    table = [[line.letter, line.name, *(cell.value + raised(cell.marks) for cell in line.cells)] for line in lines]
    table += [["", label, *cells] for label, cells in differences(report)]
    parts = [_aligned(["", "", *report.measures], table, n_left=2)]
    if has_details(report):
        parts += [
            f"{measure}\n{_aligned(detail_columns(report), details(report, measure), n_left=1)}"
            for measure in report.measures
        ]
    return "\n\n".join([*parts, "\n".join(report.sentences(intervals=report.baseline is not None))])


def markdown(report: Report) -> str:
    """Table of means, best in bold, with letters for significance as superscripts, and notes."""
    table = [["", "ranking", *map(_markdown_name, report.measures)], ["---", "---", *["---:"] * len(report.measures)]]
    for line in headline(report):
        table.append([line.letter, _markdown_name(line.name), *map(_markdown_cell, line.cells)])
    table += [["", label, *cells] for label, cells in differences(report)]
    foot = _markdown_name(" ".join(report.sentences(intervals=bool(differences(report)))))
    return "\n".join([*(f"| {' | '.join(row)} |" for row in table), "", foot]) + "\n"


def latex(report: Report, caption: str | None, label: str) -> str:
    """A table for the package booktabs."""
    table = [[line.letter, _latex(line.name), *map(_latex_cell, line.cells)] for line in headline(report)]
    below = [["", _latex(name), *map(_latex_number, cells)] for name, cells in differences(report)]
    foot = " ".join([*([caption] if caption else []), *report.sentences(intervals=bool(below))])
    lines = [
        r"% \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_latex(foot)}}}",
        rf"\label{{{label}}}",
        rf"\begin{{tabular}}{{ll{'r' * len(report.measures)}}}",
        r"\toprule",
        " & ".join(["", "", *map(_latex, report.measures)]) + r" \\",
        r"\midrule",
        *(" & ".join(row) + r" \\" for row in table),
        *([r"\midrule"] if below else []),
        *(" & ".join(row) + r" \\" for row in below),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def html_table(report: Report) -> str:
    """A table for notebooks."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in ("", "ranking", *report.measures))
    body = "".join(
        f"<tr><td>{line.letter}</td><td style='text-align: left'>{html.escape(line.name)}</td>{_html_cells(line.cells)}</tr>"
        for line in headline(report)
    )
    below = "".join(
        f"<tr><td></td><td style='text-align: left'>{label}</td>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
        for label, cells in differences(report)
    )
    foot = html.escape(" ".join(report.sentences(intervals=bool(below))))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}{below}</tbody></table><p>{foot}</p>"


def csv_text(report: Report) -> str:
    """A line for each ranking and measure; text that a spreadsheet would run as a formula is preceded by an apostrophe."""
    flat, file = rows(report), io.StringIO()
    writer = csv.DictWriter(file, list(flat[0]), lineterminator="\n")
    writer.writeheader()
    for row in flat:
        cells = {**row, "better_than": "; ".join(row["better_than"])}
        writer.writerow({column: _no_formula(cell) if isinstance(cell, str) else cell for column, cell in cells.items()})
    return file.getvalue()


def json_text(report: Report) -> str:
    """All figures, how they were computed, and the values of each query."""
    pairs = [
        {"measure": measure, "first": first, "second": second, **asdict(found)}
        for measure, each in report.comparisons.items()
        for (first, second), found in each.items()
    ]
    content = {
        "directrank": __version__,
        "rankings": report.names,
        "measures": report.measures,
        "baseline": report.baseline,
        "method": report.method._asdict(),
        "ties": report.ties,
        "gains": report.gains,
        "missing": report.missing,
        "means": rows(report),
        "comparisons": pairs,
        "queries": report.qid,
        "values": {m: dict(zip(report.names, values.tolist(), strict=True)) for m, values in report.values.items()},
    }
    return json.dumps(_finite(content), indent=1, ensure_ascii=False) + "\n"


def raised(letters: str) -> str:
    """Marks of significance as superscripts, in Unicode."""
    return "".join(_RAISED.get(letter, letter) for letter in letters)


def _no_formula(text: str) -> str:
    """Text that no spreadsheet takes for a formula, which names in a file of others may be."""
    text = text.replace("\r", " ")  # the csv module leaves it unquoted, and readers end the line there
    return f"'{text}" if text.lstrip().startswith(_FORMULA) or text.startswith(_BEFORE_FORMULA) else text


def _finite(value: Any) -> Any:
    """The same value with null for numbers that are not finite."""
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _aligned(columns: Sequence[str], table: Iterable[Sequence[str]], n_left: int) -> str:
    """Aligned columns: the first `n_left` to the left, the others to the right."""
    lines = [[" ".join(part.split()) for part in line] for line in (columns, *table)]
    widths = [max(len(line[j]) for line in lines) for j in range(len(columns))]
    return "\n".join(
        "  ".join(
            part.ljust(width) if j < n_left else part.rjust(width)
            for j, (part, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def _markdown_name(name: str) -> str:
    return "".join(f"\\{c}" if c in "\\|*_`<>[]&~" else c for c in " ".join(name.split()))


def _markdown_cell(cell: Cell) -> str:
    value = f"**{cell.value}**" if cell.best else cell.value
    return f"{value} <sup>{cell.marks}</sup>" if cell.marks else value


def _latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in " ".join(text.split()))


def _latex_cell(cell: Cell) -> str:
    value = rf"\textbf{{{cell.value}}}" if cell.best else cell.value
    return rf"{value}\textsuperscript{{\textit{{{cell.marks.replace('-', '--')}}}}}" if cell.marks else value


def _latex_number(cell: str) -> str:
    """A number or an interval, with minus signs instead of hyphens."""
    return re.sub("-(?=[0-9])", "$-$", cell)


def _html_cells(cells: list[Cell]) -> str:
    shown = [(f"<b>{cell.value}</b>" if cell.best else cell.value, cell.marks) for cell in cells]
    return "".join(f"<td>{value}{f'<sup>{marks}</sup>' if marks else ''}</td>" for value, marks in shown)
