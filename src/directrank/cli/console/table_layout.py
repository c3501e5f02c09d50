"""How a table is fitted to a width: headers broken, columns narrowed or dropped, and the rest in further tables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.text import Text

#: Width to which columns that wrap are narrowed, and width for which optional columns are dropped.
_MIN_WRAPPED_WIDTH, _COMFORTABLE_WIDTH = 10, 20


class Layout(NamedTuple):
    """A table, or several, that show some columns.

    Attributes
    ----------
    headers : list of str
        Header of each column, in one or several lines.
    min_widths : list of int
        Width below which a column is not narrowed.
    parts : list of lists of int
        Columns of each table.
    """

    headers: list[str]
    min_widths: list[int]
    parts: list[list[int]]


def fit(
    columns: Sequence[str],
    rows: Sequence[Sequence[Text]],
    width: int,
    *,
    keys: int,
    wrapped: Collection[int],
    optional: Iterable[int],
) -> Layout:
    """The layout of a table on a screen of some width; see `print_table`."""
    of_cells = [max((row[i].cell_len for row in rows), default=0) for i in range(len(columns))]
    shown, headers = list(range(len(columns))), list(columns)
    if _table_width(_with_headers(headers, of_cells), shown) > width:
        headers = [_broken(name, each) for name, each in zip(columns, of_cells, strict=True)]
    widths = _with_headers(headers, of_cells)
    for i in optional:
        if _table_width(_narrowed(widths, wrapped, _COMFORTABLE_WIDTH), shown) > width:
            shown.remove(i)
    min_widths = _narrowed(widths, wrapped, _MIN_WRAPPED_WIDTH)
    return Layout(headers, min_widths, list(_parts(min_widths, shown, keys, width)))


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
