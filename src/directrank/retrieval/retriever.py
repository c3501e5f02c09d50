"""Searching an index with a retrieval function."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from ..data import InputError, Run
from ..data.checked_arrays import as_docno
from ..kernel_compiler import njit, prange
from .functions import Function
from .index import Query, TextIndex

#: Bins of the histogram that finds the highest scores.
_BINS = 1024


class _Batch(NamedTuple):
    """Many queries as flat arrays: the terms ``offsets[q]:offsets[q + 1]`` and their weights are those of query q."""

    terms: Ints
    weights: Floats
    offsets: Ints
    lengths: Floats
    constants: Floats


class _Postings(NamedTuple):
    """Documents and impacts of all postings; ``starts[t]:starts[t + 1]`` are those of term t."""

    starts: Ints
    documents: NDArray[np.int32]
    impacts: NDArray[np.float32]


class Retriever:
    """Scores the documents of an index with a retrieval function; the impacts of all postings are computed once.

    Parameters
    ----------
    index : TextIndex
    function : Function

    Examples
    --------
    >>> from directrank.retrieval import BM25
    >>> index = TextIndex.build([("a", "a cat and a dog"), ("b", "two cats"), ("c", "a cow")], analyser="plain")
    >>> run = Retriever(index, BM25()).search({"q1": "dog and cat"}, depth=10)
    >>> run.docno.tolist()
    ['a']
    """

    def __init__(self, index: TextIndex, function: Function) -> None:
        index.check_postings()
        self.index, self.function = index, function
        # Impacts are held in single precision, because search is bound by memory bandwidth.
        self.impacts, self.document_part = function.impacts(index).astype(np.float32), function.document_part(index)
        if not (np.all(np.isfinite(self.impacts)) and np.all(np.isfinite(self.document_part))):
            raise InputError(f"{function} gives values that are not finite; check its parameters")

    def scores(self, text: str) -> Floats:
        """The score of every document for a query."""
        n = self.index.n_documents
        return self.score_pairs([text], np.array([0, n]), np.arange(n))

    def search(self, queries: Mapping[str, str] | Iterable[tuple[str, str]], depth: int = 1000) -> Run:
        """The top `depth` documents of each query that contain at least one of its terms; ties in index order."""
        pairs = list(queries.items() if isinstance(queries, Mapping) else queries)
        batch = self._batch([text for _, text in pairs])
        documents, scores, sizes = self._search(batch, depth)
        kept = np.arange(documents.shape[1]) < sizes[:, None]
        docnos = self.index.docno_array[documents[kept]]
        qids = np.repeat(as_docno([str(qid) for qid, _ in pairs], len(pairs)), sizes)
        return Run(qids, docnos, self.function.finished((scores + batch.constants[:, None])[kept]), self.function.name)

    def first(self, queries: Sequence[str | Query], depth: int) -> list[NDArray[np.int32]]:
        """The numbers of the top `depth` documents of each query."""
        documents, _, sizes = self._search(self._batch(queries), depth)
        return [row[:size] for row, size in zip(documents, sizes, strict=True)]

    def score_pairs(self, queries: Sequence[str | Query], offsets: Ints, documents: NDArray[Any]) -> Floats:
        """The scores for query i of documents ``offsets[i]:offsets[i + 1]``, given by their numbers."""
        batch, sizes = self._batch(queries), np.diff(offsets)
        scores = _score_pairs(batch, self._postings(), offsets, documents, self.index.n_documents)
        own = np.repeat(batch.lengths, sizes) * self.document_part[documents]
        return self.function.finished(scores + own + np.repeat(batch.constants, sizes))

    def _search(self, batch: _Batch, depth: int) -> tuple[NDArray[np.int32], Floats, Ints]:
        if not (isinstance(depth, (int, np.integer)) and depth >= 1):
            raise InputError(f"depth must be an integer, at least 1, not {depth!r}")
        return _search(batch, self._postings(), self.document_part, min(depth, self.index.n_documents))

    def _batch(self, queries: Sequence[str | Query]) -> _Batch:
        analysed = iter(self.index.queries(query for query in queries if isinstance(query, str)))
        found = [next(analysed) if isinstance(query, str) else query for query in queries]
        weights = np.concatenate([np.empty(0), *(self.function.term_weights(self.index, query) for query in found)])
        if not np.all(np.isfinite(weights)):
            raise InputError(f"{self.function} gives term weights that are not finite; check its parameters")
        return _Batch(
            np.concatenate([np.empty(0, np.int64), *(query.terms for query in found)]),
            weights,
            np.concatenate(([0], np.cumsum([query.terms.size for query in found], dtype=np.int64))),
            np.array([query.counts.sum() for query in found], np.float64),
            np.array([self.function.constant(self.index, query) for query in found], np.float64),
        )

    def _postings(self) -> _Postings:
        return _Postings(self.index.starts, self.index.documents, self.impacts)


@njit(cache=True, parallel=True)
def _score_pairs(batch, postings, offsets, wanted, n_documents):  # type: ignore[no-untyped-def]
    scores = np.empty(wanted.size)
    for q in prange(offsets.size - 1):
        mine = slice(batch.offsets[q], batch.offsets[q + 1])
        found = _score_all(batch.terms[mine], batch.weights[mine], postings, n_documents)
        for k in range(offsets[q], offsets[q + 1]):
            scores[k] = found[wanted[k]]
    return scores


@njit(cache=True)
def _score_all(terms, weights, postings, n_documents):  # type: ignore[no-untyped-def]
    """The sum over the terms for every document."""
    found = np.zeros(n_documents)
    for k in range(terms.size):
        for p in range(postings.starts[terms[k]], postings.starts[terms[k] + 1]):
            found[postings.documents[p]] += weights[k] * postings.impacts[p]
    return found


@njit(cache=True, parallel=True)
def _search(batch, postings, document_part, depth):  # type: ignore[no-untyped-def]
    """The best documents of each query, their scores without the constant, and how many there are."""
    n = batch.offsets.size - 1
    best, values, sizes = np.zeros((n, depth), np.int32), np.zeros((n, depth)), np.zeros(n, np.int64)
    for q in prange(n):
        mine = slice(batch.offsets[q], batch.offsets[q + 1])
        found = _score_matching(batch.terms[mine], batch.weights[mine], batch.lengths[q], postings, document_part)
        sizes[q] = _take_best(found, best[q], values[q])
    return best, values, sizes


@njit(cache=True)
def _score_matching(terms, weights, length, postings, document_part):  # type: ignore[no-untyped-def]
    """The scores of the documents that contain a term of the query, without the constant; NaN for all others."""
    found = np.full(document_part.size, np.nan)
    for k in range(terms.size):
        for p in range(postings.starts[terms[k]], postings.starts[terms[k] + 1]):
            document = postings.documents[p]
            part, so_far = weights[k] * postings.impacts[p], found[document]
            found[document] = part if np.isnan(so_far) else so_far + part
    for d in range(found.size):
        found[d] += length * document_part[d]  # NaN stays NaN
    return found


@njit(cache=True)
def _take_best(scores, best, values):  # type: ignore[no-untyped-def]
    """Write the documents with the highest scores and these scores, in descending order; return how many there are."""
    n, low, high = 0, np.inf, -np.inf
    for score in scores:
        if not np.isnan(score):
            n, low, high = n + 1, min(low, score), max(high, score)
    near = _near_the_top(scores, low, high, min(n, best.size))
    order = np.argsort(-scores[near], kind="mergesort")[: best.size]  # stable: ties stay in index order
    for k in range(order.size):
        best[k], values[k] = near[order[k]], scores[near[order[k]]]
    return order.size


@njit(cache=True)
def _near_the_top(scores, low, high, depth):  # type: ignore[no-untyped-def]
    """Where the `depth` highest scores from `low` to `high` are, and few others: a histogram is faster than sorting all."""
    scale = (_BINS - 1) / (high - low) if high - low > 1e-300 else 0.0
    counts = np.zeros(_BINS, np.int64)
    for score in scores:
        if not np.isnan(score):
            counts[int((score - low) * scale)] += 1
    edge, n = _BINS, 0
    while n < depth:
        edge -= 1
        n += counts[edge]
    near = np.empty(n, np.int64)
    k = 0
    for i in range(scores.size):
        if k < n and not np.isnan(scores[i]) and int((scores[i] - low) * scale) >= edge:
            near[k] = i
            k += 1
    return near
