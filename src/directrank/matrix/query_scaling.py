"""Scaling of features within queries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..arrays import Bools, Floats, Ints
from ..data import InputError
from ..data.ranking_data import Queries
from .feature_scaling import empty_beside


def scale_within_queries(queries: Queries, X: NDArray[Any], scale: Callable[[Floats], Floats]) -> Floats:
    """Apply a function to the rows of each query."""
    scaled = empty_beside(X, X.shape, np.float64)
    for rows in queries.each():
        scaled[rows] = scale(X[rows].astype(np.float64))
    return scaled


def min_max(X: Floats) -> Floats:
    """Scale each feature of one query's rows to [0, 1]; 0 if all values are equal. NaN stays NaN."""
    X = X / 2  # so that no difference overflows
    low, high = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
    scaled = np.divide(X - low, high - low, out=np.zeros(X.shape), where=high > low)
    return np.where(np.isnan(X), np.nan, scaled)


def sparse_min_max(queries: Queries, X: Any) -> sparse.csr_array:
    """`min_max` within each query of a CSR matrix, which stays sparse: raises if values below 0 would move the zeros."""
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    sizes = np.diff(queries.offsets)
    query = queries.to_row_order(np.repeat(np.arange(sizes.size), sizes))[rows]
    order = np.lexsort((X.indices, query))
    starts = _starts(query[order], X.indices[order])
    counts, values = np.diff(starts, append=order.size), X.data[order].astype(np.float64) / 2
    low, high = (extreme.reduceat(values, starts) if order.size else values for extreme in (np.fmin, np.fmax))
    has_zeros = counts < sizes[query[order][starts]]
    if np.any(low[has_zeros] < 0):
        raise InputError("a sparse X with values below 0 would no longer be sparse within queries; pass X.toarray()")
    low = np.where(has_zeros, np.fmin(low, 0.0), low)
    low, width = np.repeat(low, counts), np.repeat(high - low, counts)
    scaled = np.empty(order.size)
    scaled[order] = np.divide(values - low, width, out=np.where(np.isnan(values), np.nan, 0.0), where=width > 0)
    found = sparse.csr_array((scaled, X.indices, X.indptr), shape=X.shape, copy=True)
    found.eliminate_zeros()
    return found


def _starts(query: Ints, column: Ints) -> Ints:
    """Where another query or column begins."""
    is_new: Bools = np.ones(query.size, np.bool_)
    is_new[1:] = (query[1:] != query[:-1]) | (column[1:] != column[:-1])
    return np.flatnonzero(is_new)


def percentiles(X: Floats) -> Floats:
    """Fraction of a query's other rows with a lower value, for each row and feature; ties count half. NaN stays NaN."""
    from scipy.stats import rankdata

    missing = np.isnan(X)
    ranks = rankdata(np.where(missing, np.inf, X), axis=0) - 1  # missing values last, where they change no other rank
    others = np.sum(~missing, axis=0) - 1
    fractions = np.divide(ranks, others, out=np.full(X.shape, 0.5), where=others > 0)
    return np.where(missing, np.nan, fractions)
