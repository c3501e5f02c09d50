"""Ranking data labelled by clicks: rows of features joined with a log, by query and document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Floats, Ints
from ..data import InputError, RankingData
from ..data.checked_arrays import as_scores
from ..data.formats.trec.joined_pairs import join_pairs
from ..data.parsing.byte_strings import ByteStrings
from .click_log import ClickLog


class ClickLabels(NamedTuple):
    """Ranking data of the logged queries, labelled by gains.

    Attributes
    ----------
    data : RankingData
        Rows of queries with sessions; the weight of a query is its number of sessions, divided by the mean.
    n_joined : int
        Number of rows whose pair was shown in the log.
    n_unshown : int
        Number of rows of logged queries whose pair was not shown.
    n_unjoined_pairs : int
        Number of shown pairs that have no row.
    n_unjoined_clicks : int
        Number of clicks on these.
    n_unlogged_queries : int
        Number of queries of the rows that no session has; their rows are left out.
    """

    data: RankingData
    n_joined: int
    n_unshown: int
    n_unjoined_pairs: int
    n_unjoined_clicks: int
    n_unlogged_queries: int

    def __str__(self) -> str:
        left_out = ", and are left out" if len(self.data) == self.n_joined else ""
        return (
            f"rows that were shown in the log: {self.n_joined:,} (of the same queries {self.n_unshown:,} "
            f"were not{left_out}); shown pairs without a row: {self.n_unjoined_pairs:,} "
            f"({self.n_unjoined_clicks:,} clicks); queries without a session: {self.n_unlogged_queries:,}"
        )


def label_by_clicks(data: RankingData, log: ClickLog, gains: ArrayLike, *, unshown: ArrayLike | None = None) -> ClickLabels:
    """Join rows of features with gains estimated from clicks.

    Parameters
    ----------
    data : RankingData
        Rows with queries and documents; their labels, if any, are replaced.
    log : ClickLog
    gains : array
        Gain of each pair of the log; see `gains`.
    unshown : array, optional
        A number for each row: the gain of rows whose pair was not shown, such as their predicted relevance. By default these
        are left out, as nothing is known of them: to count them as irrelevant would teach the model to rank as the logged
        ranking did.

    Returns
    -------
    ClickLabels
        The labelled rows, in the order of `data`, and counts of what was joined and what was not.

    Examples
    --------
    >>> from directrank import RankingData
    >>> from directrank.clicks import ClickLog, gains
    >>> log = ClickLog.from_arrays([1, 1, 2, 2], ["a"] * 4, ["x", "y", "x", "y"], [1, 2, 1, 2], [1, 0, 0, 0])
    >>> rows = RankingData([[0.3], [0.1]], None, ["a", "a"], docno=["y", "x"])
    >>> label_by_clicks(rows, log, gains(log, estimator="naive")).data.y.tolist()
    [0.0, 0.5]
    """
    values, n_pairs = np.asarray(gains, np.float64), log.pairs.query.size
    if values.shape != (n_pairs,):
        raise InputError(f"there are {n_pairs:,} pairs in the log, and the gains are of the shape {values.shape}")
    pair = pairs_of_rows(data, log)
    shown = np.bincount(log.pair, minlength=n_pairs) > 0
    joined = (pair >= 0) & np.where(pair >= 0, shown[pair], False)
    sessions = _sessions_of_rows(data, log)
    logged = sessions > 0
    if not np.any(joined):
        raise InputError(
            "no row of the features was shown in the log; check that both name queries and documents alike "
            f"(the log: {log.queries[0]!r}, {log.pairs.docno[0]!r}; the rows: {_first(data.qid)!r}, {_first(data.docno)!r})"
        )
    y = np.where(joined, values[pair], 0.0 if unshown is None else as_scores(unshown, len(data), "unshown"))
    kept = np.flatnonzero(joined if unshown is None else logged)
    lost = shown.copy()
    lost[pair[joined]] = False
    clicks = np.bincount(log.pair, log.clicked, n_pairs)
    part, queries = data.select(kept), data.by_query()
    return ClickLabels(
        part.replace(y=y[kept], weight=_weights(sessions[kept], part)),
        int(joined.sum()),
        int(np.sum(logged & ~joined)),
        int(lost.sum()),
        int(clicks[lost].sum()),
        int(queries.ids.size) - data.select(np.flatnonzero(logged)).n_queries,
    )


def scores_of_pairs(data: RankingData, log: ClickLog, scores: ArrayLike) -> Floats:
    """Score of each pair of a log, from scores of rows; the lowest score of all for pairs without a row.

    Parameters
    ----------
    data : RankingData
        Rows with queries and documents.
    log : ClickLog
    scores : array
        Score of each row.

    Returns
    -------
    float64 array
        Score of each pair of `log.pairs`.
    """
    values = as_scores(scores, len(data), "scores")
    pair, found = pairs_of_rows(data, log), np.full(log.pairs.query.size, values.min(initial=np.inf))
    found[pair[pair >= 0]] = values[pair >= 0]
    return found


def pairs_of_rows(data: RankingData, log: ClickLog) -> Ints:
    """Number of the log's pair of each row; -1 if the log lacks it."""
    if data.qid is None or data.docno is None:
        lacking = "queries" if data.qid is None else "documents"
        raise InputError(f"rows are joined with clicks by query and document, and the data has no {lacking}")
    query = _queries_of_rows(data, log)
    rows = np.flatnonzero(query >= 0)
    joined = join_pairs(
        [query[rows].astype(np.int32), log.pairs.query.astype(np.int32)],
        [_strings(data.docno[rows]), _strings(log.pairs.docno)],
        [rows.astype(np.float64), np.arange(log.pairs.query.size, dtype=np.float64)],
        log.queries.size,
    )
    if joined.repeated[0] >= 0:
        row = slice(int(rows[joined.repeated[0]]), None)
        qid, docno = _first(data.qid[row]), _first(data.docno[row])
        raise InputError(f"query {qid!r} has the document {docno!r} in two rows; leave one row of each")
    row, pair = joined.values
    both = ~np.isnan(row) & ~np.isnan(pair)
    found = np.full(len(data), -1, np.int64)
    found[row[both].astype(np.int64)] = pair[both].astype(np.int64)
    return found


def _queries_of_rows(data: RankingData, log: ClickLog) -> Ints:
    """Number of the log's query of each row, by its identifier as text; -1 if the log lacks it."""
    numbers = {str(name): number for number, name in enumerate(log.queries.tolist())}
    queries = data.by_query()
    found = np.array([numbers.get(str(each), -1) for each in queries.ids.tolist()], np.int64)
    return queries.to_row_order(np.repeat(found, np.diff(queries.offsets)))


def _sessions_of_rows(data: RankingData, log: ClickLog) -> Floats:
    """Number of sessions of the query of each row."""
    query, counts = _queries_of_rows(data, log), np.bincount(log.query, minlength=log.queries.size)
    return np.where(query >= 0, counts[query], 0).astype(np.float64)


def _weights(sessions: Floats, part: RankingData) -> Floats:
    """Number of sessions of each row's query, divided by the mean over the queries."""
    queries = part.by_query()
    of_query = queries.to_query_order(sessions)[queries.offsets[:-1]]
    return sessions / float(of_query.mean())


def _strings(values: NDArray[Any] | Sequence[Any]) -> ByteStrings:
    return ByteStrings.from_strings([str(value) for value in np.asarray(values).tolist()])


def _first(values: Any) -> Any:
    return np.asarray(values[:1]).tolist()[0]
