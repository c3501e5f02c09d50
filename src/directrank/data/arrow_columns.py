"""Columns of an Arrow table as the arrays of ranking data."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .column_roles import (
    DOCUMENT_NAMES,
    LABEL_NAMES,
    QUERY_NAMES,
    ColumnNames,
    ColumnRoles,
    check_unique,
    find_column,
    is_numeric,
    is_text,
    listed,
)
from .errors import InputError, InputWarning, MissingQueriesWarning
from .parsing.byte_strings import ByteStrings
from .strings import STRING, is_integer

if TYPE_CHECKING:
    import pyarrow as pa

#: Number of rows that are converted at a time, so that a block of X stays in the cache while its columns are filled.
_BLOCK = 2**12


class ArrowColumns(NamedTuple):
    """Arguments of `RankingData`."""

    X: NDArray[Any]
    y: NDArray[Any] | None
    qid: NDArray[Any] | None
    docno: NDArray[Any] | None
    feature_names: list[str]
    weight: NDArray[Any] | None
    categories: dict[str, list[str]]


def columns_of(table: pa.Table, roles: ColumnRoles) -> ArrowColumns:
    """The columns of a table, by role.

    Raises
    ------
    InputError
        A label, a query or a document is missing, or the table has no features.
    """
    if not roles.features:
        raise NoFeaturesError
    table, categories = with_codes(table, roles.categorical)
    return ArrowColumns(
        as_matrix(table, roles.features),
        None if roles.label is None else as_numbers(table, roles.label),
        None if roles.qid is None else as_ids(table, roles.qid),
        None if roles.docno is None else as_texts(table, roles.docno),
        roles.features,
        None if roles.weight is None else as_numbers(table, roles.weight),
        categories,
    )


def warn_of_columns(where: str, roles: ColumnRoles, n_rows: int, *, needs_qid: bool) -> None:
    """Warn of columns of numbers that are left out, and of rows that are one query since no column names their queries.

    Parameters
    ----------
    where : str
        Name of the file or frame.
    roles : ColumnRoles
    n_rows : int
    needs_qid : bool
        Whether a column of queries was looked for.
    """
    if roles.numbers_left_out:
        names = listed(roles.numbers_left_out)
        what = f"left out {names}: columns of such names are features only if they are named in features="
        warnings.warn(f"{where}: {what}", InputWarning, stacklevel=3)
    if needs_qid and roles.qid is None and n_rows > 1:
        what = f"no column is named qid, query_id or query: all {n_rows:,} rows are one query; name the column in qid="
        warnings.warn(f"{where}: {what}", MissingQueriesWarning, stacklevel=3)


def with_categorical_columns(names: ColumnNames, schema: pa.Schema) -> ColumnNames:
    """Names with the columns of a categorical type among `categorical`, unless they have another role."""
    import pyarrow as pa

    check_unique(schema.names)
    usual = ((names.label, LABEL_NAMES), (names.qid, QUERY_NAMES), (names.docno, DOCUMENT_NAMES))
    others = [find_column(schema.names, given, known) for given, known in usual]
    wanted = schema.names if names.features is None else names.features
    found = [
        name
        for name in schema.names
        if pa.types.is_dictionary(schema.field(name).type)
        and name in wanted
        and name not in (*others, *names.ignore, *names.categorical, names.weight)
    ]
    return names._replace(categorical=[*names.categorical, *found])


def as_matrix(table: pa.Table, features: Sequence[str]) -> NDArray[Any]:
    """Numeric columns as a matrix, with missing values as NaN: float32 if all are, else float64."""
    types = {str(table.schema.field(name).type) for name in features}
    X = np.empty((table.num_rows, len(features)), np.float32 if types == {"float"} else np.float64)
    fill_rows(X, table.select(features).to_batches(max_chunksize=_BLOCK))
    return X


def fill_rows(X: NDArray[Any], batches: Iterable[Any], columns: Sequence[int] | None = None) -> int:
    """Copy batches of numeric columns into the rows of X, into all or some of its columns, as far as they fit.

    Returns
    -------
    int
        Number of rows of the batches.
    """
    row = 0
    for batch in batches:
        end = row + batch.num_rows
        if end <= len(X):
            for j, column in zip(range(X.shape[1]) if columns is None else columns, batch.columns, strict=True):
                X[row:end, j] = numbers_of(column)
        row = end
    return row


def numbers_of(column: Any) -> NDArray[Any]:
    """An Arrow array of numbers as a NumPy array, missing values as NaN; by DLPack, because `to_numpy` imports pandas."""
    import pyarrow as pa
    import pyarrow.compute as pc

    plain = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    if not plain or column.null_count:
        column = pc.cast(column, pa.float64(), safe=False)
        column = pc.fill_null(column, np.nan) if column.null_count else column
    return np.from_dlpack(column)


def as_numbers(table: pa.Table, name: str) -> NDArray[Any]:
    """A column of numbers that are all present."""
    column = _complete(table, name)
    if not is_numeric(column.type) and str(column.type) != "null":
        example = next((f" ({value!r})" for value in column.slice(0, 1).to_pylist()), "")
        raise InputError(f"column {name!r} holds {column.type}{example}, not numbers; name another column")
    return np.concatenate([numbers_of(chunk) for chunk in column.chunks] or [np.empty(0)])


def as_ids(table: pa.Table, name: str) -> NDArray[Any]:
    """A column of query ids: integers, or text."""
    import pyarrow as pa

    column = _complete(table, name)
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if is_numeric(kind):
        return as_numbers(table.select([name]).cast(pa.schema([(name, kind)])), name)
    encoded = _encoded(column)
    return np.array(encoded.dictionary.to_pylist(), STRING)[np.from_dlpack(encoded.indices)]


def with_integer_ids(table: pa.Table, name: str) -> pa.Table:
    """The table with a column of text as integers, if each is an integer in canonical form."""
    import pyarrow as pa

    if table[name].null_count or not all(is_integer(text) for text in _encoded(table[name]).dictionary.to_pylist()):
        return table
    return table.set_column(table.schema.get_field_index(name), name, table[name].cast(pa.int64()))


def as_texts(table: pa.Table, name: str) -> NDArray[Any]:
    """A column of document ids, as text."""
    return byte_strings_of(table, name)[:]


def byte_strings_of(table: pa.Table, name: str) -> ByteStrings:
    """A column of ids as byte strings."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = _complete(table, name)
    if not (is_text(column.type) or pa.types.is_integer(column.type)):
        raise InputError(f"column {name!r} holds {column.type}, not names; name another column")
    array = pc.cast(column, pa.large_string()).combine_chunks()
    array = pa.concat_arrays(array.chunks) if isinstance(array, pa.ChunkedArray) else array
    _, ends, text = array.buffers()
    if len(array) == 0 or text is None:
        return ByteStrings.from_strings([""] * len(array))
    offsets = np.frombuffer(ends, np.int64)[array.offset : array.offset + len(array) + 1]
    return ByteStrings(np.frombuffer(text, np.uint8), offsets[:-1], np.diff(offsets))


