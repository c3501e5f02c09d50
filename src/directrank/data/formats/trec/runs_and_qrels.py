"""TREC runs and relevance judgments (qrels), with readers and writers.

A line of a run is ``query Q0 document rank score tag``, a line of the qrels ``query 0 document grade``. As in trec_eval, a
run is ordered by its scores alone, and the ids of queries and documents are compared as strings.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....arrays import Floats
from ....caching import cached_property
from ...checked_arrays import as_docno, as_grades, as_qid, as_scores
from ...column_roles import LABEL_NAMES
from ...errors import InputError
from ...io.files import PathLike, replacing
from ...parsing.byte_strings import ByteStrings, Codes, factorize
from ...parsing.text_table import read_table
from ...ranking_data import RankingData
from ..tables.pairs import SCORE_NAMES, is_table, read_pairs
from .joined_pairs import join_pairs
from .ranking_order import trec_order

Strings = NDArray[Any]

_RUN_LINE = "query Q0 document rank score tag"
_QRELS_LINE = "query 0 document grade"


@dataclass(frozen=True, eq=False, init=False)
class QueryDocuments:
    """Pairs of query and document, as byte strings, which are decoded when the strings are first used.

    Attributes
    ----------
    qid, docno : arrays of strings
    """

    qid: Strings
    docno: Strings

    def __init__(self, qid: ArrayLike, docno: ArrayLike) -> None:
        n_rows = np.size(qid)
        vars(self).update(qid=as_docno(as_qid(qid, n_rows), n_rows), docno=as_docno(docno, n_rows))

    @classmethod
    def from_byte_strings(cls, queries: ByteStrings, documents: ByteStrings, **others: Any) -> Self:
        """Pairs of byte strings; other attributes are taken unchecked."""
        made = object.__new__(cls)
        vars(made).update(query_names=queries, document_names=documents, **others)
        return made

    def __getattr__(self, name: str) -> Strings:
        names = {"qid": "query_names", "docno": "document_names"}.get(name)
        if names not in vars(self):
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        strings: Strings = vars(self)[names][:]
        vars(self)[name] = strings
        return strings

    @cached_property
    def query_names(self) -> ByteStrings:
        return ByteStrings.from_strings(self.qid)

    @cached_property
    def document_names(self) -> ByteStrings:
        return ByteStrings.from_strings(self.docno)

    def number_queries(self) -> tuple[Codes, list[str]]:
        """Code of the query of each row, and the queries in the order of their codes."""
        (query,), distinct = factorize([self.query_names])
        return query, distinct.tolist()

    def __len__(self) -> int:
        return int(self.qid.size) if "qid" in vars(self) else len(self.query_names)


@dataclass(frozen=True, eq=False, init=False)
class Run(QueryDocuments):
    """A run: the scores that a system gave to documents of each query.

    Attributes
    ----------
    qid, docno : arrays of strings
    score : float64 array
    name : str
        The run's tag.
    """

    score: Floats
    name: str

    def __init__(self, qid: ArrayLike, docno: ArrayLike, score: ArrayLike, name: str = "run") -> None:
        super().__init__(qid, docno)
        vars(self).update(score=as_scores(score, len(self)), name=name)


@dataclass(frozen=True, eq=False, init=False)
class Qrels(QueryDocuments):
    """Relevance judgments: grades of documents for each query.

    Attributes
    ----------
    qid, docno : arrays of strings
    grade : float64 array
        A negative grade marks a document that was pooled but not judged (or is spam). As in trec_eval, it counts as 0
        except in measures that distinguish unjudged documents.
    """

    grade: Floats

    def __init__(self, qid: ArrayLike, docno: ArrayLike, grade: ArrayLike) -> None:
        super().__init__(qid, docno)
        given = np.asarray(grade)
        checked = as_grades(np.maximum(given, 0), len(self))
        vars(self)["grade"] = np.where(given < 0, given, checked)


def read_run(path: PathLike, *, max_size: int | None = None) -> Run:
    """Read a TREC run, plain or gzip; its name is the tag in the first line.

    A table (.csv, .tsv, .jsonl, .parquet, .arrow) has columns for query, document and score, found by their names.

    Parameters
    ----------
    path : path
    max_size : int, optional
        Maximum number of bytes to read, after decompression; by default no limit for plain files, and half of the memory for
        gzip files and pipes.
    """
    if is_table(path):
        pairs = read_pairs(path, "score", SCORE_NAMES, max_size, skip_missing=False)
        return Run.from_byte_strings(pairs.queries, pairs.documents, score=pairs.values, name="")
    table = read_table(path, _RUN_LINE, max_size, wanted="query document score")
    return Run.from_byte_strings(table.names(0), table.names(2), score=table.numbers(4, "score"), name=table.first(5))


def write_run(path: PathLike, run: Run) -> None:
    """Write a TREC run, by descending score with ties broken as in trec_eval; gzip if the name ends in .gz."""
    tag = "_".join(run.name.split()) or "run"
    query, qids = _checked_queries(run)
    if not np.all(np.isfinite(run.score)):
        raise InputError("the scores of a run must be finite; remove documents that were not ranked")
    order = trec_order(run.score, run.document_names, query, len(qids))
    offsets = np.cumsum(np.bincount(query, minlength=len(qids))).tolist()
    with replacing(path) as file:
        for qid, (start, end) in zip(qids, itertools.pairwise([0, *offsets]), strict=True):
            rows = order[start:end]
            ranked = zip(run.docno[rows].tolist(), run.score[rows].tolist(), strict=True)
            lines = (f"{qid} Q0 {docno} {rank} {score!r} {tag}\n" for rank, (docno, score) in enumerate(ranked, 1))
            file.write("".join(lines).encode())


def as_run(data: RankingData, scores: ArrayLike, name: str = "run") -> Run:
    """The run of a model's scores for ranking data, whose documents must be unique within a query."""
    if data.docno is None or data.qid is None:
        lacking, option = ("docno", "--doc") if data.qid is not None else ("qid", "--query")
        advice = f"name their column (in the command, by {option})"
        raise InputError(f"a TREC file needs query and document ids, but the data has no {lacking}; {advice}")
    run = Run(data.qid, data.docno, as_scores(scores, len(data)), name)
    query, qids = run.number_queries()
    _check_unique(run, query, len(qids), "the data")
    return run


