"""The option ``--cluster``: a Dask cluster to train, predict and evaluate on."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..data import InputError
from .output import counting

if TYPE_CHECKING:
    from ..distributed import ShardedData

#: What workers of our own import first.
_PRELOADED = "directrank.distributed.ignore_sigint"

#: Endings of files that must be converted first. Others are for the workers to look at: they may see what is not here.
_NOT_PARQUET = (".txt", ".gz", ".dat", ".letor", ".svm", ".run", ".qrels", ".csv", ".json", ".jsonl")

#: How long to look for a scheduler; in seconds.
TIMEOUT = 10

ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="A Dask scheduler, such as tcp://host:8786, or local or local:4 for workers on this machine. The data is then "
        "Parquet files, folders or patterns, as the workers see them, with whole queries in each file.",
    ),
]


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of a cluster, which for ``local`` is made, and lasts as long as the block."""
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
                f"--cluster {address}: there is no Dask scheduler ({_why(error)}); start one with `dask scheduler`"
            ) from error
        with client:
            yield client
        return
    n_workers = int(found[1] or CPU_COUNT)
    if n_workers < 1:
        raise InputError(f"--cluster {address}: name at least one worker, as in local:4")
    settings = {"dashboard_address": ":0", "silence_logs": logging.CRITICAL, "preload": [_PRELOADED]}
    with LocalCluster(n_workers=n_workers, threads_per_worker=1, **settings) as cluster, Client(cluster) as client:
        yield client


def read_sharded(files: Sequence[Path], client: Any) -> ShardedData:
    """Parquet files on the workers of a cluster."""
    from ..distributed import read_parquet

    given = [_as_given(file) for file in files]
    for name, file in zip(given, files, strict=True):
        if file.suffix.lower() in _NOT_PARQUET and not file.is_dir():
            raise InputError(f"{name}: on a cluster data is Parquet; directrank convert {name} FOLDER --shards 8 makes it")
    with counting("Reading shards") as progress:
        return read_parquet(given, client=client, progress=progress)


def one_file(files: Sequence[Path]) -> Path:
    """The only file that was named, where there is no cluster."""
    if len(files) != 1:
        raise InputError(f"{len(files)} files are named; several are for a cluster: add --cluster local, or name one")
    return files[0]


def _as_given(file: Path) -> str:
    """The name of a file; of an address, with the slashes that a path makes one of: two, and three before a path."""
    return re.sub(r"^(\w+):/(?!/)", r"\1://", str(file)).replace("file://", "file:///", 1)


def _why(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
