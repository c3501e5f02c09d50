"""Printing results: tables, lines, JSON and verbatim text."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Literal

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from .streams import results, results_file

#: Minimum width of columns that wrap.
_MIN_WRAPPED_WIDTH = 10


def print_json(value: object) -> None:
    results_file().write(json.dumps(_writable(value), indent=2) + "\n")


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    title: str | None = None,
    *,
    left: int = 1,
    wrapped: Collection[int] = (0,),
    optional: int | None = None,
) -> bool:
    """Print a table; unless standard output is a terminal, it is as wide as its content.

    Parameters
    ----------
    columns, rows
        Headers and cells.
    title : str, optional
    left : int
        Number of left-aligned columns; the others are right-aligned.
    wrapped : collection of int
        Columns that wrap if the terminal is too narrow.
    optional : int, optional
        Column that is dropped if the terminal is too narrow.

    Returns
    -------
    bool
        Whether all columns were printed.
    """
    console = results()
    if not console.is_terminal:
        console.width = 10_000
    cells = [list(row) for row in rows]
    table = _table(columns, cells, title, left, wrapped)
    too_wide = optional is not None and _full_width(console, table) > console.width
    if optional is not None and too_wide:
        table = _table(_without(columns, optional), [_without(row, optional) for row in cells], title, left, wrapped)
    console.print(table)
    return not too_wide


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


def _table(
    columns: Sequence[str], rows: list[list[object]], title: str | None, left: int, wrapped: Collection[int]
) -> Table:
    table = Table(title=None if title is None else Text(title), title_justify="left", title_style="bold")
    for i, column in enumerate(columns):
        justify: Literal["left", "right"] = "left" if i < left else "right"
        if i in wrapped:
            longest = max((len(str(row[i])) for row in rows), default=0)
            table.add_column(Text(column), justify=justify, min_width=min(longest, _MIN_WRAPPED_WIDTH), overflow="fold")
        else:
            table.add_column(Text(column), justify=justify, no_wrap=True)
    for row in rows:
        table.add_row(*(value if isinstance(value, Text) else Text(_cell(value)) for value in row))
    return table


def _full_width(console: Console, table: Table) -> int:
    """Width of the table on an unlimited terminal."""
    return Measurement.get(console, console.options.update(width=10_000), table).maximum


def _without(row: Sequence[Any], i: int) -> list[Any]:
    return [*row[:i], *row[i + 1 :]]


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
