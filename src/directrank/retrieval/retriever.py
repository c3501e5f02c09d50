"""Searching an index with a retrieval function."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from ..caching import cached_property
from ..data import InputError, Run
from ..data.checked_arrays import as_docno
from .functions import Function
from .index import Query, TextIndex
from .searching import Batch, Postings


class Retriever:
    """Scores documents of an index with a retrieval function; the impacts of all postings are computed once.

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
        self.impacts, self.document_scores = function.impacts(index).astype(np.float32), function.document_scores(index)
        if not (np.all(np.isfinite(self.impacts)) and np.all(np.isfinite(self.document_scores))):
            raise InputError(f"{function} gives values that are not finite; check its parameters")

    @cached_property
    def _postings(self) -> Postings:
        return Postings(self.index, self.impacts, self.document_scores)

    def __getstate__(self) -> dict[str, Any]:
        """Without cached values."""
        return {name: value for name, value in vars(self).items() if name != "_postings"}

    def scores(self, text: str) -> Floats:
        """Score every document for a query."""
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
        return Run(
            qids, docnos, self.function.transform(scores[kept] + np.repeat(batch.constants, sizes)), self.function.name
        )

    def top(self, queries: Sequence[str | Query], depth: int) -> list[NDArray[np.int32]]:
        """Indices of the top `depth` documents of each query."""
        documents, _, sizes = self._search(self._batch(queries), depth)
        return [row[:size] for row, size in zip(documents, sizes, strict=True)]

    def score_pairs(self, queries: Sequence[str | Query], offsets: Ints, documents: NDArray[Any]) -> Floats:
        """Score documents ``offsets[i]:offsets[i + 1]``, given by index, for query i."""
        batch, sizes = self._batch(queries), np.diff(offsets)
        wanted = np.ascontiguousarray(documents, np.int64)
        scores = self._postings.score(batch, np.ascontiguousarray(offsets, np.int64), wanted)
        return self.function.transform(scores + np.repeat(batch.constants, sizes))

    def _search(self, batch: Batch, depth: int) -> tuple[NDArray[np.int32], Floats, Ints]:
        if not (isinstance(depth, (int, np.integer)) and depth >= 1):
            raise InputError(f"depth must be an integer, at least 1, not {depth!r}")
        return self._postings.search(batch, min(int(depth), self.index.n_documents))

    def _batch(self, queries: Sequence[str | Query]) -> Batch:
        analysed = iter(self.index.queries(query for query in queries if isinstance(query, str)))
        found = [next(analysed) if isinstance(query, str) else query for query in queries]
        weights = np.concatenate([np.empty(0), *(self.function.term_weights(self.index, query) for query in found)])
        if not np.all(np.isfinite(weights)):
            raise InputError(f"{self.function} gives term weights that are not finite; check its parameters")
        return Batch(
            np.concatenate([np.empty(0, np.int64), *(query.terms for query in found)]),
            weights,
            np.concatenate(([0], np.cumsum([query.terms.size for query in found], dtype=np.int64))),
            np.array([np.add.reduce(query.counts) for query in found], np.float64),
            np.array([self.function.constant(self.index, query) for query in found], np.float64),
        )
