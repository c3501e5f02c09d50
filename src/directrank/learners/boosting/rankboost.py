"""RankBoost: boosting of thresholds on single features, over pairs of documents."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Floats
from ...core import rankboost as kernels
from ...matrix.bins import Bins, Thresholds
from ...measures import AUC, SupportsEvaluate, as_measure
from ...measures.ranking.levels import Levels, count_pairs, levels_of
from ...models import Model, StumpsModel
from ..core.checks import check_int
from ..core.estimator import Ranker
from ..core.interruption import Interruptible
from ..core.rounds import Curves, curves, until_best, warn_interrupted, warn_learned_nothing, with_validation
from ..core.shards import Shards
from ..core.task import Task, divide_weights
from ..search_space import OneOf
from .accumulation import mean_of_values, scores_of
from .column_summaries import column_summaries

#: Weak rankers whose r differ by less are equally good, and the first of them is taken; one so near 1 is perfect.
EQUAL_VALUES = 1e-12

#: A loss below this means that every pair is right by a wide margin.
NO_LOSS = 1e-12


class RankBoostRound(NamedTuple):
    """What one round of RankBoost reached.

    Attributes
    ----------
    feature, threshold, alpha
        The weak ranker: it adds alpha to the score of a document whose feature is above the threshold.
    r : float
        The weighted fraction of pairs that the weak ranker orders right, less that of those it orders wrong.
    loss : float
        The mean of exp(H(x_j) - H(x_i)) over all pairs, l_i > l_j, before this round: it bounds the fraction of wrong pairs.
    validation : float or None
        The measure of the model so far on the `eval_set`.
    seconds : float
        Since the training began.
    """

    feature: int
    threshold: float
    alpha: float
    r: float
    loss: float
    validation: float | None
    seconds: float

    def __str__(self) -> str:
        return with_validation(f"loss {self.loss:.4f}", self.validation)


class RankBoost(Ranker):
    r"""RankBoost (Freund et al. 2003) over all pairs of unequal grade of each query.

    .. math:: \min_H \sum_{l_i > l_j} \exp(H(x_j) - H(x_i)), \qquad H(x) = \sum_t \alpha_t\, 1[x_{k_t} > \theta_t]

    In each round it takes the threshold on a feature whose :math:`r = \sum D(i, j) (h(x_i) - h(x_j))` is largest in absolute
    value, with the weight :math:`\alpha = \tfrac12 \ln \frac{1 + r}{1 - r}` (their third method); a negative one prefers
    documents below the threshold. The distribution D over the pairs, proportional to :math:`\exp(H(x_j) - H(x_i))`, is never
    written out: r depends on it only through the potential

    .. math:: \pi(x_i) = e^{-H(x_i)} \sum_{l_j < l_i} e^{H(x_j)} - e^{H(x_i)} \sum_{l_j > l_i} e^{-H(x_j)}

    of each document, which sums over the grades of a query give, so that a round takes O(n x features), not O(pairs).

    A weak ranker that orders every pair right would have an infinite alpha: it is the whole model, with the weight 1. (It
    can only come first: all pairs have a weight above 0.) Training also ends when the loss is below 1e-12.

    Parameters
    ----------
    n_rounds : int
    thresholds : int or None
        How many thresholds a feature has at most: between its distinct values where these are few enough, else at its
        quantiles. None takes one between any two values that occur. Quantiles over several shards are those of one, unless a
        shard has more than 64 distinct values of the feature for each threshold: they are then approximate, with ranks that
        are wrong by less than n / (32 thresholds) for n rows, and depend on which queries are together in a shard.
    measure : name or measure
        By which the `eval_set` chooses the number of rounds, and what `score` gives.
    verbose : int
        Print a line each so many rounds; 0 prints nothing.
    callback : callable, optional
        Called after each round with its number and its `RankBoostRound`; the training ends if it returns True.

    Attributes
    ----------
    features_, thresholds_, alphas_ : arrays
        The weak rankers of the model in the order of their rounds.
    history_ : list of RankBoostRound
        All rounds, also those after the best one on the `eval_set`.
    """

    _takes_one_set = False

    search_space = {"thresholds": OneOf((10, 30, 100, 255))}

    def __init__(
        self,
        n_rounds: int = 300,
        thresholds: int | None = 255,
        *,
        measure: str | type | SupportsEvaluate = "AUC",
        verbose: int = 0,
        callback: Callable[[int, RankBoostRound], Any] | None = None,
    ) -> None:
        self.n_rounds = n_rounds
        self.thresholds = thresholds
        self.measure = measure
        self.verbose = verbose
        self.callback = callback

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """The scores after each round."""
        X = self._rows_to_score(X)
        return self.model_.staged_scores(X)  # type: ignore[attr-defined, no-any-return]

    def _check_parameters(self, has_validation: bool) -> None:
        check_int(self.n_rounds, "n_rounds")
        if self.thresholds is not None:
            check_int(self.thresholds, "thresholds")
        as_measure(self.measure)

    def _objective(self) -> SupportsEvaluate:
        return AUC()  # whose pairs are those of the loss

    def _train(self, training: Shards, validation: Shards | None) -> Model:
        self.history_: list[RankBoostRound] = []
        self.max_rounds_ = self.n_rounds
        with Interruptible() as boosting:
            self._boost(training.map(divide_weights, training.total(_weighted_pairs)), validation)
        rounds = until_best(self.history_)
        self.features_ = np.array([step.feature for step in rounds], np.int64)
        self.thresholds_ = np.array([step.threshold for step in rounds], np.float64)
        self.alphas_ = np.array([step.alpha for step in rounds], np.float64)
        if boosting.interrupted:
            warn_interrupted("RankBoost", self.history_)
        elif not np.any(self.alphas_):
            warn_learned_nothing("RankBoost", ": no threshold on a feature tells documents of unequal grade apart")
        return StumpsModel(self._as_seen(self.features_), self.thresholds_, self.alphas_, training.n_features)

    def _boost(self, training: Shards, validation: Shards | None) -> None:
        """Figure 1 of the paper."""
        began = time.perf_counter()
        thresholds = Thresholds.place(column_summaries(training, self.thresholds), self.thresholds)
        binned = training.map(_in_bins, thresholds)
        stumps: tuple[_Stump, ...] = ()
        while thresholds.size and len(self.history_) < self.n_rounds:
            loss, above = binned.total(_loss_and_sums_above, stumps)
            if not NO_LOSS < loss < np.inf:
                break
            r = above / loss
            best = int(np.argmax(np.abs(r) >= np.abs(r).max() - EQUAL_VALUES))
            perfect = abs(r[best]) > 1 - EQUAL_VALUES
            alpha = np.sign(r[best]) if perfect else np.arctanh(r[best])
            stumps = (*stumps, _Stump(*thresholds.at(best), float(alpha), best))
            self._see(_model_of, stumps, training.n_features)
            self._report(stumps, float(r[best]), loss, validation, time.perf_counter() - began)
            if perfect or abs(r[best]) < EQUAL_VALUES:
                break

    def _report(self, stumps: tuple[_Stump, ...], r: float, loss: float, validation: Shards | None, seconds: float) -> None:
        value = None if validation is None else mean_of_values(validation, stumps, _step_of_column)
        feature, threshold, alpha, _ = stumps[-1]
        self.history_.append(RankBoostRound(self._as_given(feature), threshold, alpha, r, loss, value, seconds))
        self._tell(len(self.history_), self.history_[-1])

    def refit_params(self) -> dict[str, Any]:
        return {"n_rounds": max(1, self.alphas_.size)}

    def _facts(self) -> dict[str, float]:
        return {"rounds": self.alphas_.size}

    def _history(self) -> Curves:
        """With the loss after each round; that after the last one is not known."""
        found = curves(self.history_, {"loss": "loss", "validation": "validation"})
        return {name: [*values[1:], None] if name == "loss" else values for name, values in found.items()}


class _Stump(NamedTuple):
    """A weak ranker, and the number of its threshold among all."""

    feature: int
    threshold: float
    alpha: float
    number: int


def _model_of(stumps: tuple[_Stump, ...], n_features: int) -> StumpsModel:
    features, thresholds, alphas, _ = map(np.array, zip(*stumps, strict=True))
    return StumpsModel(features, thresholds, alphas, n_features)


def _weighted_pairs(task: Task) -> float:
    return float(np.sum(task.weights * count_pairs(_levels(task), task.queries.offsets)))


def _levels(task: Task) -> Levels:
    return task.recall("levels", None, lambda: levels_of(task.bound.grades, task.queries.offsets))


def _in_bins(task: Task, thresholds: Thresholds) -> Task:
    """The same queries, with bins for X."""
    return replace(task, X=Bins(task.X, thresholds), memory={})


def _loss_and_sums_above(task: Task, stumps: tuple[_Stump, ...]) -> tuple[float, Floats]:
    """The part of the mean of exp(H(x_j) - H(x_i)) over all pairs that this shard has, and of r times it for each threshold.

    r is the sum of the potentials of the rows above the threshold, divided by the loss.
    """
    H = task.queries.to_query_order(scores_of(task, stumps, _step_of_row))
    potential, losses = kernels.potentials(H, _levels(task).level, task.queries.offsets, task.weights)
    return float(losses.sum()), task.X.above(task.queries.to_row_order(potential))


def _step_of_row(task: Task, stump: _Stump) -> Floats:
    return stump.alpha * task.X.is_above(stump.number).astype(np.float64)


def _step_of_column(task: Task, stump: _Stump) -> Floats:
    return stump.alpha * (task.columns[stump.feature] > stump.threshold).astype(np.float64)