def with_codes(table: pa.Table, categorical: Sequence[str]) -> tuple[pa.Table, dict[str, list[str]]]:
    """The table with the position of each category, in ascending order, in place of the category."""
    import pyarrow as pa
    import pyarrow.compute as pc

    categories: dict[str, list[str]] = {}
    for name in categorical:
        column = pc.cast(table[name], pa.string())
        categories[name] = sorted(value for value in pc.unique(column).to_pylist() if value is not None)
        codes = pc.index_in(column, value_set=pa.array(categories[name], pa.string()))
        table = table.set_column(table.schema.get_field_index(name), name, pc.cast(codes, pa.float64()))
    return table, categories


def _encoded(column: pa.ChunkedArray) -> Any:
    """Text as a dictionary array."""
    import pyarrow as pa
    import pyarrow.compute as pc

    encoded = pc.dictionary_encode(pc.cast(column, pa.large_string())).combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.chunk(0) if encoded.num_chunks else pa.array([], pa.large_string()).dictionary_encode()
    return encoded


def _complete(table: pa.Table, name: str) -> pa.ChunkedArray:
    """A column without missing values."""
    column = table[name]
    if column.null_count:
        raise MissingValueError(name, int(np.argmax(column.is_null().combine_chunks().to_numpy(zero_copy_only=False))))
    return column


class NoFeaturesError(InputError):
    """A table without features, as judgments are."""

    def __init__(self, sentence: str = "") -> None:
        what = "there are no feature columns: no column of numbers is left beside label, query and document"
        super().__init__(sentence or what)


class MissingValueError(InputError):
    """A row without a label, a query or a document; readers of text add the line.

    Attributes
    ----------
    row : int
        Row of the table, from 0.
    """

    def __init__(self, column: str, row: int) -> None:
        super().__init__(f"column {column!r} has null values; fill them in (row {row + 1:,})")
        self.column, self.row = column, row
