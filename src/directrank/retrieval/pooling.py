"""Pooling: the union of the documents that several retrieval functions return, scored by all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data import InputError, Qrels, RankingData
from ..data.checked_arrays import as_docno
from .functions import FUNCTIONS, Function
from .index import TextIndex
from .retriever import Retriever


def pool(
    indices: Sequence[TextIndex],
    queries: Mapping[str, str] | Iterable[tuple[str, str]],
    qrels: Qrels | None = None,
    *,
    depth: int = 1000,
    functions: Sequence[Function] = FUNCTIONS,
) -> RankingData:
    """The top documents of each query by any function on any index, with all their scores as features.

    With three indexes (`TextIndex.build_all`) the features are the 15 base functions of Yue et al. (2007).

    Parameters
    ----------
    indices : sequence of TextIndex
        Indexes of the same documents with different analysers.
    queries : mapping or iterable of (qid, text)
    qrels : Qrels, optional
        The grades; documents that were not judged get 0. Only judged queries are kept.
    depth : int
        Number of documents taken from each function.
    functions : sequence of Function
    """
    pairs = [(str(qid), text) for qid, text in (queries.items() if isinstance(queries, Mapping) else queries)]
    if qrels is not None:
        judged = set(qrels.qid.tolist())
        pairs = [(qid, text) for qid, text in pairs if qid in judged]
    _check(indices, pairs)
    retrievers, asked = [], []
    for index in indices:
        retrievers += [Retriever(index, function) for function in functions]
        asked += [index.queries(text for _, text in pairs)] * len(functions)
    found = [retriever.top(terms, depth) for retriever, terms in zip(retrievers, asked, strict=True)]
    offsets, documents = _union(found, indices[0].n_documents)
    if documents.size == 0:
        raise InputError("no document contains a term of any query; check that documents and queries belong together")
    scores = [r.score_pairs(terms, offsets, documents) for r, terms in zip(retrievers, asked, strict=True)]
    X = np.column_stack(scores)
    qid = np.repeat(as_docno([qid for qid, _ in pairs], len(pairs)), np.diff(offsets))
    docno = indices[0].docno_array[documents]
    names = [f"{retriever.function.label} {retriever.index.analyser.name}" for retriever in retrievers]
    return RankingData(X, _grades(qid, docno, qrels), qid, docno, names)


def _check(indices: Sequence[TextIndex], pairs: list[tuple[str, str]]) -> None:
    if not indices or not pairs:
        raise InputError("a pool needs at least one index and one query (with qrels, a judged one)")
    if len({qid for qid, _ in pairs}) < len(pairs):
        raise InputError("two queries have the same qid; every qid must be unique")
    for other in indices[1:]:
        if not (
            np.array_equal(other.docnos.ends, indices[0].docnos.ends)
            and np.array_equal(other.docnos.text, indices[0].docnos.text)
        ):
            raise InputError("the indexes are not of the same documents; create them with TextIndex.build_all")


def _union(found: list[list[NDArray[np.int32]]], n_documents: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Offsets of the queries, and the union of each query's lists, ascending."""
    keys = np.sort(
        np.concatenate([q * n_documents + rows.astype(np.int64) for lists in found for q, rows in enumerate(lists)])
    )
    query, documents = np.divmod(keys[np.diff(keys, prepend=-1) > 0], n_documents)
    return np.searchsorted(query, np.arange(len(found[0]) + 1)), documents


def _grades(qid: NDArray[Any], docno: NDArray[Any], qrels: Qrels | None) -> NDArray[np.float64]:
    if qrels is None:
        return np.zeros(qid.size)
    judged = list(zip(qrels.qid.tolist(), qrels.docno.tolist(), strict=True))
    grade = dict(zip(judged, qrels.grade.tolist(), strict=True))
    if len(grade) < len(judged):
        (query, document), _ = Counter(judged).most_common(1)[0]
        raise InputError(f"the qrels: document {document} of query {query} is listed more than once; keep one")
    return np.array([max(grade.get(pair, 0.0), 0.0) for pair in zip(qid.tolist(), docno.tolist(), strict=True)])
