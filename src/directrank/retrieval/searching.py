r"""The best documents of a query, without scoring all that contain one of its terms.

The terms are taken in the order of the most they can add to a score, the highest first. After some of them, a document has
the sum of what these add, and what the others can still add or take is bounded by their highest and lowest impacts. So the
`depth`-th highest sum, less what can still be taken, is a threshold that all of the best documents reach. Once the terms
that are left cannot lift a document that has none of the others to it, no further document need be looked at, and those seen
so far are dropped as soon as they cannot reach it either. The long lists of common words, which come last, are then not
passed through: their few postings that matter are looked up (`common_terms`). Where common words are all that a query has,
there is little to leave out, and all documents are scored (``dense_pass.hpp``).

Bounds only choose which documents are scored. The scores themselves are sums over the terms in the order of the query, so
they are the same, to the last bit, in whatever way documents are chosen; ties are ranked in index order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from ..core import searching as kernels
from .index import TextIndex


class Batch(NamedTuple):
    """Many queries as flat arrays: query q has the terms ``offsets[q]:offsets[q + 1]`` and their weights."""

    terms: Ints
    weights: Floats
    offsets: Ints
    lengths: Floats
    constants: Floats


class Postings:
    """The postings of an index with the impacts of a retrieval function, ready to be searched.

    Parameters
    ----------
    index : TextIndex
    impacts : float32 array
        i(t, d) of each posting.
    own : float64 array
        p(d) of each document.
    """

    def __init__(self, index: TextIndex, impacts: NDArray[np.float32], own: Floats) -> None:
        self._compiled = kernels.Postings(
            index.starts,
            index.documents,
            impacts,
            *index.common_terms,
            np.ascontiguousarray(own, np.float64) if np.any(own) else np.empty(0),
            index.n_documents,
        )

    def search(self, batch: Batch, depth: int) -> tuple[NDArray[np.int32], Floats, Ints]:
        """The best `depth` documents of each query, their scores without the constant, and how many there are."""
        return self._compiled.search(batch.terms, batch.weights, batch.offsets, batch.lengths, depth)  # type: ignore[no-any-return]

    def score(self, batch: Batch, offsets: Ints, documents: Ints) -> Floats:
        """The scores for query i of documents ``offsets[i]:offsets[i + 1]``, without the constant."""
        return self._compiled.score(batch.terms, batch.weights, batch.offsets, batch.lengths, documents, offsets)  # type: ignore[no-any-return]
