"""Parquet tables with one column each for grade, query, document and every feature (extra ``parquet``)."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import stat
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...arrays import Ints
from ..bytes.files import PathLike, half_of_memory, read_bytes, refuse_change, replacing, size_limit, too_large
from ..bytes.locks import alone_in, remove_leftovers, unfinished
from ..errors import InputError, InputWarning
from ..ranking_data import RankingData
from ..strings import STRING

if TYPE_CHECKING:
    import pyarrow as pa


_MOST_FEATURES = 100_000
_MOST_SHARDS = 100_000  # that five digits can number
_UNFINISHED = (".shards.", ".part")
_BATCH = 2**13
_LEAST_MEMORY = 2**24
_SHARD = re.compile(r"part-\d{5}\.parquet")
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
    limit = _limit(max_size)
    with _opened(path, limit) as file:
        data, index = _read(file, path, (label, qid, docno), features, limit)
    _warn_of_index(path, index)
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
    """Read ranking data from an open Parquet file, which may be anywhere as long as it can seek; it stays open.

    Parameters
    ----------
    file : binary file object
    name : path
        What messages call the file.
    label, qid, docno, features, max_size
        As in `read_parquet`.
    """
    data, index = _read(file, name, (label, qid, docno), features, _limit(max_size))
    _warn_of_index(name, index)
    return data


def feature_columns(schema: pa.Schema, about: tuple[str, str, str]) -> list[str]:
    """The columns of a table that are features: all but those of grades, queries and documents, and a pandas index."""
    others = (*about, *_pandas_index(schema))
    return [name for name in schema.names if name not in others]


def _limit(max_size: int | None) -> int:
    return size_limit(max_size) or 2 * half_of_memory()


@contextmanager
def _opened(path: PathLike, limit: int) -> Iterator[Any]:
    """A file to read Parquet from; refused if it changes in the meantime, because that may be what is wrong with it."""
    if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe, which Parquet, read from its end, cannot come from
        yield _pyarrow()[0].BufferReader(read_bytes(path, limit))
        return
    with open(path, "rb") as file:
        before = os.fstat(file.fileno())
        try:
            yield file
        except InputError:
            refuse_change(path, file, before)
            raise
        refuse_change(path, file, before)


def _read(
    file: Any, name: PathLike, about: tuple[str, str, str], features: Sequence[str] | None, limit: int
) -> tuple[RankingData, list[str]]:
    """The data, and the columns left out; whatever is wrong with the file becomes one sentence that names it."""
    pa, pq = _pyarrow()
    try:
        # With pre_buffer, pyarrow would keep all that it has read of the file until the last batch.
        table = pq.ParquetFile(file, page_checksum_verification=True, pre_buffer=False)
        schema = table.schema_arrow
        index = [] if features is not None else [n for n in _pandas_index(schema) if n not in about]
        features = feature_columns(schema, about) if features is None else features
        _check_columns(schema, about[0], features)
        if table.metadata.num_rows < 0:
            raise InputError("the Parquet file is damaged: it states a negative number of rows")
        if 8 * table.metadata.num_rows * len(features) > limit:
            raise InputError(too_large(limit))
        X = _read_features(table, features)
        pa.default_memory_pool().release_unused()
        y, (qid, docno) = _column(table, about[0]), (_column(table, n) if n in schema.names else None for n in about[1:])
        return RankingData(X, y, qid, docno, features), index
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


def _read_features(table: Any, features: Sequence[str]) -> NDArray[Any]:
    """Fill X batch by batch, and no more columns at once than memory is to spare for beside X."""
    types = {str(table.schema_arrow.field(name).type) for name in features}
    X = np.empty((table.metadata.num_rows, len(features)), np.float32 if types == {"float"} else np.float64)
    step = _columns_at_once(table.metadata, X)
    for lo in range(0, len(features), step):
        _fill(X[:, lo : lo + step], table, features[lo : lo + step])
    return X


def _columns_at_once(metadata: Any, X: NDArray[Any]) -> int:
    """How many columns can be read together in an eighth of the memory of X, or in 16 MiB.

    Of each column, pyarrow holds the bytes that it has in a row group, which may be all of the file, and beside them a page
    and a dictionary, decompressed, which most writers limit to 1 MiB each, and a batch.
    """
    largest = max((metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups)), default=0)
    stored = max(largest, 0) // metadata.num_columns
    held = stored + min(stored, 2**21) + X.itemsize * _BATCH
    n_passes = min(-(-X.shape[1] * held // max(_LEAST_MEMORY, X.nbytes // 8)), X.shape[1])
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
    is_text = str(table.schema_arrow.field(name).type) in ("string", "large_string")
    parts: list[NDArray[Any]] = []
    for batch in table.iter_batches(batch_size=_BATCH, columns=[name], use_threads=False):
        column = batch.column(name)
        if column.null_count:
            raise InputError(f"column {name!r} has null values; fill them in")
        parts.append(np.array(column.to_pylist(), STRING) if is_text else _numbers(column))
    return np.concatenate(parts) if parts else np.empty(0)


def _numbers(column: Any) -> NDArray[Any]:
    """An Arrow array as NumPy's, null as NaN; shared if it can be, because `to_numpy` imports pandas where there is one."""
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
    pa, _ = _pyarrow()
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise InputError("Parquet files need pyarrow: pip install 'directrank[parquet]'") from error
    return pyarrow, pyarrow.parquet


