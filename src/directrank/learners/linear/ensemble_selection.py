"""Ensemble selection: the sum of a few of many scores, chosen one after another by any measure."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Floats, Ints
from ...data import InputError
from ...measures import SupportsEvaluate, name_of
from ...models import LinearModel, Model
from ..core.checks import check_int, check_positive, check_summable
from ..core.estimator import LinearRanker
from ..core.interruption import Interruptible
from ..core.rounds import Curves, curves, first_best, until_best, warn_interrupted, warn_learned_nothing, with_validation
from ..core.shards import Shards, mean_value
from ..core.task import Task, ranks_as_no_model, value_of_weights
from ..search_space import OneOf


class EnsembleRound(NamedTuple):
    """What one addition to an ensemble reached.

    Attributes
    ----------
    feature : int
        What was added.
    value : float
        The measure of the ensemble so far on the training queries.
    validation : float or None
        The measure of the ensemble so far on the `eval_set`.
    bag : int
        Which ensemble it is that was added to, from 0 on.
    seconds : float
        Since the training began.
    """

    feature: int
    value: float
    validation: float | None
    bag: int
    seconds: float

    def __str__(self) -> str:
        return with_validation(f"{self.value:.4f}", self.validation)


class EnsembleSelection(LinearRanker):
    r"""Ensemble selection (Caruana et al. 2004): the mean of some scores, selected from a library of them by any measure.

    The features are the scores of the models or runs of a library, on one scale within queries. That one is added to the
    ensemble whose addition gives the highest measure of the mean, again and again, with replacement: what is added more
    often weighs more. Of equally good ones the first is taken. The model is the ensemble as it was when the measure was
    highest, on the `eval_set` if there is one; with one bag and no `eval_set` it is never worse on the training queries than
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
    max_rounds : int
        How many scores an ensemble may have, repeated ones counted each time.
    n_init : int
        The most to start from. 1 starts from the best score alone.
    n_bags : int
        How many ensembles to select; 1 selects from the whole library. The paper has 20.
    bag_fraction : float
        How much of the library each of several bags selects from.
    random_state : int
        What bags are drawn by.
    verbose : int
        Print a line each so many rounds; 0 prints nothing.
    callback : callable, optional
        Called after each addition with its number and its `EnsembleRound`; the training ends if it returns True.

    Attributes
    ----------
    coef_ : array
        The weight of each feature; they add up to 1.
    features_, counts_ : arrays
        The features in the ensembles, ascending, and how often each is there.
    history_ : list of EnsembleRound
        All additions, also those after the best one, bag after bag.

    Examples
    --------
    >>> from directrank.datasets import make_ranking
    >>> data = make_ranking(50, random_state=0)
    >>> ensemble = EnsembleSelection("AP", max_rounds=20).fit(data.X, data.y, data.qid)
    >>> bool(np.isclose(ensemble.coef_.sum(), 1))
    True
    """

    search_space = {"n_init": OneOf((1, 5, 25)), "n_bags": OneOf((1, 20))}

    def __init__(
        self,
        measure: str | type | SupportsEvaluate = "AP",
        *,
        max_rounds: int = 100,
        n_init: int = 25,
        n_bags: int = 1,
        bag_fraction: float = 0.5,
        random_state: int = 0,
        verbose: int = 0,
        callback: Callable[[int, EnsembleRound], Any] | None = None,
    ) -> None:
        self.measure = measure
        self.max_rounds = max_rounds
        self.n_init = n_init
        self.n_bags = n_bags
        self.bag_fraction = bag_fraction
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    def _check_parameters(self, has_validation: bool) -> None:
        for name in ("max_rounds", "n_init", "n_bags"):
            check_int(getattr(self, name), name)
        check_int(self.random_state, "random_state", 0)
        wanted = "a number above 0 and up to 1"
        if check_positive(self.bag_fraction, "bag_fraction", wanted) > 1:
            raise InputError(f"bag_fraction must be {wanted}, not {self.bag_fraction!r}")

    def _train(self, training: Shards, validation: Shards | None) -> Model:
        self.history_: list[EnsembleRound] = []
        self.max_rounds_ = self.n_bags * self.max_rounds
        began = time.perf_counter()
        with Interruptible() as selecting:
            for bag, library in enumerate(self._bags(training.n_features)):
                for feature, value, counts in self._select(training, library):
                    on_validation = None if validation is None else mean_value(validation, value_of_weights, counts)
                    self._see(LinearModel, counts)
                    self._report(feature, value, on_validation, bag, time.perf_counter() - began)
        model = LinearModel(self._kept(training.n_features))
        if selecting.interrupted:
            warn_interrupted("EnsembleSelection", self.history_)
        elif all(training.each(ranks_as_no_model, model)):
            warn_learned_nothing("EnsembleSelection", f" for {name_of(self._objective())}: no feature ranks within queries")
        return model

    def _bags(self, n_features: int) -> Iterator[Ints]:
        """The features that each ensemble is selected from."""
        if self.n_bags == 1:
            yield np.arange(n_features)
            return
        random = np.random.default_rng(self.random_state)
        for _ in range(self.n_bags):
            yield np.sort(random.choice(n_features, max(1, round(self.bag_fraction * n_features)), replace=False))

    def _select(self, training: Shards, library: Ints) -> Iterator[tuple[int, float, Floats]]:
        """The paper's procedure: what is added, the measure with it, and how often each feature is in the ensemble then."""
        counts = np.zeros(training.n_features)
        alone = training.total(_values_with, counts, library)
        best_first = library[np.argsort(-np.round(alone, 12), kind="stable")][: min(self.n_init, self.max_rounds)]
        of_the_best = training.total(_values_of_the_best, best_first)
        n_init = first_best(of_the_best) + 1
        for feature, value in zip(best_first[:n_init], of_the_best[:n_init], strict=True):
            counts[feature] += 1
            yield int(feature), float(value), counts
        for _ in range(self.max_rounds - n_init):
            values = training.total(_values_with, counts, library)
            best = first_best(values)
            counts[library[best]] += 1
            yield int(library[best]), float(values[best]), counts

    def _report(self, feature: int, value: float, validation: float | None, bag: int, seconds: float) -> None:
        self.history_.append(EnsembleRound(self._as_given(feature), value, validation, bag, seconds))
        self._tell(len(self.history_), self.history_[-1])

    def _kept(self, n_features: int) -> Floats:
        """The mean of the bags' ensembles, each as it was when the measure was highest."""
        bags = [[step for step in self.history_ if step.bag == bag] for bag in range(self.n_bags)]
        kept = [[step.feature for step in until_best(bag, otherwise="value")] for bag in bags if bag]
        self.features_, self.counts_ = np.unique(np.array([f for bag in kept for f in bag], np.int64), return_counts=True)
        shares = [np.bincount(self._as_seen(np.array(bag)), minlength=n_features) / len(bag) for bag in kept]
        return np.mean(shares, axis=0) if shares else np.zeros(n_features)

    def refit_params(self) -> dict[str, Any]:
        return {"max_rounds": max(1, round(self.counts_.sum() / self.n_bags))}

    def _facts(self) -> dict[str, float]:
        return {"members": self.features_.size}

    def _history(self) -> Curves:
        return curves(self.history_, {"training": "value", "validation": "validation"})


def _values_with(task: Task, counts: Floats, library: Ints) -> Floats:
    """The measure of the ensemble with each feature of a library added once more, on this shard's queries."""
    together, wanted = task.queries.to_query_order(task.operator.matvec(counts)), np.zeros(counts.size, bool)
    wanted[library] = True
    columns = (check_summable(column) for added, column in zip(wanted, task.columns, strict=True) if added)
    return np.array([task.weighted_value(together + column) for column in columns])


def _values_of_the_best(task: Task, features: Ints) -> Floats:
    """The measure of the sum of the first feature, of the first two, and so on, on this shard's queries."""
    together, values = np.zeros(task.n_documents), np.empty(features.size)
    for i, feature in enumerate(features.tolist()):
        together = together + task.columns[feature]
        values[i] = task.weighted_value(together)
    return values
