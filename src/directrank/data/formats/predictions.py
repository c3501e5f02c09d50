"""Files of the scores of ranking data: a table, a TREC run, or one score per line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays import Floats, Ints
from ..errors import InputError
from ..io.files import PathLike
from ..ranking_data import RankingData
from .file_format import Format, known_format
from .scores import write_scores
from .tables.writer import write_table
from .trec.runs_and_qrels import as_run, write_run

if TYPE_CHECKING:
    import pyarrow as pa

#: Extensions of spreadsheets and databases, which lines of text would not open in.
_NOT_WRITTEN = (".xlsx", ".xls", ".ods", ".db", ".sqlite", ".npy", ".pkl")


def write_predictions(
    path: PathLike, data: RankingData, scores: Floats, *, kept: pa.Table | None = None, name: str = "directrank"
) -> str:
    """Write the scores of the rows of data in the format of the file's extension.

    A table (.csv, .tsv, .jsonl, .parquet, .arrow) has the columns query, document, score and rank in the order of the rows;
    ``.run`` is a TREC run; other files have one score per line.

    Parameters
    ----------
    path : path
    data : RankingData
    scores : array
    kept : pyarrow.Table, optional
        Further columns of a table.
    name : str
        Tag of a run.

    Returns
    -------
    str
        What was written, for a message.
    """
    check_predictions(path, data, kept is not None)
    format = known_format(Path(path))
    if format is Format.run:
        write_run(path, as_run(data, scores, name))
        return f"a TREC run of {len(data):,} documents for {data.n_queries:,} queries"
    if format is None:
        write_scores(path, scores)
        return f"{len(data):,} scores, one per line"
    table = table_of_predictions(data, scores, kept)
    write_table(path, table, format)
    return f"{len(data):,} rows with {', '.join(table.column_names)}"


def check_predictions(path: PathLike, data: RankingData | None = None, keeps_columns: bool = False) -> None:
    """Raise an `InputError`, before any work, if scores cannot be written to a file of this name."""
    format = known_format(Path(path))
    if format in (Format.qrels, Format.letor) or Path(path).suffix.lower() in _NOT_WRITTEN:
        raise InputError(f"{path}: scores are written as a table (.csv, .parquet), a TREC run (.run) or lines (.txt)")
    if keeps_columns and (format is None or not format.is_table):
        raise InputError(f"{path}: columns are kept in a table; name it .csv or .parquet")
    if format is Format.run and data is not None:
        as_run(data, np.zeros(len(data)))


def table_of_predictions(data: RankingData, scores: Floats, kept: pa.Table | None = None) -> pa.Table:
    """Table with the columns query and document, where known, score and rank, and the kept columns."""
    import pyarrow as pa

    columns: dict[str, Any] = {}
    if data.qid is not None:
        columns["query"] = pa.array(data.qid.tolist())
    if data.docno is not None:
        columns["document"] = pa.array(data.docno.tolist())
    columns |= {"score": pa.array(scores), "rank": pa.array(ranks(data, scores))}
    further = {} if kept is None else dict(zip(kept.column_names, kept.columns, strict=True))
    taken = next((name for name in further if name in columns), None)
    if taken is not None:
        raise InputError(f"the column {taken!r} cannot be kept: the table has a column of this name; rename it")
    return pa.table(columns | further)


def ranks(data: RankingData, scores: Floats) -> Ints:
    """Rank of each row in its query, from 1; of equal scores, the first row comes first."""
    queries = data.by_query()
    sizes = np.diff(queries.offsets)
    order = queries.order[np.lexsort((-queries.to_query_order(scores), np.repeat(np.arange(sizes.size), sizes)))]
    found = np.empty(len(data), np.int64)
    found[order] = np.arange(len(data)) - np.repeat(queries.offsets[:-1], sizes) + 1
    return found
