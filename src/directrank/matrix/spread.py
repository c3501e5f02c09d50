"""How much each feature varies within queries."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ..arrays import Floats
from ..data.ranking_data import Queries
from ..kernel_compiler import njit, prange


def deviations(X: Any, queries: Queries, weights: Floats, units: Floats) -> Floats:
    """Of each feature's deviations from its mean in each query: weighted means of their sizes, of their squares and of the
    sizes of the feature itself, all in given units.

    Returns
    -------
    array of three rows
    """
    n_parts = int(np.clip(2**20 // X.shape[1], 1, 32))
    found = np.zeros((n_parts, 3, X.shape[1]))
    if sparse.issparse(X):
        _deviations_sparse(X.data, X.indices, X.indptr, queries.order, queries.offsets, weights, units, found)
    else:
        _deviations(np.asarray(X), queries.order, queries.offsets, weights, units, found)
    return found.sum(axis=0)  # type: ignore[no-any-return]


@njit(cache=True, parallel=True)
def _deviations(X, order, offsets, weights, units, found):  # type: ignore[no-untyped-def]
    n_parts, n_queries = found.shape[0], weights.size
    for part in prange(n_parts):
        means = np.empty(X.shape[1])
        for q in range(part * n_queries // n_parts, (part + 1) * n_queries // n_parts):
            if weights[q] == 0:
                continue
            rows = order[offsets[q] : offsets[q + 1]]
            share = weights[q] / rows.size
            means[:] = 0
            for row in rows:
                for j in range(means.size):
                    means[j] += X[row, j] / units[j] / rows.size
            for row in rows:
                for j in range(means.size):
                    deviation = abs(X[row, j] / units[j] - means[j])
                    found[part, 0, j] += share * deviation
                    found[part, 1, j] += share * deviation * deviation
                    found[part, 2, j] += share * abs(X[row, j] / units[j])


@njit(cache=True, parallel=True)
def _deviations_sparse(data, indices, indptr, order, offsets, weights, units, found):  # type: ignore[no-untyped-def]
    """As the dense one: the zeros of a feature, counted with its first entry, deviate by the size of its mean."""
    n_parts, n_queries = found.shape[0], weights.size
    for part in prange(n_parts):
        means, zeros = np.zeros(units.size), np.zeros(units.size, np.int64)
        for q in range(part * n_queries // n_parts, (part + 1) * n_queries // n_parts):
            if weights[q] == 0:
                continue
            rows = order[offsets[q] : offsets[q + 1]]
            share = weights[q] / rows.size
            for row in rows:
                for j in indices[indptr[row] : indptr[row + 1]]:
                    means[j], zeros[j] = 0.0, rows.size
            for row in rows:
                for k in range(indptr[row], indptr[row + 1]):
                    means[indices[k]] += data[k] / units[indices[k]] / rows.size
                    zeros[indices[k]] -= 1
            for row in rows:
                for k in range(indptr[row], indptr[row + 1]):
                    j = indices[k]
                    deviation, of_zero = abs(data[k] / units[j] - means[j]), abs(means[j])
                    found[part, 0, j] += share * (deviation + zeros[j] * of_zero)
                    found[part, 1, j] += share * (deviation * deviation + zeros[j] * of_zero * of_zero)
                    found[part, 2, j] += share * abs(data[k] / units[j])
                    zeros[j] = 0
