r"""AdaRank's distribution P over the queries, by the model so far, and the effect of one more weak ranker.

With `update` "adarank", P(q) is proportional to :math:`\exp(-E(q, f_t))`: how badly the model so far ranks the query. With
"adaboost" it is proportional to :math:`P_t(q) \exp(-\alpha_t E(q, h_t))`, AdaBoost's way, and so to
:math:`\exp(-\sum_k \alpha_k E(q, h_k))`: how badly the weak rankers did, each by itself. Where E is additive over weak
rankers, as the margin of a classifier is, the two are the same (Xu & Li 2007, section 3.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...arrays import Floats
from ...core import elementary
from ...matrix.linear_operator import MatrixOperator
from ..core.shards import Shards
from ..core.task import Task
from .accumulation import sum_over, values_of
from .weak_rankers import BoostedModel, Candidates, Steps, WeakRanker

#: Updates of P.
UPDATES = ("adarank", "adaboost")


def no_model(training: Shards, update: str, candidates: Candidates) -> BoostedModel:
    """A model without steps: P is the weights of the queries, which add up to 1."""
    return BoostedModel(update, (), -np.inf, 0.0, training.total(_phi_of_weights, candidates), 1.0)


def with_step(
    training: Shards, model: BoostedModel, weak: WeakRanker, alpha: float, phi: float, candidates: Candidates
) -> BoostedModel:
    r"""A model with one more weak ranker of a given phi; it takes one call to the shards.

    The loss falls by :math:`e^{-\delta_{min}} (\cosh\alpha - \varphi \sinh\alpha)` at least, where delta is how far the
    values are from additive; for the alpha of the paper this is :math:`e^{-\delta_{min}} \sqrt{1 - \varphi^2}`. It does
    so by either update: with AdaBoost's, :math:`\frac1m \sum_q \exp(-\sum_t \alpha_t E(q, h_t))` is at most the
    product of the second factors, and each query's deltas add up to at least the sum of the least ones.
    """
    steps = (*model.steps, (weak, alpha))
    tried = _combine(training.each(_try_step, model.update, steps, candidates))
    with np.errstate(over="ignore"):
        factor = float(np.exp(-tried.least_delta) * (np.cosh(alpha) - phi * np.sinh(alpha)))
    return BoostedModel(model.update, steps, tried.value, tried.log_normalizer, tried.phi, model.remains * factor)


def distribution(task: Task, model: BoostedModel) -> Floats:
    """P(q) of this shard's queries."""
    return _normalized(task, _exponents(task, model.update, model.steps), model.log_normalizer)


def weighted_value(task: Task, model: BoostedModel, weak: WeakRanker) -> float:
    """Part of phi = sum_q P(q) E(q, h) from this shard's queries, for a weak ranker h."""
    return float(np.sum(distribution(task, model) * weak.values(task)))


def weighted_scores(task: Task, step: tuple[WeakRanker, float]) -> Floats:
    """Contribution of a step to the scores."""
    weak, alpha = step
    return alpha * weak.scores(task)


class _Tried(NamedTuple):
    """Effect of the last step of a model on some queries.

    Attributes
    ----------
    value : float
        Weighted sum of values.
    least_delta : float
        Smallest deviation of E from additivity.
    log_normalizer : float
        Log of the normaliser of P over these queries; -inf if none has a weight.
    phi : array
        Sum of P(q) E(q, h) for each candidate h, with that P.
    """

    value: float
    least_delta: float
    log_normalizer: float
    phi: Floats


def _try_step(task: Task, update: str, steps: Steps, candidates: Candidates) -> _Tried:
    weak, alpha = steps[-1]
    values = values_of(task, steps, weighted_scores)
    delta = values - values_of(task, steps[:-1], weighted_scores) - alpha * weak.values(task)
    exponents = _exponents(task, update, steps)
    log_normalizer = _log_of_sum(-exponents[task.weights > 0], task.weights[task.weights > 0])
    return _Tried(
        float(np.sum(task.weights * values)),
        float(delta[task.weights > 0].min(initial=np.inf)),
        log_normalizer,
        MatrixOperator(candidates.values(task)).matvec(_normalized(task, exponents, log_normalizer)),
    )


def _combine(tries: Sequence[_Tried]) -> _Tried:
    """Effect on all shards: the share of a shard in P is that of its normaliser in the sum."""
    values, deltas, log_normalizers, phis = zip(*tries, strict=True)
    log_normalizer = _log_of_sum(np.array(log_normalizers), np.ones(len(tries)))
    shares = np.exp(np.array(log_normalizers) - log_normalizer)
    return _Tried(sum(values), min(deltas), log_normalizer, shares @ np.array(phis))


def _phi_of_weights(task: Task, candidates: Candidates) -> Floats:
    return MatrixOperator(candidates.values(task)).matvec(task.weights)


def _exponents(task: Task, update: str, steps: Steps) -> Floats:
    """Exponents of P: the value of the model so far, or the sum of the weighted values of its weak rankers."""
    if update == "adarank":
        return values_of(task, steps, weighted_scores)
    return sum_over(task, "weighted values", steps, _weighted_values, task.n_queries)


def _normalized(task: Task, exponents: Floats, log_normalizer: float) -> Floats:
    """P; 0 without a weight, however far the others have fallen."""
    return task.weights * elementary.exp(np.where(task.weights > 0, -exponents - log_normalizer, -np.inf))


def _log_of_sum(logs: Floats, weights: Floats) -> float:
    """Log of the weighted sum of numbers whose logs are given, without overflow; some may be -inf."""
    highest = logs.max(initial=-np.inf)
    if highest == -np.inf:
        return -np.inf
    total = np.sum(weights * elementary.exp(logs - highest), keepdims=True)
    return float(highest + elementary.log(total)[0])


def _weighted_values(task: Task, step: tuple[WeakRanker, float]) -> Floats:
    weak, alpha = step
    return alpha * weak.values(task)
