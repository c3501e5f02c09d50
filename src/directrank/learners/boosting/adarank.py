"""AdaRank: boosting of single features, by any measure."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...arrays import Bools, Floats
from ...data import InputError
from ...measures import Evaluates, name_of
from ...models import LinearModel, Model
from ..base import LinearRanker
from ..checks import check_bool, check_choice, check_int, check_non_negative
from ..interruption import Interruptible
from ..rounds import Curves, curves, until_best, warn_interrupted, warn_learned_nothing, with_validation
from ..shards import Shards, mean_value
from ..task import Task
from .accumulation import Steps, values_of

#: Weak rankers whose values differ by less are equally good, and the first of them is taken; one so near 1 is perfect.
EQUAL_VALUES = 1e-12

#: Sums of features with larger values may be beyond what a float holds.
LARGEST_VALUE = 1e300

#: How many bytes of columns a shard keeps.
BYTES_OF_COLUMNS = 2**28


class AdaRankRound(NamedTuple):
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
        return with_validation(f"{self.value:.4f}", self.validation)


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
        Called after each round with its number and its `AdaRankRound`.

    Attributes
    ----------
    coef_ : array
        The weight of each feature: the sum of its alphas.
    features_, alphas_ : arrays
        The weak rankers of the model in the order of their rounds; an alpha below 0 is that of a feature in reverse.
    history_ : list of AdaRankRound
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
        callback: Callable[[int, AdaRankRound], None] | None = None,
    ) -> None:
        self.measure = measure
        self.max_rounds = max_rounds
        self.tol = tol
        self.directions = directions
        self.set_aside = set_aside
        self.callback = callback

    def _check_parameters(self, has_validation: bool) -> None:
        check_choice(self.directions, "directions", ("forward", "both"))
        check_bool(self.set_aside, "set_aside")
        check_int(self.max_rounds, "max_rounds")
        check_non_negative(self.tol, "tol")

    def _train(self, training: Shards, validation: Shards | None) -> Model:
        self.history_: list[AdaRankRound] = []
        with Interruptible() as boosting:
            self._boost(training, validation)
        rounds = until_best(self.history_)
        self.features_ = np.array([step.feature for step in rounds], np.int64)
        self.alphas_ = np.array([step.alpha for step in rounds], np.float64)
        coef = np.bincount(self._as_seen(self.features_), self.alphas_, minlength=training.n_features).astype(np.float64)
        if boosting.interrupted:
            warn_interrupted("AdaRank", self.history_)
        elif all(training.each(_ranks_as_no_model, coef)):
            measure = name_of(self._objective())
            warn_learned_nothing(
                "AdaRank",
                f": no feature has a mean {measure} above 0 and varies within queries; "
                "try a measure that sees more of the ranking, or directions='both'",
            )
        return LinearModel(coef)

    def _boost(self, training: Shards, validation: Shards | None) -> None:
        """The paper's Figure 1, with its rule of when to stop."""
        began = time.perf_counter()
        both = self.directions == "both"
        model = _BoostedModel()
        aside = np.zeros(training.n_features * (1 + both), bool)
        while len(self.history_) < self.max_rounds:
            h, phi = _best_weak_ranker(training.total(_weighted_values, model, both), aside)
            if phi <= 0:
                break
            perfect = phi > 1 - EQUAL_VALUES
            alpha = 1.0 if perfect else float(np.arctanh(phi))
            step = model.plus(h, alpha, both)
            tried = _sum_of_tries(training.each(_try, model, h, alpha, both))
            if self.history_ and tried.value <= model.value + self.tol:
                if not self.set_aside:
                    break
                aside[h] = True
                continue
            model = step.measured(tried, phi, alpha)
            aside[:] = False
            self._report(model, validation, time.perf_counter() - began)
            if perfect:
                break

    def _report(self, model: _BoostedModel, validation: Shards | None, seconds: float) -> None:
        feature, alpha = model.steps[-1]
        on_validation = None if validation is None else mean_value(validation, _value_of_steps, model.steps)
        column, bound = self._as_given(feature), 1 - model.remains
        self.history_.append(AdaRankRound(column, alpha, model.value, bound, on_validation, seconds))
        if self.callback is not None:
            self.callback(len(self.history_), self.history_[-1])

    def _facts(self) -> dict[str, float]:
        return {"rounds": self.alphas_.size}

    def _history(self) -> Curves:
        return curves(self.history_, {"training": "value", "validation": "validation", "bound of Theorem 1": "bound"})


class _Tried(NamedTuple):
    """The model with one more weak ranker: its value, the sum of exp(-E), and how far E is from additive at least."""

    value: float
    normalizer: float
    least_delta: float


