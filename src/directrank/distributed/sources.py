"""Where sharded data comes from: Parquet files, Dask DataFrames and Dask arrays.

A shard is read by the worker that is to hold it. It is never sent from the driver: what was sent cannot be made again when
the worker that holds it dies.
"""

from __future__ import annotations

import glob
import os
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import fsspec
import numpy as np
from dask import delayed
from distributed import Client, default_client

from ..data import InputError, RankingData
from ..data.formats.parquet.reader import feature_columns, read_parquet_file
from ..data.formats.parquet.writer import check_shard_set
from .held import Held
from .sharded_data import ShardedData
from .workers import ClusterError, Progress, Workers, check_cluster, known_workers

_ORDER = "__directrank_order__"


class Columns(NamedTuple):
    """What the columns of a table are, by name."""

    label: str
    qid: str
    docno: str
    features: list[str] | None


def read_parquet(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    label: str = "label",
    qid: str = "qid",
    docno: str = "docno",
    features: Sequence[str] | None = None,
    shuffle: bool = False,
    client: Client | None = None,
    progress: Progress | None = None,
) -> ShardedData:
    """Read Parquet files on the workers of a cluster, each as a shard of whole queries.

    Parameters
    ----------
    paths : path, or iterable of them
        Files, folders of ``*.parquet``, or patterns, as the workers see them; also addresses that fsspec opens, such as
        ``s3://bucket/train/*.parquet``. Shards are in the order of the names.
    label, qid, docno, features
        See `directrank.read_parquet`. Features are matched by name, in the order of the first file.
    shuffle : bool
        Whether to gather each query in one shard first, where files end within queries. It takes about as much memory
        again as the data.
    client : distributed.Client, optional
        By default the one that was made last.
    progress : callable, optional
        Called after each shard that was read, with how many there are, and how many there will be.

    Returns
    -------
    ShardedData

    Raises
    ------
    InputError
        That names a query which is in two files, a file that cannot be read, or what differs between two files.
    """
    client = _checked(client)
    columns = Columns(label, qid, docno, None if features is None else list(features))
    wanted = [os.fspath(path) for path in _several(paths)]
    if not wanted:
        raise InputError("no file is named; give one or more")
    files = _asked(client, _some_of(wanted), _files, wanted)
    if shuffle:
        with client.as_current():
            return _shuffled(client, _frame_of([file for file, _ in files], columns), columns, progress)
    expected = _asked(client, files[0][0], _features_of, files[0][0], columns)
    token = uuid.uuid4().hex[:8]
    places = _spread(client, len(files))
    shards = [
        client.submit(
            _read,
            file,
            stamp,
            columns,
            expected,
            key=f"{os.path.basename(file)}-{token}-{i}",
            workers=[places[i]],
            allow_other_workers=True,
        )
        for i, (file, stamp) in enumerate(files)
    ]
    return ShardedData(client, shards, [file for file, _ in files], progress)


def from_dataframe(
    frame: Any,
    *,
    label: str = "label",
    qid: str = "qid",
    docno: str = "docno",
    features: Sequence[str] | None = None,
    shuffle: bool = False,
    client: Client | None = None,
    progress: Progress | None = None,
) -> ShardedData:
    """The partitions of a Dask DataFrame as shards.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
    label, qid, docno, features
        As in `read_parquet`; the index is no feature.
    shuffle : bool
        Whether to gather each query in one shard first, where partitions end within queries.
    client, progress
        See `read_parquet`.
    """
    import dask.dataframe as dd

    client = _checked(client)
    if not isinstance(frame, dd.DataFrame):
        raise InputError(
            f"this is a {type(frame).__name__}, and not a Dask DataFrame; make it one with dask.dataframe.from_pandas"
        )
    columns = Columns(label, qid, docno, None if features is None else list(features))
    if shuffle:
        with client.as_current():
            return _shuffled(client, frame, columns, progress)
    return _of_partitions(client, frame, columns, progress)


