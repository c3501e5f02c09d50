"""Features scaled within each query, as numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from ..data.ranking_data import Queries


def scaled_within(queries: Queries, X: NDArray[Any], scale: Callable[[Floats], Floats]) -> Floats:
    """X with a function applied to the rows of each query."""
    scaled = np.empty(X.shape)
    for rows in queries.each():
        scaled[rows] = scale(X[rows].astype(np.float64))
    return scaled


def min_max(X: Floats) -> Floats:
    """The rows of one query, each feature from 0 to 1; all 0 if its values are equal. NaN stays NaN."""
    X = X / 2  # so that no difference overflows
    low, high = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
    scaled = np.divide(X - low, high - low, out=np.zeros(X.shape), where=high > low)
    return np.where(np.isnan(X), np.nan, scaled)


def percentiles(X: Floats) -> Floats:
    """For each of a query's rows, the fraction of the others that have a lower value; ties count half. NaN stays NaN."""
    from scipy.stats import rankdata

    missing = np.isnan(X)
    ranks = rankdata(np.where(missing, np.inf, X), axis=0) - 1  # missing values last, where they change no other rank
    others = np.sum(~missing, axis=0) - 1
    fractions = np.divide(ranks, others, out=np.full(X.shape, 0.5), where=others > 0)
    return np.where(missing, np.nan, fractions)