class _BoostedModel(NamedTuple):
    """The model so far.

    Attributes
    ----------
    steps : tuple of (feature, alpha)
    value : float
        Its measure on the training queries.
    normalizer : float
        The sum of weight times exp(-E) over the queries, which makes P a distribution. At first P is the weights.
    remains : float
        The product of Theorem 1: the loss is at most this.
    """

    steps: Steps = ()
    value: float = -np.inf
    normalizer: float = 1.0
    remains: float = 1.0

    def plus(self, h: int, alpha: float, both: bool) -> _BoostedModel:
        feature, direction = _feature_of(h, both)
        return self._replace(steps=(*self.steps, (feature, direction * alpha)))

    def measured(self, tried: _Tried, phi: float, alpha: float) -> _BoostedModel:
        r"""The model with what was found about it.

        The loss falls by :math:`e^{-\delta_{min}} (\cosh\alpha - \varphi \sinh\alpha)` at least, where delta is how far the
        values are from additive; for the alpha of the paper this is :math:`e^{-\delta_{min}} \sqrt{1 - \varphi^2}`.
        """
        with np.errstate(over="ignore"):
            factor = float(np.exp(-tried.least_delta) * (np.cosh(alpha) - phi * np.sinh(alpha)))
        return self._replace(value=tried.value, normalizer=tried.normalizer, remains=self.remains * factor)


def _feature_of(h: int, both: bool) -> tuple[int, float]:
    """Which feature a weak ranker is, and its direction."""
    return (h // 2, 1.0 - 2.0 * (h % 2)) if both else (h, 1.0)


def _best_weak_ranker(phi: Floats, aside: Bools) -> tuple[int, float]:
    """The weak ranker of the highest weighted value, the first of equally good ones, and that value."""
    phi = np.where(aside, -np.inf, phi)
    return int(np.argmax(phi >= phi.max() - EQUAL_VALUES)), float(phi.max())


def _sum_of_tries(tries: list[_Tried]) -> _Tried:
    value, normalizer, delta = zip(*tries, strict=True)
    return _Tried(sum(value[1:], value[0]), sum(normalizer[1:], normalizer[0]), min(delta))


def _weighted_values(task: Task, model: _BoostedModel, both: bool) -> Floats:
    """The part of phi = sum_q P(q) E(q, h) of this shard's queries, for each weak ranker h."""
    P = task.weights * np.exp(-values_of(task, model.steps, _weighted_column)) / model.normalizer
    return weak_values(task, both) @ P


def _try(task: Task, model: _BoostedModel, h: int, alpha: float, both: bool) -> _Tried:
    """What one more weak ranker makes of the model, on this shard's queries."""
    steps = model.plus(h, alpha, both).steps
    before, values = (values_of(task, s, _weighted_column) for s in (model.steps, steps))
    delta = (values - before - alpha * weak_values(task, both)[h])[task.weights > 0]
    return _Tried(
        float(np.sum(task.weights * values)),
        float(np.sum(task.weights * np.exp(-values))),
        float(delta.min(initial=np.inf)),
    )


def _directions(column: Floats, both: bool) -> tuple[Floats, ...]:
    return (column, -column) if both else (column,)


def weak_values(task: Task, both: bool) -> Floats:
    """Every feature as a ranking, and where `both` also its reverse: the value of each in each query, computed once."""

    def compute() -> Floats:
        values = np.array([task.values(scores) for column in task.columns for scores in _directions(column, both)])
        outside = values[np.abs(values) > 1 + EQUAL_VALUES]
        if outside.size:
            measure = name_of(task.bound.measure)
            raise InputError(f"AdaRank needs a measure with values in [-1, 1], and {measure} has {outside[0]:.4g} here")
        return values

    return task.recall("weak values", both, compute)  # type: ignore[no-any-return]


def _value_of_steps(task: Task, steps: Steps) -> float:
    """The sum of the queries' values, on a validation set."""
    return float(np.sum(values_of(task, steps, _weighted_column)))


def _weighted_column(task: Task, step: tuple[int, float]) -> Floats:
    feature, alpha = step
    return alpha * _column(task, feature)


def _column(task: Task, feature: int) -> Floats:
    """A feature in query order; features are often tried again, so some are kept."""
    columns = task.memory.setdefault("columns", {})
    column = columns.pop(feature, None)
    if column is None:
        column = task.columns[feature]
        if np.max(np.abs(column), initial=0.0) > LARGEST_VALUE:
            raise InputError(f"X has values above {LARGEST_VALUE:g}, too large to be summed; scale the features")
    columns[feature] = column  # now the last one used
    if len(columns) > max(1, BYTES_OF_COLUMNS // (8 * task.n_documents)):
        columns.pop(next(iter(columns)))
    return column  # type: ignore[no-any-return]


def _ranks_as_no_model(task: Task, coef: Floats) -> bool:
    """Whether no query's value is other than that of equal scores."""
    scores = task.queries.to_query_order(task.rows.scores(coef))
    return bool(np.array_equal(task.values(scores), task.values(np.zeros(task.n_documents))))
