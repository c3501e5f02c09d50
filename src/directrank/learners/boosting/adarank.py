"""AdaRank: boosting of single features, by any measure."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from ...arrays import Floats
from ...data import InputError
from ...measures import Evaluates, as_measure, name_of
from ..base import EvalSet, LinearRanker, check_int, check_non_negative, until_best
from ..interruption import Interruptible
from ..judged import Judged

#: Weak rankers whose values differ by less are equally good, and the first of them is taken; one so near 1 is perfect.
SAME = 1e-12

#: How many bytes of columns are kept at hand: features are often tried again.
AT_HAND = 2**28


class Round(NamedTuple):
    """What one round of AdaRank reached.

    Attributes
    ----------
    feature : int
        The weak ranker.
    alpha : float
        Its weight; below 0 where the feature ranks in reverse.
    value : float
        The measure of the model so far on the training queries: the paper's Figure 11.
    bound : float
        What Theorem 1 promises that `value` is at least. It is often below 0, and then says nothing.
    validation : float or None
        The measure of the model so far on the `eval_set`.
    seconds : float
        Since the training began.
    """

    feature: int
    alpha: float
    value: float
    bound: float
    validation: float | None
    seconds: float

    def __str__(self) -> str:
        return f"{self.value:.4f}" + ("" if self.validation is None else f", validation {self.validation:.4f}")


class AdaRank(LinearRanker):
    r"""AdaRank (Xu & Li 2007): boosting, with single features as weak rankers, by any measure E with values in [-1, 1].

    It minimises :math:`\sum_q \exp(-E(q, f))`, a bound on the loss 1 - E. In each round, the feature h of the highest
    :math:`\varphi = \sum_q P(q) E(q, h)` is added with the weight

    .. math:: \alpha = \tfrac12 \ln \frac{1 + \varphi}{1 - \varphi}

    and P becomes proportional to :math:`\exp(-E(q, f))`: the next feature is to serve the queries still ranked badly. How
    each feature alone ranks each query is computed once; then a weak ranker that is tried costs one matrix-vector product
    and one evaluation. Weak rankers are summed as they are, so features should be of one scale within queries
    (`directrank.features.QueryMinMax` sees to that).

    The paper stops when the measure no longer improves. Taken literally, that is soon: P changes only with the ranking, so a
    feature that does not change it for the better would be chosen again for ever (on OHSUMED in the second or third round).
    By default such a feature is not added but set aside, and the next best is tried, until one improves the model; then all
    are candidates again. Training stops when none is left that improves it. ``set_aside=False`` is the paper, literally.

    A feature that ranks every query right would have an infinite alpha: it is the whole model, with the weight 1. Where no
    feature has a :math:`\varphi` above 0, nothing is learned (alpha must be positive): `coef_` is 0, with a warning.

    Parameters
    ----------
    measure : name or measure
        Any: it needs `evaluate` only.
    max_rounds : int
        How many weak rankers the model may have, repeated ones counted each time.
    tol : float
        What counts as an improvement of the measure on the training queries.
    directions : {"forward", "both"}
        "both" also takes features in reverse as weak rankers, which the paper does not.
    set_aside : bool
        What to do with a weak ranker that does not improve the model: set it aside and try the next, or stop.
    callback : callable, optional
        Called after each round with its number and its `Round`.

    Attributes
    ----------
    coef_ : array
        The weight of each feature: the sum of its alphas.
    features_, alphas_ : arrays
        The weak rankers of the model in the order of their rounds; an alpha below 0 is that of a feature in reverse.
    history_ : list of Round
        All rounds, also those after the best one on the `eval_set`.

    Examples
    --------
    >>> from directrank.datasets import make_ranking
    >>> data = make_ranking(50, random_state=0)
    >>> model = AdaRank("AP").fit(data.X, data.y, data.qid)
    >>> all(step.value >= step.bound for step in model.history_)
    True
    """

    def __init__(
        self,
        measure: str | type | Evaluates = "AP",
        *,
        max_rounds: int = 500,
        tol: float = 1e-4,
        directions: str = "forward",
        set_aside: bool = True,
        callback: Callable[[int, Round], None] | None = None,
    ) -> None:
        self.measure = measure
        self.max_rounds = max_rounds
        self.tol = tol
        self.directions = directions
        self.set_aside = set_aside
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
            A validation set: the model is that of the round that was best on it.
        """
        if self.directions not in ("forward", "both"):
            raise InputError(f"directions must be 'forward' or 'both', not {self.directions!r}")
        if not isinstance(self.set_aside, (bool, np.bool_)):
            raise InputError(f"set_aside must be True or False, not {self.set_aside!r}")
        check_int(self.max_rounds, "max_rounds")
        check_non_negative(self.tol, "tol")
        measure, data = as_measure(self.measure), self._checked(X, y, qid)
        held_out = self._checked_eval_set(data, eval_set)
        training = Judged.for_training(data, measure, query_weight)
        validation = None if held_out is None else Judged.for_validation(held_out, measure)
        self.history_: list[Round] = []
        with Interruptible() as boosting:
            self._boost(training, validation)
        self._keep(data.n_features)
        if boosting.interrupted:
            warnings.warn(f"AdaRank was interrupted after {len(self.history_)} rounds", ConvergenceWarning, stacklevel=2)
        elif np.array_equal(training.values(training.scores(self.coef_)), training.values(np.zeros(len(data)))):
            warnings.warn(
                f"AdaRank learned nothing: no feature has a mean {name_of(measure)} above 0 and varies within queries; "
                "try a measure that sees more of the ranking, or directions='both'",
                UserWarning,
                stacklevel=2,
            )
        return self

    def _boost(self, training: Judged, validation: Judged | None) -> None:
        """The paper's Figure 1, with its rule of when to stop."""
        began = time.perf_counter()
        weak = _WeakRankers(training, self.directions == "both")
        model = _Model(training, validation)
        P, aside = training.weights, np.zeros(len(weak), bool)
        while len(self.history_) < self.max_rounds:
            h, phi = weak.best(P, aside)
            if phi <= 0:
                break
            perfect = phi > 1 - SAME
            alpha = 1.0 if perfect else float(np.arctanh(phi))
            step = model.plus(weak, h, alpha)
            if self.history_ and step.value <= model.value + self.tol:
                if not self.set_aside:
                    break
                aside[h] = True
                continue
            model.take(step, phi, alpha, weak.values[h])
            aside[:] = False
            P = training.weights * np.exp(-step.values)
            P /= P.sum()
            self._report(weak, h, alpha, model, time.perf_counter() - began)
            if perfect:
                break

    def _report(self, weak: _WeakRankers, h: int, alpha: float, model: _Model, seconds: float) -> None:
        feature, direction = weak.feature(h)
        on_validation = model.on_validation(feature, direction * alpha)
        self.history_.append(Round(feature, direction * alpha, model.value, 1 - model.remains, on_validation, seconds))
        if self.callback is not None:
            self.callback(len(self.history_), self.history_[-1])

    def _keep(self, n_features: int) -> None:
        """The model of the best round: on the validation set, or the last."""
        rounds = until_best(self.history_)
        self.features_ = np.array([step.feature for step in rounds], np.int64)
        self.alphas_ = np.array([step.alpha for step in rounds], np.float64)
        self.coef_ = np.bincount(self.features_, self.alphas_, minlength=n_features).astype(np.float64)


