"""Joining runs with relevance judgments, as in trec_eval, and into ranking data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....arrays import Floats, Ints
from ...errors import InputError
from ...parsing.byte_strings import ByteStrings, Codes, factorize
from ...parsing.lines import as_integers_if_possible
from ...ranking_data import Queries, RankingData
from ...strings import STRING
from .joined_pairs import join_pairs
from .runs_and_qrels import Qrels, QueryDocuments, Run, Strings, raise_repeated


class JudgedRun(NamedTuple):
    """A run joined with qrels: a row for each returned or judged document of each judged query.

    Attributes
    ----------
    y : float64 array
        Grades; 0 for unjudged documents.
    scores : float64 array
    qid, docno : arrays
    judgments : float64 array
        Grades as in the qrels: NaN for documents that are not listed, negative for documents pooled but not judged.
    """

    y: Floats
    scores: Floats
    qid: NDArray[Any]
    docno: Strings
    judgments: Floats


class JudgedPairs(NamedTuple):
    """A `JudgedRun` with the rows of each query adjacent, and document names as byte strings.

    Attributes
    ----------
    judgments, scores : float64 arrays
        As in `JudgedRun`.
    queries : Queries
    query : int32 array
        Code of each row's query.
    docno : ByteStrings
    """

    judgments: Floats
    scores: Floats
    queries: Queries
    query: Codes
    docno: ByteStrings


def judge(run: Run, qrels: Qrels) -> JudgedRun:
    """Join a run with qrels, as in trec_eval.

    Only judged queries are kept. Documents that were returned but not judged have grade 0; documents that were judged but
    not returned have score -inf, and thus no rank. A run without any judged query is an error.
    """
    pairs = judge_pairs(run, qrels)
    grades = np.where(pairs.judgments >= 0, pairs.judgments, 0.0)
    return JudgedRun(grades, pairs.scores, pairs.queries.ids[pairs.query], pairs.docno[:], pairs.judgments)


def judge_pairs(run: Run, qrels: Qrels) -> JudgedPairs:
    """`judge` without decoding names."""
    rows, (scores,), grades = _join([run], qrels, unretrieved=True)
    scores = np.where(np.isnan(scores), -np.inf, scores)
    return JudgedPairs(grades, scores, Queries(rows.queries, rows.offsets, None), rows.query, rows.docno)


def select_judged(qrels: Qrels, *runs: Run) -> Qrels:
    """The judgments of queries of at least one run; all judgments if none of these is judged, which `judge` reports."""
    (judged_codes, *run_codes), distinct = factorize([each.query_names for each in (qrels, *runs)])
    returned = np.zeros(len(distinct), np.bool_)
    for codes in run_codes:
        returned[codes] = True
    rows = returned[judged_codes]
    if not rows.any():
        return qrels
    names = qrels.query_names.select(rows), qrels.document_names.select(rows)
    return Qrels.from_byte_strings(*names, grade=qrels.grade[rows])


def join_runs(
    runs: Iterable[Run],
    qrels: Qrels | None = None,
    *,
    missing: float | Literal["lowest"] = "lowest",
    unjudged: float | Literal["drop"] = 0.0,
    unretrieved: bool = False,
) -> RankingData:
    """Join runs into ranking data with one feature for each run, its score of the document.

    Queries are the judged ones, documents all that at least one run returned.

    Parameters
    ----------
    runs : iterable of Run
    qrels : Qrels, optional
        Without qrels, all queries of the runs are kept, and no document is judged.
    missing : number or "lowest"
        Feature value for a document that a run did not return: by default the lowest score of the run for that query (or
        for all queries, if it returned nothing for this one). NaN marks it as missing.
    unjudged : number or "drop"
        Grade of documents that were not judged, by default 0 as in trec_eval; "drop" leaves them out.
    unretrieved : bool
        Whether to include documents that were judged but that no run returned.
    """
    runs = _as_runs(runs)
    rows, by_run, grades = _join(runs, qrels, unretrieved)
    keep, y = _graded(grades, unjudged, "runs")
    scores = np.ascontiguousarray(by_run.T)
    if isinstance(missing, str) and missing != "lowest":
        raise InputError(f"missing must be a number or 'lowest', not {missing!r}")
    if missing == "lowest":
        scores = _with_lowest(scores, rows.query)
    else:
        scores[np.isnan(scores)] = missing
    return RankingData(scores[keep], y, rows.qid(keep), rows.docno[keep], [run.name for run in runs])


def join_table(rows: RankingData, qrels: Qrels, *, unjudged: float | Literal["drop"] = 0.0) -> RankingData:
    """Join rows of features with judgments: the rows of the judged queries, with the grades as labels.

    Parameters
    ----------
    rows : RankingData
        Rows with queries and documents; their labels, if any, are replaced.
    qrels : Qrels
    unjudged : number or "drop"
        Grade of documents that were not judged, by default 0 as in trec_eval; "drop" leaves them out.
    """
    if rows.qid is None or rows.docno is None:
        lacking = "queries" if rows.qid is None else "documents"
        raise InputError(f"rows are joined with judgments by query and document, and the data has no {lacking}")
    places, y, _ = judged_rows(QueryDocuments(rows.qid, rows.docno), qrels, unjudged, "rows")
    order = np.argsort(places)
    return rows.select(places[order]).replace(y=y[order])


def judged_rows(
    logged: QueryDocuments, qrels: Qrels, unjudged: float | Literal["drop"], kind: str = "logs"
) -> tuple[Ints, Floats, NDArray[Any]]:
    """Rows of documents of judged queries, with their grades and queries; see `join_runs`."""
    if qrels is None:
        raise _no_qrels(qrels)
    numbered = Run.from_byte_strings(
        logged.query_names, logged.document_names, score=np.arange(len(logged), dtype=np.float64)
    )
    rows, (numbers,), grades = _join([numbered], qrels, unretrieved=False, kind=kind)
    keep, y = _graded(grades, unjudged, kind)
    return numbers[keep].astype(np.int64), y, rows.qid(keep)


def _graded(grades: Floats, unjudged: float | Literal["drop"], kind: str) -> tuple[NDArray[np.bool_], Floats]:
    """Mask of the rows to keep, and their grades, where NaN means unjudged."""
    drop = isinstance(unjudged, str) and unjudged == "drop"
    if not drop and not (isinstance(unjudged, (int, float, np.integer, np.floating)) and 0 <= unjudged < np.inf):
        raise InputError(f"unjudged must be a number that is at least 0, or 'drop', not {unjudged!r}")
    known = ~np.isnan(grades)
    keep = known if drop else np.ones(grades.size, bool)
    if not keep.any():
        raise InputError(
            f"none of the returned documents was judged; check that {kind} and qrels belong to the same collection"
        )
    return keep, np.where(known, np.maximum(grades, 0.0), 0.0 if drop else unjudged)[keep]


def _as_runs(runs: Any) -> list[Run]:
    runs = list(runs) if isinstance(runs, Iterable) else [] if runs is None else [runs]
    if not runs:
        raise InputError("there are no runs to join; pass at least one Run")
    for run in runs:
        if not isinstance(run, Run):
            raise InputError(f"runs must be Run objects, not {type(run).__name__}; read_run reads one from a file")
    return runs


def _no_qrels(qrels: object) -> InputError:
    return InputError(f"qrels must be Qrels, not {type(qrels).__name__}; read_qrels reads them from a file")


class _JoinedRows(NamedTuple):
    """Rows of a join, grouped by query; `queries` has the qids."""

    query: Codes
    offsets: Ints
    queries: NDArray[Any]
    docno: ByteStrings

    def qid(self, rows: NDArray[np.bool_]) -> NDArray[Any]:
        return self.queries[self.query[rows]]


def _join(
    runs: Sequence[Run], qrels: Qrels | None, unretrieved: bool, kind: str = "runs"
) -> tuple[_JoinedRows, Floats, Floats]:
    """Joined rows, their scores by run, and their grades; NaN where missing."""
    all_queries = qrels is None
    qrels = Qrels(np.empty(0, STRING), np.empty(0, STRING), np.empty(0)) if qrels is None else qrels
    if not isinstance(qrels, Qrels):
        raise _no_qrels(qrels)
    if len(qrels) == 0 and not all_queries:
        raise InputError("the qrels are empty")
    if not any(len(run) for run in runs):
        raise InputError("the runs are empty: they have no document at all")
    sources: list[Run | Qrels] = [qrels, *runs]
    query, queries = factorize([each.query_names for each in sources])
    # Queries of the qrels have the lowest codes.
    n_judged = len(queries) if all_queries else int(query[0].max()) + 1
    values = [qrels.grade, *(run.score for run in runs)]
    joined = join_pairs(query, [each.document_names for each in sources], values, n_judged, keep_first=unretrieved)
    if joined.repeated[0] >= 0:
        raise_repeated(qrels, int(joined.repeated[0]))
    if not any(np.any(each < n_judged) for each in query[1:]):
        raise InputError(f"the {kind} and the qrels have no query in common; check that they belong to the same collection")
    for source in np.flatnonzero(joined.repeated >= 0):
        raise_repeated(sources[source], int(joined.repeated[source]))
    qids = as_integers_if_possible(queries.select(slice(n_judged))[:])
    return _JoinedRows(joined.query, joined.offsets, qids, joined.documents), joined.values[1:], joined.values[0]


def _with_lowest(scores: Floats, query: Codes) -> Floats:
    """Fill missing scores with the lowest score of the run in the query, else in all queries, else 0."""
    starts = np.concatenate(([0], np.flatnonzero(query[1:] != query[:-1]) + 1))
    lowest = np.fmin.reduceat(scores, starts, axis=0)
    lowest = np.where(np.isnan(lowest), np.nan_to_num(np.fmin.reduce(scores, axis=0), nan=0.0), lowest)
    return np.where(np.isnan(scores), np.repeat(lowest, np.diff(starts, append=query.size), axis=0), scores)
