"""JSON lines, and JSON lists of objects, as Arrow tables."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from ...errors import InputError
from ...io.files import Bytes, PathLike
from ...parsing.lines import IS_LOG, check_utf8

if TYPE_CHECKING:
    import pyarrow as pa

_LIST = re.compile(rb"\s*\[")

#: Keys of the responses of search engines.
_RESPONSE = {"hits", "response", "responseHeader", "_shards"}

_ROW = re.compile(r" in row (\d+)$")

#: A null that is no value within an object, at which pyarrow crashes; it may also be in a text.
_BARE_NULL = re.compile(rb'(?:\A|[}\]"\w])\s*null')


def parse_json(path: PathLike, text: Bytes) -> pa.Table:
    """Parse JSON objects, one per line or in a list; the fields of objects within them become columns ``outer.inner``."""
    import pyarrow as pa
    import pyarrow.json

    check_utf8(path, text)
    try:
        if _LIST.match(text[:4096].tobytes()):
            table = pa.Table.from_pylist(_objects(path, text))
        elif _BARE_NULL.search(text.data):
            table = pa.Table.from_pylist(_objects_by_line(path, text))
        else:
            table = pa.json.read_json(pa.BufferReader(pa.py_buffer(text)))
    except (pa.ArrowException, TypeError) as error:
        said = " ".join(str(error).split()).removeprefix("JSON parse error: ")
        raise _fault(path, text, said) from error
    if _RESPONSE & set(table.column_names):
        start = text[:4096].tobytes()
        raise InputError(f"{path}:{1 + start[: len(start) - len(start.lstrip())].count(10)}: {IS_LOG}")
    while any(pa.types.is_struct(column.type) for column in table.columns):
        table = table.flatten()
    return table


def _objects(path: PathLike, text: Bytes) -> list[dict[str, object]]:
    try:
        found = json.loads(text.tobytes())
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not valid JSON ({error}); correct it, or write one object per line") from error
    if not all(isinstance(row, dict) for row in found):
        raise InputError(f"{path}: the list must hold objects with a value for each column")
    return list(found)


def _objects_by_line(path: PathLike, text: Bytes) -> list[dict[str, object]]:
    found = []
    for number, line in enumerate(text.tobytes().splitlines(), 1):
        if line.strip():
            found.append(_object(path, number, line))
    return found


def _object(path: PathLike, number: int, line: bytes) -> dict[str, object]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}:{number}: not valid JSON ({error}); write one object per line") from error
    if not isinstance(value, dict):
        raise InputError(f"{path}:{number}: the line must be a JSON object with a value for each column")
    return value


def _fault(path: PathLike, text: Bytes, said: str) -> InputError:
    """Error that names the first line that is not valid, or whose values have another type than before."""
    try:
        _objects_by_line(path, text)
    except InputError as error:
        return error
    return InputError(f"{path}: {_ROW.sub('', said)}; a column must hold values of one type")
