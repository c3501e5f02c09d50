r"""AdaRank's distribution P over the queries, by the model so far, and what one more weak ranker makes of it.

With `update` "adarank", P(q) is proportional to :math:`\exp(-E(q, f_t))`: how badly the model so far ranks the query. With
"adaboost" it is proportional to :math:`P_t(q) \exp(-\alpha_t E(q, h_t))`, AdaBoost's way, and so to
:math:`\exp(-\sum_k \alpha_k E(q, h_k))`: how badly the weak rankers did, each by itself. Where E is additive over weak
rankers, as the margin of a classifier is, the two are the same (Xu & Li 2007, section 3.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logsumexp

from ...arrays import Floats
from ..task import Task
from .accumulation import Steps, sum_over, values_of

#: How P may be updated.
UPDATES = ("adarank", "adaboost")


class Tried(NamedTuple):
    """The model with one more weak ranker: its value, the log of the sum that makes P a distribution, and how far E is from
    additive at least.
    """

    value: float
    log_normalizer: float
    least_delta: float


class BoostedModel(NamedTuple):
    """The model so far.

    Attributes
    ----------
    update : {"adarank", "adaboost"}
    steps : tuple of (weak ranker, alpha)
    log_normalizer : float
        The log of the sum that makes P a distribution. At first P is the weights of the queries, which add up to 1.
    remains : float
        The product of Theorem 1: the loss is at most this.
    value : float
        Its measure on the training queries.
    """

    update: str
    steps: Steps = ()
    log_normalizer: float = 0.0
    remains: float = 1.0
    value: float = -np.inf

    def plus(self, weak: Any, alpha: float) -> BoostedModel:
        return self._replace(steps=(*self.steps, (weak, alpha)))

    def measured(self, tried: Tried, phi: float, alpha: float) -> BoostedModel:
        r"""The model with what was found about it.

        The loss falls by :math:`e^{-\delta_{min}} (\cosh\alpha - \varphi \sinh\alpha)` at least, where delta is how far the
        values are from additive; for the alpha of the paper this is :math:`e^{-\delta_{min}} \sqrt{1 - \varphi^2}`. It does
        so by either update: with AdaBoost's, :math:`\frac1m \sum_q \exp(-\sum_t \alpha_t E(q, h_t))` is at most the
        product of the second factors, and each query's deltas add up to at least the sum of the least ones.
        """
        with np.errstate(over="ignore"):
            factor = float(np.exp(-tried.least_delta) * (np.cosh(alpha) - phi * np.sinh(alpha)))
        return self._replace(value=tried.value, log_normalizer=tried.log_normalizer, remains=self.remains * factor)


def distribution(task: Task, model: BoostedModel) -> Floats:
    """P(q) of this shard's queries."""
    return task.weights * np.exp(-_exponents(task, model) - model.log_normalizer)


def weighted_value(task: Task, model: BoostedModel, weak: Any) -> float:
    """The part of phi = sum_q P(q) E(q, h) of this shard's queries, for a weak ranker h."""
    return float(np.sum(distribution(task, model) * weak.values(task)))


def try_step(task: Task, before: BoostedModel, after: BoostedModel) -> Tried:
    """What the last step of a model makes of it, on this shard's queries."""
    weak, alpha = after.steps[-1]
    values = model_values(task, after.steps)
    delta = (values - model_values(task, before.steps) - alpha * weak.values(task))[task.weights > 0]
    return Tried(
        float(np.sum(task.weights * values)),
        float(logsumexp(-_exponents(task, after), b=task.weights)),
        float(delta.min(initial=np.inf)),
    )


def sum_of_tries(tries: Sequence[Tried]) -> Tried:
    """What a step makes of the model on all shards."""
    value, log_normalizer, delta = zip(*tries, strict=True)
    return Tried(sum(value[1:], value[0]), float(logsumexp(log_normalizer)), min(delta))


def sum_of_values(task: Task, steps: Steps) -> float:
    """The sum of the queries' values, on a validation set."""
    return float(np.sum(model_values(task, steps)))


def model_values(task: Task, steps: Steps) -> Floats:
    """E(q, f) of each query."""
    return values_of(task, steps, _weighted_scores)


def _exponents(task: Task, model: BoostedModel) -> Floats:
    """What P falls with: the value of the model so far, or the sum of the weighted values of its weak rankers."""
    if model.update == "adarank":
        return model_values(task, model.steps)
    return sum_over(task, "weighted values", model.steps, _weighted_values, task.n_queries)


def _weighted_scores(task: Task, step: tuple[Any, float]) -> Floats:
    weak, alpha = step
    return alpha * weak.scores(task)  # type: ignore[no-any-return]


def _weighted_values(task: Task, step: tuple[Any, float]) -> Floats:
    weak, alpha = step
    return alpha * weak.values(task)  # type: ignore[no-any-return]
