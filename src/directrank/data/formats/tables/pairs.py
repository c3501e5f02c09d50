"""Tables of pairs of query and document with one value each: judgments and runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ....arrays import Floats
from ...arrow_columns import MissingValueError, as_numbers, byte_strings_of
from ...column_roles import DOCUMENT_NAMES, QUERY_NAMES, ColumnNames, find_column, listed
from ...errors import InputError
from ...io.files import PathLike, read_bytes
from ...parsing.byte_strings import ByteStrings
from ..file_format import Format, format_of
from .reader import TableFile

if TYPE_CHECKING:
    import pyarrow as pa

#: Usual names of the column of scores.
SCORE_NAMES = ("score", "prediction", "similarity")


class Pairs(NamedTuple):
    """Pairs of query and document, and the value of each.

    Attributes
    ----------
    queries, documents : ByteStrings
    values : float64 array
    """

    queries: ByteStrings
    documents: ByteStrings
    values: Floats


def is_table(path: PathLike) -> bool:
    """Whether a file is a table by its name."""
    return format_of(Path(path)).is_table


def read_pairs(path: PathLike, what: str, usual: Sequence[str], max_size: int | None = None, *, skip_missing: bool) -> Pairs:
    """Read pairs from a table with columns for query, document and value, found by their names.

    Parameters
    ----------
    path : path
    what : str
        Noun for the value in messages.
    usual : sequence of str
        Usual names of the column of values.
    max_size : int, optional
        Maximum number of bytes to read, after decompression.
    skip_missing : bool
        Whether rows without a value are left out, as documents that nobody has judged yet; else they are an error.
    """
    file = read_table_file(path, ColumnNames(), max_size)
    columns = file.table.column_names
    names = [
        _found(file, role, find_column(columns, "auto", known))
        for role, known in (("query", QUERY_NAMES), ("document", DOCUMENT_NAMES), (what, usual))
    ]
    query, document, value = names
    table = file.table.select(names)
    has_value = table[value].is_valid()
    kept = table.filter(has_value) if skip_missing and table[value].null_count else table
    try:
        queries, documents = byte_strings_of(kept, query), byte_strings_of(kept, document)
        return Pairs(queries, documents, as_numbers(kept, value).astype(float))
    except MissingValueError as error:
        row = int(np.flatnonzero(has_value)[error.row]) if skip_missing else error.row
        raise InputError(f"{file.place(row)}: there is no {error.column!r} in this row; fill it in") from error
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: a text is not UTF-8 ({error.reason}); convert the file first") from error


def read_table_file(path: PathLike, names: ColumnNames, max_size: int | None = None) -> TableFile:
    """Read a table with all its columns."""
    text, format = read_bytes(path, max_size), format_of(Path(path))
    if format is Format.parquet:
        return TableFile(path, text, _read_parquet(path, text), None)
    return TableFile.parse(path, text, format, names)


def table_of_pairs(queries: Any, documents: Any, **values: Any) -> pa.Table:
    """Table with the columns query, docid and others."""
    import pyarrow as pa

    return pa.table({"query": list(map(str, queries)), "docid": list(map(str, documents)), **values})


def _found(file: TableFile, role: str, column: str | None) -> str:
    if column is None:
        columns = listed(file.table.column_names)
        raise InputError(f"{file.path}: no column has the name of a {role}; the columns are {columns}")
    return column


def _read_parquet(path: PathLike, content: Any) -> pa.Table:
    import pyarrow as pa
    import pyarrow.parquet

    try:
        return pa.parquet.read_table(pa.BufferReader(pa.py_buffer(content)))
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path}: not a Parquet file, or an incomplete one ({' '.join(str(error).split())})") from error
