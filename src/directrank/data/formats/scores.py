"""Files of scores: one number per line in the order of the rows of the data, or a table with a column of scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...arrays import Floats
from ..arrow_columns import as_numbers, as_texts
from ..checked_arrays import as_scores
from ..column_roles import DOCUMENT_NAMES, QUERY_NAMES, ColumnNames, find_column, listed
from ..errors import InputError
from ..io.files import PathLike, replacing
from ..parsing.text_table import read_table
from ..ranking_data import RankingData
from .tables.pairs import SCORE_NAMES, is_table, read_table_file
from .tables.reader import TableFile


def read_scores(path: PathLike, data: RankingData | None = None, *, max_size: int | None = None) -> NDArray[np.float64]:
    """Read scores: one per line, or the column ``score`` of a table.

    Parameters
    ----------
    path : path
    data : RankingData, optional
        Rows that the scores are for. The rows of a table that names queries and documents are matched to them by these;
        others are in the order of the data.
    max_size : int, optional
        Maximum number of bytes to read, after decompression.
    """
    if is_table(path):
        file = read_table_file(path, ColumnNames(), max_size)
        scores = _of_table(file, data)
    else:
        scores = read_table(path, "score", max_size).numbers(0, "score")
    if data is not None and scores.size != len(data):
        raise InputError(f"{path} has {scores.size:,} scores, and the data has {len(data):,} rows")
    return scores


def write_scores(path: PathLike, scores: ArrayLike) -> None:
    """Write one score per line, with enough digits to read it back exactly; compressed if the name ends in .gz or .zst."""
    values = as_scores(scores, np.size(scores))
    with replacing(path) as file:
        file.write("".join(f"{score!r}\n" for score in values.tolist()).encode())


def _of_table(file: TableFile, data: RankingData | None) -> Floats:
    columns = file.table.column_names
    score, query, document = (find_column(columns, "auto", usual) for usual in (SCORE_NAMES, QUERY_NAMES, DOCUMENT_NAMES))
    if score is None:
        raise InputError(f"{file.path}: no column has the name of a score; the columns are {listed(columns)}")
    try:
        scores = np.asarray(as_numbers(file.table, score), np.float64)
        if query is None or document is None or data is None or data.qid is None or data.docno is None:
            return scores
        ids = (as_texts(file.table, name).tolist() for name in (query, document))
    except InputError as error:
        raise InputError(f"{file.path}: {error}") from error
    return _matched(file, dict(zip(zip(*ids, strict=True), scores.tolist(), strict=True)), scores.size, data)


def _matched(file: TableFile, score_of: dict[tuple[str, str], float], n_rows: int, data: RankingData) -> Floats:
    """Scores in the order of the data."""
    if len(score_of) < n_rows:
        raise InputError(f"{file.path}: a document of a query has two scores; keep one")
    assert data.qid is not None and data.docno is not None
    pairs = list(zip(map(str, data.qid.tolist()), data.docno.tolist(), strict=True))
    missing = next((pair for pair in pairs if pair not in score_of), None)
    if missing is not None:
        raise InputError(f"{file.path} has no score for document {missing[1]} of query {missing[0]}; score all rows")
    return np.array([score_of[pair] for pair in pairs])
