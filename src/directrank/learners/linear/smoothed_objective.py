r"""What SmoothRank climbs: a smoothed measure, less a penalty on how far the scores move from those of a start.

.. math:: \sum_q v_q \left( \tilde m_q(X w; \sigma) - \lambda\, \mathrm{Var}_q(X w - X w_0) \right)

with the queries' weights v. An evaluation takes two passes over X: scores, and the gradient.
"""

from __future__ import annotations

import math
from typing import NamedTuple, cast

import numpy as np
from scipy.optimize import minimize

from ...arrays import Floats
from ...matrix.spread import deviations
from ...measures import SupportsSmooth
from ..core.shards import Shards
from ..core.task import Task

#: A feature that varies by less than so much of its size is constant but for rounding.
ROUNDING = 1e-12

#: The weight of a feature that varies by less would be beyond what a float holds.
SMALLEST_SPREAD = 1e-300


class Point(NamedTuple):
    """Weights, and what is reached there.

    Attributes
    ----------
    coef : array
        w.
    change : array
        w - w_0.
    value : float
        The smoothed measure.
    moved : float
        The mean variance within queries of X (w - w_0).
    """

    coef: Floats
    change: Floats
    value: float
    moved: float

    def objective(self, penalty: float) -> float:
        return self.value - penalty * self.moved


class SmoothedObjective:
    """The objective on shards.

    Parameters
    ----------
    training : Shards
        Of weights that add up to 1, bound to a measure that has `smooth`.
    coef : array
        Weights to start from. They are scaled so that the mean variance of their scores within queries is 1; features that
        vary in no query have weight 0.
    sigma : float

    Attributes
    ----------
    start : Point
        The scaled weights.
    """

    def __init__(self, training: Shards, coef: Floats, sigma: float) -> None:
        self.training, self.sigma = training, sigma
        self.spread = spread_within_queries(training)
        varying = np.where(self.spread > 0, coef, 0.0)
        size = math.sqrt(training.total(_variance, varying))
        self.origin = varying / size if size > 0 else varying
        self.start, _ = self.at(np.zeros_like(coef), 0.0)

    def at(self, change: Floats, penalty: float) -> tuple[Point, Floats]:
        """A point, and the gradient of the objective there."""
        value, moved, gradient = self.training.total(_evaluate, self.origin, change, self.sigma, penalty)
        return Point(self.origin + change, change, value, moved), gradient

    def climb(self, start: Point, penalty: float, max_iter: int, tol: float) -> Point:
        """The best point that L-BFGS comes by; never below the start.

        It climbs in units of each feature's spread within queries, so that the scale of the features does not matter.
        """
        varies = self.spread > 0
        units = np.where(varies, self.spread, 1.0)
        best = start._replace(value=-np.inf)

        def cost(steps: Floats) -> tuple[float, Floats]:
            nonlocal best
            point, gradient = self.at(steps / units, penalty)
            if point.objective(penalty) > best.objective(penalty):
                best = point
            return -point.objective(penalty), np.where(varies, -gradient / units, 0.0)

        options = {"maxiter": max_iter, "ftol": tol, "gtol": 0.0}
        minimize(cost, start.change * units, jac=True, method="L-BFGS-B", options=options)
        return best


def _evaluate(task: Task, origin: Floats, change: Floats, sigma: float, penalty: float) -> tuple[float, float, Floats]:
    """The smoothed value, the variance of the change of the scores, and the gradient of the objective."""
    before = task.recall("start", origin.tobytes(), lambda: task.queries.to_query_order(task.operator.matvec(origin)))
    moves = task.queries.to_query_order(task.operator.matvec(change))
    smoothed = cast(SupportsSmooth, task.bound).smooth(before + moves, sigma)
    centred, sizes = _centred(task, moves), np.diff(task.queries.offsets)
    moved = np.add.reduceat(centred**2, task.queries.offsets[:-1]) / sizes
    gradient = smoothed.gradient - 2 * penalty * centred / np.repeat(sizes, sizes)
    rows = task.queries.to_row_order(np.repeat(task.weights, sizes) * gradient)
    value = float(np.sum(task.weights * smoothed.values))
    return value, float(np.sum(task.weights * moved)), task.operator.rmatvec(rows)


def _variance(task: Task, w: Floats) -> float:
    """The weighted mean of the variance of X w within queries."""
    centred = _centred(task, task.queries.to_query_order(task.operator.matvec(w)))
    squares = np.add.reduceat(centred**2, task.queries.offsets[:-1]) / np.diff(task.queries.offsets)
    return float(np.sum(task.weights * squares))


def _centred(task: Task, scores: Floats) -> Floats:
    """Scores in query order, less their mean in each query."""
    starts, sizes = task.queries.offsets[:-1], np.diff(task.queries.offsets)
    return scores - np.repeat(np.add.reduceat(scores, starts) / sizes, sizes)


def spread_within_queries(training: Shards) -> Floats:
    """The root of each feature's mean variance within queries; 0 where that is rounding.

    The mean deviation comes first, to be the unit of the squares: they could overflow otherwise, or vanish.
    """
    deviation, _, size = training.total(_deviations, np.ones(training.n_features))
    varies = deviation > np.maximum(ROUNDING * size, SMALLEST_SPREAD)
    _, square, _ = training.total(_deviations, np.where(varies, deviation, 1.0))
    return np.where(varies, deviation * np.sqrt(square), 0.0)


def _deviations(task: Task, units: Floats) -> Floats:
    return deviations(task.X, task.queries, task.weights, units)
