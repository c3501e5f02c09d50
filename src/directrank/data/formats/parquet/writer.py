"""Writing Parquet tables: a single file, or a set of shards of whole queries."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from ....arrays import Ints
from ...errors import InputError
from ...io.files import PathLike, replacing
from ...io.locks import locked_folder, remove_leftovers, unfinished
from ...ranking_data import RankingData

if TYPE_CHECKING:
    import pyarrow as pa

_MAX_FEATURES = 100_000
_MAX_SHARDS = 100_000  # numbered by five digits
_UNFINISHED = (".shards.", ".part")
_SHARD = re.compile(r"part-\d{5}\.parquet")


def write_parquet(path: PathLike, data: RankingData, *, shards: int | None = None) -> None:
    """Write ranking data as Parquet: label, qid, docno and a column for each feature (f1, f2, ... if unnamed).

    Parameters
    ----------
    path : path
        A file; with `shards` a folder, created if it does not exist.
    data : RankingData
    shards : int, optional
        Number of files to divide the queries among: ``part-00000.parquet`` and so on. Each query is in one file, with its
        rows in order, and queries are ordered by first appearance. The number of rows of a file differs from an equal share
        by at most the size of the largest query.

    Notes
    -----
    Shards are renamed to their final names once all are written. First the files of an earlier set, of at most as many
    shards, are removed, starting with ``part-00000.parquet``, which is the last of the new files to be renamed. So even if
    the writer is killed, files of two sets are never mixed, and a folder with a ``part-00000.parquet`` holds a complete set;
    a folder without it is incomplete and must be written again.
    """
    columns = _column_names(data)
    if shards is not None:
        _write_shards(path, data, columns, shards)
        return
    with replacing(path) as file:
        _write(file, data, columns, 0, len(data), None)


def check_shards(path: PathLike, shards: int) -> list[str]:
    """File names of the shards; checks, before any work, that the folder can hold them."""
    if isinstance(shards, bool) or not isinstance(shards, (int, np.integer)) or not 1 <= shards <= _MAX_SHARDS:
        raise InputError(f"shards must be a whole number from 1 to {_MAX_SHARDS:,}, not {shards!r}")
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
        what = f"{min(others)}, which is not one of the {len(names)} files to write and would be mixed up with them"
        raise InputError(f"{path} already holds {what}; remove it, or choose another folder")
    return names


def check_shard_set(folder: PathLike, files: Iterable[str]) -> None:
    """Check that Parquet files which are shards form a complete set; a killed writer may leave an incomplete one."""
    names = {os.path.basename(file) for file in files}
    n_shards = sum(_SHARD.fullmatch(name) is not None for name in names)
    missing = next((name for name in map(_shard_name, range(n_shards)) if name not in names), None)
    if missing is not None:
        raise InputError(f"{folder} has shards without {missing}: the set is incomplete; write it again")


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
                    with suppress(FileNotFoundError):  # before the first byte: the old file may be private
                        os.chmod(file.name, stat.S_IMODE(os.stat(folder / name).st_mode))
                    _write(file, data, columns, lo, hi, queries.permutation)
            _name_shards(path, unnamed, names)
        finally:
            shutil.rmtree(unnamed, ignore_errors=True)


def _cuts(offsets: Ints, shards: int) -> Ints:
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


def _name_shards(path: PathLike, unnamed: Path, names: Sequence[str]) -> None:
    """Replace the old files by the new ones; the first shard exists only in a complete set."""
    folder = unnamed.parent
    with locked_folder(folder):
        check_shards(path, len(names))  # again: others may have written meanwhile
        for name in names:
            (folder / name).unlink(missing_ok=True)
        for name in reversed(names):
            os.replace(unnamed / Path(name).stem, folder / name)


def _column_names(data: RankingData) -> list[str]:
    if data.n_features > _MAX_FEATURES:
        raise InputError(f"{data.n_features:,} features are too many for the columns of a Parquet file; write LETOR text")
    names = data.feature_names or [f"f{j}" for j in range(1, data.n_features + 1)]
    taken = {"label", "qid", "docno"} & set(names)
    if taken:
        raise InputError(f"a feature is named {taken.pop()!r}, which is a reserved column name; rename the feature")
    return names


def _write(file: IO[bytes], data: RankingData, names: Sequence[str], lo: int, hi: int, order: Ints | None) -> None:
    """Write rows lo to hi, of the rows in `order` if it is given."""
    import pyarrow as pa
    import pyarrow.parquet as pq

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
