"""Dask clusters that commands train, predict and evaluate on."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...data import InputError
from ...data.io.files import size_limit
from ..console.progress import counting
from ..options.columns import RowColumns
from ..options.custom_modules import current_folder_importable
from ._data import noting_warnings

if TYPE_CHECKING:
    from ...distributed import ShardedData

#: Module that local workers import first.
_PRELOADED = "directrank.distributed.ignore_sigint"

#: Extensions of files to convert first. Other names are left to the workers, which may see files that this machine does not.
_NOT_PARQUET = (".txt", ".gz", ".dat", ".letor", ".svm", ".run", ".qrels", ".csv", ".json", ".jsonl")

#: Seconds to wait for a scheduler.
TIMEOUT = 10


@contextmanager
def connected(address: str, *names: str) -> Iterator[Any]:
    """A client of a cluster; for ``local`` the cluster is started, and lasts as long as the block.

    Parameters
    ----------
    address : str
    names : str
        Names of measures and learners, which workers of a local cluster import from the current folder if they are custom.
    """
    try:
        from dask.system import CPU_COUNT
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise InputError("--cluster needs Dask: pip install 'directrank[dask]'") from error
    found = re.fullmatch(r"local(?::(\d+))?", address)
    if found is None:
        try:
            client = _connect(Client, address)
        except (OSError, ValueError, TimeoutError) as error:
            raise InputError(
                f"--cluster {address}: there is no Dask scheduler ({_reason(error)}); start one with `dask scheduler`"
            ) from error
        except TypeError as error:  # Dask has no other exception for it
            raise InputError(
                f"--cluster {address}: an encrypted cluster needs certificates; set Dask's distributed.comm.tls.ca-file, "
                "distributed.comm.tls.client.cert and distributed.comm.tls.client.key"
            ) from error
        with client:
            yield client
        return
    n_workers = int(found[1] or CPU_COUNT)
    if n_workers < 1:
        raise InputError(f"--cluster {address}: ask for at least one worker, as in local:4")
    settings = {"dashboard_address": ":0", "silence_logs": logging.CRITICAL, "preload": [_PRELOADED]}
    with current_folder_importable(*names):  # workers have the search path that they are started with
        local = LocalCluster(n_workers=n_workers, threads_per_worker=1, **settings)
    with local as cluster, Client(cluster) as client:
        yield client


def _connect(client_class: Any, address: str) -> Any:
    """A client; one that finds no scheduler is closed.

    Dask would close it when it is collected as garbage, by chance while the next client starts, which then fails.
    """
    client = client_class.__new__(client_class)
    try:
        client.__init__(address, timeout=TIMEOUT)
    except BaseException:
        with suppress(Exception):
            client.close()
        raise
    return client


def read_sharded(files: Sequence[str], client: Any, columns: RowColumns) -> ShardedData:
    """Open Parquet files, given by paths, patterns and addresses, on the workers of a cluster."""
    from ...distributed import read_parquet

    for file in files:
        if file.lower().endswith(_NOT_PARQUET) and not os.path.isdir(file):
            raise InputError(f"{file}: on a cluster, data must be Parquet; use directrank convert {file} FOLDER --shards 8")
    with noting_warnings(), counting("Reading shards") as progress:
        named = _sharded_columns(columns)
        return read_parquet(list(files), **named, max_size=size_limit(None), client=client, progress=progress)


def _sharded_columns(columns: RowColumns) -> dict[str, Any]:
    """Columns that are named for a cluster; by default labels, queries and documents are in label, qid and docno."""
    for option in ("feature_names", "ignore", "weight", "categorical"):
        if getattr(columns, option, None) is not None:
            option = option.replace("_", "-")
            raise InputError(f"--{option} is not for a cluster, whose Parquet files have named features; leave it out")
    given = {"label": getattr(columns, "label", None), "qid": columns.query, "docno": columns.doc}
    given["features"] = columns.names().features
    return {name: value for name, value in given.items() if value is not None}


def local_files(names: Sequence[str]) -> list[Path]:
    """Paths of files on this machine; an address is an error."""
    for name in names:
        if "://" in name:
            raise InputError(f"{name}: an address is read by the workers of a cluster; add --cluster local, or download it")
    return list(map(Path, names))


def _reason(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
