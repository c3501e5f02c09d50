r"""Top-k search with dynamic pruning.

Terms are processed term at a time, in descending order of their maximum contribution. After some terms, a document has a
partial score, and the contribution of the remaining terms is bounded by their highest and lowest impacts. So the `depth`-th
highest partial score plus the lowest remaining contribution is a threshold that all top documents reach. Once the remaining
terms alone cannot reach it, no new documents are added, and candidates are dropped as soon as they cannot reach it either.
The long posting lists of common words come last and are not traversed: the candidates' postings are looked up
(`common_terms`). If a query consists of common words only, all documents are scored (``dense_pass.hpp``).

Pruning only selects the candidates. Scores are sums over the terms in query order, so they are the same to the last bit
however candidates are selected; ties are ranked in index order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from ..core import searching as kernels
from .index import TextIndex


class Batch(NamedTuple):
    """Queries as flat arrays: query q has the terms ``offsets[q]:offsets[q + 1]`` and their weights."""

    terms: Ints
    weights: Floats
    offsets: Ints
    lengths: Floats
    constants: Floats


class Postings:
    """Postings of an index with the impacts of a retrieval function, prepared for search.

    Parameters
    ----------
    index : TextIndex
    impacts : float32 array
        i(t, d) of each posting.
    document_scores : float64 array
        p(d) of each document.
    """

    def __init__(self, index: TextIndex, impacts: NDArray[np.float32], document_scores: Floats) -> None:
        self._compiled = kernels.Postings(
            index.starts,
            index.documents,
            impacts,
            *index.common_terms,
            np.ascontiguousarray(document_scores, np.float64) if np.any(document_scores) else np.empty(0),
            index.n_documents,
        )

    def search(self, batch: Batch, depth: int) -> tuple[NDArray[np.int32], Floats, Ints]:
        """Top `depth` documents of each query, their scores without the constant, and their number."""
        return self._compiled.search(batch.terms, batch.weights, batch.offsets, batch.lengths, depth)  # type: ignore[no-any-return]

    def score(self, batch: Batch, offsets: Ints, documents: Ints) -> Floats:
        """Scores of documents ``offsets[i]:offsets[i + 1]`` for query i, without the constant."""
        return self._compiled.score(batch.terms, batch.weights, batch.offsets, batch.lengths, documents, offsets)  # type: ignore[no-any-return]
