"""Printing results: tables, lines, JSON and verbatim text."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Literal

from rich.table import Table
from rich.text import Text

from .streams import results, results_file
from .table_layout import fit

#: How a column is aligned, by whether it is one of those to the left.
_JUSTIFY: dict[bool, Literal["left", "right"]] = {True: "left", False: "right"}


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
) -> None:
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
    """
    console = results()
    cells = [[value if isinstance(value, Text) else Text(_cell(value)) for value in row] for row in rows]
    layout = fit(columns, cells, console.width, keys=keys, wrapped=wrapped, optional=optional)
    for part in layout.parts:
        table = Table(title=None if title is None else Text(title), title_justify="left", title_style="bold")
        for i in part:
            header, justify = Text(layout.headers[i]), _JUSTIFY[i < left]
            if i in wrapped:
                table.add_column(header, justify=justify, min_width=layout.min_widths[i], overflow="fold")
            else:
                table.add_column(header, justify=justify, no_wrap=True)
        for row in cells:
            table.add_row(*(row[i] for i in part))
        console.print(table)
        title = None


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


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
