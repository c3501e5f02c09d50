"""Printing results: tables, lines, JSON and verbatim text."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Literal

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from .streams import results, results_file

#: Width to which columns that wrap are narrowed, and width for which optional columns are dropped.
_MIN_WRAPPED_WIDTH, _COMFORTABLE_WIDTH = 10, 20


def print_json(value: object) -> None:
    results_file().write(json.dumps(_writable(value), indent=2) + "\n")


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    title: str | None = None,
    *,
    left: int = 1,
    keys: int = 1,
    wrapped: Collection[int] = (0,),
    optional: Sequence[int] = (),
) -> list[int]:
    """Print a table that fits the terminal, or ``COLUMNS``, or else 80 characters, without cutting a number.

    Columns that wrap are narrowed, optional columns dropped, and what still does not fit goes to further tables below.

    Parameters
    ----------
    columns, rows
        Headers and cells.
    title : str, optional
    left : int
        Number of left-aligned columns; the others are right-aligned.
    keys : int
        Number of columns, from the left, that are repeated in each further table.
    wrapped : collection of int
        Columns that wrap if there is no room.
    optional : sequence of int
        Columns that are dropped if there is no room, the first one first.

    Returns
    -------
    list of int
        The columns that were printed.
    """
    console = results()
    cells = [[value if isinstance(value, Text) else Text(_cell(value)) for value in row] for row in rows]
    of_cells = [max((row[i].cell_len for row in cells), default=0) for i in range(len(columns))]
    headers = list(columns)
    shown = list(range(len(columns)))
    if _table_width(_with_headers(headers, of_cells), shown) > console.width:
        headers = [_broken(name, width) for name, width in zip(columns, of_cells, strict=True)]
    widths = _with_headers(headers, of_cells)
    for i in optional:
        if _table_width(_narrowed(widths, wrapped, _COMFORTABLE_WIDTH), shown) > console.width:
            shown.remove(i)
    narrow = _narrowed(widths, wrapped, _MIN_WRAPPED_WIDTH)
    for part in _parts(narrow, shown, keys, console.width):
        table = Table(title=None if title is None else Text(title), title_justify="left", title_style="bold")
        for i in part:
            justify: Literal["left", "right"] = "left" if i < left else "right"
            if i in wrapped:
                table.add_column(Text(headers[i]), justify=justify, min_width=narrow[i], overflow="fold")
            else:
                table.add_column(Text(headers[i]), justify=justify, no_wrap=True)
        for row in cells:
            table.add_row(*(row[i] for i in part))
        console.print(table)
        title = None
    return shown


def print_text(text: str) -> None:
    """Print text verbatim, for programs to read."""
    results_file().write(text)


def supports_unicode() -> bool:
    """Whether the results stream can show any character."""
    return results().encoding.startswith("utf")


def print_line(text: str = "") -> None:
    results().print(Text(text), soft_wrap=True)


def print_sentence(text: str) -> None:
    """Print prose: a terminal gets whole words on each line, anything else one line."""
    console = results()
    console.print(Text(text), soft_wrap=not console.is_terminal)


def as_text(name: str | os.PathLike[str]) -> str:
    """A file name as printable text: bytes that are not UTF-8 become \\x.."""
    return os.fspath(name).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _writable(value: Any) -> Any:
    """The same value with every file name as printable text."""
    if isinstance(value, dict):
        return {_writable(key): _writable(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_writable(part) for part in value]
    return as_text(value) if isinstance(value, str) and not value.isascii() else value


def _with_headers(headers: Sequence[str], of_cells: Sequence[int]) -> list[int]:
    """Width of each column: of its longest cell, or of the longest line of its header."""
    lines = [max(map(cell_len, header.split("\n"))) for header in headers]
    return [max(line, width) for line, width in zip(lines, of_cells, strict=True)]


def _broken(header: str, width: int) -> str:
    """A header with a line for each word, if it is wider than the cells."""
    return header.replace(" ", "\n") if cell_len(header) > width else header


def _narrowed(widths: Sequence[int], wrapped: Collection[int], width: int) -> list[int]:
    """Widths with columns that wrap narrowed."""
    return [min(each, width) if i in wrapped else each for i, each in enumerate(widths)]


def _table_width(widths: Sequence[int], shown: Iterable[int]) -> int:
    """Width of a table with a border and a space on each side of a cell."""
    return sum(widths[i] + 3 for i in shown) + 1


def _parts(widths: Sequence[int], shown: Sequence[int], keys: int, width: int) -> Iterator[list[int]]:
    """Columns of each of the tables that together show all of them; each starts with the keys, and has another column."""
    part = list(shown[:keys])
    for i in shown[keys:]:
        if len(part) > keys and _table_width(widths, [*part, i]) > width:
            yield part
            part = list(shown[:keys])
        part.append(i)
    yield part


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
