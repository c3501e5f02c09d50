"""Search for the best ranking: every learner and every single feature, evaluated on the same folds of queries."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from ..caching import cached_property
from ..data import InputError, Qrels, RankingData
from ..data.splits import fold_rows
from ..evaluation import Evaluation, Report, compare, compare_all
from ..evaluation.feature_ranking import feature_name
from ..evaluation.named_measures import MeasureLike
from ..evaluation.significance import order_by_id
from ..learners.core.monitoring import Progress
from ..learners.core.validation import accepts
from ..measures import SupportsEvaluate, as_measure, name_of
from ..measures.naming import qualified_name_of
from ..models import EstimatorModel, Model, ModelError, as_model
from .candidates import Candidate, default_candidates
from .cross_validation import CrossValidation, cross_validate, folds_by_query
from .expectation import Expectation, expected_value
from .fit_and_predict import fit_clone
from .held_out_evaluation import HeldOutEvaluator, check_ranking_measures
from .single_features import ALONE, ASCENDING, SingleFeature, evaluate_single_features
from .time_budget import FoldTimeLimit, TimeBudget
from .verdict import RANDOM_ORDER, close_competitors, is_above_chance, is_within_error, unfinished, verdict

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
        Name of the ranking that is chosen; see `best`.
    summary : str
        Conclusion of the comparison, in plain sentences, with what was not tried or stopped early.
    expected : Expectation
        Value of the winner to expect on new queries.
    report : Report
        Comparison of all learners, the best single feature and a random order with the baseline, on held-out queries.
    features : list of SingleFeature
        Single features, best first.
    results : dict of CrossValidation
        Cross-validation of each learner by name, best first.
    not_tried : list of str
        Learners that there was no time for.
    stopped : dict of int
        Number of folds in which the time limit stopped the training, by learner.
    notes : list of str
        Learners that cannot learn the measure or the data, and warnings of learners.
    interrupted : bool
        Whether Ctrl-C ended the search, so that the winner is the best ranking so far.
    refit : callable
        Trains the winner on all queries; see `model`.
    """

    winner: str
    summary: str
    expected: Expectation
    report: Report
    features: list[SingleFeature]
    results: dict[str, CrossValidation]
    not_tried: list[str]
    stopped: dict[str, int]
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
    baseline: tuple[str, ArrayLike] | None = None,
    n_folds: int = 5,
    seconds: float | None = None,
    random_state: int = 0,
    qrels: Qrels | None = None,
    callback: OnStatus | None = None,
) -> Choice:
    """Find what ranks the data best: every learner and every single feature, cross-validated by query.

    All candidates are evaluated on the same folds of held-out queries (see `cross_validate`); the direction of a single
    feature is chosen on the other folds, and missing values rank after all others. The winner is the ranking with the
    highest mean; of the default learners, a likely winner unless another one leads it by more than a standard error. The
    summary says whether its lead over the baseline is significant, by paired tests corrected for the number of comparisons.

    The baseline is the best single feature by default. That is selected on the held-out queries, so a learner's lead over it
    is underestimated rather than overestimated. The test of the winner against a random order, and that of a single feature
    against another baseline, have Bonferroni's correction for all candidates.

    Parameters
    ----------
    data : RankingData
        Data with queries; rows in any order.
    measure : name or measure
        Measure that is optimised and decides. It must be a ranking measure: F1 and other measures of labels or sets are
        errors.
    learners : dict of estimators, optional
        Learners by name, in the order in which they are tried; not modified. By default all learners of directrank that can
        learn the measure: first the likely winners (`RankSVM`, `LambdaMART`, and `LambdaMART` that starts from `RankSVM`),
        then the others in order of cost.
    measures : names or measures
        Further measures to report.
    baseline : tuple of a name and scores, optional
        Present ranking of the data, which the conclusion is about: a name, and the score of each row.
    n_folds : int
        Number of folds, at least 3.
    seconds : float, optional
        Time limit of the search; the refit of the winner comes after it. Single features get a tenth of it. The given
        learners, or by default the likely winners, get equal shares of the rest; what one leaves goes to the next, and then
        to the others. Each fold gets an equal part of a learner's time; training stops there, and the model so far is
        evaluated. One of the others is not tried if the remaining time is shorter than a cheaper learner took.
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
    'adarank'
    >>> choice.model.predict(data.X).shape == (len(data),)
    True
    """
    search = _ModelSearch(data, as_measure(measure), measures, n_folds, random_state, qrels, TimeBudget(seconds))
    candidates = default_candidates(search.measure) if learners is None else [Candidate(*each) for each in learners.items()]
    for candidate in candidates:
        search.check_name(candidate.name, "a learner", [])
    if baseline is not None:
        search.check_name(baseline[0], "the baseline", [candidate.name for candidate in candidates])
        search.set_baseline(*baseline)
    on_status = (lambda number, n_learners, message: None) if callback is None else callback
    interrupted = False
    try:
        search.try_features(partial(on_status, 0, len(candidates)))
        search.try_learners(candidates, on_status)
    except KeyboardInterrupt:
        if not search.features and not search.results:
            raise
        interrupted = True
    if not search.features and not search.results:
        raise InputError(f"no learner or feature could be evaluated by {name_of(search.measure)}: {'; '.join(search.notes)}")
    return search.choice([candidate.name for candidate in candidates], interrupted)


