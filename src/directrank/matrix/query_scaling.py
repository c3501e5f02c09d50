"""Scaling of features within queries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from ..data.ranking_data import Queries


def scale_within_queries(queries: Queries, X: NDArray[Any], scale: Callable[[Floats], Floats]) -> Floats:
    """Apply a function to the rows of each query."""
    scaled = np.empty(X.shape)
    for rows in queries.each():
        scaled[rows] = scale(X[rows].astype(np.float64))
    return scaled


def min_max(X: Floats) -> Floats:
    """Scale each feature of one query's rows to [0, 1]; 0 if all values are equal. NaN stays NaN."""
    X = X / 2  # so that no difference overflows
    low, high = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
    scaled = np.divide(X - low, high - low, out=np.zeros(X.shape), where=high > low)
    return np.where(np.isnan(X), np.nan, scaled)


def percentiles(X: Floats) -> Floats:
    """Fraction of a query's other rows with a lower value, for each row and feature; ties count half. NaN stays NaN."""
    from scipy.stats import rankdata

    missing = np.isnan(X)
    ranks = rankdata(np.where(missing, np.inf, X), axis=0) - 1  # missing values last, where they change no other rank
    others = np.sum(~missing, axis=0) - 1
    fractions = np.divide(ranks, others, out=np.full(X.shape, 0.5), where=others > 0)
    return np.where(missing, np.nan, fractions)
