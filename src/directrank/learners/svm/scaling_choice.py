"""Choice of the scaling "auto" between two transforms of all columns, by validation queries.

A logarithm suits effects that level off, even of a feature without a heavy tail. No moment of a column tells
whether they do; rankings of other queries can.
"""

from __future__ import annotations

import math

import numpy as np

from ...arrays import Floats
from ...measures import AUC
from ...models import Model
from ..core.monitoring import Monitor
from ..core.scaling import Scaled, scale
from ..core.shards import Shards
from ..core.task import Task, informative_only, rebind, sum_of_weights
from .model_selection import PAIRWISE_SCALE, SearchForC, Solver, fit_convex, over_all_pairs

#: Gap to reach, and maximum number of iterations, for each C of a Ranking SVM.
TOL, MAX_ITER = 1e-3, 1000


def scale_by_validation(training: Shards, validation: Shards | None, scaling: str, basis: str = "linear") -> Scaled:
    """`scale`, but for "auto" the better of two: the rule for each column, or "log".

    A Ranking SVM is trained on each. "log" is taken if its mean AUC on the validation queries is higher by more than a
    standard error of the paired differences: of transforms that are as good, the one that changes less. Without validation
    queries that AUC tells apart it is the rule for each column.

    Parameters
    ----------
    training : Shards
    validation : Shards, or None
    scaling : {"auto", "none", "standard", "log", "query"}
    basis : {"linear", "piecewise"}
    """
    chosen = scale(training, scaling, basis)
    if scaling != "auto" or validation is None:
        return chosen
    held_out = validation.map(rebind, AUC()).map(informative_only)
    if not held_out.total(sum_of_weights) > 0:
        return chosen
    logs = scale(training, "log", chosen.basis or "linear")
    if logs.features.is_same(chosen.features):
        return chosen
    gains = _values(logs, held_out) - _values(chosen, held_out)
    return logs if _is_above_error(gains, np.concatenate(held_out.each(_weights))) else chosen


def _values(scaled: Scaled, held_out: Shards) -> Floats:
    """AUC of each validation query for a Ranking SVM, whose C has the best mean."""
    solver = Solver(TOL, MAX_ITER, Monitor())
    pairs = over_all_pairs(scaled.training)
    solution = fit_convex(solver, pairs, scaled.held_out(held_out), SearchForC(None), PAIRWISE_SCALE)
    if solver.monitor.interrupted:
        raise KeyboardInterrupt
    return np.concatenate(held_out.each(_values_of_model, scaled.model(solution.coef)))


def _values_of_model(task: Task, model: Model) -> Floats:
    return task.values(task.scores(model))


def _weights(task: Task) -> Floats:
    return task.weights


def _is_above_error(gains: Floats, weights: Floats) -> bool:
    """Whether the weighted mean of the gains is above its standard error."""
    n = int(np.sum(weights > 0))
    if n < 2:
        return False
    mean = float(np.average(gains, weights=weights))
    error = math.sqrt(n / (n - 1) * float(np.sum((weights * (gains - mean)) ** 2))) / float(weights.sum())
    return mean > error