def from_arrays(X: Any, y: Any, qid: Any, *, client: Client | None = None, progress: Progress | None = None) -> ShardedData:
    """Dask arrays as shards, one for each chunk of rows.

    Parameters
    ----------
    X : dask.array.Array, rows x features
    y, qid : dask arrays, or NumPy arrays of as many rows
        The grade and the query of each row. Chunks are those of X.
    client, progress
        See `read_parquet`.
    """
    import dask.array as da

    client = _checked(client)
    if not isinstance(X, da.Array):
        raise InputError(f"X is a {type(X).__name__}, and not a Dask array; make it one with dask.array.from_array")
    if X.ndim != 2:
        raise InputError(f"X is of shape {X.shape}; it must have two dimensions, rows and features")
    if np.isnan(X.shape).any():
        raise InputError("how many rows the chunks of X have is not known; call X.compute_chunk_sizes() first")
    X = X.rechunk({1: -1})
    parts = [X.to_delayed().ravel().tolist()]
    for name, given in (("y", y), ("qid", qid)):
        values = given if isinstance(given, da.Array) else np.asarray(given)
        if values.shape != (X.shape[0],):
            raise InputError(f"{name} is of shape {values.shape}, and X has {X.shape[0]} rows")
        as_dask = values if isinstance(values, da.Array) else da.from_array(values, X.chunks[0])
        parts.append(as_dask.rechunk((X.chunks[0],)).to_delayed().ravel().tolist())
    names = [f"chunk {i}" for i in range(len(parts[0]))]
    shards = [delayed(_of_arrays)(name, *part) for name, part in zip(names, zip(*parts, strict=True), strict=True)]
    return ShardedData(client, _computed(client, shards), names, progress)


def _several(paths: Any) -> list[Any]:
    return [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)


def _checked(client: Client | None) -> Client:
    client = client or default_client()
    if client.asynchronous:
        raise ClusterError("this needs a client that waits for results; make it without asynchronous=True")
    check_cluster(client)
    return client


def _asked(client: Client, about: str, function: Callable[..., Any], *args: Any) -> Any:
    """What a function gives on one of the workers."""
    answer = client.submit(function, *args, pure=False)
    Workers(client, [answer], [about]).wait_until_held()
    return answer.result()


def _some_of(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]}, ..."


def _spread(client: Client, n: int) -> list[str]:
    """A worker for each of so many shards, by their threads: neighbours to the same one."""
    workers = known_workers(client)
    addresses = sorted(workers, key=lambda address: str(workers[address]["name"]))
    threads = np.array([workers[address]["nthreads"] for address in addresses])
    until = np.cumsum(threads) / threads.sum() * n
    return [addresses[int(np.searchsorted(until, i, side="right"))] for i in range(n)]


def _files(paths: list[str]) -> list[tuple[str, str]]:
    """The files that paths and patterns mean, as a worker sees them, and by what it is seen that one has changed."""
    found: list[str] = []
    for path in paths:
        with _failing_as(path):
            some = _remote_files(path) if "://" in path else _local_files(path)
        if not some:
            raise InputError(f"{path}: there is no such Parquet file, as seen from the workers")
        found += sorted(some)
    stamped = []
    for file in found:
        with _failing_as(file):
            stamped.append((file, _stamp(file)))
    return stamped


def _local_files(path: str) -> list[str]:
    if os.path.isdir(path):
        files = glob.glob(os.path.join(glob.escape(path), "*.parquet"))
        check_shard_set(path, files)
        return files
    return [path] if os.path.exists(path) else glob.glob(path)


def _remote_files(address: str) -> list[str]:
    system, path = fsspec.core.url_to_fs(address)
    is_pattern = any(mark in path for mark in "*?[")
    names = [path] if system.isfile(path) else system.glob(path if is_pattern else f"{path.rstrip('/')}/*.parquet")
    return [system.unstrip_protocol(name) for name in names]


def _stamp(file: str) -> str:
    """What differs when a file was changed."""
    if "://" in file:
        system, path = fsspec.core.url_to_fs(file)
        return str(system.ukey(path))
    status = os.stat(file)
    return f"{status.st_size} {status.st_mtime_ns}"


def _read(file: str, stamp: str, columns: Columns, expected: list[str]) -> Held:
    """A shard, read by the worker that is to hold it, with its features in an expected order.

    It may be read again when a worker has died, and must be the same then.
    """
    with _opened(file) as opened:
        if _stamp(file) != stamp:
            raise InputError(f"{file} has changed since it was listed; read the data anew")
        data = read_parquet_file(opened, file, **columns._asdict())
    try:
        return Held(data.with_features(expected))
    except InputError as error:
        raise InputError(f"{file}: {error}") from error


@contextmanager
def _opened(file: str) -> Iterator[Any]:
    """A file or an address."""
    with _failing_as(file), fsspec.open(file, "rb") if "://" in file else open(file, "rb") as opened:
        yield opened


@contextmanager
def _failing_as(file: str) -> Iterator[None]:
    """What is wrong with a file or an address becomes one sentence; fsspec has errors of many kinds."""
    try:
        yield
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"{file} cannot be read by a worker: {error.strerror or error}") from error
    except Exception as error:
        if "://" not in file:
            raise
        raise InputError(f"{file} cannot be read by a worker: {' '.join(str(error).split())}") from error