class _WeakRankers:
    """Every feature as a ranking: its value in each query, computed once."""

    def __init__(self, training: Judged, both: bool) -> None:
        self.training, self.both = training, both
        self.values = np.array([training.values(scores) for scores in self._all()])
        outside = self.values[np.abs(self.values) > 1 + SAME]
        if outside.size:
            raise InputError(
                f"AdaRank needs a measure with values in [-1, 1], and {name_of(training.measure)} has {outside[0]:.4g} here"
            )
        self._columns: dict[int, Floats] = {}
        self._at_hand = max(1, AT_HAND // (8 * training.n_documents))

    def __len__(self) -> int:
        return len(self.values)

    def _all(self) -> Any:
        for column in self.training.columns:
            yield column
            if self.both:
                yield -column

    def feature(self, h: int) -> tuple[int, float]:
        """Which feature a weak ranker is, and its direction."""
        return (h // 2, 1.0 - 2.0 * (h % 2)) if self.both else (h, 1.0)

    def best(self, P: Floats, aside: NDArray[np.bool_]) -> tuple[int, float]:
        """The weak ranker of the highest weighted value, and that value."""
        phi = np.where(aside, -np.inf, self.values @ P)
        return int(np.argmax(phi >= phi.max() - SAME)), float(phi.max())

    def scores(self, h: int) -> Floats:
        """The scores that a weak ranker gives."""
        feature, direction = self.feature(h)
        column = self._columns.pop(feature, None)
        if column is None:
            column = self.training.columns[feature]
        self._columns[feature] = column  # now the last one used
        if len(self._columns) > self._at_hand:
            self._columns.pop(next(iter(self._columns)))
        return column if direction > 0 else -column


class _Step(NamedTuple):
    scores: Floats
    values: Floats
    value: float


class _Model:
    """The model so far: its scores, its values, and what Theorem 1 says of them."""

    def __init__(self, training: Judged, validation: Judged | None) -> None:
        self.training, self.validation = training, validation
        self.scores = np.zeros(training.n_documents)
        self.values, self.value = np.zeros(training.weights.size), -np.inf  # E(f_0) = 0 in the proof of Theorem 1
        self.remains = 1.0  #: The product of the theorem: the loss is at most this.
        self.validation_scores = None if validation is None else np.zeros(validation.n_documents)

    def plus(self, weak: _WeakRankers, h: int, alpha: float) -> _Step:
        """The model with one more weak ranker."""
        scores = self.scores + alpha * weak.scores(h)
        values = self.training.values(scores)
        return _Step(scores, values, float(np.sum(self.training.weights * values)))

    def take(self, step: _Step, phi: float, alpha: float, weak_values: Floats) -> None:
        r"""Go on from a step.

        The loss falls by :math:`e^{-\delta_{min}} (\cosh\alpha - \varphi \sinh\alpha)` at least, where delta is how far the
        values are from additive; for the alpha of the paper this is :math:`e^{-\delta_{min}} \sqrt{1 - \varphi^2}`.
        """
        delta = (step.values - self.values - alpha * weak_values)[self.training.weights > 0]
        with np.errstate(over="ignore"):
            self.remains *= float(np.exp(-delta.min()) * (np.cosh(alpha) - phi * np.sinh(alpha)))
        self.scores, self.values, self.value = step

    def on_validation(self, feature: int, alpha: float) -> float | None:
        if self.validation is None or self.validation_scores is None:
            return None
        self.validation_scores += alpha * self.validation.columns[feature]
        return self.validation.mean(self.validation_scores)
