"""Sets of shards: a folder of Parquet files, each with whole queries, named part-00000.parquet and so on."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from ....arrays import Ints
from ...errors import InputError
from ...io.files import PathLike
from ...io.folders import check_replaceable
from .footer import check_footer

_MAX_SHARDS = 100_000  # numbered by five digits
_N_SHARDS = b"directrank shards"


def shard_name(number: int) -> str:
    """File name of a shard."""
    return f"part-{number:05}.parquet"


def is_shard(name: str) -> bool:
    """Whether a file name is that of a shard."""
    return re.fullmatch(r"part-\d{5}\.parquet", name) is not None


def check_shards(path: PathLike, shards: int) -> None:
    """Check, before any work, that a folder can be replaced by a set of this number of shards."""
    if isinstance(shards, bool) or not isinstance(shards, (int, np.integer)) or not 1 <= shards <= _MAX_SHARDS:
        raise InputError(f"shards must be a whole number from 1 to {_MAX_SHARDS:,}, not {shards!r}")
    check_replaceable(path)
    if not os.path.isdir(path):
        return
    with os.scandir(path) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            is_folder = entry.is_dir(follow_symlinks=False)
            if is_folder or (entry.name.lower().endswith(".parquet") and not is_shard(entry.name)):
                what = f"{'the folder ' if is_folder else ''}{entry.name}, which is not a shard"
                raise InputError(f"{path} already holds {what}; remove it, or choose another folder")


def cuts(offsets: Ints, shards: int) -> Ints:
    """Queries to cut before, nearest to equal shares of rows, with at least one query in each part.

    A cut deviates by at most half the largest query, of m rows, so a part by at most m. Where cuts that would coincide are
    moved apart, the parts between them have one query.
    """
    number = np.arange(1, shards)
    share = number * (offsets[-1] / shards)
    after = np.searchsorted(offsets, share)
    nearest = after - (share - offsets[after - 1] < offsets[after] - share)
    n_queries = offsets.size - 1
    inner = np.clip(np.maximum.accumulate(nearest - number), 0, n_queries - shards) + number
    return np.concatenate(([0], inner, [n_queries]))


def shard_metadata(n_shards: int) -> dict[bytes, bytes]:
    """Metadata of each shard: their number."""
    return {_N_SHARDS: str(n_shards).encode()}


def check_shard_set(folder: str, files: Sequence[str], opened: Callable[[str], AbstractContextManager[Any]]) -> None:
    """Check that the shards among the Parquet files of a folder are a complete set; an interrupted copy is not.

    Parameters
    ----------
    folder : str
        Name of the folder in messages.
    files : sequence of str
        All Parquet files of the folder.
    opened : callable
        Opens one of them for reading.
    """
    shards = {os.path.basename(file): file for file in files if is_shard(os.path.basename(file))}
    if not shards:
        return
    missing = next((name for name in map(shard_name, range(len(shards))) if name not in shards), None)
    if missing is None:
        n_shards = _n_shards(shards[shard_name(0)], opened)
        missing = shard_name(len(shards)) if n_shards is not None and len(shards) < n_shards else None
    if missing is not None:
        raise InputError(f"{folder} has shards without {missing}: the set is incomplete; copy or write it again")


def _n_shards(file: str, opened: Callable[[str], AbstractContextManager[Any]]) -> int | None:
    """Number of shards of the set by the metadata of one of them; None for a file of another writer or a damaged one.

    Others, such as pyarrow, copy the metadata of a shard to the files that they make of it.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    with opened(file) as content:
        try:
            return int((pq.read_schema(content).metadata or {})[_N_SHARDS]) if check_footer(content) else None
        except (pa.ArrowException, KeyError, ValueError):
            return None