def read_qrels(path: PathLike, *, max_size: int | None = None) -> Qrels:
    """Read TREC relevance judgments, plain or gzip.

    The second column may be missing from all lines, as in the judgments of OHSUMED for TREC-9. A table (.csv, .tsv, .jsonl,
    .parquet, .arrow) has columns for query, document and grade, found by their names, as ``query,docid,rating``; rows
    without a grade are not judgments.

    Parameters
    ----------
    path : path
    max_size : int, optional
        Maximum number of bytes to read, as in `read_run`.
    """
    if is_table(path):
        pairs = read_pairs(path, "grade", LABEL_NAMES, max_size, skip_missing=True)
        return Qrels.from_byte_strings(pairs.queries, pairs.documents, grade=pairs.values)
    table = read_table(path, _QRELS_LINE, max_size, shorter="query document grade")
    grade = table.n_columns - 1
    return Qrels.from_byte_strings(table.names(0), table.names(grade - 1), grade=table.numbers(grade, "grade"))


def write_qrels(path: PathLike, qrels: Qrels) -> None:
    """Write TREC relevance judgments; gzip if the name ends in .gz."""
    _checked_queries(qrels)
    rows = zip(qrels.qid.tolist(), qrels.docno.tolist(), qrels.grade.tolist(), strict=True)
    with replacing(path) as file:
        file.write("".join(f"{qid} 0 {docno} {grade:.17g}\n" for qid, docno, grade in rows).encode())


def raise_repeated(source: Run | Qrels, row: int, where: str | None = None) -> None:
    """Raise the `InputError` for a pair that is listed more than once."""
    where = where or (f"run {source.name}" if isinstance(source, Run) else "the qrels")
    pair = f"document {source.document_names[row]} of query {source.query_names[row]}"
    raise InputError(f"{where}: {pair} is listed more than once; keep one")


def _checked_queries(table: Run | Qrels) -> tuple[Codes, list[str]]:
    """Codes of the rows' queries, and the queries; checks that names can be written and that pairs are unique."""
    query, qids = table.number_queries()
    for kind, names in (("query", qids), ("document", table.docno.tolist())):
        wrong = [name for name in names if not name or any(c <= " " for c in name)]
        if wrong:
            what = f"the {kind} {min(wrong)!r} cannot be written to a TREC file: it is empty or has a space in it"
            raise InputError(f"{what}; write a table (.csv, .parquet), or use ids")
    _check_unique(table, query, len(qids))
    return query, qids


def _check_unique(table: Run | Qrels, query: Codes, n_queries: int, where: str | None = None) -> None:
    repeated = join_pairs([query], [table.document_names], [np.zeros(len(table))], n_queries).repeated[0]
    if repeated >= 0:
        raise_repeated(table, int(repeated), where)
