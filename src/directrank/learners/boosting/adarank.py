"""AdaRank: boosting of weak rankers, by any measure."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...data import InputError
from ...measures import SupportsEvaluate, name_of
from ...models import Model
from ..core.checks import check_bool, check_choice, check_int, check_non_negative, check_positive
from ..core.estimator import LinearRanker
from ..core.interruption import Interruptible
from ..core.rounds import EQUAL_VALUES, Curves, curves, until_best, warn_interrupted, warn_learned_nothing, with_validation
from ..core.shards import Shards
from ..core.task import ranks_as_no_model
from ..search_space import OneOf
from .accumulation import mean_of_values
from .distribution import UPDATES, BoostedModel, no_model, weighted_scores, with_step
from .single_features import SingleFeatures
from .trained_rankers import TrainedRankers, check_weak_ranker
from .weak_rankers import WeakRanker, WeakRankers


class AdaRankRound(NamedTuple):
    """What one round of AdaRank reached.

    Attributes
    ----------
    feature : int or None
        The weak ranker, where it is a feature.
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

    feature: int | None
    alpha: float
    value: float
    bound: float
    validation: float | None
    seconds: float

    def __str__(self) -> str:
        return with_validation(f"{self.value:.4f}", self.validation)


class AdaRank(LinearRanker):
    r"""AdaRank (Xu & Li 2007): boosting by any measure E with values in [-1, 1], of single features or of rankers.

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

    A weak ranker that ranks every query right would have an infinite alpha: it is the whole model, with the weight 1, or the
    last one added to it. Where none has a :math:`\varphi` above 0, nothing is learned (alpha must be positive): all scores
    are 0, with a warning.

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
        What to do with a feature that does not improve the model: set it aside until one does and try the next, or stop.
    early_stopping_rounds : int, optional
        Stop when the measure, on the `eval_set` or without one on the training queries, has not risen for so many rounds,
        and keep the best one. Weak rankers that do not improve the model are then added like others; features that do not
        are set aside all the same, unless `set_aside` is False.
    weak_ranker : object with `fit` and `predict`, optional
        What to boost instead of features: a ranker of directrank, or any that has ``fit(X, y, qid, query_weight)``. A clone
        of it is trained in each round, with P as the weights of the queries. Training stops at the first that
        does not improve the model, unless there are `early_stopping_rounds`.
    sample : float, optional
        Train each `weak_ranker` on queries drawn by P, with replacement, so many as a share of all (section 3.2 of the
        paper); by default 1.0 for one whose `fit` takes no `query_weight`. A query that is drawn twice has the weight 2, or
        without weights is there twice.
    update : {"adarank", "adaboost"}
        "adaboost" multiplies P by :math:`\exp(-\alpha E(q, h))` instead, the weak ranker's own value, as AdaBoost does.
    random_state : int
        What samples are drawn by, and the `random_state` of each clone of the `weak_ranker` that has one.
    verbose : int
        Print a line each so many rounds; 0 prints nothing.
    callback : callable, optional
        Called after each round with its number and its `AdaRankRound`; the training ends if it returns True.

    Attributes
    ----------
    coef_ : array
        The weight of each feature: the sum of its alphas. There is none with a `weak_ranker`.
    features_ : array
        The weak rankers of the model in the order of their rounds; empty with a `weak_ranker`: see `model_.models`.
    alphas_ : array
        Their weights; one below 0 is that of a feature in reverse.
    history_ : list of AdaRankRound
        All rounds, also those after the best one.

    Examples
    --------
    >>> from directrank.datasets import make_ranking
    >>> data = make_ranking(50, random_state=0)
    >>> model = AdaRank("AP").fit(data.X, data.y, data.qid)
    >>> all(step.value >= step.bound for step in model.history_)
    True
    """

    search_space = {"directions": OneOf(("forward", "both")), "early_stopping_rounds": OneOf((None, 20))}

    _of_learned_queries = ("training", "bound of Theorem 1")

    def __init__(
        self,
        measure: str | type | SupportsEvaluate = "AP",
        *,
        max_rounds: int = 500,
        tol: float = 1e-4,
        directions: str = "forward",
        set_aside: bool = True,
        early_stopping_rounds: int | None = None,
        weak_ranker: Any = None,
        sample: float | None = None,
        update: str = "adarank",
        random_state: int = 0,
        verbose: int = 0,
        callback: Callable[[int, AdaRankRound], Any] | None = None,
    ) -> None:
        self.measure = measure
        self.max_rounds = max_rounds
        self.tol = tol
        self.directions = directions
        self.set_aside = set_aside
        self.early_stopping_rounds = early_stopping_rounds
        self.weak_ranker = weak_ranker
        self.sample = sample
        self.update = update
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    def _check_parameters(self, has_validation: bool) -> None:
        check_choice(self.directions, "directions", ("forward", "both"))
        check_choice(self.update, "update", UPDATES)
        check_bool(self.set_aside, "set_aside")
        check_int(self.max_rounds, "max_rounds")
        check_int(self.random_state, "random_state", 0)
        check_non_negative(self.tol, "tol")
        if self.early_stopping_rounds is not None:
            check_int(self.early_stopping_rounds, "early_stopping_rounds")
        if self.sample is not None:
            check_positive(self.sample, "sample")
        if self.weak_ranker is not None:
            check_weak_ranker(self.weak_ranker)
        elif self.sample is not None:
            raise InputError("sample is for training a weak_ranker, and features are not trained; give a weak_ranker too")

    def _train(self, training: Shards, validation: Shards | None) -> Model:
        self.history_: list[AdaRankRound] = []
        weak_rankers, steps = self._weak_rankers(training), list[tuple[WeakRanker, float]]()
        with Interruptible() as boosting:
            self._boost(weak_rankers, steps, training, validation)
        rounds = until_best(self.history_, otherwise="value")
        self.features_ = np.array([step.feature for step in rounds if step.feature is not None], np.int64)
        self.alphas_ = np.array([step.alpha for step in rounds], np.float64)
        model = weak_rankers.as_model(steps[: len(rounds)])
        if boosting.interrupted:
            warn_interrupted("AdaRank", self.history_)
        elif all(training.each(ranks_as_no_model, model)):
            measure = name_of(self._objective())
            warn_learned_nothing(
                "AdaRank", f": no {weak_rankers.called} has a mean {measure} above 0 and {weak_rankers.advice}"
            )
        return model

    def _weak_rankers(self, training: Shards) -> WeakRankers:
        if self.weak_ranker is None:
            return SingleFeatures(training, self.directions == "both", self.set_aside)
        return TrainedRankers(training, self.weak_ranker, self.sample, self.random_state)

    def _boost(
        self,
        weak_rankers: WeakRankers,
        steps: list[tuple[WeakRanker, float]],
        training: Shards,
        validation: Shards | None,
    ) -> None:
        """The paper's Figure 1, with its rule of when to stop."""
        began, best = time.perf_counter(), -np.inf
        model = no_model(training, self.update, weak_rankers.candidates)
        while len(steps) < self.max_rounds and not self._is_late():
            h, phi = weak_rankers.best(model)
            if phi <= 0:
                break
            perfect = phi > 1 - EQUAL_VALUES
            alpha = 1.0 if perfect else float(np.arctanh(phi))
            tried = with_step(training, model, h, alpha, phi, weak_rankers.candidates)
            improves = not steps or tried.value > best + self.tol
            weak_rankers.tried(h, improves)
            if not improves and self.early_stopping_rounds is None:
                if weak_rankers.has_others:
                    continue
                break
            model, best = tried, max(best, tried.value)
            steps.append((h, alpha))
            self._see(weak_rankers.as_model, steps)
            self._report(model, validation, time.perf_counter() - began)
            if perfect:
                break

    def _report(self, model: BoostedModel, validation: Shards | None, seconds: float) -> None:
        weak, alpha = model.steps[-1]
        on_validation = None if validation is None else mean_of_values(validation, model.steps, weighted_scores)
        feature, bound = None if weak.feature is None else self._as_given(weak.feature), 1 - model.remains
        self.history_.append(AdaRankRound(feature, weak.direction * alpha, model.value, bound, on_validation, seconds))
        self._tell(len(self.history_), self.history_[-1])

    def _is_late(self) -> bool:
        """Whether the measure has not risen for long enough."""
        if self.early_stopping_rounds is None:
            return False
        return len(self.history_) - len(until_best(self.history_, otherwise="value")) >= self.early_stopping_rounds

    def refit_params(self) -> dict[str, Any]:
        return {"max_rounds": max(1, self.alphas_.size)}

    def _facts(self) -> dict[str, float]:
        return {"rounds": self.alphas_.size}

    def _history(self) -> Curves:
        return curves(self.history_, {"training": "value", "validation": "validation", "bound of Theorem 1": "bound"})
