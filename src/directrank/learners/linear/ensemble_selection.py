"""Ensemble selection: the sum of a few of many scores, chosen one after another by any measure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...arrays import Floats, Ints
from ...measures import SupportsEvaluate
from ...models import Model
from ..core.monitoring import Progress, TrainingMonitor, best_round, first_best
from ..core.ranker import Ranker
from ..core.scaling import Scaled, fill_lowest
from ..core.shards import Shards, mean_value
from ..core.task import Task, ranks_like_constant, value_of_weights
from ..core.validation import (
    TRAINING,
    RandomState,
    check_fraction,
    check_int,
    check_random_state,
    check_summable,
    seed_from,
)
from ..core.warning import warn_learned_nothing
from ..search_space import OneOf


class EnsembleSelection(Ranker):
    r"""Ensemble selection (Caruana et al. 2004): the mean of some scores, selected from a library of them by any measure.

    The features are the scores of the models or runs of a library, on one scale within queries; one that is missing (NaN)
    counts as the lowest of its feature. In each round the score
    whose addition gives the highest measure of the mean is added to the ensemble, with replacement: scores that are added
    more often weigh more. Of equally good ones the first is taken. The model is the ensemble of the round with the highest
    measure, on the `eval_set` if there is one; with one bag and no `eval_set` it is never worse on the training queries than
    the best score alone.

    Selection overfits while ensembles are small, so it starts from the N best scores, with the N up to `n_init` that gives
    the highest measure. Bags do more against it: each is selected from a random part of the library, and the model is the
    mean of their ensembles.

    `directrank.fusion.select_models` selects from models, and `directrank fuse --learner ensemble-selection --thresholds 0`
    from runs. Select on other queries than those the models were trained on.

    Parameters
    ----------
    measure : name or measure
        Any: it needs `evaluate` only.
    n_estimators : int
        Number of scores in an ensemble, repeated ones counted each time.
    n_init : int
        Maximum number of scores to start from. 1 starts from the best score alone.
    n_bags : int
        Number of ensembles; 1 selects from the whole library. The paper has 20.
    bag_fraction : float
        Share of the library that each of several bags selects from.
    random_state : int, Generator, RandomState or None
        Random seed for the bags.
    verbose : int
        Print progress every `verbose` additions; 0 is silent.

    Attributes
    ----------
    coef_ : array
        Weight of each feature; they add up to 1.
    features_, counts_ : arrays
        Features in the ensembles, ascending, and the number of times each was added.
    history_ : list of Progress
        One entry for each addition, also after the best one, bag after bag; `info` has the `feature` and the number of the
        `bag`, counted from 1. Values are those of the bag's ensemble.
    best_iteration_ : int
        Number of additions in the model, over all bags.
    best_score_, evals_result_
        See `Ranker`.

    Examples
    --------
    >>> from directrank.datasets import make_ranking
    >>> data = make_ranking(50, random_state=0)
    >>> ensemble = EnsembleSelection("AP", n_estimators=20).fit(data.X, data.y, data.qid)
    >>> bool(np.isclose(ensemble.coef_.sum(), 1))
    True
    """

    search_space = {"n_init": OneOf((1, 5, 25)), "n_bags": OneOf((1, 20))}

    def __init__(
        self,
        measure: str | type | SupportsEvaluate = "AP",
        *,
        n_estimators: int = 100,
        n_init: int = 25,
        n_bags: int = 1,
        bag_fraction: float = 0.5,
        random_state: RandomState = 0,
        verbose: int = 0,
    ) -> None:
        self.measure = measure
        self.n_estimators = n_estimators
        self.n_init = n_init
        self.n_bags = n_bags
        self.bag_fraction = bag_fraction
        self.random_state = random_state
        self.verbose = verbose

    def _check_parameters(self, has_validation: bool) -> None:
        for name in ("n_estimators", "n_init", "n_bags"):
            check_int(getattr(self, name), name)
        check_random_state(self.random_state)
        check_fraction(self.bag_fraction, "bag_fraction")

    def _train(self, training: Shards, validation: Shards | None, monitor: TrainingMonitor) -> Model:
        monitor.n_steps = self.n_bags * self.n_estimators
        filled = fill_lowest(training)
        validation = None if validation is None else filled.held_out(validation)
        with monitor.interruptible():
            self._select_all(filled, validation, monitor)
        monitor.raise_without_rounds()
        model = filled.model(self._kept(training.n_features, monitor))
        self.best_iteration_ = int(self.counts_.sum())
        if not monitor.ended and all(training.each(ranks_like_constant, model)):
            warn_learned_nothing("EnsembleSelection", f" for {monitor.measure}: no feature ranks within queries")
        return model

    def _select_all(self, filled: Scaled, validation: Shards | None, monitor: TrainingMonitor) -> None:
        """Bag after bag."""
        for bag, library in enumerate(self._bags(filled.training.n_features), 1):
            for feature, value, counts in self._select(filled.training, library):
                if monitor.round(
                    training=value,
                    validation=None if validation is None else mean_value(validation, value_of_weights, counts),
                    info={"feature": self._column_of(feature), "bag": bag},
                    model=lambda coef=counts: filled.model(coef),  # type: ignore[misc]
                ):
                    return

    def _bags(self, n_features: int) -> Iterator[Ints]:
        """Features that each ensemble is selected from."""
        if self.n_bags == 1:
            yield np.arange(n_features)
            return
        random = np.random.default_rng(seed_from(self.random_state))
        for _ in range(self.n_bags):
            yield np.sort(random.choice(n_features, max(1, round(self.bag_fraction * n_features)), replace=False))

    def _select(self, training: Shards, library: Ints) -> Iterator[tuple[int, float, Floats]]:
        """The paper's procedure: the feature that is added, the measure with it, and the counts of features then."""
        counts = np.zeros(training.n_features)
        alone = training.total(_values_with, counts, library)
        best_first = library[np.argsort(-np.round(alone, 12), kind="stable")][: min(self.n_init, self.n_estimators)]
        of_the_best = training.total(_values_of_the_best, best_first)
        n_init = first_best(of_the_best) + 1
        for feature, value in zip(best_first[:n_init], of_the_best[:n_init], strict=True):
            counts[feature] += 1
            yield int(feature), float(value), counts
        for _ in range(self.n_estimators - n_init):
            values = training.total(_values_with, counts, library)
            best = first_best(values)
            counts[library[best]] += 1
            yield int(library[best]), float(values[best]), counts

    def _kept(self, n_features: int, monitor: TrainingMonitor) -> Floats:
        """Mean of the bags' ensembles, each as it was when the measure was highest."""
        bags = [[step for step in monitor.history if step.info["bag"] == bag] for bag in range(1, self.n_bags + 1)]
        kept = [_features_of(bag[: best_round(bag, monitor.measure, TRAINING)]) for bag in bags if bag]
        self.features_, self.counts_ = np.unique(np.array([f for bag in kept for f in bag], np.int64), return_counts=True)
        shares = [np.bincount(self._features_of(np.array(bag)), minlength=n_features) / len(bag) for bag in kept]
        return np.mean(shares, axis=0) if shares else np.zeros(n_features)

    @property
    def _round_of_model(self) -> int:
        return self.best_iteration_ if self.n_bags == 1 else 0

    def refit_params(self) -> dict[str, Any]:
        return {"n_estimators": max(1, round(self.counts_.sum() / self.n_bags))}

    def _facts(self) -> dict[str, float]:
        return {"members": self.features_.size}


def _features_of(rounds: list[Progress]) -> list[int]:
    return [step.info["feature"] for step in rounds]


def _values_with(task: Task, counts: Floats, library: Ints) -> Floats:
    """Measure of the ensemble with each feature of a library added once more, on this shard's queries."""
    ensemble, wanted = task.operator.matvec(counts), np.zeros(counts.size, bool)
    wanted[library] = True
    columns = (check_summable(column) for added, column in zip(wanted, task.columns, strict=True) if added)
    return np.array([task.weighted_value(ensemble + column) for column in columns])


def _values_of_the_best(task: Task, features: Ints) -> Floats:
    """Measure of the sum of the first feature, of the first two, and so on, on this shard's queries."""
    total, values = np.zeros(task.n_documents), np.empty(features.size)
    for i, feature in enumerate(features.tolist()):
        total = total + task.columns[feature]
        values[i] = task.weighted_value(total)
    return values
