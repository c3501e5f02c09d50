"""Collections of texts, and which of their documents are ranked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...data import InputError, Qrels
from ...retrieval import BM25, Retriever, TextIndex
from ..experiment import Source
from ..text_folder import read_text_files

#: Queries with fewer relevant documents are discarded, where documents are relevant or not (WSJ, AP).
FEWEST_RELEVANT = 10

#: How many documents are retrieved for each query where hardly any but relevant ones were judged.
DEPTH = 200

#: By query, the grades of the documents that are to be ranked, by their numbers in the index.
ToRank = dict[str, dict[int, float]]


@dataclass(frozen=True, eq=False)
class Texts:
    """An index of the documents, the queries and the judgments."""

    index: TextIndex
    queries: dict[str, str]
    qrels: Qrels


def read_texts(folder: Path, source: Source, topic_field: str = "description") -> Texts:
    """Index the documents of a folder; read its topics and judgments."""
    found = read_text_files(folder, source, topic_field)
    return Texts(TextIndex.build(found.documents), found.queries, found.qrels)


def documents_to_rank(texts: Texts) -> tuple[ToRank, tuple[str, ...]]:
    """The documents that were judged, as far as they are in the collection; and what a reader must know of them.

    Where most of the judgments are of relevant documents, as in Cranfield's, there is little to learn from these alone: then
    it is the documents that BM25 finds first, those that were not judged not being relevant.
    """
    judged = _judged(texts)
    kept = judged if _is_graded(judged) else _with_enough_relevant(judged)
    grades = [grade for mine in kept.values() for grade in mine.values()]
    n_relevant = sum(grade > 0 for grade in grades)
    if 2 * n_relevant <= len(grades):
        return kept, ()
    found = _retrieved(texts, kept)
    missed = n_relevant - sum(grade > 0 for mine in found.values() for grade in mine.values())
    remark = f"Most judgments are of relevant documents, so it is the first {DEPTH} of BM25 that are ranked"
    return found, (f"{remark}; {missed:,} of {n_relevant:,} relevant ones are not among them.",)


def _judged(texts: Texts) -> ToRank:
    number = {docno: i for i, docno in enumerate(texts.index.docnos)}
    found: ToRank = {}
    columns = (values.tolist() for values in (texts.qrels.qid, texts.qrels.docno, texts.qrels.grade))
    for qid, docno, grade in zip(*columns, strict=True):
        if qid in texts.queries and docno in number:
            if number[docno] in found.setdefault(qid, {}):
                raise InputError(f"the qrels: document {docno} of query {qid} is listed more than once; keep one")
            found[qid][number[docno]] = grade
    if not found:
        raise InputError("no judged document is there; check that documents, topics and qrels belong together")
    return found


def _is_graded(found: ToRank) -> bool:
    """Whether documents are definitely, possibly or not relevant, as OHSUMED's are."""
    return {grade for mine in found.values() for grade in mine.values()} in ({0, 1, 2}, {1, 2})


def _with_enough_relevant(found: ToRank) -> ToRank:
    """As the paper has it for WSJ and AP, whose documents are relevant or not."""
    binary = {qid: {document: float(grade > 0) for document, grade in mine.items()} for qid, mine in found.items()}
    kept = {qid: mine for qid, mine in binary.items() if sum(mine.values()) >= FEWEST_RELEVANT}
    if len(kept) < 4:
        raise InputError(f"{len(kept)} queries have {FEWEST_RELEVANT} relevant documents; four trials need as many at least")
    return kept


def _retrieved(texts: Texts, judged: ToRank) -> ToRank:
    """What BM25 finds first."""
    first = Retriever(texts.index, BM25()).top([texts.queries[qid] for qid in judged], DEPTH)
    return {
        qid: {document: mine.get(document, 0.0) for document in documents.tolist()}
        for (qid, mine), documents in zip(judged.items(), first, strict=True)
    }
