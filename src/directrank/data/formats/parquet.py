"""Parquet tables with one column each for grade, query, document and every feature (extra ``parquet``)."""

from __future__ import annotations

import json
import os
import re
import stat
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..bytes.files import PathLike, half_of_memory, read_bytes, refuse_change, replacing, size_limit, too_large
from ..errors import InputError, InputWarning
from ..ranking_data import RankingData

if TYPE_CHECKING:
    import pyarrow as pa


_MOST_FEATURES = 100_000
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
        The names of the columns that hold grade, query and document. The last two may be absent.
    features : sequence of str, optional
        The feature columns, in this order; by default all other columns, but for the index of a pandas frame, which is left
        out with a warning. Null values become NaN.
    max_size : int, optional
        The most bytes that X may have, and the file, if it is a pipe; by default all of the memory.
    """
    limit = size_limit(max_size) or 2 * half_of_memory()
    with _opened(path, limit) as (table, schema):
        index = [] if features is not None else [n for n in _pandas_index(schema) if n not in (label, qid, docno)]
        if features is None:
            features = [n for n in schema.names if n not in (label, qid, docno, *index)]
        _check_columns(schema, label, features)
        if 8 * table.metadata.num_rows * len(features) > limit:
            raise InputError(too_large(limit))
        data = RankingData(
            _read_features(table, features),
            _column(table, label),
            _column(table, qid) if qid in schema.names else None,
            _column(table, docno) if docno in schema.names else None,
            features,
        )
    if index:
        what = f"{', '.join(map(repr, index))}, the index of a pandas frame: it is not a feature"
        warnings.warn(f"{path}: left out {what} (name it in features= to keep it)", InputWarning, stacklevel=2)
    return data


@contextmanager
def _opened(path: PathLike, limit: int) -> Iterator[tuple[Any, Any]]:
    """An open Parquet file and its schema; whatever is wrong with it becomes one sentence that names the file."""
    pa, pq = _pyarrow()
    with ExitStack() as stack:
        file, source, before = None, None, os.stat(path)
        if stat.S_ISREG(before.st_mode):
            source = file = stack.enter_context(open(path, "rb"))
            before = os.fstat(file.fileno())
        else:  # a pipe, which Parquet, read from its end, cannot come from
            source = pa.BufferReader(read_bytes(path, limit))
        try:
            table = pq.ParquetFile(source, page_checksum_verification=True)
            yield table, table.schema_arrow
        except (pa.ArrowException, OSError, InputError, UnicodeDecodeError, ArithmeticError, MemoryError) as error:
            if file is not None:
                refuse_change(path, file, before)
            raise InputError(f"{path}: {_what(pa, error)}") from error
        if file is not None:
            refuse_change(path, file, before)


def _what(pa: Any, error: Exception) -> str:
    text = " ".join(str(error).split())
    if isinstance(error, InputError):
        return text
    if isinstance(error, UnicodeDecodeError):
        return f"the Parquet file has text that is not UTF-8 ({text}); convert it first"
    if isinstance(error, pa.ArrowException):
        return f"not a Parquet file, or an incomplete one ({text})"
    return f"the Parquet file is damaged ({text})"


def _pandas_index(schema: Any) -> list[str]:
    """The columns that hold the index of a pandas frame: pandas says which, and has names for those without one."""
    try:
        stored = json.loads((schema.metadata or {}).get(b"pandas", b"{}")).get("index_columns", [])
    except (ValueError, RecursionError, AttributeError):
        stored = []
    levels = [name for name in stored if isinstance(name, str)] if isinstance(stored, list) else []
    return [name for name in schema.names if name in levels or _UNNAMED.fullmatch(name)]


def _check_columns(schema: Any, label: str, features: Sequence[str]) -> None:
    names = schema.names
    if len(set(names)) < len(names):
        raise InputError(f"two columns are named {next(n for n in names if names.count(n) > 1)!r}")
    if label not in names:
        raise InputError(f"no column {label!r} for the grades; the columns are {', '.join(names)}")
    for name in features:
        _check_numeric(schema, name)
    if not features:
        raise InputError("the file has no feature columns")


def write_parquet(path: PathLike, data: RankingData) -> None:
    """Write ranking data as a Parquet file: label, qid, docno and a column for each feature (f1, f2, ... if unnamed)."""
    pa, pq = _pyarrow()
    if data.n_features > _MOST_FEATURES:
        raise InputError(f"{data.n_features:,} features are too many for the columns of a Parquet file; write LETOR text")
    names = data.feature_names or [f"f{j}" for j in range(1, data.n_features + 1)]
    taken = {"label", "qid", "docno"} & set(names)
    if taken:
        raise InputError(f"a feature is named {taken.pop()!r}, which is a reserved column name; rename the feature")
    with replacing(path) as file:
        writer = None
        step = max(1, min(2**16, 2**24 // data.n_features))
        for lo in range(0, len(data), step):
            table = _table(pa, data, slice(lo, lo + step), names)
            writer = writer or pq.ParquetWriter(file, table.schema, write_page_checksum=True)
            writer.write_table(table)
        if writer is not None:
            writer.close()


def _table(pa: Any, data: RankingData, rows: slice, names: Sequence[str]) -> pa.Table:
    part = data.X[rows]
    dense = part.toarray() if sparse.issparse(part) else part
    columns: dict[str, Any] = {"label": data.y[rows]}
    if data.qid is not None:
        columns["qid"] = data.qid[rows].tolist() if data.qid.dtype.kind == "T" else data.qid[rows]
    if data.docno is not None:
        columns["docno"] = data.docno[rows].tolist()
    columns |= {name: np.ascontiguousarray(dense[:, j]) for j, name in enumerate(names)}
    return pa.table({name: pa.array(values) for name, values in columns.items()})


def _read_features(table: Any, features: Sequence[str]) -> NDArray[Any]:
    """Fill X batch by batch, so that the file and X are never in memory together."""
    types = {str(table.schema_arrow.field(name).type) for name in features}
    X = np.empty((table.metadata.num_rows, len(features)), np.float32 if types == {"float"} else np.float64)
    row = 0
    for batch in table.iter_batches(batch_size=2**14, columns=list(features)):
        if row + batch.num_rows > len(X):
            break
        for j, name in enumerate(features):
            X[row : row + batch.num_rows, j] = batch.column(name).to_numpy(zero_copy_only=False)
        row += batch.num_rows
    if row < len(X):
        raise InputError("the Parquet file is damaged: its columns do not have the number of rows that it states")
    return X


def _column(table: Any, name: str) -> NDArray[Any]:
    column = table.read(columns=[name]).column(name)
    if column.null_count:
        raise InputError(f"column {name!r} has null values; fill them in")
    return np.asarray(column.to_pylist()) if str(column.type) in ("string", "large_string") else column.to_numpy()


def _check_numeric(schema: Any, name: str) -> None:
    if name not in schema.names:
        raise InputError(f"no column {name!r}; the columns are {', '.join(schema.names)}")
    pa, _ = _pyarrow()
    kind = schema.field(name).type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        raise InputError(f"column {name!r} holds {kind}, not numbers; name the feature columns to leave it out")


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise InputError("Parquet files need pyarrow: pip install 'directrank[parquet]'") from error
    return pyarrow, pyarrow.parquet
