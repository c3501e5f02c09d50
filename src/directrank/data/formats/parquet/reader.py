"""Reading Parquet tables with one column each for grade, query, document and every feature."""

from __future__ import annotations

import json
import os
import re
import stat
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, InputWarning, MissingQueriesWarning
from ...io.files import PathLike, check_unchanged, half_of_memory, read_bytes, size_limit, too_large
from ...ranking_data import RankingData
from ...strings import STRING
from .footer import check_footer

if TYPE_CHECKING:
    import pyarrow as pa


_BATCH = 2**13
_MIN_MEMORY = 2**24
_UNNAMED = re.compile(r"__index_level_\d+__")


def read_parquet(
    path: PathLike,
    *,
    label: str = "label",
    qid: str = "qid",
    docno: str = "docno",
    features: Sequence[str] | None = None,
    max_size: int | None = None,
) -> RankingData:
    """Read ranking data from a Parquet file.

    Parameters
    ----------
    path : path
    label, qid, docno : str
        Names of the columns of grades, queries and documents. ``qid`` and ``docno`` may be absent; without ``qid``, all rows
        are one query, with a warning unless the file was written by `write_parquet`.
    features : sequence of str, optional
        Feature columns, in this order; by default all other columns except the index of a pandas frame, which is left out
        with a warning. Null values become NaN.
    max_size : int, optional
        Maximum size of X, and of the file if it is a pipe, in bytes; by default all of the memory.
    """
    limit = _limit(max_size)
    with _opened(path, limit) as file:
        data, index, is_ours = _read(file, path, (label, qid, docno), features, limit)
    _warn_of_index(path, index)
    if data.qid is None and len(data) > 1 and not is_ours:
        what = f"no column {qid!r}: all {len(data):,} rows are one query; name the column of queries in qid="
        warnings.warn(f"{path}: {what}", MissingQueriesWarning, stacklevel=2)
    return data


def read_parquet_file(
    file: IO[bytes],
    name: PathLike,
    *,
    label: str = "label",
    qid: str = "qid",
    docno: str = "docno",
    features: Sequence[str] | None = None,
    max_size: int | None = None,
) -> RankingData:
    """Read ranking data from an open, seekable Parquet file, which stays open.

    Parameters
    ----------
    file : binary file object
    name : path
        Name of the file in messages.
    label, qid, docno, features, max_size
        As in `read_parquet`.
    """
    data, index, _ = _read(file, name, (label, qid, docno), features, _limit(max_size))
    _warn_of_index(name, index)
    return data


def feature_columns(schema: pa.Schema, about: Sequence[str]) -> list[str]:
    """Feature columns of a table: all except a pandas index and those that `about` names."""
    others = (*about, *_pandas_index(schema))
    return [name for name in schema.names if name not in others]


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


def _read(
    file: Any, name: PathLike, about: tuple[str, str, str], features: Sequence[str] | None, limit: int
) -> tuple[RankingData, list[str], bool]:
    """The data, the columns left out, and whether the file was written by `write_parquet`.

    Any failure becomes an `InputError` that names the file.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        is_ours = check_footer(file)
        # With pre_buffer, pyarrow would keep all data it has read until the last batch.
        table = pq.ParquetFile(file, page_checksum_verification=True, pre_buffer=False)
        schema = table.schema_arrow
        index = [] if features is not None else [n for n in _pandas_index(schema) if n not in about]
        features = feature_columns(schema, about) if features is None else features
        _check_columns(schema, about, features)
        if table.metadata.num_rows < 0:
            raise InputError("the Parquet file is damaged: it states a negative number of rows")
        if 8 * table.metadata.num_rows * len(features) > limit:
            raise InputError(too_large(limit))
        X = _read_features(table, features)
        pa.default_memory_pool().release_unused()
        y, (qid, docno) = _column(table, about[0]), (_column(table, n) if n in schema.names else None for n in about[1:])
        return RankingData(X, y, qid, docno, features), index, is_ours
    except (pa.ArrowException, OSError, InputError, UnicodeDecodeError, ArithmeticError, MemoryError) as error:
        raise InputError(f"{name}: {_what(pa, error)}") from error
    finally:
        pa.default_memory_pool().release_unused()


def _warn_of_index(name: PathLike, index: list[str]) -> None:
    if index:
        what = f"{', '.join(map(repr, index))}, the index of a pandas frame: it is not a feature"
        warnings.warn(f"{name}: left out {what} (name it in features= to keep it)", InputWarning, stacklevel=3)


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


def _pandas_index(schema: Any) -> list[str]:
    """Columns with the index of a pandas frame, by pandas' metadata or by its names for unnamed levels."""
    try:
        stored = json.loads((schema.metadata or {}).get(b"pandas", b"{}")).get("index_columns", [])
    except (ValueError, RecursionError, AttributeError):
        stored = []
    levels = [name for name in stored if isinstance(name, str)] if isinstance(stored, list) else []
    return [name for name in schema.names if name in levels or _UNNAMED.fullmatch(name)]


