"""What the commands print: tables and JSON as results, and remarks, errors and progress beside them."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Literal

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from .progress import counting as counting, progress as progress, spinner as spinner
from .streams import (
    note as note,
    print_error as print_error,
    results,
    results_file,
    results_to_standard_error as results_to_standard_error,
    results_to_standard_output as results_to_standard_output,
)

#: The least width of columns that are folded.
_FOLDED = 10


def print_json(value: object) -> None:
    results_file().write(json.dumps(_writable(value), indent=2) + "\n")


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    title: str | None = None,
    *,
    left: int = 1,
    folded: Collection[int] = (0,),
    spare: int | None = None,
) -> bool:
    """A table with its first `left` columns left, the others right.

    It is as wide as it needs to be where nobody looks at a screen. A screen that is too narrow goes without the column
    `spare`, and the columns `folded` go on in the next line.

    Returns
    -------
    bool
        Whether all columns were printed.
    """
    console = results()
    if not console.is_terminal:
        console.width = 10_000
    several = [list(row) for row in rows]
    table = _table(columns, several, title, left, folded)
    too_wide = spare is not None and _width(console, table) > console.width
    if spare is not None and too_wide:
        table = _table(_without(columns, spare), [_without(row, spare) for row in several], title, left, folded)
    console.print(table)
    return not too_wide


def print_text(text: str) -> None:
    """Text that is to be read by a program: as it is."""
    results_file().write(text)


def speaks_unicode() -> bool:
    """Whether what results are printed to can show any character."""
    return results().encoding.startswith("utf")


def print_line(text: str = "") -> None:
    results().print(Text(text), soft_wrap=True)


def as_text(name: str | os.PathLike[str]) -> str:
    """The name of a file as text that can be written: bytes that are not UTF-8 as \\x.."""
    return os.fspath(name).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _writable(value: Any) -> Any:
    """The same with names of files as text."""
    if isinstance(value, dict):
        return {_writable(key): _writable(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_writable(part) for part in value]
    return as_text(value) if isinstance(value, str) and not value.isascii() else value


def _table(columns: Sequence[str], rows: list[list[object]], title: str | None, left: int, folded: Collection[int]) -> Table:
    table = Table(title=None if title is None else Text(title), title_justify="left", title_style="bold")
    for i, column in enumerate(columns):
        justify: Literal["left", "right"] = "left" if i < left else "right"
        if i in folded:
            longest = max((len(str(row[i])) for row in rows), default=0)
            table.add_column(Text(column), justify=justify, min_width=min(longest, _FOLDED), overflow="fold")
        else:
            table.add_column(Text(column), justify=justify, no_wrap=True)
    for row in rows:
        table.add_row(*(value if isinstance(value, Text) else Text(_cell(value)) for value in row))
    return table


def _width(console: Console, table: Table) -> int:
    """How wide the table would be where there is room."""
    return Measurement.get(console, console.options.update(width=10_000), table).maximum


def _without(row: Sequence[Any], i: int) -> list[Any]:
    return [*row[:i], *row[i + 1 :]]


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
