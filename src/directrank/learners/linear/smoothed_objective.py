r"""Objective of SmoothRank: a smoothed measure, less a penalty on the change of the scores from a start.

.. math:: \sum_q v_q \left( \tilde m_q(X w; \sigma) - \lambda\, \mathrm{Var}_q(X w - X w_0) \right)

with the queries' weights v. An evaluation takes two passes over X: scores, and the gradient.
"""

from __future__ import annotations

import math
from typing import NamedTuple, cast

import numpy as np
from scipy.optimize import minimize

from ...arrays import Floats
from ...measures import SupportsSmooth
from ..core.shards import Shards
from ..core.task import Task
from .spread import spread_within_queries


class Point(NamedTuple):
    """Weights, and the objective there.

    Attributes
    ----------
    coef : array
        w.
    change : array
        w - w_0.
    value : float
        Smoothed measure.
    moved : float
        Mean variance within queries of X (w - w_0).
    """

    coef: Floats
    change: Floats
    value: float
    moved: float

    def objective(self, penalty: float) -> float:
        return self.value - penalty * self.moved


class SmoothedObjective:
    """Objective on shards.

    Parameters
    ----------
    training : Shards
        Weights add up to 1; bound to a measure with `smooth`.
    coef : array
        Starting weights. They are scaled so that the mean variance of their scores within queries is 1; features that
        vary in no query have weight 0.
    sigma : float

    Attributes
    ----------
    start : Point
        Scaled starting weights.
    """

    def __init__(self, training: Shards, coef: Floats, sigma: float) -> None:
        self.training, self.sigma = training, sigma
        self.spread = spread_within_queries(training)
        varying = np.where(self.spread > 0, coef, 0.0)
        size = math.sqrt(training.total(_variance, varying))
        self.origin = varying / size if size > 0 else varying
        self.start, _ = self.at(np.zeros_like(coef), 0.0)

    def at(self, change: Floats, penalty: float) -> tuple[Point, Floats]:
        """Point at a change of the weights, and the gradient of the objective there."""
        value, moved, gradient = self.training.total(_evaluate, self.origin, change, self.sigma, penalty)
        return Point(self.origin + change, change, value, moved), gradient

    def climb(self, start: Point, penalty: float, max_iter: int, tol: float) -> Point:
        """Best point on the way of L-BFGS; never below the start.

        Steps are in units of each feature's spread within queries, so that the scale of the features does not matter.
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
    """Smoothed value, variance of the change of the scores, and gradient of the objective."""
    before = task.recall("start", origin.tobytes(), lambda: task.operator.matvec(origin))
    moves = task.operator.matvec(change)
    smoothed = cast(SupportsSmooth, task.bound).smooth(before + moves, sigma)
    centred, sizes = _centred(task, moves), np.diff(task.queries.offsets)
    moved = np.add.reduceat(centred**2, task.queries.offsets[:-1]) / sizes
    gradient = smoothed.gradient - 2 * penalty * centred / np.repeat(sizes, sizes)
    value, weighted = float(np.sum(task.weights * smoothed.values)), np.repeat(task.weights, sizes) * gradient
    return value, float(np.sum(task.weights * moved)), task.operator.rmatvec(weighted)


def _variance(task: Task, w: Floats) -> float:
    """Weighted mean of the variance of X w within queries."""
    centred = _centred(task, task.operator.matvec(w))
    squares = np.add.reduceat(centred**2, task.queries.offsets[:-1]) / np.diff(task.queries.offsets)
    return float(np.sum(task.weights * squares))


def _centred(task: Task, scores: Floats) -> Floats:
    """Scores in query order, less their mean in each query."""
    starts, sizes = task.queries.offsets[:-1], np.diff(task.queries.offsets)
    return scores - np.repeat(np.add.reduceat(scores, starts) / sizes, sizes)
