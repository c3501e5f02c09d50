"""Text collections, and the candidate documents of each query."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...data import InputError, Qrels
from ...retrieval import BM25, Retriever, TextIndex
from ..experiment import Source
from ..text_folder import read_text_files

#: Minimum number of relevant documents of a query, for binary judgments (WSJ, AP).
MIN_RELEVANT = 10

#: Number of documents to retrieve for each query if mostly relevant documents were judged.
DEPTH = 200

#: Grades of candidate documents, by query and document number in the index.
CandidateGrades = dict[str, dict[int, float]]


@dataclass(frozen=True, eq=False)
class Texts:
    """Index of the documents, queries and qrels."""

    index: TextIndex
    queries: dict[str, str]
    qrels: Qrels


def read_texts(folder: Path, source: Source, topic_field: str = "description") -> Texts:
    """Index the documents of a folder; read its topics and qrels."""
    found = read_text_files(folder, source, topic_field)
    return Texts(TextIndex.build(found.documents), found.queries, found.qrels)


def candidate_documents(texts: Texts) -> tuple[CandidateGrades, tuple[str, ...]]:
    """Judged documents that are in the collection, and remarks on them.

    If most judgments are of relevant documents, as in Cranfield, there is little to learn from them alone: then the
    candidates are the top documents of BM25, and unjudged ones count as not relevant.
    """
    judged = _judged(texts)
    selected = judged if _is_graded(judged) else _with_enough_relevant(judged)
    grades = [grade for documents in selected.values() for grade in documents.values()]
    n_relevant = sum(grade > 0 for grade in grades)
    if 2 * n_relevant <= len(grades):
        return selected, ()
    found = _retrieve(texts, selected)
    missed = n_relevant - sum(grade > 0 for documents in found.values() for grade in documents.values())
    remark = f"Most judgments are of relevant documents, so the top {DEPTH} of BM25 are ranked"
    return found, (f"{remark}; they miss {missed:,} of {n_relevant:,} relevant documents.",)


def _judged(texts: Texts) -> CandidateGrades:
    number = {docno: i for i, docno in enumerate(texts.index.docnos)}
    found: CandidateGrades = {}
    columns = (values.tolist() for values in (texts.qrels.qid, texts.qrels.docno, texts.qrels.grade))
    for qid, docno, grade in zip(*columns, strict=True):
        if qid in texts.queries and docno in number:
            if number[docno] in found.setdefault(qid, {}):
                raise InputError(f"the qrels: document {docno} of query {qid} is listed more than once; keep one")
            found[qid][number[docno]] = grade
    if not found:
        raise InputError("no judged document is in the collection; check that documents, topics and qrels belong together")
    return found


def _is_graded(found: CandidateGrades) -> bool:
    """Whether grades are definitely, possibly and not relevant, as in OHSUMED."""
    return {grade for documents in found.values() for grade in documents.values()} in ({0, 1, 2}, {1, 2})


def _with_enough_relevant(found: CandidateGrades) -> CandidateGrades:
    """Queries with enough relevant documents and binary grades, as in the paper for WSJ and AP."""
    binary = {qid: {document: float(grade > 0) for document, grade in documents.items()} for qid, documents in found.items()}
    selected = {qid: documents for qid, documents in binary.items() if sum(documents.values()) >= MIN_RELEVANT}
    if len(selected) < 4:
        raise InputError(f"{len(selected)} queries have {MIN_RELEVANT} relevant documents; four trials need at least four")
    return selected


def _retrieve(texts: Texts, judged: CandidateGrades) -> CandidateGrades:
    """Top documents of BM25."""
    first = Retriever(texts.index, BM25()).top([texts.queries[qid] for qid in judged], DEPTH)
    return {
        qid: {document: grades.get(document, 0.0) for document in documents.tolist()}
        for (qid, grades), documents in zip(judged.items(), first, strict=True)
    }