def _features_of(file: str, columns: Columns) -> list[str]:
    """The features of a file, in its order."""
    import pyarrow
    import pyarrow.parquet

    if columns.features is not None:
        return columns.features
    with _opened(file) as opened:
        try:
            return feature_columns(pyarrow.parquet.read_schema(opened), columns[:3])
        except pyarrow.ArrowException as error:
            raise InputError(f"{file}: not a Parquet file, or an incomplete one ({' '.join(str(error).split())})") from error


def _frame_of(files: list[str], columns: Columns) -> Any:
    """Files as a Dask DataFrame, a partition each."""
    import dask.dataframe as dd

    try:
        frame = dd.read_parquet(files, split_row_groups=False, aggregate_files=False, index=False)
    except Exception as error:  # Dask has errors of many kinds for it
        raise InputError(f"{_some_of(files)} cannot be read to shuffle: {' '.join(str(error).split())}") from error
    if columns.features is None:
        return frame
    _check_columns(frame, columns)
    known = [name for name in (columns.label, columns.qid, columns.docno) if name in frame.columns]
    return frame[[*known, *columns.features]]


def _check_columns(frame: Any, columns: Columns) -> None:
    """Refuse a frame without grades, or without a feature that is asked for."""
    for wanted, use in ((columns.label, "the grades"), *((feature, "a feature") for feature in columns.features or ())):
        if wanted not in frame.columns:
            raise InputError(f"no column {wanted!r} for {use}; the columns are {_named(frame)}")


def _named(frame: Any) -> str:
    return ", ".join(map(str, frame.columns))


def _shuffled(client: Client, frame: Any, columns: Columns, progress: Progress | None) -> ShardedData:
    """The rows of a frame gathered by query, in the order in which they were."""
    if columns.qid not in frame.columns:
        raise InputError(f"there is no column {columns.qid!r} to shuffle by; the columns are {_named(frame)}")
    numbered = frame.map_partitions(_numbered, meta=_numbered(frame._meta))
    return _of_partitions(client, numbered.shuffle(columns.qid, npartitions=frame.npartitions), columns, progress)


def _numbered(part: Any, partition_info: Any = None) -> Any:
    """A partition with the place of each row in the whole: shuffling does not keep the order."""
    first = 0 if partition_info is None else partition_info["number"] << 40
    return part.assign(**{_ORDER: np.arange(first, first + len(part))})


def _of_partitions(client: Client, frame: Any, columns: Columns, progress: Progress | None) -> ShardedData:
    """The partitions of a frame that have rows."""
    parts = frame.to_delayed()
    names = [f"partition {i}" for i in range(len(parts))]
    made = _computed(client, [delayed(_of_frame)(name, part, columns) for name, part in zip(names, parts, strict=True)])
    Workers(client, made, names).wait_until_held()
    are_there = [client.submit(_is_there, shard) for shard in made]
    Workers(client, are_there, names).wait_until_held()
    has_rows = client.gather(are_there)
    kept = [(shard, name) for shard, name, there in zip(made, names, has_rows, strict=True) if there]
    if not kept:
        raise InputError("the data is empty: no partition has rows")
    return ShardedData(client, [shard for shard, _ in kept], [name for _, name in kept], progress)


def _computed(client: Client, shards: list[Any]) -> list[Any]:
    return client.compute(shards, optimize_graph=True)  # type: ignore[no-any-return]


def _is_there(shard: Held | None) -> bool:
    return shard is not None


def _of_frame(name: str, part: Any, columns: Columns) -> Held | None:
    """A partition as a shard; None of one without rows."""
    if not len(part):
        return None
    if _ORDER in part.columns:
        part = part.sort_values(_ORDER).drop(columns=_ORDER)
    _check_columns(part, columns)
    others = (columns.label, columns.qid, columns.docno)
    features = columns.features or [column for column in part.columns if column not in others]
    kind = np.float32 if {str(part.dtypes[column]) for column in features} == {"float32"} else np.float64
    try:
        X = np.ascontiguousarray(part[features].to_numpy(kind, na_value=np.nan))
    except (TypeError, ValueError) as error:
        why = f"a feature holds no numbers ({error}); name the feature columns to leave it out"
        raise InputError(f"{name}: {why}") from error
    given = {column: part[column].to_numpy() for column in others if column in part.columns}
    names = list(map(str, features))
    return _held(name, X, given[columns.label], given.get(columns.qid), given.get(columns.docno), names)


def _of_arrays(name: str, X: Any, y: Any, qid: Any) -> Held:
    return _held(name, X, y, qid)


def _held(name: str, *given: Any) -> Held:
    """A shard of some name; what is wrong with it is said with that name."""
    try:
        return Held(RankingData(*given))
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
