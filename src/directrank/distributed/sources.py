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
from ..data.column_roles import listed
from ..data.errors import InputWarning
from ..data.io.files import size_limit
from ..learners.core.warning import warn
from .cluster import ClusterClient, ClusterError, Progress, wait_for_workers
from .cluster_check import check_cluster
from .parquet_files import Columns, column_roles, read_shard
from .parquet_listing import ListedFile, list_files
from .resubmission import submitted
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
    extra_columns: Sequence[str] = (),
    max_size: int | None = None,
    shuffle: bool = False,
    client: Client | None = None,
    progress: Progress | None = None,
) -> ShardedData:
    """Read Parquet files on the workers of a cluster, each as a shard of whole queries.

    Parameters
    ----------
    paths : path, or iterable of them
        Files, folders of ``*.parquet``, or patterns, as the workers see them; also URLs that fsspec opens, such as
        ``s3://bucket/train/*.parquet``. Shards are in the order of the names; files without rows are none. Of a folder,
        the files of its partitions (``date=2026-01-31``) are read too, but columns in the names of folders only are no
        features, which is warned of.
    label, qid, docno, features
        See `directrank.read_parquet`. Features are matched by name, in the order of the first file.
    extra_columns : sequence of str
        Columns of numbers that are no features, for `train`: weights of queries, or initial scores.
    max_size : int, optional
        Maximum size of X of a file, in bytes; by default all of the memory of the worker that reads it.
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
    columns = _columns(label, qid, docno, features, extra_columns)
    if shuffle and size_limit(max_size) is not None:
        raise InputError("max_size does not go with shuffle=True, which has Dask read the files; leave one of them out")
    wanted = [os.fspath(path) for path in _several(paths)]
    if not wanted:
        raise InputError("no file is named; give one or more")
    files: list[ListedFile] = _run_on_worker(client, _abbreviated(wanted), list_files, wanted)
    _check_partitions(files, columns)
    names = [file.path for file in files]
    roles = _run_on_worker(client, names[0], column_roles, names[0], columns)
    if roles.left_out:
        warn(f"{names[0]}: left out {listed(roles.left_out)}, which are no features", InputWarning)
    expected = roles.features
    if shuffle:
        with client.as_current():
            return _shuffled(client, _frame_of(names, columns, expected), columns, progress)
    token = uuid.uuid4().hex[:8]

    def submit() -> list[Any]:
        workers = _spread(client, len(files))
        return [
            client.submit(
                read_shard,
                file.path,
                file.stamp,
                columns,
                expected,
                max_size,
                key=f"{os.path.basename(file.path)}-{token}-{i}",
                workers=[workers[i]],
                allow_other_workers=True,
            )
            for i, file in enumerate(files)
        ]

    return _from_non_empty(client, submitted(submit), names, columns, progress)


def from_dataframe(
    frame: Any,
    *,
    label: str = "label",
    qid: str = "qid",
    docno: str = "docno",
    features: Sequence[str] | None = None,
    extra_columns: Sequence[str] = (),
    shuffle: bool = False,
    client: Client | None = None,
    progress: Progress | None = None,
) -> ShardedData:
    """Take the partitions of a Dask DataFrame as shards.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
    label, qid, docno, features, extra_columns
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
    columns = _columns(label, qid, docno, features, extra_columns)
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


def _columns(label: str, qid: str, docno: str, features: Sequence[str] | None, extra: Sequence[str]) -> Columns:
    if isinstance(extra, str):
        raise InputError(f"extra_columns must be a list of names, as in extra_columns=[{extra!r}]")
    columns = Columns(label, qid, docno, None if features is None else list(features), list(extra))
    columns.check()
    return columns


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
    workers = wait_for_workers(client)
    addresses = sorted(workers, key=lambda address: str(workers[address]["name"]))
    threads = np.array([workers[address]["nthreads"] for address in addresses])
    until = np.cumsum(threads) / threads.sum() * n
    return [addresses[int(np.searchsorted(until, i, side="right"))] for i in range(n)]


def _check_partitions(files: list[ListedFile], columns: Columns) -> None:
    """Warn of columns that are in the names of folders only; raise if one of them was asked for."""
    found = {name: file.path for file in reversed(files) for name in file.partitions}
    for name, path in found.items():
        if name in (*columns.others, *(columns.features or ())):
            raise InputError(f"{path}: the column {name!r} is in the names of folders only; write it into the files too")
        warn(f"{path}: left out {name!r}, which is in the names of folders only: it is not a feature", InputWarning)


def _frame_of(files: list[str], columns: Columns, features: list[str]) -> Any:
    """Files as a Dask DataFrame with a partition for each."""
    import dask.dataframe as dd

    try:
        frame = dd.read_parquet(files, split_row_groups=False, aggregate_files=False, index=False)
    except Exception as error:  # Dask has errors of many kinds for it
        raise InputError(f"{_abbreviated(files)} cannot be read to shuffle: {' '.join(str(error).split())}") from error
    _check_columns(frame, columns)
    known = [name for name in columns.others if name in frame.columns]
    return frame[[*known, *features]]


def _check_columns(frame: Any, columns: Columns) -> None:
    """Raise if a frame has no grades, or lacks a column that was asked for."""
    uses = {columns.label: "the grades"} | dict.fromkeys(columns.features or (), "a feature")
    for wanted, use in (uses | dict.fromkeys(columns.extra, "extra_columns")).items():
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
    return _from_non_empty(client, _computed(client, lazy), names, columns, progress)


def _from_non_empty(
    client: Client, made: list[Any], names: list[str], columns: Columns, progress: Progress | None
) -> ShardedData:
    """Shards that have rows."""
    ClusterClient(client, made, names).wait_until_loaded(progress)
    checks = [client.submit(_has_rows, shard) for shard in made]
    ClusterClient(client, checks, names).wait_until_loaded()
    has_rows = client.gather(checks)
    kept = [(shard, name) for shard, name, is_kept in zip(made, names, has_rows, strict=True) if is_kept]
    if not kept:
        raise InputError(f"the data is empty: {_abbreviated(names)} has no rows")
    return ShardedData(client, [shard for shard, _ in kept], [name for _, name in kept], extra_columns=columns.extra)


def _computed(client: Client, shards: list[Any]) -> list[Any]:
    return submitted(lambda: client.compute(shards, optimize_graph=True))


def _has_rows(shard: Shard | None) -> bool:
    return shard is not None


def _shard_from_frame(name: str, part: Any, columns: Columns) -> Shard | None:
    """A partition as a shard; None if it is empty."""
    if not len(part):
        return None
    if _ORDER in part.columns:
        part = part.sort_values(_ORDER).drop(columns=_ORDER)
    _check_columns(part, columns)
    features = columns.features or [column for column in part.columns if column not in columns.others]
    kind = np.float32 if {str(part.dtypes[column]) for column in features} == {"float32"} else np.float64
    try:
        X = np.ascontiguousarray(part[features].to_numpy(kind, na_value=np.nan))
    except (TypeError, ValueError) as error:
        why = f"a feature holds no numbers ({error}); name the feature columns to leave it out"
        raise InputError(f"{name}: {why}") from error
    given = [part[column].to_numpy() if column in part.columns else None for column in columns[:3]]
    shard = _make_shard(name, X, *given, list(map(str, features)))
    try:
        shard.extra = {column: part[column].to_numpy(np.float64, na_value=np.nan) for column in columns.extra}
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: extra_columns hold numbers, and one holds others ({error})") from error
    return shard


def _make_shard(name: str, *given: Any) -> Shard:
    """A shard; errors in its data name it."""
    try:
        return Shard(name, RankingData(*given))
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
