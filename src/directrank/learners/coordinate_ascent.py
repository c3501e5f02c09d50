"""Coordinate ascent on any measure."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from ..arrays import Floats
from ..measures import Evaluates, as_measure
from .base import EvalSet, LinearRanker, check_int, check_non_negative
from .interruption import Interruptible
from .judged import Judged

#: The steps a line search tries in either direction, in units of the length of w.
STEPS = 2.0 ** np.arange(1, -7, -1)


class Sweep(NamedTuple):
    """What one sweep over the features reached.

    Attributes
    ----------
    start : int
        Which start it belongs to, from 0 up.
    value : float
        The measure on the training queries.
    validation : float or None
        The measure on the `eval_set`.
    seconds : float
        Since the training began.
    """

    start: int
    value: float
    validation: float | None
    seconds: float

    def __str__(self) -> str:
        return f"start {self.start + 1}, {self.value:.4f}" + (
            "" if self.validation is None else f", validation {self.validation:.4f}"
        )


class CoordinateAscent(LinearRanker):
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
        How many starts there are after the first.
    max_iter : int
        How many sweeps a start may have.
    tol : float
        What counts as an improvement by a sweep.
    random_state : int or RandomState
        Gives the order of the features and the random starts.
    callback : callable, optional
        Called after each sweep with its number and its `Sweep`.

    Attributes
    ----------
    coef_ : array
        w, of length 1 in units of the features' spread.
    history_ : list of Sweep
    """

    def __init__(
        self,
        measure: str | type | Evaluates = "AP",
        *,
        n_restarts: int = 4,
        max_iter: int = 25,
        tol: float = 1e-3,
        random_state: int | RandomState = 0,
        callback: Callable[[int, Sweep], None] | None = None,
    ) -> None:
        self.measure = measure
        self.n_restarts = n_restarts
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.callback = callback

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        *,
        query_weight: ArrayLike | None = None,
        eval_set: EvalSet | None = None,
    ) -> Self:
        """Learn from graded documents.

        Parameters
        ----------
        X : array or CSR matrix
        y : array of grades
        qid : array, optional
            The query of each row.
        query_weight : array, optional
            A weight for each query, given to all its rows.
        eval_set : (X, y, qid), optional
            A validation set: the model is that of the sweep, of all starts, that was best on it.
        """
        check_int(self.n_restarts, "n_restarts", 0)
        check_int(self.max_iter, "max_iter")
        check_non_negative(self.tol, "tol")
        measure, data = as_measure(self.measure), self._checked(X, y, qid)
        held_out = self._checked_eval_set(data, eval_set)
        training = Judged.for_training(data, measure, query_weight)
        validation = None if held_out is None else Judged.for_validation(held_out, measure)
        self.history_: list[Sweep] = []
        self.coef_ = np.zeros(data.n_features)
        with Interruptible() as climbing:
            self._climb(training, validation)
        if climbing.interrupted:
            warnings.warn(
                f"CoordinateAscent was interrupted after {len(self.history_)} sweeps", ConvergenceWarning, stacklevel=2
            )
        elif not np.any(self.coef_):
            warnings.warn("CoordinateAscent learned nothing: no feature varies within a query", UserWarning, stacklevel=2)
        return self

    def _climb(self, training: Judged, validation: Judged | None) -> None:
        """From each start, sweep after sweep; keep the best model of all."""
        began, best = time.perf_counter(), -np.inf
        random = check_random_state(self.random_state)
        spread = _spread_within_queries(training)
        for number, w in enumerate(self._starts(training, spread, random)):
            point = _Point(training, spread, w)
            if best == -np.inf:
                self.coef_ = point.coef()  # should the first sweep be interrupted
            for _ in range(self.max_iter):
                before = point.value
                for j in random.permutation(np.flatnonzero(spread)):
                    point.search(int(j))
                on_validation = None if validation is None else validation.mean(validation.scores(point.coef()))
                quality = point.value if on_validation is None else on_validation
                if quality > best:
                    best, self.coef_ = quality, point.coef()
                self.history_.append(Sweep(number, point.value, on_validation, time.perf_counter() - began))
                if self.callback is not None:
                    self.callback(len(self.history_), self.history_[-1])
                if point.value <= before + self.tol:
                    break

    def _starts(self, training: Judged, spread: Floats, random: RandomState) -> Iterator[Floats]:
        if not np.any(spread):
            return
        gain = np.array([training.mean(column) - training.mean(-column) for column in training.columns])
        gain[spread == 0] = 0.0
        yield gain if np.any(gain) else (spread > 0).astype(np.float64)
        for _ in range(self.n_restarts):
            yield np.where(spread > 0, random.standard_normal(spread.size), 0.0)


class _Point:
    """Weights in units of the features' spread, of length 1, with their scores and the measure there."""

    def __init__(self, training: Judged, spread: Floats, w: Floats) -> None:
        self.training, self.spread = training, spread
        self.w = w / np.linalg.norm(w)
        self.scores = training.scores(self.coef())
        self.value = training.mean(self.scores)

    def coef(self) -> Floats:
        return np.divide(self.w, self.spread, out=np.zeros_like(self.w), where=self.spread > 0)

    def search(self, j: int) -> None:
        """The best of a few weights of feature j."""
        column = self.training.columns[j] / self.spread[j]
        steps = np.concatenate((STEPS, -STEPS, [-self.w[j]] if self.w[j] else []))
        others = np.sum(np.delete(self.w, j) ** 2)
        steps = steps[others + (self.w[j] + steps) ** 2 > 1e-12]  # not to w = 0, which ranks nothing
        values = [self.training.mean(self.scores + step * column) for step in steps]
        best = int(np.argmax(values))
        if values[best] <= self.value + 1e-12:
            return
        self.w[j] += steps[best]
        self.value = values[best]
        length = np.linalg.norm(self.w)
        self.scores = (self.scores + steps[best] * column) / length
        self.w /= length


def _spread_within_queries(training: Judged) -> Floats:
    """The root of each feature's mean variance within the queries that teach."""
    offsets = training.queries.offsets
    starts, sizes = offsets[:-1], np.diff(offsets)

    def spread(column: Floats) -> float:
        largest = float(np.abs(column).max())
        column = column / (largest or 1.0)
        means = np.add.reduceat(column, starts) / sizes
        squares = np.add.reduceat((column - np.repeat(means, sizes)) ** 2, starts) / sizes
        value = float(np.sqrt(np.sum(training.weights * squares)))
        return value * largest if value > 1e-12 else 0.0

    return np.array([spread(column) for column in training.columns])