def write_parquet(path: PathLike, data: RankingData, *, shards: int | None = None) -> None:
    """Write ranking data as Parquet: label, qid, docno and a column for each feature (f1, f2, ... if unnamed).

    Parameters
    ----------
    path : path
        A file; with `shards` a folder, which is made if it is not there.
    data : RankingData
    shards : int, optional
        How many files to divide the queries among: ``part-00000.parquet`` and so on. Every query is whole in one file, its
        rows in their order, and queries come by first appearance. No file has more or fewer rows than an equal share by more
        than the rows of the largest query.

    Notes
    -----
    Shards take their names only when all of them are written. The files of an earlier set, of at most as many, are removed
    then, ``part-00000.parquet`` first, and of the new ones that is the last to be named. So whenever the writer is killed,
    files of two sets are never together, and a folder with a ``part-00000.parquet`` holds a whole set, the earlier or the
    new one; in a folder without it the set is not whole and is to be written again.
    """
    _pyarrow()  # refused before a file is made
    columns = _column_names(data)
    if shards is not None:
        _write_shards(path, data, columns, shards)
        return
    with replacing(path) as file:
        _write(file, data, columns, 0, len(data), None)


def check_shards(path: PathLike, shards: int) -> list[str]:
    """The names of the files that shards are written to; refuse, before any work, a folder that cannot hold them."""
    if isinstance(shards, bool) or not isinstance(shards, (int, np.integer)) or not 1 <= shards <= _MOST_SHARDS:
        raise InputError(f"shards must be a whole number from 1 to {_MOST_SHARDS:,}, not {shards!r}")
    names = [_shard_name(number) for number in range(shards)]
    if not os.path.exists(path):
        if not os.path.isdir(os.path.dirname(os.path.realpath(path))):
            raise InputError(f"{path}: there is no such folder to make a folder in")
        return names
    if not os.path.isdir(path):
        raise InputError(f"{path} is a file, and shards are written to a folder; choose another name")
    with os.scandir(path) as entries:
        files = {entry.name for entry in entries if entry.name.lower().endswith(".parquet")}
    others = files - {name for name in names if not os.path.isdir(os.path.join(path, name))}
    if others:
        what = f"{min(others)}, which is none of the {len(names)} files to be written and would be mixed up with them"
        raise InputError(f"{path} already holds {what}; remove it, or choose another folder")
    return names


def refuse_part_of_set(folder: PathLike, files: Iterable[str]) -> None:
    """Refuse the Parquet files of a folder if they are shards but not a whole set, as a writer that was killed may leave."""
    names = {os.path.basename(file) for file in files}
    n_shards = sum(_SHARD.fullmatch(name) is not None for name in names)
    missing = next((name for name in map(_shard_name, range(n_shards)) if name not in names), None)
    if missing is not None:
        raise InputError(f"{folder} has shards without {missing}: the set is not whole; write it again")


def _shard_name(number: int) -> str:
    return f"part-{number:05}.parquet"


