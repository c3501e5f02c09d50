"""Parquet tables with one column each for grade, query, document and every feature (extra ``parquet``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..bytes.files import PathLike, replacing
from ..errors import InputError
from ..ranking_data import RankingData

if TYPE_CHECKING:
    import pyarrow as pa


_MOST_FEATURES = 100_000


def read_parquet(
    path: PathLike, *, label: str = "label", qid: str = "qid", docno: str = "docno", features: Sequence[str] | None = None
) -> RankingData:
    """Read ranking data from a Parquet file.

    Parameters
    ----------
    path : path
    label, qid, docno : str
        The names of the columns that hold grade, query and document. The last two may be absent.
    features : sequence of str, optional
        The feature columns, in this order; by default all other columns. Null values become NaN.
    """
    pa, pq = _pyarrow()
    with open(path, "rb") as file:
        try:
            return _read(pq.ParquetFile(file), label, qid, docno, features)
        except pa.ArrowException as error:
            raise InputError(f"{path}: not a Parquet file, or an incomplete one ({error})") from error
        except OSError as error:
            raise InputError(f"{path}: the Parquet file is damaged ({error})") from error
        except InputError as error:
            raise InputError(f"{path}: {error}") from error


def _read(table: Any, label: str, qid: str, docno: str, features: Sequence[str] | None) -> RankingData:
    names = table.schema_arrow.names
    if len(set(names)) < len(names):
        raise InputError(f"two columns are named {next(n for n in names if names.count(n) > 1)!r}")
    if label not in names:
        raise InputError(f"no column {label!r} for the grades; the columns are {', '.join(names)}")
    features = [n for n in names if n not in (label, qid, docno)] if features is None else list(features)
    for name in features:
        _check_numeric(table.schema_arrow, name)
    if not features:
        raise InputError("the file has no feature columns")
    return RankingData(
        _read_features(table, features),
        _column(table, label),
        _column(table, qid) if qid in names else None,
        _column(table, docno) if docno in names else None,
        features,
    )


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
            writer = writer or pq.ParquetWriter(file, table.schema)
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
        for j, name in enumerate(features):
            X[row : row + batch.num_rows, j] = batch.column(name).to_numpy(zero_copy_only=False)
        row += batch.num_rows
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
