"""TREC runs and relevance judgments (qrels), and joining them into ranking data.

A line of a run is ``query Q0 document rank score tag``, a line of the qrels ``query 0 document grade``. As in trec_eval, a
run is ordered by its scores alone, and the ids of queries and documents are compared as strings.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...arrays import Floats, Ints
from ..bytes.files import PathLike, replacing
from ..bytes.lines import as_integers_if_all_are
from ..bytes.tables import read_table
from ..checked_arrays import as_docno, as_grades, as_qid, as_scores
from ..errors import InputError
from ..ranking_data import RankingData, group_rows
from ..strings import STRING, Numbering

Strings = NDArray[Any]

_RUN_LINE = "query Q0 document rank score tag"
_QRELS_LINE = "query 0 document grade"


@dataclass(frozen=True, eq=False)
class QueryDocuments:
    """Pairs of query and document."""

    qid: Strings
    docno: Strings

    def __post_init__(self) -> None:
        n_rows = np.size(self.qid)
        object.__setattr__(self, "qid", as_docno(as_qid(self.qid, n_rows), n_rows))
        object.__setattr__(self, "docno", as_docno(self.docno, n_rows))

    def __len__(self) -> int:
        return int(self.qid.size)


@dataclass(frozen=True, eq=False)
class Run(QueryDocuments):
    """What a system returned: a score for some documents of each query.

    Attributes
    ----------
    qid, docno : arrays of strings
    score : float64 array
    name : str
        The run's tag.
    """

    score: Floats
    name: str = "run"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "score", as_scores(self.score, len(self)))


@dataclass(frozen=True, eq=False)
class Qrels(QueryDocuments):
    """Relevance judgments: the grade of some documents of each query.

    Attributes
    ----------
    qid, docno : arrays of strings
    grade : float64 array
        One below 0 says that the document was pooled but not judged (or that it is spam): it counts as 0, but to the
        measures that ask what was judged, as in trec_eval.
    """

    grade: Floats

    def __post_init__(self) -> None:
        super().__post_init__()
        grade = np.asarray(self.grade)
        object.__setattr__(self, "grade", np.where(grade < 0, grade, as_grades(np.maximum(grade, 0), len(self))))

    @cached_property
    def _numbered(self) -> tuple[Numbering, Numbering, tuple[Ints, Ints]]:
        """Its queries and documents, numbered once for all runs that are joined with it, and the numbers of each row."""
        queries, documents = Numbering(), Numbering()
        query, document = queries.number(self.qid.tolist()), documents.number(self.docno.tolist())
        _refuse_repeated(self, query * len(documents) + document)
        return queries, documents, (query, document)


class JudgedRun(NamedTuple):
    """A run joined with the qrels: a row for each document that was returned or judged, for each judged query.

    Attributes
    ----------
    y : float64 array
        Grades, 0 where there is none.
    scores : float64 array
    qid, docno : arrays
    judgments : float64 array
        The grades as they are in the qrels: NaN for a document that is not there, below 0 for one pooled but not judged.
    """

    y: Floats
    scores: Floats
    qid: NDArray[Any]
    docno: Strings
    judgments: Floats


def read_run(path: PathLike, *, max_size: int | None = None) -> Run:
    """Read a TREC run, plain or gzip; its name is the tag of the first line.

    Parameters
    ----------
    path : path
    max_size : int, optional
        The most bytes to read, decompressed; by default what there is, or half of the memory for gzip files and pipes.
    """
    table = read_table(path, _RUN_LINE, max_size)
    return Run(table.strings(0), table.strings(2), table.numbers(4, "score"), table.first(5))


def write_run(path: PathLike, run: Run) -> None:
    """Write a TREC run, each query by descending score, ties broken as in trec_eval; gzip if the name ends in .gz."""
    tag = "_".join(run.name.split()) or "run"
    _check_pairs(run)
    if not np.all(np.isfinite(run.score)):
        raise InputError("the scores of a run must be finite; remove documents that were not ranked")
    queries = group_rows(run.qid, len(run))
    with replacing(path) as file:
        for qid, rows in zip(queries.ids.tolist(), queries.each(), strict=True):
            rows = rows[trec_order(run.score[rows], run.docno[rows])]
            ranked = zip(run.docno[rows].tolist(), run.score[rows].tolist(), strict=True)
            lines = (f"{qid} Q0 {docno} {rank} {score!r} {tag}\n" for rank, (docno, score) in enumerate(ranked, 1))
            file.write("".join(lines).encode())


def as_run(data: RankingData, scores: ArrayLike, name: str = "run") -> Run:
    """A run of the documents of ranking data, with the scores that a model gave them; none may be there twice in a query."""
    if data.docno is None or data.qid is None:
        lacking = "docno" if data.qid is not None else "qid"
        raise InputError(f"a TREC file needs query and document ids, but the data has no {lacking}")
    run = Run(data.qid, data.docno, as_scores(scores, len(data)), name)
    _refuse_repeated(run, _pairs(run), "the data")
    return run


def read_qrels(path: PathLike, *, max_size: int | None = None) -> Qrels:
    """Read TREC relevance judgments, plain or gzip; at most `max_size` bytes.

    The second column may be missing from all lines, as in the judgments of OHSUMED for TREC-9.
    """
    table = read_table(path, _QRELS_LINE, max_size, shorter="query document grade")
    grade = table.n_columns - 1
    return Qrels(table.strings(0), table.strings(grade - 1), table.numbers(grade, "grade"))


def write_qrels(path: PathLike, qrels: Qrels) -> None:
    """Write TREC relevance judgments; gzip if the name ends in .gz."""
    _check_pairs(qrels)
    rows = zip(qrels.qid.tolist(), qrels.docno.tolist(), qrels.grade.tolist(), strict=True)
    with replacing(path) as file:
        file.write("".join(f"{qid} 0 {docno} {grade:.17g}\n" for qid, docno, grade in rows).encode())


def trec_order(scores: Floats, docno: Strings) -> Ints:
    """The order in which trec_eval ranks documents: by descending score, in single precision, then by descending name."""
    _, place = np.unique(docno, return_inverse=True)
    return np.lexsort((-place, -scores.astype(np.float32)))


def judge(run: Run, qrels: Qrels) -> JudgedRun:
    """Join a run with the qrels, as trec_eval does.

    Only judged queries are kept. Documents that were returned but not judged have grade 0; documents that were judged but
    not returned have score -inf, which gives them no rank. A run without any judged query is refused.
    """
    rows, scores, grades = _join([run], qrels, unretrieved=True)
    scores = np.where(np.isnan(scores[:, 0]), -np.inf, scores[:, 0])
    return JudgedRun(np.where(grades >= 0, grades, 0.0), scores, rows.qid, rows.docno, grades)


def join_runs(
    runs: Iterable[Run],
    qrels: Qrels | None = None,
    *,
    missing: float | Literal["lowest"] = "lowest",
    unjudged: float | Literal["drop"] = 0.0,
    unretrieved: bool = False,
) -> RankingData:
    """Ranking data with one feature for each run: the score that it gave to the document.

    The queries are those of the qrels, the documents those that at least one run returned for them.

    Parameters
    ----------
    runs : iterable of Run
    qrels : Qrels, optional
        Without qrels, the queries are those of the runs, and no document is judged.
    missing : number or "lowest"
        The feature of a document that a run did not return: by default the lowest score of the run in that query (over all
        queries, if it returned nothing for this one). NaN marks it as missing.
    unjudged : number or "drop"
        The grade of documents that were not judged, by default 0 as in trec_eval; "drop" leaves them out.
    unretrieved : bool
        Whether to include documents that were judged but that no run returned.
    """
    runs = _as_runs(runs)
    rows, scores, grades = _join(runs, qrels, unretrieved)
    keep, y = _graded(grades, unjudged, "runs")
    if isinstance(missing, str) and missing != "lowest":
        raise InputError(f"missing must be a number or 'lowest', not {missing!r}")
    if missing == "lowest":
        scores = _with_lowest(scores, rows.qid)
    else:
        scores[np.isnan(scores)] = missing
    return RankingData(scores[keep], y, rows.qid[keep], rows.docno[keep], [run.name for run in runs])


def judged_rows(
    logged: QueryDocuments, qrels: Qrels, unjudged: float | Literal["drop"]
) -> tuple[Ints, Floats, NDArray[Any]]:
    """Which logged documents belong to judged queries, with the grade and the query of each; see `join_runs`."""
    if qrels is None:
        raise _no_qrels(qrels)
    numbered = Run(logged.qid, logged.docno, np.arange(len(logged), dtype=np.float64))
    rows, numbers, grades = _join([numbered], qrels, unretrieved=False, kind="logs")
    keep, y = _graded(grades, unjudged, "logs")
    return numbers[keep, 0].astype(np.int64), y, rows.qid[keep]


def _graded(grades: Floats, unjudged: float | Literal["drop"], kind: str) -> tuple[NDArray[np.bool_], Floats]:
    """Which rows to keep, and their grades; NaN is that of a document that was not judged."""
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


def _check_pairs(table: Run | Qrels) -> None:
    """That names can be written to a TREC file, and no document twice."""
    for kind, names in (("query", table.qid), ("document", table.docno)):
        for name in np.unique(names).tolist():
            if not name or any(c <= " " for c in name):
                raise InputError(f"the {kind} {name!r} cannot be written to a TREC file: it is empty or has a space in it")
    _refuse_repeated(table, _pairs(table))


def _pairs(table: Run | Qrels) -> Ints:
    """A number for each pair of query and document."""
    documents = Numbering()
    document = documents.number(table.docno.tolist())
    return Numbering().number(table.qid.tolist()) * len(documents) + document


class _JoinedRows(NamedTuple):
    qid: NDArray[Any]
    docno: Strings


def _join(
    runs: Sequence[Run], qrels: Qrels | None, unretrieved: bool, kind: str = "runs"
) -> tuple[_JoinedRows, Floats, Floats]:
    """The rows, their score in each run and their grades; NaN if there is none."""
    all_queries = qrels is None
    qrels = Qrels(np.empty(0, STRING), np.empty(0, STRING), np.empty(0)) if qrels is None else qrels
    if not isinstance(qrels, Qrels):
        raise _no_qrels(qrels)
    if len(qrels) == 0 and not all_queries:
        raise InputError("the qrels are empty")
    if not any(len(run) for run in runs):
        raise InputError("the runs are empty: they have no document at all")
    judged_queries, judged_documents, judged = qrels._numbered
    queries, documents = judged_queries.copy(), judged_documents.copy()
    numbered = [judged, *((queries.number(run.qid.tolist()), documents.number(run.docno.tolist())) for run in runs)]
    n_judged = len(queries) if all_queries else len(judged_queries)  # those of the qrels have the lowest numbers
    if not any(np.any(query < n_judged) for query, _ in numbered[1:]):
        raise InputError(f"the {kind} and the qrels have no query in common; check that they belong to the same collection")
    keys = [np.where(query < n_judged, query * len(documents) + document, -1) for query, document in numbered]
    for run, mine in zip(runs, keys[1:], strict=True):
        _refuse_repeated(run, mine)
    rows = np.sort(np.concatenate(keys if unretrieved else keys[1:]))
    rows = rows[(rows >= 0) & (np.diff(rows, prepend=-1) > 0)]  # far quicker than np.unique, which hashes
    columns = [
        _placed(rows, mine, values) for mine, values in zip(keys, [qrels.grade, *(run.score for run in runs)], strict=True)
    ]
    qids = as_integers_if_all_are(queries.values(np.arange(n_judged)))
    named = _JoinedRows(qids[rows // len(documents)], documents.values(rows % len(documents)))
    return named, np.column_stack(columns[1:]), columns[0]


def _placed(rows: Ints, keys: Ints, values: Floats) -> Floats:
    """A column with each value in the row that has its key, NaN in all other rows."""
    column = np.full(rows.size, np.nan)
    at = np.searchsorted(rows, keys)
    there = (at < rows.size) & (rows[np.minimum(at, rows.size - 1)] == keys) if rows.size else np.zeros(keys.size, bool)
    column[at[there]] = values[there]
    return column


def _refuse_repeated(source: Run | Qrels, keys: Ints, where: str | None = None) -> None:
    order = np.argsort(keys, kind="stable")
    again = (np.diff(keys[order]) == 0) & (keys[order[:-1]] >= 0)
    if again.any():
        row = int(order[:-1][again].min())
        where = where or (f"run {source.name}" if isinstance(source, Run) else "the qrels")
        pair = f"document {source.docno[row]} of query {source.qid[row]}"
        raise InputError(f"{where}: {pair} is listed more than once; keep one")


def _with_lowest(scores: Floats, qid: NDArray[Any]) -> Floats:
    """Fill missing scores with the lowest score of the run in the query, else in all queries, else 0."""
    starts = np.concatenate(([0], np.flatnonzero(qid[1:] != qid[:-1]) + 1))
    lowest = np.fmin.reduceat(scores, starts, axis=0)
    lowest = np.where(np.isnan(lowest), np.nan_to_num(np.fmin.reduce(scores, axis=0), nan=0.0), lowest)
    return np.where(np.isnan(scores), np.repeat(lowest, np.diff(starts, append=qid.size), axis=0), scores)
