"""Writing Parquet tables: a single file, or a set of shards of whole queries."""

from __future__ import annotations

import itertools
import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from ....arrays import Ints
from ...errors import InputError
from ...io.files import PathLike, replacing
from ...io.folders import replacing_folder
from ...ranking_data import RankingData
from .footer import FooterDigestWriter
from .shard_set import check_shards, cuts, is_shard, shard_metadata, shard_name

if TYPE_CHECKING:
    import pyarrow as pa

_MAX_FEATURES = 100_000


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
    All shards are written to a new folder, which then takes the place of the old one; files that are not Parquet are kept. A
    writer killed at any moment leaves the old set of shards or the new one, complete.
    """
    columns = column_names(data)
    if shards is not None:
        _write_shards(path, data, columns, shards)
        return
    with replacing(path) as file:
        _write(file, data, columns, 0, len(data))


def _write_shards(path: PathLike, data: RankingData, columns: Sequence[str], shards: int) -> None:
    check_shards(path, shards)
    if data.qid is None:
        raise InputError("shards are of whole queries, and the data has no qid: it is one query; write one file")
    queries = data.by_query()
    if queries.ids.size < shards:
        raise InputError(f"the data has {queries.ids.size:,} queries, too few for {shards:,} shards; write fewer shards")
    ends = queries.offsets[cuts(queries.offsets, shards)].tolist()
    with replacing_folder(path, lambda: check_shards(path, shards), is_part=is_shard) as folder:
        for number, (lo, hi) in enumerate(itertools.pairwise(ends)):
            name = shard_name(number)
            with open(folder / name, "wb") as file:
                with suppress(FileNotFoundError):  # before the first byte: the old file may be private
                    os.chmod(file.name, stat.S_IMODE(os.stat(Path(path, name)).st_mode))
                _write(file, data, columns, lo, hi, queries.permutation, shards)


def column_names(data: RankingData) -> list[str]:
    """Names of the feature columns of a table; an `InputError` if one is the name of another column."""
    if data.n_features > _MAX_FEATURES:
        raise InputError(f"{data.n_features:,} features are too many for the columns of a table; write LETOR text")
    names = data.feature_names or [f"f{j}" for j in range(1, data.n_features + 1)]
    reserved = {"label", "qid", "docno", *(["weight"] if data.weight is not None else [])}
    taken = reserved & set(names)
    if taken:
        raise InputError(f"a feature is named {taken.pop()!r}, which is a reserved column name; rename the feature")
    return names


def _write(
    file: IO[bytes],
    data: RankingData,
    names: Sequence[str],
    lo: int,
    hi: int,
    order: Ints | None = None,
    shards: int | None = None,
) -> None:
    """Write rows lo to hi, of the rows in `order` if it is given, and the number of shards that the file is one of."""
    import pyarrow.parquet as pq

    step = max(1, min(2**16, 2**24 // data.n_features))
    writer, sink = None, FooterDigestWriter(file)
    for start in range(lo, hi, step):
        rows = slice(start, min(start + step, hi))
        table = table_of(data, rows if order is None else order[rows], names)
        table = table if shards is None else table.replace_schema_metadata(shard_metadata(shards))
        writer = writer or pq.ParquetWriter(sink, table.schema, write_page_checksum=True)
        writer.write_table(table)
    if writer is not None:
        sink.start_footer()
        writer.close()
        sink.end_footer()


def table_of(data: RankingData, rows: slice | Ints, names: Sequence[str]) -> pa.Table:
    """Some rows as an Arrow table: label, qid, docno and weight, where present, and the features."""
    import pyarrow as pa

    part = data.X[rows]
    dense = part.toarray() if sparse.issparse(part) else part
    columns: dict[str, Any] = {"label": data.y[rows]} if data.has_labels else {}
    if data.qid is not None:
        columns["qid"] = data.qid[rows].tolist() if data.qid.dtype.kind == "T" else data.qid[rows]
    if data.docno is not None:
        columns["docno"] = data.docno[rows].tolist()
    if data.weight is not None:
        columns["weight"] = data.weight[rows]
    for j, name in enumerate(names):
        values = np.ascontiguousarray(dense[:, j])
        columns[name] = _categories(values, data.categories[name]) if name in data.categories else values
    return pa.table({name: pa.array(values) for name, values in columns.items()})


def _categories(codes: Any, values: Sequence[str]) -> list[str | None]:
    return [None if np.isnan(code) else values[int(code)] for code in codes.tolist()]
