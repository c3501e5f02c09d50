"""Search for the best ranking: every learner and every single feature, evaluated on the same folds of queries."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..arrays import Floats
from ..caching import cached_property
from ..data import InputError, Qrels, RankingData
from ..data.splits import fold_rows
from ..evaluation import Report, compare, compare_all
from ..evaluation.named_measures import MeasureLike
from ..learners import LEARNERS
from ..learners.core.monitoring import Progress
from ..learners.core.validation import accepts
from ..measures import SupportsEvaluate, as_measure, name_of
from ..measures.naming import qualified_name_of
from ..models import EstimatorModel, Model, ModelError, as_model
from .cross_validation import CrossValidation, cross_validate, folds_by_query
from .fit_and_predict import fit_clone
from .held_out_evaluation import HeldOutEvaluator, check_ranking_measures
from .single_features import SingleFeature, evaluate_single_features
from .time_budget import FoldTimeLimit, TimeBudget
from .verdict import RANDOM_ORDER, close_competitors, is_above_chance, verdict

#: Callback that takes the number of the current learner, the number of learners, and a status message.
OnStatus = Callable[[int, int, str], Any]

#: Fraction of the time limit for single features; learners need the rest.
FEATURE_TIME_FRACTION = 0.1


@dataclass(frozen=True, eq=False)
class Choice:
    """Result of `best`.

    Attributes
    ----------
    winner : str
        Name of the ranking with the highest mean.
    summary : str
        Conclusion of the comparison, in plain sentences.
    report : Report
        Comparison of all learners and a random order with the best single feature, on held-out queries.
    features : list of SingleFeature
        Single features, best first.
    results : dict of CrossValidation
        Cross-validation of each learner by name, best first.
    notes : list of str
        Learners and features that were skipped or hit the time limit, and warnings of learners.
    interrupted : bool
        Whether Ctrl-C ended the search, so that the winner is the best ranking so far.
    refit : callable
        Trains the winner on all queries; see `model`.
    """

    winner: str
    summary: str
    report: Report
    features: list[SingleFeature]
    results: dict[str, CrossValidation]
    notes: list[str]
    interrupted: bool
    refit: Callable[[], Model]

    @cached_property
    def model(self) -> Model:
        """Model of the winner, trained on all queries at first access."""
        return self.refit()

    def __repr__(self) -> str:
        return f"Choice({self.winner!r}: {self.summary})"


def best(
    data: RankingData,
    measure: MeasureLike = "AP",
    *,
    learners: Mapping[str, Any] | None = None,
    measures: Iterable[MeasureLike] = (),
    n_folds: int = 5,
    seconds: float | None = None,
    random_state: int = 0,
    qrels: Qrels | None = None,
    callback: OnStatus | None = None,
) -> Choice:
    """Find what ranks the data best: every learner and every single feature, cross-validated by query.

    All candidates are evaluated on the same folds of held-out queries (see `cross_validate`); the direction of a single
    feature is chosen on the other folds. The winner is the ranking with the highest mean. The summary says whether its lead
    is significant, by paired tests corrected for the number of comparisons.

    The best single feature is selected on the held-out queries, so a learner's lead over it is underestimated rather than
    overestimated. The test of the winner against a random order has Bonferroni's correction for all candidates.

    Parameters
    ----------
    data : RankingData
        Data with queries; rows in any order.
    measure : name or measure
        Measure that is optimised and decides. It must be a ranking measure: F1 and other measures of labels or sets are
        errors.
    learners : dict of estimators, optional
        Learners by name, in the order in which they are tried; not modified. By default all learners of directrank that can
        learn the measure, in order of cost.
    measures : names or measures
        Further measures to report.
    n_folds : int
        Number of folds, at least 3.
    seconds : float, optional
        Time limit of the search; the refit of the winner comes after it. Single features get a tenth of it. Each fold of a
        learner gets an equal share of the remaining time; training stops there, and the model so far is evaluated. A learner
        of the default list is skipped if the remaining time is shorter than its predecessor, which is cheaper, took. Notes
        list the learners that were skipped or stopped.
    random_state : int
        Random seed for assigning queries to folds.
    qrels : Qrels, optional
        Judgments to evaluate by instead of the data's grades: relevant documents without a row count as not retrieved.
    callback : callable, optional
        Called with the number of the current learner, the number of learners, and a status message.

    Examples
    --------
    >>> from directrank import AdaRank, RankSVM
    >>> from directrank.datasets import make_ranking
    >>> data = make_ranking(60, random_state=0)
    >>> choice = best(data, "AP", learners={"ranksvm": RankSVM(), "adarank": AdaRank("AP")})
    >>> choice.winner
    'ranksvm'
    >>> choice.model.predict(data.X).shape == (len(data),)
    True
    """
    search = _ModelSearch(data, as_measure(measure), measures, n_folds, random_state, qrels, TimeBudget(seconds))
    candidates = _all_learners(search.measure) if learners is None else learners
    on_status = (lambda number, n_learners, message: None) if callback is None else callback
    interrupted = False
    try:
        search.try_features(partial(on_status, 0, len(candidates)))
        for number, (name, learner) in enumerate(candidates.items(), 1):
            search.try_learner(name, learner, partial(on_status, number, len(candidates)), required=learners is not None)
    except KeyboardInterrupt:
        if not search.features and not search.results:
            raise
        interrupted = True
    if not search.features and not search.results:
        raise InputError(f"no learner or feature could be evaluated by {name_of(search.measure)}: {'; '.join(search.notes)}")
    return search.choice(interrupted)


class _ModelSearch:
    """State of a search: the candidates evaluated so far."""

    def __init__(
        self,
        data: RankingData,
        measure: SupportsEvaluate,
        others: Iterable[MeasureLike],
        n_folds: int,
        random_state: int,
        qrels: Qrels | None,
        budget: TimeBudget,
    ) -> None:
        self.data, self.measure, self.budget = data, measure, budget
        self.options: dict[str, Any] = {"n_folds": n_folds, "random_state": random_state, "qrels": qrels}
        self.measures = [measure, *(each for each in map(as_measure, others) if name_of(each) != name_of(measure))]
        check_ranking_measures(self.measures)
        self.evaluator = HeldOutEvaluator(data, self.measures, qrels)
        self.folds = np.empty(len(data), np.int64)
        for fold, rows in enumerate(fold_rows(data, n_folds, random_state=random_state), 1):
            self.folds[rows.test] = fold
        self.random_order = self.evaluator.evaluate_random_order()
        self.features: list[SingleFeature] = []
        self.results: dict[str, CrossValidation] = {}
        self.notes: list[str] = []
        self.skipped: list[str] = []

    def try_features(self, on_status: Callable[[str], Any]) -> None:
        """Evaluate each single feature, within the time limit."""
        evaluator = HeldOutEvaluator(self.data, self.measure, self.options["qrels"])

        def evaluate(scores: Floats) -> Floats:
            return evaluator.evaluate(scores).values(self.measure)

        n_features, n_incomplete, budget = self.data.n_features, 0, self.budget.fraction(FEATURE_TIME_FRACTION)
        query_folds = folds_by_query(self.random_order, self.data, self.folds)
        for number, feature in enumerate(evaluate_single_features(self.data, evaluate, query_folds), 1):
            on_status(f"single feature {number:,} of {n_features:,}")
            if feature is None:
                n_incomplete += 1
            else:
                self.features.append(feature)
            if budget.is_exhausted and number < n_features:
                self.notes.append(f"Single features hit the time limit: {number:,} of {n_features:,} were evaluated.")
                break
        if n_incomplete:
            features = "1 feature was" if n_incomplete == 1 else f"{n_incomplete:,} features were"
            self.notes.append(f"{features} not evaluated alone, because of missing values.")

    def try_learner(self, name: str, learner: Any, on_status: Callable[[str], Any], *, required: bool) -> None:
        """Cross-validate a learner; one that cannot learn the measure or the data is skipped unless it is required."""
        if self._skip_for_time(name, by_cost=not required):
            return
        n_folds = self.options["n_folds"]
        limit = FoldTimeLimit(self.budget, n_folds)

        def on_step(fold: int, progress: Progress) -> bool:
            on_status(f"{name}, fold {fold} of {n_folds}, step {progress.step}: {progress}")
            return limit.is_reached(fold)

        on_status(name)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            try:
                self.results[name] = cross_validate(learner, self.data, self.measures, callback=on_step, **self.options)
            except ValueError as error:  # scikit-learn's errors too, whose first line says what is wrong
                if required:
                    raise
                self._skip(name, str(error).splitlines()[0])
        self.notes += sorted({f"{name}: {warning.message}" for warning in caught})
        if limit.stopped_folds:
            folds = f"{len(limit.stopped_folds)} of {n_folds} folds"
            self.notes.append(f"{name} hit the time limit in {folds}; partial models were evaluated.")

    def _skip_for_time(self, name: str, *, by_cost: bool) -> bool:
        """Skip a learner if the time is over or, with `by_cost`, shorter than its cheaper predecessor took."""
        earlier = reversed(self.results.items()) if by_cost else ()
        predecessor, seconds = next(((n, r.seconds.sum()) for n, r in earlier), ("", 0.0))
        if not self.budget.is_exhausted and seconds <= self.budget.remaining:
            return False
        remaining = max(0.0, self.budget.remaining)
        detail = f", and {predecessor}, a cheaper learner, took {seconds:.0f} s" if seconds > remaining else ""
        self._skip(name, f"{remaining:.0f} s were left{detail}.")
        return True

    def _skip(self, name: str, reason: str) -> None:
        self.skipped.append(name)
        self.notes.append(f"{name} was skipped: {reason}")

    def choice(self, interrupted: bool) -> Choice:
        """Compare the candidates."""
        self.features.sort(key=lambda feature: -feature.value)
        ordered = sorted(self.results, key=lambda name: -self.results[name].means[name_of(self.measure)])
        results = {name: self.results[name] for name in ordered}
        evaluations = {name: result.evaluation for name, result in results.items()}
        for feature in self.features[:1]:
            evaluations[feature.name] = self.evaluator.evaluate(feature.scores(self.data, self.folds))
        best_feature = [feature.name for feature in self.features[:1]]
        winner = max([*best_feature, *ordered], key=lambda name: evaluations[name][self.measure])  # the feature if tied
        baseline = best_feature[0] if best_feature else RANDOM_ORDER
        report = compare_all({**evaluations, RANDOM_ORDER: self.random_order}, baseline, missing="zero")
        chance = compare(evaluations[winner], self.random_order, self.measure)
        n_rankings = len(results) + len(self.features)
        all_tried = len(self.features) == self.data.n_features and not self.skipped and not interrupted
        summary = verdict(report, winner, ordered, chance, n_rankings, all_tried=all_tried)
        if len(evaluations) > 1 and is_above_chance(chance, n_rankings, report.method.alpha):
            against_winner = compare_all(evaluations, winner, measures=self.measure, missing="zero")
            summary = f"{summary} {close_competitors(against_winner, winner, ordered)}".rstrip()
        refit = partial(self._refit, winner)
        return Choice(winner, summary, report, self.features, results, self.notes, interrupted, refit)

    def _refit(self, winner: str) -> Model:
        if winner not in self.results:
            return self.features[0].model(self.data, qualified_name_of(self.measure))
        estimator = fit_clone(self.results[winner].refit_learner(), self.data)
        return _as_model(estimator, self.data.n_features).with_feature_names(self.data.feature_names)


def _as_model(estimator: Any, n_features: int) -> Model:
    """Model of a fitted estimator; an estimator of another library is wrapped."""
    try:
        return as_model(estimator)
    except ModelError:
        if accepts(estimator, "predict", "qid"):  # an EstimatorModel has no qid to pass on
            raise
        return EstimatorModel(estimator, n_features)


def _all_learners(measure: SupportsEvaluate) -> dict[str, Any]:
    """Learners that rank within queries, by name, in order of cost."""
    entries = sorted(LEARNERS.values(), key=lambda entry: entry.cost)
    return {entry.name: entry.make(measure, {}) for entry in entries if entry.learns_queries}
