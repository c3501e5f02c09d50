"""Dask clusters that commands train, predict and evaluate on."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...data import InputError
from ..console.progress import counting

if TYPE_CHECKING:
    from ...distributed import ShardedData

#: Module that local workers import first.
_PRELOADED = "directrank.distributed.ignore_sigint"

#: Extensions of files to convert first. Other names are left to the workers, which may see files that this machine does not.
_NOT_PARQUET = (".txt", ".gz", ".dat", ".letor", ".svm", ".run", ".qrels", ".csv", ".json", ".jsonl")

#: Seconds to wait for a scheduler.
TIMEOUT = 10


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of a cluster; for ``local`` the cluster is started, and lasts as long as the block."""
    try:
        from dask.system import CPU_COUNT
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise InputError("--cluster needs Dask: pip install 'directrank[dask]'") from error
    found = re.fullmatch(r"local(?::(\d+))?", address)
    if found is None:
        try:
            client = Client(address, timeout=TIMEOUT)
        except (OSError, ValueError, TimeoutError) as error:
            raise InputError(
                f"--cluster {address}: there is no Dask scheduler ({_reason(error)}); start one with `dask scheduler`"
            ) from error
        with client:
            yield client
        return
    n_workers = int(found[1] or CPU_COUNT)
    if n_workers < 1:
        raise InputError(f"--cluster {address}: ask for at least one worker, as in local:4")
    settings = {"dashboard_address": ":0", "silence_logs": logging.CRITICAL, "preload": [_PRELOADED]}
    with LocalCluster(n_workers=n_workers, threads_per_worker=1, **settings) as cluster, Client(cluster) as client:
        yield client


def read_sharded(files: Sequence[Path], client: Any) -> ShardedData:
    """Open Parquet files on the workers of a cluster."""
    from ...distributed import read_parquet

    addresses = [_as_typed(file) for file in files]
    for name, file in zip(addresses, files, strict=True):
        if file.suffix.lower() in _NOT_PARQUET and not file.is_dir():
            raise InputError(f"{name}: on a cluster, data must be Parquet; use directrank convert {name} FOLDER --shards 8")
    with counting("Reading shards") as progress:
        return read_parquet(addresses, client=client, progress=progress)


def single_file(files: Sequence[Path]) -> Path:
    """The only file; several are an error without a cluster."""
    if len(files) != 1:
        raise InputError(f"{len(files)} files are named; several are for a cluster: add --cluster local, or name one")
    return files[0]


def check_no_feature_names(feature_names: str | None) -> None:
    """Raise an error if ``--feature-names`` is given for Parquet on a cluster."""
    if feature_names is not None:
        raise InputError("--feature-names is for LETOR text; on a cluster, data is Parquet and contains feature names")


def _as_typed(file: Path) -> str:
    """The address as typed: `Path` turns ``//`` into ``/``."""
    return re.sub(r"^(\w+):/(?!/)", r"\1://", str(file)).replace("file://", "file:///", 1)


def _reason(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
