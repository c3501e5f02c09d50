"""RankBoost: boosting of thresholds on single features, over pairs of documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Floats
from ...core import rankboost as kernels
from ...measures import AUC, SupportsEvaluate, as_measure
from ...measures.ranking.levels import Levels, count_pairs, levels_of
from ...models import Model, StumpsModel
from ..core.estimator import Curves
from ..core.monitoring import EQUAL_VALUES, TrainingMonitor
from ..core.ranker import Ranker
from ..core.scaling import fill_lowest
from ..core.shards import Shards
from ..core.task import Task, divide_weights
from ..core.validation import check_int, check_watched
from ..core.warning import warn_learned_nothing
from ..search_space import OneOf
from .accumulation import mean_of_values, scores_of
from .bins import Bins, Thresholds
from .column_summaries import column_summaries

#: Loss below which every pair is in the right order by a wide margin.
NO_LOSS = 1e-12


class RankBoost(Ranker):
    r"""RankBoost (Freund et al. 2003) over all pairs of unequal grade of each query.

    .. math:: \min_H \sum_{l_i > l_j} \exp(H(x_j) - H(x_i)), \qquad H(x) = \sum_t \alpha_t\, 1[x_{k_t} > \theta_t]

    In each round it takes the threshold on a feature whose :math:`r = \sum D(i, j) (h(x_i) - h(x_j))` is largest in absolute
    value, with the weight :math:`\alpha = \tfrac12 \ln \frac{1 + r}{1 - r}` (their third method); a negative one prefers
    documents below the threshold. A missing value (NaN) is not above any threshold.

    The distribution D over the pairs, proportional to :math:`\exp(H(x_j) - H(x_i))`, is never
    written out: r depends on it only through the potential

    .. math:: \pi(x_i) = e^{-H(x_i)} \sum_{l_j < l_i} e^{H(x_j)} - e^{H(x_i)} \sum_{l_j > l_i} e^{-H(x_j)}

    of each document, which sums over the grades of a query give, so that a round takes O(n x features), not O(pairs).

    A weak ranker that orders every pair right would have an infinite alpha: it is the whole model, with the weight 1. (It
    can only come first: all pairs have a weight above 0.) Training also ends when the loss is below 1e-12.

    Parameters
    ----------
    measure : name or measure
        Measure by which the `eval_set` chooses the number of rounds, and that `score` gives.
    n_estimators : int
        Maximum number of rounds.
    thresholds : int or None
        Maximum number of thresholds of a feature: between its distinct values if these are few enough, else at its
        quantiles. None takes one between any two values that occur. Quantiles over several shards are those of one, unless a
        shard has more than 64 distinct values of the feature for each threshold: they are then approximate, with ranks that
        are wrong by less than n / (32 thresholds) for n rows, and depend on which queries are together in a shard.
    early_stopping_rounds : int, optional
        Stop when the measure on the `eval_set`, which it needs, has not risen for this many rounds, and keep the best round.
    verbose : int
        Print progress every `verbose` rounds; 0 is silent.

    Attributes
    ----------
    features_, thresholds_, alphas_ : arrays
        Weak rankers of the model in the order of their rounds: each adds alpha to the score of a document whose feature is
        above the threshold.
    history_ : list of Progress
        One entry for each round, also after the best one. Its `info` has the `loss`, the mean of exp(H(x_j) - H(x_i)) over
        all pairs, l_i > l_j, before the round, which bounds the share of wrong pairs; `r` of the formula above; and
        `feature`, `threshold` and `alpha` of the weak ranker.
    best_iteration_, best_score_, evals_result_
        See `Ranker`.
    """

    _takes_one_set = False

    search_space = {"thresholds": OneOf((10, 30, 100, 255))}

    def __init__(
        self,
        measure: str | type | SupportsEvaluate = "AUC",
        *,
        n_estimators: int = 300,
        thresholds: int | None = 255,
        early_stopping_rounds: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.measure = measure
        self.n_estimators = n_estimators
        self.thresholds = thresholds
        self.early_stopping_rounds = early_stopping_rounds
        self.verbose = verbose

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """The scores after each round."""
        X = self._rows_to_score(X)
        return self.model_.staged_scores(X)  # type: ignore[attr-defined, no-any-return]

    def _check_parameters(self, has_validation: bool) -> None:
        check_int(self.n_estimators, "n_estimators")
        if self.thresholds is not None:
            check_int(self.thresholds, "thresholds")
        if self.early_stopping_rounds is not None:
            check_int(self.early_stopping_rounds, "early_stopping_rounds")
            check_watched(has_validation)
        as_measure(self.measure)

    def _objective(self) -> SupportsEvaluate:
        return AUC()  # whose pairs are those of the loss

    def _train(self, training: Shards, validation: Shards | None, monitor: TrainingMonitor) -> Model:
        monitor.n_steps, stumps = self.n_estimators, list[_Stump]()
        filled = fill_lowest(training).training  # so that no threshold is below a missing value
        with monitor.interruptible():
            self._boost(filled.map(divide_weights, filled.total(_weighted_pairs)), validation, stumps, monitor)
        monitor.raise_without_rounds()
        self.best_iteration_ = monitor.best_round()
        kept = stumps[: self.best_iteration_]
        self.features_ = np.array([self._column_of(stump.feature) for stump in kept], np.int64)
        self.thresholds_ = np.array([stump.threshold for stump in kept], np.float64)
        self.alphas_ = np.array([stump.alpha for stump in kept], np.float64)
        if not monitor.ended and not np.any(self.alphas_):
            warn_learned_nothing("RankBoost", ": no threshold on a feature tells documents of unequal grade apart")
        return _model_of(kept, training.n_features)

    def _boost(self, training: Shards, validation: Shards | None, stumps: list[_Stump], monitor: TrainingMonitor) -> None:
        """Figure 1 of the paper."""
        thresholds = Thresholds.place(column_summaries(training, self.thresholds), self.thresholds)
        binned = training.map(_in_bins, thresholds)
        while thresholds.size and len(stumps) < self.n_estimators:
            loss, above = binned.total(_loss_and_sums_above, tuple(stumps))
            if not NO_LOSS < loss < np.inf or monitor.should_stop_early(self.early_stopping_rounds):
                break
            r = above / loss
            best = int(np.argmax(np.abs(r) >= np.abs(r).max() - EQUAL_VALUES))
            perfect = abs(r[best]) > 1 - EQUAL_VALUES
            alpha = np.sign(r[best]) if perfect else np.arctanh(r[best])
            stumps.append(_Stump(*thresholds.at(best), float(alpha), best))
            if self._report(stumps, float(r[best]), float(loss), validation, monitor):
                break
            if perfect or abs(r[best]) < EQUAL_VALUES:
                break

    def _report(
        self, stumps: list[_Stump], r: float, loss: float, validation: Shards | None, monitor: TrainingMonitor
    ) -> bool:
        feature, threshold, alpha, _ = stumps[-1]
        return monitor.round(
            validation=None if validation is None else mean_of_values(validation, tuple(stumps), _step_of_column),
            info={"loss": loss, "r": r, "feature": self._column_of(feature), "threshold": threshold, "alpha": alpha},
            model=lambda: _model_of(stumps, monitor.training.n_features),
        )

    def refit_params(self) -> dict[str, Any]:
        return {"n_estimators": max(1, self.best_iteration_), "early_stopping_rounds": None}

    def _facts(self) -> dict[str, float]:
        return {"rounds": self.best_iteration_}

    def _curves(self) -> Curves:
        """With the loss after each round; that after the last one is not known."""
        losses = [*(step.info["loss"] for step in self.history_[1:]), None]
        return ({"loss": losses} if len(self.history_) > 1 else {}) | super()._curves()


class _Stump(NamedTuple):
    """A weak ranker, and the number of its threshold among all."""

    feature: int
    threshold: float
    alpha: float
    number: int


def _model_of(stumps: Sequence[_Stump], n_features: int) -> StumpsModel:
    features = np.array([stump.feature for stump in stumps], np.int64)
    thresholds, alphas = (np.array([stump[i] for stump in stumps], np.float64) for i in (1, 2))
    return StumpsModel(features, thresholds, alphas, n_features)


def _weighted_pairs(task: Task) -> float:
    return float(np.sum(task.weights * count_pairs(_levels(task), task.queries.offsets)))


def _levels(task: Task) -> Levels:
    return task.recall("levels", None, lambda: levels_of(task.bound.grades, task.queries.offsets))


def _in_bins(task: Task, thresholds: Thresholds) -> Task:
    """The same queries, with bins for X."""
    return replace(task, X=Bins(task.X, thresholds, task.queries.permutation), memory={})


def _loss_and_sums_above(task: Task, stumps: tuple[_Stump, ...]) -> tuple[float, Floats]:
    """The part of the mean of exp(H(x_j) - H(x_i)) over all pairs that this shard has, and of r times it for each threshold.

    r is the sum of the potentials of the rows above the threshold, divided by the loss.
    """
    H = scores_of(task, stumps, _step_of_row)
    potential, losses = kernels.potentials(H, _levels(task).level, task.queries.offsets, task.weights)
    return float(losses.sum()), task.X.above(potential)


def _step_of_row(task: Task, stump: _Stump) -> Floats:
    return stump.alpha * task.X.is_above(stump.number).astype(np.float64)


def _step_of_column(task: Task, stump: _Stump) -> Floats:
    return stump.alpha * (task.columns[stump.feature] > stump.threshold).astype(np.float64)
