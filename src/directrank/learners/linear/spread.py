"""Variation of each feature within queries, the unit in which linear learners take their steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Floats
from ...core import spread as kernels
from ...data.ranking_data import Queries
from ...matrix.linear_operator import arrays_of
from ..core.shards import Shards
from ..core.task import Task
from ..core.validation import check_finite

#: A feature whose variation is below this share of its size is constant but for rounding.
ROUNDING = 1e-12

#: Variation below which the weight of a feature would not fit into a float.
MIN_SPREAD = 1e-300


def spread_within_queries(training: Shards) -> Floats:
    """Root of each feature's mean variance within queries; 0 for rounding errors.

    The mean deviation comes first, as the unit of the squares: they could overflow otherwise, or vanish.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        deviation, _, size = training.total(_deviations, np.ones(training.n_features))
    check_finite(deviation, size)
    varies = deviation > np.maximum(ROUNDING * size, MIN_SPREAD)
    _, square, _ = training.total(_deviations, np.where(varies, deviation, 1.0))
    return np.where(varies, deviation * np.sqrt(square), 0.0)


def deviations(X: Any, queries: Queries, weights: Floats, units: Floats) -> Floats:
    """Weighted means over queries of each feature's absolute and squared deviations from its mean in the query, and of its
    absolute values, in given units.

    Returns
    -------
    array of shape (3, n_features)
    """
    n_parts = int(np.clip(2**20 // X.shape[1], 1, 32))
    found = kernels.deviations(*arrays_of(X), queries.order, queries.offsets, weights, units, n_parts)
    return found.reshape(3, -1)  # type: ignore[no-any-return]


def _deviations(task: Task, units: Floats) -> Floats:
    return deviations(task.X, task.queries, task.weights, units)