class _Baseline(NamedTuple):
    """The present ranking."""

    name: str
    evaluation: Evaluation
    scores: Floats


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
        self.baseline: _Baseline | None = None
        self.results: dict[str, CrossValidation] = {}
        self.costs: dict[str, int] = {}
        self.favourites: set[str] = set()
        self.stopped: dict[str, int] = {}
        self.failed: list[str] = []
        self.notes: list[str] = []

    def check_name(self, name: str, whose: str, taken: Sequence[str]) -> None:
        """Raise an error for a name that is taken, or that of a random order or a single feature."""
        features = {feature_name(self.data, feature) for feature in range(self.data.n_features)}
        alone = name.removesuffix(ASCENDING)
        is_feature = alone.endswith(ALONE) and alone.removesuffix(ALONE) in features
        if name in (RANDOM_ORDER, *taken) or is_feature:
            raise InputError(f"{whose} has the name of another ranking, {name}; give it another name")

    def set_baseline(self, name: str, scores: ArrayLike) -> None:
        """Set the present ranking, given by the score of each row."""
        values = np.asarray(scores, np.float64)
        if values.shape != (len(self.data),):
            raise InputError(f"the baseline {name} must have one score for each of the {len(self.data):,} rows")
        self.baseline = _Baseline(name, self.evaluator.evaluate(values), values)

    def try_features(self, on_status: Callable[[str], Any]) -> None:
        """Evaluate each single feature, within the time limit."""
        evaluator = HeldOutEvaluator(self.data, self.measure, self.options["qrels"])

        def evaluate(scores: Floats) -> Floats:
            return evaluator.evaluate(scores).values(self.measure)

        n_features, budget = self.data.n_features, self.budget.fraction(FEATURE_TIME_FRACTION)
        query_folds = folds_by_query(self.random_order, self.data, self.folds)
        for number, feature in enumerate(evaluate_single_features(self.data, evaluate, query_folds), 1):
            on_status(f"single feature {number:,} of {n_features:,}")
            self.features.append(feature)
            if budget.is_exhausted:
                break

    def try_learners(self, candidates: Sequence[Candidate], on_status: OnStatus) -> None:
        """Cross-validate learners, one after another, while there is time."""
        for number, candidate in enumerate(candidates):
            if self.budget.is_exhausted or self._took_longer(candidate):
                continue
            n_sharing = sum(each.shares_time for each in candidates[number:])
            limit = FoldTimeLimit(self.budget.fraction(1 / max(1, n_sharing)), self.options["n_folds"])
            self._try_learner(candidate, limit, partial(on_status, number + 1, len(candidates)))

    def _took_longer(self, candidate: Candidate) -> bool:
        """Whether a cheaper learner took longer than the time that is left, for a learner that no time is kept for."""
        if candidate.shares_time:
            return False
        cheaper = [name for name, cost in self.costs.items() if cost <= candidate.cost]
        return any(self.results[name].seconds.sum() > self.budget.remaining for name in cheaper)

    def _try_learner(self, candidate: Candidate, limit: FoldTimeLimit, on_status: Callable[[str], Any]) -> None:
        """Cross-validate a learner; one that cannot learn the measure or the data is skipped unless it is required."""
        name, n_folds = candidate.name, self.options["n_folds"]

        def on_step(fold: int, progress: Progress) -> bool:
            on_status(f"{name}, fold {fold} of {n_folds}, step {progress.step}: {progress}")
            return limit.is_reached(fold)

        on_status(name)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            try:
                result = cross_validate(candidate.learner, self.data, self.measures, callback=on_step, **self.options)
            except ValueError as error:  # scikit-learn's errors too, whose first line says what is wrong
                if candidate.is_required:
                    raise
                self.failed.append(name)
                self.notes.append(f"{name} was skipped: {str(error).splitlines()[0]}")
                return
        self.results[name], self.costs[name] = result, candidate.cost
        if candidate.shares_time:
            self.favourites.add(name)
        self.notes += sorted({f"{name}: {warning.message}" for warning in caught})
        if limit.stopped_folds:
            self.stopped[name] = len(limit.stopped_folds)

    def choice(self, candidates: Sequence[str], interrupted: bool) -> Choice:
        """Compare the candidates."""
        self.features.sort(key=lambda feature: -feature.value)
        ordered = sorted(self.results, key=lambda name: -self.results[name].means[name_of(self.measure)])
        results = {name: self.results[name] for name in ordered}
        not_tried = [name for name in candidates if name not in self.results and name not in self.failed]
        evaluations = {name: result.evaluation for name, result in results.items()} | self._best_feature()
        by_simplicity = [*(name for name in evaluations if name not in results), *results]  # the feature if tied
        highest = max(by_simplicity, key=lambda name: evaluations[name][self.measure])
        winner = self._preferred(highest)
        report = self._compare(evaluations)
        summary = self._verdict(report, evaluations, winner, all_tried=not not_tried and not interrupted)
        untried_features = self.data.n_features - len(self.features)
        limits = unfinished(not_tried, self.stopped, self.options["n_folds"], untried_features, interrupted=interrupted)
        return Choice(
            winner=winner,
            summary=" ".join(filter(None, (summary, self._preference(winner, highest), limits))),
            expected=self._expected(winner),
            report=report,
            features=self.features,
            results=results,
            not_tried=not_tried,
            stopped=self.stopped,
            notes=self.notes,
            interrupted=interrupted,
            refit=partial(self._refit, winner),
        )

    def _preferred(self, highest: str) -> str:
        """The best favourite, unless another learner, or a feature, leads it by more than a standard error.

        Of many learners that are equally good, the one with the highest mean was often lucky.
        """
        favourites = [name for name in self.results if name in self.favourites]
        if highest not in self.results or highest in favourites or not favourites:
            return highest
        preferred = max(favourites, key=lambda name: self.results[name].means[name_of(self.measure)])
        other, own = (self.results[name].evaluation.values(self.measure) for name in (highest, preferred))
        return preferred if is_within_error(other - own) else highest

    def _preference(self, winner: str, highest: str) -> str:
        if winner == highest:
            return ""
        means = [self.results[name].means[name_of(self.measure)] for name in (highest, winner)]
        return (
            f"The mean of {highest} is {means[0] - means[1]:.4f} higher, less than a standard error of the difference; "
            f"{winner} is preferred as the learner that is more often the best."
        )

    def _best_feature(self) -> dict[str, Evaluation]:
        """Evaluation of the best single feature by name: that of the baseline if it ranks alike; empty without features."""
        if not self.features:
            return {}
        best_one = self.features[0]
        scores = best_one.scores(self.data, self.folds)
        is_alike = self.baseline is not None and np.array_equal(scores, self.baseline.scores)
        name = self.baseline.name if self.baseline is not None and is_alike else best_one.name
        return {name: self.evaluator.evaluate(scores)}

    def _compare(self, evaluations: dict[str, Evaluation]) -> Report:
        """Compare with the baseline: the given one, the best single feature, or a random order."""
        given = {} if self.baseline is None else {self.baseline.name: self.baseline.evaluation}
        feature = [name for name in evaluations if name not in self.results]
        baseline = next(iter([*given, *feature, RANDOM_ORDER]))
        return compare_all({**evaluations, **given, RANDOM_ORDER: self.random_order}, baseline, missing="zero")

    def _verdict(self, report: Report, evaluations: dict[str, Evaluation], winner: str, *, all_tried: bool) -> str:
        chance = compare(evaluations[winner], self.random_order, self.measure)
        n_rankings = len(self.results) + len(self.features)
        learners = [name for name in evaluations if name in self.results]
        all_tried = all_tried and len(self.features) == self.data.n_features
        summary = verdict(report, winner, learners, chance, n_rankings, all_tried=all_tried)
        if len(evaluations) == 1 or not is_above_chance(chance, n_rankings, report.method.alpha):
            return summary
        against_winner = compare_all(evaluations, winner, measures=self.measure, missing="zero")
        return f"{summary} {close_competitors(against_winner, winner, learners)}".rstrip()

    def _expected(self, winner: str) -> Expectation:
        """Value of the winner to expect on new queries, given all that were tried."""
        learners = {name: result.evaluation.values(self.measure) for name, result in self.results.items()}
        values = np.array([*learners.values(), *(feature.values for feature in self.features)])
        row = [*learners].index(winner) if winner in learners else len(learners)
        return expected_value(values[:, order_by_id(self.random_order.qid.tolist())], row)

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
