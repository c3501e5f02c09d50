"""Hashes of queries and documents that depend on their content alone, not on their order or names.

Everything that a learner sums, deals or draws goes in an order of these keys, so that shuffled data and renamed queries give
the same model: sums over documents and queries, folds, samples, and the rows that LightGBM gets. Documents of one query that
are equal in features, grade and initial score, and queries of equal documents and weight, are interchangeable.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats
from ...core import content_keys as kernels
from ...data import Queries
from ...matrix.linear_operator import arrays_of

Keys = NDArray[np.uint64]


def content_order(queries: Queries, documents: Keys, weights: Floats) -> tuple[Queries, Keys, NDArray[np.int64]]:
    """Queries in ascending order of their keys, with the documents of each in ascending order of theirs.

    Parameters
    ----------
    queries : Queries
    documents : array
        Key of each document, in the order of `queries`.
    weights : array
        Weight of each query.

    Returns
    -------
    queries : Queries
    keys : array
        Key of each query, in the new order.
    positions : array
        Position in `queries` of each query of the new order.
    """
    offsets, sizes = queries.offsets, np.diff(queries.offsets)
    keys = query_keys(documents, offsets, weights)
    by_key = np.argsort(keys, kind="stable")
    new_offsets = np.concatenate(([0], np.cumsum(sizes[by_key])))
    blocks = np.repeat(offsets[by_key] - new_offsets[:-1], sizes[by_key]) + np.arange(offsets[-1])
    within = kernels.order_within(documents, offsets)[blocks]
    order = within if queries.permutation is None else queries.permutation[within]
    return Queries(queries.ids[by_key], new_offsets, order), keys[by_key], by_key


def document_keys(X: Any, grades: Floats, init_score: Floats | None = None) -> Keys:
    """Hash of each document's features, grade and initial score, all in row order."""
    keys = kernels.row_keys(*arrays_of(X)) + mixed(_bits(grades))
    return mixed(keys if init_score is None else keys + mixed(mixed(_bits(init_score))))


def query_keys(documents: Keys, offsets: NDArray[np.int64], weights: Floats) -> Keys:
    """Hash of each query's documents, given by their keys, and of its weight."""
    return np.add.reduceat(mixed(documents), offsets[:-1]) + mixed(_bits(weights))


def mixed(keys: Keys) -> Keys:
    """Mixed keys: all bits of a result depend on all bits of the key."""
    return kernels.mixed(keys)  # type: ignore[no-any-return]


def _bits(values: Floats) -> Keys:
    """Bits of numbers; equal for 0 and -0."""
    return (values + 0.0).view(np.uint64)
