"""Reading Parquet tables with one column each for grade, query, document and every feature."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrow_columns import NoFeaturesError, as_ids, as_matrix, as_numbers, as_texts, fill_rows, warn_of_columns, with_codes
from ...column_roles import AUTO, ColumnNames, ColumnRoles, find_roles, is_text
from ...errors import InputError, ValueInRowError
from ...io.files import Bytes, PathLike, check_unchanged, half_of_memory, read_bytes, size_limit, too_large
from ...ranking_data import RankingData
from .footer import check_footer

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH = 2**13
_MIN_MEMORY = 2**24


def read_parquet(
    path: PathLike,
    *,
    label: str | None = AUTO,
    qid: str | None = AUTO,
    docno: str | None = AUTO,
    weight: str | None = None,
    features: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    categorical: Sequence[str] = (),
    max_size: int | None = None,
) -> RankingData:
    """Read ranking data from a Parquet file.

    Parameters
    ----------
    path : path
    label, qid, docno, weight, features, ignore, categorical
        Columns by role, as in `RankingData.read`; there is a warning for columns of numbers that are left out, and if no
        column names the query, unless the file was written by `write_parquet`. Null values of features become NaN.
    max_size : int, optional
        Maximum size of X, and of the file if it is a pipe, in bytes; by default all of the memory.
    """
    names = ColumnNames(label, qid, docno, weight, features, ignore, categorical)
    data, roles, is_ours, _ = read_parquet_columns(path, names, max_size)
    warn_of_columns(os.fspath(path), roles, len(data), needs_qid=qid is not None and not is_ours)
    return data


class ParquetData(NamedTuple):
    """Ranking data of a Parquet file.

    Attributes
    ----------
    data : RankingData
    roles : ColumnRoles
    is_ours : bool
        Whether `write_parquet` wrote the file.
    kept : pyarrow.Table or None
        The columns of `ColumnNames.keep`, if there are any.
    """

    data: RankingData
    roles: ColumnRoles
    is_ours: bool
    kept: pa.Table | None


def read_parquet_columns(
    path: PathLike, names: ColumnNames, max_size: int | None = None, content: Bytes | None = None
) -> ParquetData:
    """Read ranking data from a Parquet file, or from the content of one that was read already."""
    import pyarrow as pa

    limit = _limit(max_size)
    if content is not None:
        return _read(pa.BufferReader(pa.py_buffer(content)), path, names, limit)
    with _opened(path, limit) as file:
        return _read(file, path, names, limit)


def read_parquet_file(
    file: IO[bytes], name: PathLike, names: ColumnNames | None = None, *, max_size: int | None = None
) -> RankingData:
    """Read ranking data from an open, seekable Parquet file, which stays open.

    Parameters
    ----------
    file : binary file object
    name : path
        Name of the file in messages.
    names : ColumnNames, optional
    max_size : int, optional
        As in `read_parquet`.
    """
    return _read(file, name, names or ColumnNames(), _limit(max_size)).data


def _limit(max_size: int | None) -> int:
    return size_limit(max_size) or 2 * half_of_memory()


@contextmanager
def _opened(path: PathLike, limit: int) -> Iterator[Any]:
    """Open a file for reading Parquet, and check that it does not change meanwhile, the likely cause of other errors."""
    if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe: Parquet needs a seekable file
        import pyarrow as pa

        yield pa.BufferReader(read_bytes(path, limit))
        return
    with open(path, "rb") as file:
        before = os.fstat(file.fileno())
        try:
            yield file
        except InputError:
            check_unchanged(path, file, before)
            raise
        check_unchanged(path, file, before)


def _read(file: Any, name: PathLike, names: ColumnNames, limit: int) -> ParquetData:
    """Read the columns by role; any failure becomes an `InputError` that names the file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        is_ours = check_footer(file)
        # With pre_buffer, pyarrow would keep all data it has read until the last batch.
        table = pq.ParquetFile(file, page_checksum_verification=True, pre_buffer=False)
        is_guessed = names == ColumnNames() or names == ColumnNames(label=None)
        names = _own_names(table.schema_arrow, names) if is_ours and is_guessed else names
        roles = find_roles(table.schema_arrow, names)
        _check_size(table, roles, limit)
        X, categories = _read_features(table, roles)
        pa.default_memory_pool().release_unused()
        y, qid, docno, weight = (
            None if column is None else convert(table.read([column], use_threads=False), column)
            for column, convert in (
                (roles.label, as_numbers),
                (roles.qid, as_ids),
                (roles.docno, as_texts),
                (roles.weight, as_numbers),
            )
        )
        data = _checked(roles, X, y, qid, docno, roles.features, weight=weight, categories=categories)
        return ParquetData(data, roles, is_ours, table.read(list(names.keep), use_threads=False) if names.keep else None)
    except (pa.ArrowException, OSError, InputError, UnicodeDecodeError, ArithmeticError, MemoryError) as error:
        kind = NoFeaturesError if isinstance(error, NoFeaturesError) else InputError
        raise kind(f"{name}: {_what(pa, error)}") from error
    finally:
        pa.default_memory_pool().release_unused()


