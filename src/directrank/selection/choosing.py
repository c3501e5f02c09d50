"""What ranks some data best: every learner and each feature alone, on the same folds of queries."""

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
from .cross_validation import CrossValidation, cross_validate, folds_of
from .judging import Judge, refuse_sets
from .single_features import FeatureAlone, features_alone
from .time_budget import TimeBudget, Turn
from .training import fitted
from .verdict import RANDOM_ORDER, alike, is_above_chance, verdict

#: Told how many learners have been tried, how many there are, and what is being done.
TellTurn = Callable[[int, int, str], None]

#: The share of the time that features may take; learners need the rest.
SHARE_OF_FEATURES = 0.1


@dataclass(frozen=True, eq=False)
class Choice:
    """What ranks some data best, and how sure that is; `best` makes it.

    Attributes
    ----------
    winner : str
        The ranking of the highest mean.
    sentence : str
        What the comparison comes to.
    report : Report
        Each learner and a random order against the best single feature, on queries that were held out.
    features : list of FeatureAlone
        Best first.
    results : dict of CrossValidation
        By the name of the learner, best first.
    notes : list of str
        What there is to know of how it went: who was left out, and why; who was stopped; what learners warned of.
    interrupted : bool
        Whether Ctrl-C ended the trials, so that it is the best of those until then.
    train : callable
        Trains the winner on all queries; see `model`.
    """

    winner: str
    sentence: str
    report: Report
    features: list[FeatureAlone]
    results: dict[str, CrossValidation]
    notes: list[str]
    interrupted: bool
    train: Callable[[], Model]

    @cached_property
    def model(self) -> Model:
        """The winner, trained on all queries when it is first asked for."""
        return self.train()

    def __repr__(self) -> str:
        return f"Choice({self.winner!r}: {self.sentence})"


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
    tell: TellTurn | None = None,
) -> Choice:
    """Find what ranks some data best: every learner, and each feature alone, cross-validated by query.

    All are measured on the same folds, by queries that their models have not seen (see `cross_validate`); whether high or
    low values of a feature come first is chosen by the other folds too. The winner is the ranking of the highest mean.
    How sure its lead is says the sentence, by paired tests that are corrected for the number of comparisons.

    The best single feature is the best of many by the same queries, so a learner's lead over it is rather too small than
    too large. That the winner is better than a random order is tested by Bonferroni's correction for all that were tried.

    Parameters
    ----------
    data : RankingData
        With queries, in any order.
    measure : name or measure
        What is optimised, and decides. It is one of rankings: F1 and others that judge labels or sets are refused.
    learners : dict of estimators, optional
        By name, tried in this order; by default all of directrank that can learn the measure, cheap ones first. They stay
        as they are.
    measures : names or measures
        Others to report.
    n_folds : int
        At least 3.
    seconds : float, optional
        How long it may take; training the winner on all queries comes after it. Features alone get a tenth of it. A learner
        gets no more than its share of what is left in each fold, and is stopped then: the model so far counts. Of
        directrank's, one is left out that would be stopped early even if it were no slower than the one before, which is
        cheaper. Notes say who was stopped or left out.
    random_state : int
        The seed by which queries are dealt out to folds.
    qrels : Qrels, optional
        Judgments to measure by instead of the data's grades: relevant documents that are no row count as missed.
    tell : callable, optional
        Called with the number of the learner whose turn it is, how many there are, and what is being done.

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
    search = _RankingSearch(data, as_measure(measure), measures, n_folds, random_state, qrels, TimeBudget(seconds))
    tried = _all_learners(search.measure) if learners is None else learners
    told = (lambda done, total, text: None) if tell is None else tell
    interrupted = False
    try:
        search.measure_features(partial(told, 0, len(tried)))
        for number, (name, learner) in enumerate(tried.items(), 1):
            search.try_learner(name, learner, partial(told, number, len(tried)), must=learners is not None)
    except KeyboardInterrupt:
        if not search.features and not search.results:
            raise
        interrupted = True
    if not search.features and not search.results:
        raise InputError(f"nothing here can rank for {name_of(search.measure)}: {'; '.join(search.notes)}")
    return search.choice(interrupted)


class _RankingSearch:
    """What has been found so far."""

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
        self.how: dict[str, Any] = {"n_folds": n_folds, "random_state": random_state, "qrels": qrels}
        self.measures = [measure, *(each for each in map(as_measure, others) if name_of(each) != name_of(measure))]
        refuse_sets(self.measures)
        self.judge = Judge(data, self.measures, qrels)
        self.folds = np.empty(len(data), np.int64)
        for number, rows in enumerate(fold_rows(data, n_folds, random_state=random_state), 1):
            self.folds[rows.test] = number
        self.chance = self.judge.random_order()
        self.features: list[FeatureAlone] = []
        self.results: dict[str, CrossValidation] = {}
        self.notes: list[str] = []
        self.left_out: list[str] = []

    def measure_features(self, tell: Callable[[str], None]) -> None:
        """Try each feature alone, as long as there is time."""
        judge = Judge(self.data, self.measure, self.how["qrels"])

        def values_of(scores: Floats) -> Floats:
            return judge(scores).values(self.measure)

        n_features, lacking, budget = self.data.n_features, 0, self.budget.share(SHARE_OF_FEATURES)
        rankings = features_alone(self.data, values_of, folds_of(self.chance, self.data, self.folds))
        for number, alone in enumerate(rankings, 1):
            tell(f"each feature alone: {number:,} of {n_features:,}")
            if alone is None:
                lacking += 1
            else:
                self.features.append(alone)
            if budget.is_over and number < n_features:
                were = "was" if number == 1 else "were"
                self.notes.append(f"Of {n_features:,} features, {number:,} {were} tried alone: their time was over.")
                break
        if lacking:
            were = "feature was" if lacking == 1 else "features were"
            self.notes.append(f"{lacking:,} {were} not tried alone, because of missing values.")

    def try_learner(self, name: str, learner: Any, tell: Callable[[str], None], *, must: bool) -> None:
        """Cross-validate a learner; unless it `must`, one that refuses the measure or the data is left out."""
        if self._would_not_fit(name, by_cost=not must):
            return
        turn = Turn(self.budget, self.how["n_folds"])

        def on_step(fold: int, progress: Progress) -> bool:
            tell(f"{name}, fold {fold} of {self.how['n_folds']}, step {progress.step}: {progress}")
            return turn.is_over(fold)

        tell(name)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            try:
                self.results[name] = cross_validate(learner, self.data, self.measures, callback=on_step, **self.how)
            except ValueError as error:  # also scikit-learn's, of which the first line says what is wrong
                if must:
                    raise
                self._leave_out(name, str(error).splitlines()[0])
        self.notes += sorted({f"{name}: {warning.message}" for warning in caught})
        if turn.stopped:
            times = f"in {len(turn.stopped)} of {self.how['n_folds']} folds"
            self.notes.append(f"{name} was stopped {times}, to keep to the time; its models so far are what was measured.")

    def _would_not_fit(self, name: str, *, by_cost: bool) -> bool:
        """Whether there is no time, or where cheap learners come first, not even that of the one before; and note it."""
        earlier = reversed(self.results.items()) if by_cost else ()
        before, took = next(((n, r.seconds.sum()) for n, r in earlier), ("", 0.0))
        if not self.budget.is_over and took <= self.budget.left:
            return False
        left = max(0.0, self.budget.left)
        why = f"; {before}, which is no slower, took {took:.0f} s" if before and took > left else ""
        self._leave_out(name, f"{left:.0f} s were left{why}.")
        return True

    def _leave_out(self, name: str, why: str) -> None:
        self.left_out.append(name)
        self.notes.append(f"{name} was left out: {why}")

    def choice(self, interrupted: bool) -> Choice:
        """Compare what was found."""
        self.features.sort(key=lambda feature: -feature.value)
        ordered = sorted(self.results, key=lambda name: -self.results[name].means[name_of(self.measure)])
        results = {name: self.results[name] for name in ordered}
        evaluations = {name: result.evaluation for name, result in results.items()}
        for feature in self.features[:1]:
            evaluations[feature.name] = self.judge(feature.scores(self.data, self.folds))
        alone = [feature.name for feature in self.features[:1]]
        winner = max([*alone, *ordered], key=lambda name: evaluations[name][self.measure])  # of equal ones the feature
        baseline = alone[0] if alone else RANDOM_ORDER
        report = compare_all({**evaluations, RANDOM_ORDER: self.chance}, baseline, missing="zero")
        chance = compare(evaluations[winner], self.chance, self.measure)
        n_rankings = len(results) + len(self.features)
        all_tried = len(self.features) == self.data.n_features and not self.left_out
        sentence = verdict(report, winner, ordered, chance, n_rankings, all_tried=all_tried and not interrupted)
        if len(evaluations) > 1 and is_above_chance(chance, n_rankings, report.method.alpha):
            near = alike(compare_all(evaluations, winner, measures=self.measure, missing="zero"), winner, ordered)
            sentence = f"{sentence} {near}".rstrip()
        train = partial(self._model, winner)
        return Choice(winner, sentence, report, self.features, results, self.notes, interrupted, train)

    def _model(self, winner: str) -> Model:
        if winner not in self.results:
            return self.features[0].model(self.data, qualified_name_of(self.measure))
        trained = fitted(self.results[winner].for_all_queries(), self.data)
        return _model_of(trained, self.data.n_features).with_feature_names(self.data.feature_names)


def _model_of(trained: Any, n_features: int) -> Model:
    """The model of a fitted learner; one of another library is its own."""
    try:
        return as_model(trained)
    except ModelError:
        if accepts(trained, "predict", "qid"):  # which is nothing that such a model could be given
            raise
        return EstimatorModel(trained, n_features)


def _all_learners(measure: SupportsEvaluate) -> dict[str, Any]:
    """Those that rank within queries, by name, cheap ones first."""
    entries = sorted(LEARNERS.values(), key=lambda entry: entry.cost)
    return {entry.name: entry.make(measure, {}) for entry in entries if entry.learns_queries}
