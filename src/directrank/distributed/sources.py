"""Sources of sharded data: Parquet files, Dask DataFrames and Dask arrays.

A shard is read by the worker that is to hold it. It is never sent from the driver: data that was sent cannot be recomputed
when the worker that holds it dies.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from dask import delayed
from distributed import Client, default_client

from ..data import InputError, RankingData
from .cluster import ClusterClient, ClusterError, Progress, check_cluster, known_workers
from .parquet_files import Columns, feature_names, list_files, read_shard
from .shard import Shard
from .sharded_data import ShardedData

_ORDER = "__directrank_order__"


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
        Files, folders of ``*.parquet``, or patterns, as the workers see them; also URLs that fsspec opens, such as
        ``s3://bucket/train/*.parquet``. Shards are in the order of the names.
    label, qid, docno, features
        See `directrank.read_parquet`. Features are matched by name, in the order of the first file.
    shuffle : bool
        Whether to gather each query in one shard first, where files end within queries. It takes about as much memory
        again as the data.
    client : distributed.Client, optional
        By default the client made last.
    progress : callable, optional
        Called after each shard that was read, with the number of shards read so far and the number of all shards.

    Returns
    -------
    ShardedData

    Raises
    ------
    InputError
        A query is in two files, a file cannot be read, or the features of two files differ.
    """
    client = _checked(client)
    columns = Columns(label, qid, docno, None if features is None else list(features))
    wanted = [os.fspath(path) for path in _several(paths)]
    if not wanted:
        raise InputError("no file is named; give one or more")
    files = _run_on_worker(client, _abbreviated(wanted), list_files, wanted)
    if shuffle:
        with client.as_current():
            return _shuffled(client, _frame_of([file for file, _ in files], columns), columns, progress)
    expected = _run_on_worker(client, files[0][0], feature_names, files[0][0], columns)
    token = uuid.uuid4().hex[:8]
    workers = _spread(client, len(files))
    shards = [
        client.submit(
            read_shard,
            file,
            stamp,
            columns,
            expected,
            key=f"{os.path.basename(file)}-{token}-{i}",
            workers=[workers[i]],
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
    """Take the partitions of a Dask DataFrame as shards.

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
    return _from_partitions(client, frame, columns, progress)


def from_arrays(X: Any, y: Any, qid: Any, *, client: Client | None = None, progress: Progress | None = None) -> ShardedData:
    """Take Dask arrays as shards, one for each chunk of rows.

    Parameters
    ----------
    X : dask.array.Array, rows x features
    y, qid : dask arrays, or NumPy arrays of as many rows
        Grade and query of each row, in the chunks of X.
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
    shards = [delayed(_make_shard)(name, *part) for name, part in zip(names, zip(*parts, strict=True), strict=True)]
    return ShardedData(client, _computed(client, shards), names, progress)


def _several(paths: Any) -> list[Any]:
    return [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)


def _checked(client: Client | None) -> Client:
    client = client or default_client()
    if client.asynchronous:
        raise ClusterError("this needs a client that waits for results; make it without asynchronous=True")
    check_cluster(client)
    return client


def _run_on_worker(client: Client, about: str, function: Callable[..., Any], *args: Any) -> Any:
    """Result of a function on any worker."""
    answer = client.submit(function, *args, pure=False)
    ClusterClient(client, [answer], [about]).wait_until_loaded()
    return answer.result()


def _abbreviated(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]}, ..."


def _spread(client: Client, n: int) -> list[str]:
    """Address of a worker for each of `n` shards: in proportion to threads, adjacent shards to the same worker."""
    workers = known_workers(client)
    addresses = sorted(workers, key=lambda address: str(workers[address]["name"]))
    threads = np.array([workers[address]["nthreads"] for address in addresses])
    until = np.cumsum(threads) / threads.sum() * n
    return [addresses[int(np.searchsorted(until, i, side="right"))] for i in range(n)]


def _frame_of(files: list[str], columns: Columns) -> Any:
    """Files as a Dask DataFrame with a partition for each."""
    import dask.dataframe as dd

    try:
        frame = dd.read_parquet(files, split_row_groups=False, aggregate_files=False, index=False)
    except Exception as error:  # Dask has errors of many kinds for it
        raise InputError(f"{_abbreviated(files)} cannot be read to shuffle: {' '.join(str(error).split())}") from error
    if columns.features is None:
        return frame
    _check_columns(frame, columns)
    known = [name for name in (columns.label, columns.qid, columns.docno) if name in frame.columns]
    return frame[[*known, *columns.features]]


def _check_columns(frame: Any, columns: Columns) -> None:
    """Raise if a frame has no grades, or lacks a feature that was asked for."""
    for wanted, use in ((columns.label, "the grades"), *((feature, "a feature") for feature in columns.features or ())):
        if wanted not in frame.columns:
            raise InputError(f"no column {wanted!r} for {use}; the columns are {_column_names(frame)}")


def _column_names(frame: Any) -> str:
    return ", ".join(map(str, frame.columns))


def _shuffled(client: Client, frame: Any, columns: Columns, progress: Progress | None) -> ShardedData:
    """Rows of a frame gathered by query, in their original order."""
    if columns.qid not in frame.columns:
        raise InputError(f"there is no column {columns.qid!r} to shuffle by; the columns are {_column_names(frame)}")
    numbered = frame.map_partitions(_numbered, meta=_numbered(frame._meta))
    return _from_partitions(client, numbered.shuffle(columns.qid, npartitions=frame.npartitions), columns, progress)


def _numbered(part: Any, partition_info: Any = None) -> Any:
    """A partition with the position of each row in the whole frame: shuffling does not keep the order."""
    first = 0 if partition_info is None else partition_info["number"] << 40
    return part.assign(**{_ORDER: np.arange(first, first + len(part))})


def _from_partitions(client: Client, frame: Any, columns: Columns, progress: Progress | None) -> ShardedData:
    """The non-empty partitions of a frame."""
    parts = frame.to_delayed()
    names = [f"partition {i}" for i in range(len(parts))]
    lazy = [delayed(_shard_from_frame)(name, part, columns) for name, part in zip(names, parts, strict=True)]
    made = _computed(client, lazy)
    ClusterClient(client, made, names).wait_until_loaded()
    checks = [client.submit(_has_rows, shard) for shard in made]
    ClusterClient(client, checks, names).wait_until_loaded()
    has_rows = client.gather(checks)
    kept = [(shard, name) for shard, name, is_kept in zip(made, names, has_rows, strict=True) if is_kept]
    if not kept:
        raise InputError("the data is empty: no partition has rows")
    return ShardedData(client, [shard for shard, _ in kept], [name for _, name in kept], progress)


def _computed(client: Client, shards: list[Any]) -> list[Any]:
    return client.compute(shards, optimize_graph=True)  # type: ignore[no-any-return]


def _has_rows(shard: Shard | None) -> bool:
    return shard is not None


def _shard_from_frame(name: str, part: Any, columns: Columns) -> Shard | None:
    """A partition as a shard; None if it is empty."""
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
    return _make_shard(name, X, given[columns.label], given.get(columns.qid), given.get(columns.docno), names)


def _make_shard(name: str, *given: Any) -> Shard:
    """A shard; errors in its data name it."""
    try:
        return Shard(RankingData(*given))
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