def _checked(roles: ColumnRoles, *arrays: Any, **others: Any) -> RankingData:
    """Ranking data, whose errors name the column."""
    try:
        return RankingData(*arrays, **others)
    except ValueInRowError as error:
        raise InputError(f"row {error.row + 1:,}: column {roles.name_of(error.column)!r} holds {error.advice}") from error


def _own_names(schema: pa.Schema, names: ColumnNames) -> ColumnNames:
    """Columns of a file that `write_parquet` wrote: all others are features, and those of text hold categories."""
    label, qid, docno, weight = (name if name in schema.names else None for name in ("label", "qid", "docno", "weight"))
    features = [name for name in schema.names if name not in (label, qid, docno, weight)]
    categorical = [name for name in features if is_text(schema.field(name).type)]
    return ColumnNames(label and names.label and label, qid, docno, weight, features, (), categorical)


def _check_size(table: Any, roles: ColumnRoles, limit: int) -> None:
    if not roles.features:
        raise NoFeaturesError
    if table.metadata.num_rows < 0:
        raise InputError("the Parquet file is damaged: it states a negative number of rows")
    if 8 * table.metadata.num_rows * len(roles.features) > limit:
        raise InputError(too_large(limit))


def _what(pa: Any, error: Exception) -> str:
    text = " ".join(str(error).split())
    if isinstance(error, InputError):
        return text
    if isinstance(error, UnicodeDecodeError):
        return f"the Parquet file has text that is not UTF-8 ({text}); convert it first"
    if isinstance(error, pa.ArrowException):
        return f"not a Parquet file, or an incomplete one ({text})"
    if isinstance(error, OSError) and error.errno:  # of the system, or the network that the file is read from
        return f"the file cannot be read ({text})"
    return f"the Parquet file is damaged ({text})"


def _read_features(table: Any, roles: ColumnRoles) -> tuple[NDArray[Any], dict[str, list[str]]]:
    """X, with as many columns read at a time as fit into memory beside it, and the categories of the categorical ones."""
    features = roles.features
    types = {str(table.schema_arrow.field(name).type) for name in features}
    X = np.empty((table.metadata.num_rows, len(features)), np.float32 if types == {"float"} else np.float64)
    numeric = [j for j, name in enumerate(features) if name not in roles.categorical]
    step = _columns_at_once(table.metadata, X)
    for lo in range(0, len(numeric), step):
        _fill(X, numeric[lo : lo + step], table, features)
    codes, categories = with_codes(table.read(roles.categorical, use_threads=False), roles.categorical)
    for name in roles.categorical:
        X[:, features.index(name)] = as_matrix(codes, [name])[:, 0]
    return X, categories


def _columns_at_once(metadata: Any, X: NDArray[Any]) -> int:
    """Number of columns that can be read together in an eighth of the size of X, or in 16 MiB.

    For each column, pyarrow holds its bytes in a row group, which may be the whole file, a decompressed page and dictionary,
    which most writers limit to 1 MiB each, and a batch.
    """
    largest = max((metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups)), default=0)
    stored = max(largest, 0) // metadata.num_columns
    held = stored + min(stored, 2**21) + X.itemsize * _BATCH
    n_passes = min(-(-X.shape[1] * held // max(_MIN_MEMORY, X.nbytes // 8)), X.shape[1])
    return int(-(-X.shape[1] // n_passes))


def _fill(X: NDArray[Any], columns: list[int], table: Any, features: Sequence[str]) -> None:
    """Copy some columns of the file into X."""
    wanted = [features[j] for j in columns]
    batches = (batch.select(wanted) for batch in table.iter_batches(batch_size=_BATCH, columns=wanted, use_threads=False))
    if fill_rows(X, batches, columns) < len(X):
        raise InputError("the Parquet file is damaged: its columns do not have the number of rows that it states")