def _write_shards(path: PathLike, data: RankingData, columns: Sequence[str], shards: int) -> None:
    names = check_shards(path, shards)
    if data.qid is None:
        raise InputError("shards are of whole queries, and the data has no qid: it is one query; write one file")
    queries = data.by_query()
    if queries.ids.size < shards:
        raise InputError(f"the data has {queries.ids.size:,} queries, too few for {shards:,} shards; write fewer shards")
    ends = queries.offsets[_cuts(queries.offsets, shards)].tolist()
    folder = Path(os.path.realpath(path))
    folder.mkdir(exist_ok=True)
    remove_leftovers(folder, *_UNFINISHED)
    with unfinished(folder, *_UNFINISHED, Path.mkdir) as unnamed:
        try:
            for name, (lo, hi) in zip(names, itertools.pairwise(ends), strict=True):
                with open(unnamed / Path(name).stem, "wb") as file:
                    with suppress(FileNotFoundError):  # before the first byte: what it is to replace may be private
                        os.chmod(file.name, stat.S_IMODE(os.stat(folder / name).st_mode))
                    _write(file, data, columns, lo, hi, queries.permutation)
            _name_shards(path, unnamed, names)
        finally:
            shutil.rmtree(unnamed, ignore_errors=True)


def _cuts(offsets: Ints, shards: int) -> Ints:
    """Before which queries to cut: between those nearest to equal shares of rows, with at least one query in each part.

    A cut is off by at most half of the largest query, of m rows, so a part by at most m; where cuts would coincide and are
    moved apart, the parts between them are of one query.
    """
    number = np.arange(1, shards)
    share = number * (offsets[-1] / shards)
    after = np.searchsorted(offsets, share)
    nearest = after - (share - offsets[after - 1] < offsets[after] - share)
    n_queries = offsets.size - 1
    inner = np.clip(np.maximum.accumulate(nearest - number), 0, n_queries - shards) + number
    return np.concatenate(([0], inner, [n_queries]))


def _name_shards(path: PathLike, unnamed: Path, names: Sequence[str]) -> None:
    """Put the new files into the place of the old ones; the first is there only together with all of its set."""
    folder = unnamed.parent
    with alone_in(folder):
        check_shards(path, len(names))  # again: others may have written meanwhile
        for name in names:
            (folder / name).unlink(missing_ok=True)
        for name in reversed(names):
            os.replace(unnamed / Path(name).stem, folder / name)


def _column_names(data: RankingData) -> list[str]:
    if data.n_features > _MOST_FEATURES:
        raise InputError(f"{data.n_features:,} features are too many for the columns of a Parquet file; write LETOR text")
    names = data.feature_names or [f"f{j}" for j in range(1, data.n_features + 1)]
    taken = {"label", "qid", "docno"} & set(names)
    if taken:
        raise InputError(f"a feature is named {taken.pop()!r}, which is a reserved column name; rename the feature")
    return names


def _write(file: IO[bytes], data: RankingData, names: Sequence[str], lo: int, hi: int, order: Ints | None) -> None:
    """Write rows lo to hi, in this order of them if one is given."""
    pa, pq = _pyarrow()
    step = max(1, min(2**16, 2**24 // data.n_features))
    writer = None
    for start in range(lo, hi, step):
        rows = slice(start, min(start + step, hi))
        table = _table(pa, data, rows if order is None else order[rows], names)
        writer = writer or pq.ParquetWriter(file, table.schema, write_page_checksum=True)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def _table(pa: Any, data: RankingData, rows: slice | Ints, names: Sequence[str]) -> pa.Table:
    part = data.X[rows]
    dense = part.toarray() if sparse.issparse(part) else part
    columns: dict[str, Any] = {"label": data.y[rows]}
    if data.qid is not None:
        columns["qid"] = data.qid[rows].tolist() if data.qid.dtype.kind == "T" else data.qid[rows]
    if data.docno is not None:
        columns["docno"] = data.docno[rows].tolist()
    columns |= {name: np.ascontiguousarray(dense[:, j]) for j, name in enumerate(names)}
    return pa.table({name: pa.array(values) for name, values in columns.items()})
