"""AdaRank: boosting of weak rankers, by any measure."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...data import InputError
from ...measures import SupportsEvaluate
from ...models import Model
from ..core.monitoring import EQUAL_VALUES, TrainingMonitor
from ..core.ranker import Ranker
from ..core.scaling import check_scaling
from ..core.shards import Shards
from ..core.task import ranks_like_constant
from ..core.validation import (
    TRAINING,
    RandomState,
    check_bool,
    check_choice,
    check_int,
    check_non_negative,
    check_positive,
    check_random_state,
    seed_from,
)
from ..core.warning import warn_learned_nothing
from ..search_space import OneOf
from ..svm.scaling_choice import scale_by_validation
from .accumulation import mean_of_values
from .distribution import UPDATES, no_model, weighted_scores, with_step
from .trained_rankers import TrainedRankers, check_weak_ranker
from .weak_rankers import BoostedModel, SingleFeatures, WeakRanker, WeakRankers


class AdaRank(Ranker):
    r"""AdaRank (Xu & Li 2007): boosting by any measure E with values in [-1, 1], of single features or of rankers.

    It minimises :math:`\sum_q \exp(-E(q, f))`, a bound on the loss 1 - E. In each round, the feature h of the highest
    :math:`\varphi = \sum_q P(q) E(q, h)` is added with the weight

    .. math:: \alpha = \tfrac12 \ln \frac{1 + \varphi}{1 - \varphi}

    and P becomes proportional to :math:`\exp(-E(q, f))`: the next feature is to serve the queries still ranked badly. How
    each feature alone ranks each query is computed once; then a weak ranker that is tried costs one matrix-vector product
    and one evaluation. Weak rankers are summed, so `scaling` brings features onto comparable scales.

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
    n_estimators : int
        Maximum number of weak rankers in the model, repeated ones counted each time.
    tol : float
        Smallest improvement of the measure on the training queries that counts.
    directions : {"forward", "both"}
        "both" also uses features in reverse as weak rankers, which the paper does not.
    set_aside : bool
        Whether to set aside a feature that does not improve the model until another one does, and try the next; or to stop.
    early_stopping_rounds : int, optional
        Stop when the measure, on the `eval_set` or without one on the training queries, has not risen for this many rounds,
        and keep the best round. Weak rankers that do not improve the model are then added like others; features that do not
        are set aside all the same, unless `set_aside` is False.
    weak_ranker : object with `fit` and `predict`, optional
        Ranker to boost instead of features: one of directrank, or any with ``fit(X, y, qid, query_weight)``. A clone
        of it is trained in each round, with P as the weights of the queries. Training stops at the first that
        does not improve the model, unless there are `early_stopping_rounds`.
    sample : float, optional
        Share of the queries that are drawn by P, with replacement, to train each `weak_ranker` (section 3.2 of the paper);
        by default 1.0 for one whose `fit` takes no `query_weight`. A query that is drawn twice has the weight 2, or
        without weights is there twice.
    scaling : "auto", "none", "standard", "log" or "query"
        See `SVMRanker`; any of them fills in missing values. But for these it changes how features add up, not how one ranks
        alone. A `weak_ranker` gets the features as they are.
    update : {"adarank", "adaboost"}
        "adaboost" multiplies P by :math:`\exp(-\alpha E(q, h))` instead, the weak ranker's own value, as AdaBoost does.
    random_state : int, Generator, RandomState or None
        Random seed for the samples, and for the `random_state` of each clone of the `weak_ranker`.
    verbose : int
        Print progress every `verbose` rounds; 0 is silent.

    Attributes
    ----------
    coef_ : array
        Weight of each feature, as in `SVMRanker`: the sum of its alphas, without those of its indicator of missing values,
        divided by its scale; not with a `weak_ranker`.
    features_ : array
        Weak rankers of the model in the order of their rounds, as columns of X; an indicator of missing values has the
        column that lacks them. Empty with a `weak_ranker`: see `model_.models`.
    alphas_ : array
        Weights of the weak rankers; negative for a feature in reverse.
    history_ : list of Progress
        One entry for each round, also after the best one. Its `info` has the `bound` of Theorem 1 on the measure (often
        below 0, and then it says nothing), the `feature` as in `features_` (None with a `weak_ranker`) and its `alpha`.
    best_iteration_, best_score_, evals_result_
        See `Ranker`.

    Examples
    --------
    >>> from directrank.datasets import make_ranking
    >>> data = make_ranking(50, random_state=0)
    >>> model = AdaRank("AP").fit(data.X, data.y, data.qid)
    >>> all(step.evals["training"]["AP"] >= step.info["bound"] for step in model.history_)
    True
    """

    search_space = {"directions": OneOf(("forward", "both")), "early_stopping_rounds": OneOf((None, 20))}

    _info_curves = ("bound",)

    def __init__(
        self,
        measure: str | type | SupportsEvaluate = "AP",
        *,
        n_estimators: int = 500,
        tol: float = 1e-4,
        directions: str = "forward",
        set_aside: bool = True,
        early_stopping_rounds: int | None = None,
        weak_ranker: Any = None,
        sample: float | None = None,
        scaling: str = "auto",
        update: str = "adarank",
        random_state: RandomState = 0,
        verbose: int = 0,
    ) -> None:
        self.measure = measure
        self.n_estimators = n_estimators
        self.tol = tol
        self.directions = directions
        self.set_aside = set_aside
        self.early_stopping_rounds = early_stopping_rounds
        self.weak_ranker = weak_ranker
        self.sample = sample
        self.scaling = scaling
        self.update = update
        self.random_state = random_state
        self.verbose = verbose

    def _check_parameters(self, has_validation: bool) -> None:
        check_choice(self.directions, "directions", ("forward", "both"))
        check_choice(self.update, "update", UPDATES)
        check_scaling(self.scaling)
        check_bool(self.set_aside, "set_aside")
        check_int(self.n_estimators, "n_estimators")
        check_random_state(self.random_state)
        check_non_negative(self.tol, "tol")
        if self.early_stopping_rounds is not None:
            check_int(self.early_stopping_rounds, "early_stopping_rounds")
        if self.sample is not None:
            check_positive(self.sample, "sample")
        if self.weak_ranker is not None:
            check_weak_ranker(self.weak_ranker)
            if self.scaling not in ("auto", "none"):
                why = "is for single features, and a weak_ranker gets them as they are"
                raise InputError(f"scaling={self.scaling!r} {why}; leave it at 'auto', and scale within the weak_ranker")
        elif self.sample is not None:
            raise InputError("sample is for training a weak_ranker, and features are not trained; give a weak_ranker too")

    def _train(self, training: Shards, validation: Shards | None, monitor: TrainingMonitor) -> Model:
        steps = list[tuple[WeakRanker, float]]()
        weak_rankers, held_out = self._weak_rankers(training, validation)
        with monitor.interruptible():
            self._boost(weak_rankers, steps, held_out, monitor)
        monitor.raise_without_rounds()
        self.best_iteration_ = monitor.best_round(TRAINING)
        kept = steps[: self.best_iteration_]
        columns = [self._column_or_none(weak_rankers, weak) for weak, _ in kept]
        self.features_ = np.array([column for column in columns if column is not None], np.int64)
        self.alphas_ = np.array([weak.direction * alpha for weak, alpha in kept], np.float64)
        model = weak_rankers.as_model(kept)
        if not monitor.ended and all(training.each(ranks_like_constant, model)):
            why = f": no {weak_rankers.called} has a mean {monitor.measure} above 0 and {weak_rankers.advice}"
            warn_learned_nothing("AdaRank", why)
        return model

    def _weak_rankers(self, training: Shards, validation: Shards | None) -> tuple[WeakRankers, Shards | None]:
        """Weak rankers, and the validation queries as these see them."""
        if self.weak_ranker is not None:
            return TrainedRankers(training, self.weak_ranker, self.sample, seed_from(self.random_state)), validation
        scaled = scale_by_validation(training, validation, self.scaling)
        held_out = None if validation is None else scaled.held_out(validation)
        return SingleFeatures(scaled, self.directions == "both", self.set_aside), held_out

    def _boost(
        self,
        weak_rankers: WeakRankers,
        steps: list[tuple[WeakRanker, float]],
        validation: Shards | None,
        monitor: TrainingMonitor,
    ) -> None:
        """The paper's Figure 1, with its stopping rule."""
        best, training = -np.inf, weak_rankers.training
        model = no_model(training, self.update, weak_rankers.candidates)
        while len(steps) < self.n_estimators and not monitor.should_stop_early(self.early_stopping_rounds, TRAINING):
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
            if self._report(weak_rankers, model, validation, monitor) or perfect:
                break

    def _report(
        self, weak_rankers: WeakRankers, model: BoostedModel, validation: Shards | None, monitor: TrainingMonitor
    ) -> bool:
        weak, alpha = model.steps[-1]
        feature = self._column_or_none(weak_rankers, weak)
        bound = monitor.mean_over_all(1 - model.remains)
        return monitor.round(
            training=model.value,
            validation=None if validation is None else mean_of_values(validation, model.steps, weighted_scores),
            info={"bound": bound, "feature": feature, "alpha": weak.direction * alpha},
            model=lambda: weak_rankers.as_model(list(model.steps)),
        )

    def _column_or_none(self, weak_rankers: WeakRankers, weak: WeakRanker) -> int | None:
        """Column of X that a weak ranker is made of; None if it is not a single feature."""
        column = weak_rankers.column_of(weak)
        return None if column is None else self._column_of(column)

    def _facts(self) -> dict[str, float]:
        return {"rounds": self.best_iteration_}
