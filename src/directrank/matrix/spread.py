"""How much each feature varies within queries, in one pass over X."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, prange
from scipy import sparse

from ..arrays import Floats
from ..data.ranking_data import Queries

#: A feature that deviates by less than so much of its size is constant but for rounding.
ROUNDING = 1e-12


def deviations(X: Any, queries: Queries, weights: Floats) -> tuple[Floats, Floats]:
    """For each feature, the weighted sums over the queries of its mean absolute deviation within them, and of its mean size.

    Deviations rather than their squares, which could overflow or vanish.
    """
    n_parts = int(np.clip(2**22 // X.shape[1], 1, 32))
    found = np.zeros((2, n_parts, X.shape[1]))
    if sparse.issparse(X):
        _deviations_sparse(X.data, X.indices, X.indptr, queries.order, queries.offsets, weights, *found)
    else:
        _deviations(np.asarray(X), queries.order, queries.offsets, weights, *found)
    deviation, size = found.sum(axis=1)
    return deviation, size


def spread(deviation: Floats, size: Floats) -> Floats:
    """The deviations of all shards together; 0 where they are rounding."""
    return np.where(deviation > ROUNDING * size, deviation, 0.0)


@njit(cache=True, parallel=True)
def _deviations(X, order, offsets, weights, deviation, size):  # type: ignore[no-untyped-def]
    n_parts, n_queries = deviation.shape[0], weights.size
    for part in prange(n_parts):
        means = np.empty(X.shape[1])
        for q in range(part * n_queries // n_parts, (part + 1) * n_queries // n_parts):
            if weights[q] == 0:
                continue
            rows, share = order[offsets[q] : offsets[q + 1]], 1 / (offsets[q + 1] - offsets[q])
            means[:] = 0
            for row in rows:
                for j in range(means.size):
                    means[j] += share * X[row, j]
            for row in rows:
                for j in range(means.size):
                    deviation[part, j] += weights[q] * share * abs(X[row, j] - means[j])
                    size[part, j] += weights[q] * share * abs(X[row, j])


@njit(cache=True, parallel=True)
def _deviations_sparse(data, indices, indptr, order, offsets, weights, deviation, size):  # type: ignore[no-untyped-def]
    """As the dense one: a feature's zeros deviate by the size of its mean."""
    n_parts, n_queries = deviation.shape[0], weights.size
    for part in prange(n_parts):
        means, zeros = np.zeros(deviation.shape[1]), np.zeros(deviation.shape[1], np.int64)
        for q in range(part * n_queries // n_parts, (part + 1) * n_queries // n_parts):
            if weights[q] == 0:
                continue
            rows, share = order[offsets[q] : offsets[q + 1]], 1 / (offsets[q + 1] - offsets[q])
            for row in rows:
                for k in range(indptr[row], indptr[row + 1]):
                    means[indices[k]], zeros[indices[k]] = 0.0, rows.size
            for row in rows:
                for k in range(indptr[row], indptr[row + 1]):
                    means[indices[k]] += share * data[k]
                    zeros[indices[k]] -= 1
            for row in rows:
                for k in range(indptr[row], indptr[row + 1]):
                    j = indices[k]
                    # those of the zeros with the first entry
                    deviation[part, j] += weights[q] * share * (abs(data[k] - means[j]) + zeros[j] * abs(means[j]))
                    size[part, j] += weights[q] * share * abs(data[k])
                    zeros[j] = 0
