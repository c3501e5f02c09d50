"""JSON lines, and JSON lists of objects, as Arrow tables."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...errors import InputError
from ...io.files import Bytes, PathLike
from ...parsing.lines import IS_LOG, check_utf8

if TYPE_CHECKING:
    import pyarrow as pa

_NOT_SPACE = re.compile(r"\S")
_LIST = re.compile(rb"\s*\[")

#: Keys of the responses of search engines.
_RESPONSE = {"hits", "response", "responseHeader", "_shards"}

_ROW = re.compile(r" in row (\d+)$")
_CHANGED = re.compile(r"Column\(/(?P<column>.*)\) changed from (?P<kind>\w+) to")

#: Number of bytes that pyarrow parses at a time, in which an object must end.
_BLOCK = 2**24

#: A null that is no value within an object, at which pyarrow crashes; it may also be in a text.
_BARE_NULL = re.compile(rb'(?:\A|[}\]"\w])\s*null')


def parse_json(path: PathLike, text: Bytes) -> pa.Table:
    """Parse JSON objects, one per line or in a list; the fields of objects within them become columns ``outer.inner``."""
    import pyarrow as pa
    import pyarrow.json

    check_utf8(path, text)
    try:
        if _LIST.match(text[:4096].tobytes()):
            table = _table_of(_objects(path, text))
        elif _BARE_NULL.search(text.data):
            table = _table_of([row for _, row in _objects_with_lines(path, text)])
        else:
            table = _read(text)
    except (pa.ArrowException, TypeError, UnicodeEncodeError) as error:
        said = " ".join(str(error).split()).removeprefix("JSON parse error: ")
        raise _fault(path, text, said) from error
    if _RESPONSE & set(table.column_names):
        start = text[:4096].tobytes()
        raise InputError(f"{path}:{1 + start[: len(start) - len(start.lstrip())].count(10)}: {IS_LOG}")
    while any(pa.types.is_struct(column.type) for column in table.columns):
        table = table.flatten()
    return table


def _read(text: Bytes) -> pa.Table:
    """Parse one object per line, with texts that look like dates as texts: they may be ids."""
    import pyarrow as pa
    import pyarrow.json

    read_options, source = pa.json.ReadOptions(block_size=_BLOCK), pa.py_buffer(text)
    table = pa.json.read_json(pa.BufferReader(source), read_options)
    dates = [(each.name, pa.string()) for each in table.schema if pa.types.is_timestamp(each.type)]
    if not dates:
        return table
    return pa.json.read_json(pa.BufferReader(source), read_options, pa.json.ParseOptions(explicit_schema=pa.schema(dates)))


def _table_of(rows: list[dict[str, object]]) -> pa.Table:
    """Table with a column for each key of any object; `pyarrow.Table.from_pylist` takes the keys of the first."""
    import pyarrow as pa

    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: [row.get(name) for row in rows] for name in names}
    return pa.table(columns)


def _integer(digits: str) -> int | float:
    """An integer; a floating-point number if it needs more than 64 bits."""
    value = int(digits) if len(digits) < 40 else float(digits)
    return value if -(2**63) <= value < 2**63 else float(value)


def _objects(path: PathLike, text: Bytes) -> list[dict[str, object]]:
    try:
        found = json.loads(text.tobytes(), parse_int=_integer)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not valid JSON ({error}); correct it, or write one object per line") from error
    if not all(isinstance(row, dict) for row in found):
        raise InputError(f"{path}: the list must hold objects with a value for each column")
    return list(found)


def _objects_with_lines(path: PathLike, text: Bytes) -> Iterator[tuple[int, dict[str, object]]]:
    """Objects one after another, each with the line on which it starts."""
    content, decoder = text.tobytes().decode(), json.JSONDecoder(parse_int=_integer)
    number, at, end = 1, 0, 0
    while (found := _NOT_SPACE.search(content, end)) is not None:
        number, at = number + content.count("\n", at, found.start()), found.start()
        try:
            value, end = decoder.raw_decode(content, at)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path}:{number}: not valid JSON ({error}); write one object per line") from error
        if not isinstance(value, dict):
            raise InputError(f"{path}:{number}: the line must be a JSON object with a value for each column")
        yield number, value


def _fault(path: PathLike, text: Bytes, said: str) -> InputError:
    """Error that names the first line that is not valid, or whose values have another type than before."""
    try:
        rows = [] if _LIST.match(text[:4096].tobytes()) else list(_objects_with_lines(path, text))
    except InputError as error:
        return error
    changed = _CHANGED.search(said)
    line = None if changed is None else _line_of_change(rows, changed["column"], changed["kind"])
    place = path if line is None else f"{path}:{line}"
    return InputError(f"{place}: {_ROW.sub('', said)}; a column must hold values of one type")


def _line_of_change(rows: list[tuple[int, dict[str, object]]], column: str, kind: str) -> int | None:
    """Line of the first object in which a column has a value of another kind."""
    kinds = {"string": (str,), "number": (int, float), "boolean": (bool,)}.get(kind, (object,))
    values = ((line, row.get(column)) for line, row in rows)
    return next((line for line, value in values if value is not None and type(value) not in kinds), None)
