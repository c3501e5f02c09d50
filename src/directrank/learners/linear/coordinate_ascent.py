"""Coordinate ascent on any measure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...arrays import Floats
from ...measures import SupportsEvaluate
from ...models import Model
from ..core.monitoring import TrainingMonitor
from ..core.ranker import Ranker
from ..core.scaling import Scaled, check_basis, check_scaling
from ..core.shards import Shards, mean_value
from ..core.task import Task, value_of_weights
from ..core.validation import TRAINING, RandomState, check_int, check_non_negative, check_random_state, seed_from
from ..core.warning import warn_learned_nothing
from ..search_space import OneOf
from ..svm.scaling_choice import scale_by_validation
from .spread import spread_within_queries

#: Steps of a line search in either direction, in units of the length of w.
STEPS = 2.0 ** np.arange(1, -7, -1)


class CoordinateAscent(Ranker):
    """Coordinate ascent (Metzler & Croft 2007): a linear model whose weights are changed one at a time to raise the measure.

    A sweep goes once through all features in random order. For each it tries weights on either side of the present one, and
    0, and takes that of the highest measure on the training queries. Sweeps end when one raises the measure by no more than
    `tol`. The measure has many local maxima, so there are several starts: the first weighs each feature by how much better
    it ranks than its reverse, the others are random. Steps are in units of each feature's spread within queries, so
    the scale of the features does not matter.

    Parameters
    ----------
    measure : name or measure
        Any: it needs `evaluate` only.
    n_restarts : int
        Number of starts after the first.
    max_iter : int
        Maximum number of sweeps from each start.
    tol : float
        Smallest improvement by a sweep that counts.
    scaling : "auto", "none", "standard", "log" or "query"
        See `SVMRanker`. Steps are in units of each feature's spread in any case: what matters is the logarithm.
    basis : "linear" or "piecewise"
        See `SVMRanker`.
    random_state : int, Generator, RandomState or None
        Random seed for the order of the features and the random starts.
    verbose : int
        Print progress every `verbose` sweeps; 0 is silent.

    Attributes
    ----------
    coef_ : array
        w, of length 1 in units of the features' spread.
    history_ : list of Progress
        One entry for each sweep, from one start after another; `info` has the number of the `start`, counted from 1.
    best_iteration_, best_score_, evals_result_
        See `Ranker`; the model is that of the best sweep.
    """

    search_space = {"n_restarts": OneOf((1, 4, 10)), "tol": OneOf((1e-3, 1e-4))}

    def __init__(
        self,
        measure: str | type | SupportsEvaluate = "AP",
        *,
        n_restarts: int = 4,
        max_iter: int = 25,
        tol: float = 1e-3,
        scaling: str = "auto",
        basis: str = "linear",
        random_state: RandomState = 0,
        verbose: int = 0,
    ) -> None:
        self.measure = measure
        self.n_restarts = n_restarts
        self.max_iter = max_iter
        self.tol = tol
        self.scaling = scaling
        self.basis = basis
        self.random_state = random_state
        self.verbose = verbose

    def _check_parameters(self, has_validation: bool) -> None:
        check_int(self.n_restarts, "n_restarts", 0)
        check_int(self.max_iter, "max_iter")
        check_non_negative(self.tol, "tol")
        check_scaling(self.scaling)
        check_basis(self.basis)
        check_random_state(self.random_state)

    def _train(self, training: Shards, validation: Shards | None, monitor: TrainingMonitor) -> Model:
        scaled, coefs = scale_by_validation(training, validation, self.scaling, self.basis), list[Floats]()
        validation = None if validation is None else scaled.held_out(validation)
        with monitor.interruptible():
            self._climb(scaled, validation, coefs, monitor)
        if not coefs:
            monitor.raise_without_rounds()
        self.best_iteration_ = monitor.best_round(TRAINING)
        best = coefs[self.best_iteration_] if coefs else np.zeros(scaled.features.n_features_out)
        if not monitor.ended and not np.any(best):
            warn_learned_nothing("CoordinateAscent", ": no feature varies within a query")
        return scaled.model(best)

    def _climb(self, scaled: Scaled, validation: Shards | None, coefs: list[Floats], monitor: TrainingMonitor) -> None:
        """Sweep after sweep, from one start after another; `coefs` gets the first start and the weights of each sweep."""
        random, training = np.random.RandomState(seed_from(self.random_state)), scaled.training
        spread = spread_within_queries(training)
        for number, w in enumerate(self._starts(training, spread, random), 1):
            point = _Point(training, spread, w)
            if not coefs:
                coefs.append(point.coef())
            for _ in range(self.max_iter):
                before = point.value
                for j in random.permutation(np.flatnonzero(spread)):
                    point.search(int(j))
                coefs.append(point.coef())
                if self._report(scaled, point, number, validation, monitor):
                    return
                if point.value <= before + self.tol:
                    break

    def _report(
        self, scaled: Scaled, point: _Point, start: int, validation: Shards | None, monitor: TrainingMonitor
    ) -> bool:
        coef = point.coef()
        return monitor.round(
            training=point.value,
            validation=None if validation is None else mean_value(validation, value_of_weights, coef),
            info={"start": start},
            model=lambda: scaled.model(coef),
        )

    def _starts(self, training: Shards, spread: Floats, random: np.random.RandomState) -> Iterator[Floats]:
        if not np.any(spread):
            return
        gain = training.total(_gain_of_each)
        gain[spread == 0] = 0.0
        yield gain if np.any(gain) else (spread > 0).astype(np.float64)
        for _ in range(self.n_restarts):
            yield np.where(spread > 0, random.standard_normal(spread.size), 0.0)

    def _facts(self) -> dict[str, float]:
        return {"sweeps": len(self.history_)}


class _Point:
    """Weights of length 1 in units of the features' spread, and the measure there.

    The scores stay on the shards: `trail` has the first weights and then the steps (feature, spread, step,
    length), each of which adds a multiple of a column and divides by the new length of w.
    """

    def __init__(self, training: Shards, spread: Floats, w: Floats) -> None:
        self.training, self.spread = training, spread
        self.w = w / np.linalg.norm(w)
        self.trail: tuple[Any, ...] = (tuple(self.coef().tolist()),)
        self.value = float(training.total(_values_of_steps, self.trail, 0, 1.0, np.zeros(1))[0])

    def coef(self) -> Floats:
        return np.divide(self.w, self.spread, out=np.zeros_like(self.w), where=self.spread > 0)

    def search(self, j: int) -> None:
        """Move to the best of a few weights of feature j."""
        steps = np.concatenate((STEPS, -STEPS, [-self.w[j]] if self.w[j] else []))
        others = np.sum(np.delete(self.w, j) ** 2)
        steps = steps[others + (self.w[j] + steps) ** 2 > 1e-12]  # not to w = 0, which ranks nothing
        values = self.training.total(_values_of_steps, self.trail, j, self.spread[j], steps)
        best = int(np.argmax(values))
        if values[best] <= self.value + 1e-12:
            return
        self.w[j] += steps[best]
        self.value = float(values[best])
        length = np.linalg.norm(self.w)
        self.trail = (*self.trail, (j, float(self.spread[j]), float(steps[best]), float(length)))
        self.w /= length


def _values_of_steps(task: Task, trail: tuple[Any, ...], j: int, spread: float, steps: Floats) -> Floats:
    """Weighted value at each of several steps along feature j."""
    scores, column = _scores_of_trail(task, trail), task.columns[j] / spread
    return np.array([task.weighted_value(scores + step * column) for step in steps])


def _scores_of_trail(task: Task, trail: tuple[Any, ...]) -> Floats:
    """Scores in query order, from the cached ones before the last step; without a cache, from the start of the trail."""
    known, scores = task.memory.get("scores", ((), None))
    if known == trail:
        return scores  # type: ignore[no-any-return]
    if known != trail[:-1] or scores is None:
        known, scores = trail[:1], task.operator.matvec(np.array(trail[0]))
    for j, spread, step, length in trail[len(known) :]:
        scores = (scores + step * (task.columns[j] / spread)) / length
    task.memory["scores"] = (trail, scores)
    return scores  # type: ignore[no-any-return]


def _gain_of_each(task: Task) -> Floats:
    """Value of each feature as a ranking, less that of its reverse."""
    return np.array([task.weighted_value(column) - task.weighted_value(-column) for column in task.columns])