def _check_columns(schema: Any, about: tuple[str, str, str], features: Sequence[str]) -> None:
    names = schema.names
    if len(set(names)) < len(names):
        raise InputError(f"two columns are named {next(n for n in names if names.count(n) > 1)!r}")
    for name, what in zip(about, ("grades", "queries", "documents"), strict=True):
        if name not in names and name not in ("qid", "docno"):
            raise InputError(f"no column {name!r} for the {what}; the columns are {', '.join(names)}")
    for name in features:
        _check_numeric(schema, name)
    if not features:
        raise InputError("the file has no feature columns")


def _read_features(table: Any, features: Sequence[str]) -> NDArray[Any]:
    """Read X batch by batch, with as many columns at a time as fit into memory beside X."""
    types = {str(table.schema_arrow.field(name).type) for name in features}
    X = np.empty((table.metadata.num_rows, len(features)), np.float32 if types == {"float"} else np.float64)
    step = _columns_at_once(table.metadata, X)
    for lo in range(0, len(features), step):
        _fill(X[:, lo : lo + step], table, features[lo : lo + step])
    return X


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


def _fill(X: NDArray[Any], table: Any, features: Sequence[str]) -> None:
    row = 0
    for batch in table.iter_batches(batch_size=_BATCH, columns=list(features), use_threads=False):
        if row + batch.num_rows > len(X):
            break
        for j, name in enumerate(features):
            X[row : row + batch.num_rows, j] = _numbers(batch.column(name))
        row += batch.num_rows
    if row < len(X):
        raise InputError("the Parquet file is damaged: its columns do not have the number of rows that it states")


def _column(table: Any, name: str) -> NDArray[Any]:
    kind = table.schema_arrow.field(name).type
    is_text = str(getattr(kind, "value_type", kind)) in ("string", "large_string", "string_view")
    parts: list[NDArray[Any]] = []
    for batch in table.iter_batches(batch_size=_BATCH, columns=[name], use_threads=False):
        column = batch.column(name)
        column = column.dictionary_decode() if hasattr(column, "dictionary_decode") else column  # categories
        if column.null_count:
            raise InputError(f"column {name!r} has null values; fill them in")
        parts.append(np.array(column.to_pylist(), STRING) if is_text else _numbers(column))
    return np.concatenate(parts) if parts else np.empty(0)


def _numbers(column: Any) -> NDArray[Any]:
    """An Arrow array as a NumPy array, null as NaN; by DLPack if possible, because `to_numpy` imports pandas."""
    if column.null_count == 0 and _is_numeric(column.type):
        return np.from_dlpack(column)
    values: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    return values


def _check_numeric(schema: Any, name: str) -> None:
    if name not in schema.names:
        raise InputError(f"no column {name!r}; the columns are {', '.join(schema.names)}")
    kind = schema.field(name).type
    if not _is_numeric(kind) and str(kind) != "bool":
        raise InputError(f"column {name!r} holds {kind}, not numbers; name the feature columns to leave it out")


def _is_numeric(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))
