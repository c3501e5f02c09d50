"""Hyperparameter search."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Floats
from ..caching import cached_property
from ..data import InputError, RankingData
from ..evaluation.named_measures import MeasureLike
from ..learners.core.monitoring import Progress
from ..learners.search_space import AlongPath, SearchSpace
from ..measures import as_measure, name_of
from .expectation import Expectation, expected_value
from .fit_and_predict import with_parameters
from .held_out_evaluation import default_measure
from .proposals import Proposal, check_optuna, is_small_grid, proposals
from .space_validation import parameter_error, validate_space
from .time_budget import TimeBudget
from .trials import Trial, TrialEvaluator

#: Callback that takes each finished trial; True ends the search.
OnTrial = Callable[[Trial], Any]


@dataclass(frozen=True, eq=False)
class Tuning:
    """Result of `tune`.

    Attributes
    ----------
    learner : estimator
        Learner with the best parameters, not fitted. After cross-validation it can be trained on all queries without a
        validation set: its number of rounds is the median over the folds.
    measure : str
        Measure that decides.
    best : Trial
        Trial with the highest value.
    trials : list of Trial
        All trials, in order.
    notes : list of str
        Notes on the gains and ties of the measure; see `Evaluation.notes`.
    interrupted : bool
        Whether Ctrl-C ended the search.
    """

    learner: Any
    measure: str
    best: Trial
    trials: list[Trial]
    notes: list[str]
    interrupted: bool

    def leading(self, n: int = 5) -> list[Trial]:
        """The best trials."""
        finished = [trial for trial in self.trials if trial.value is not None]
        return sorted(finished, key=lambda trial: -_value(trial))[:n]

    @cached_property
    def expected(self) -> Expectation:
        """Value of the best trial to expect on new queries."""
        trials = [trial for trial in self.trials if trial.values is not None]
        return expected_value(np.array([trial.values for trial in trials]), trials.index(self.best))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.best.parameters.items())
        found = f"{self.measure} {self.best.value:.4f}, the best of {len(self.trials)} trials"
        return f"Tuning({type(self.learner).__name__}({shown}): {found})"


def tune(
    learner: Any,
    data: RankingData,
    measure: MeasureLike | None = None,
    *,
    validation: RankingData | None = None,
    space: SearchSpace | None = None,
    n_trials: int = 30,
    seconds: float | None = None,
    n_folds: int = 5,
    random_state: int = 0,
    callback: OnTrial | None = None,
) -> Tuning:
    """Search for the best parameters of a learner.

    The first trial is the learner as it is. If all combinations of values fit into `n_trials`, all of them are tried;
    otherwise Optuna's tree-structured Parzen estimator proposes values (extra ``tune``), and trials in the worst quarter at
    the same round are pruned. Invalid combinations are kept as trials without a value. All values of C of a linear SVM come
    from one regularization path, without Optuna, at little more than the cost of a single fit.

    The value of the best trial is optimistically biased (best of many trials); `Tuning.expected` is less so.

    Parameters
    ----------
    learner : estimator
        Not modified; parameters outside the space keep their values.
    data : RankingData
        Data with queries; rows in any order.
    measure : name or measure, optional
        Measure that decides; by default the one that the learner optimises.
    validation : RankingData, optional
        Data on which trials choose the number of rounds and are evaluated; by default they are cross-validated (see
        `cross_validate`).
    space : dict, optional
        Values to try by parameter: `Between` two numbers, or `OneOf` several values. By default the learner's own
        `search_space`.
    n_trials : int
        Number of trials in addition to the first.
    seconds : float, optional
        Time limit of the search.
    n_folds : int
        Number of folds, at least 3.
    random_state : int
        Random seed for the search and for assigning queries to folds. Without `seconds`, the same seed gives the same
        trials.
    callback : callable, optional
        Called with each finished `Trial`; True ends the search.

    Examples
    --------
    >>> from directrank import RankSVM
    >>> from directrank.datasets import make_ranking
    >>> from directrank.selection import OneOf
    >>> found = tune(RankSVM(), make_ranking(40, random_state=0), space={"C": OneOf((0.1, 1.0, 10.0))})
    >>> [trial.parameters for trial in found.trials]
    [{}, {'C': 0.1}, {'C': 1.0}, {'C': 10.0}]
    """
    decisive = as_measure(default_measure(learner) if measure is None else measure)
    valid_space = validate_space(learner, getattr(learner, "search_space", {}) if space is None else space)
    proposed = {name: values for name, values in valid_space.items() if not isinstance(values, AlongPath)}
    if not is_small_grid(proposed, n_trials):
        check_optuna()
    evaluator = TrialEvaluator(data, validation, n_folds, random_state, decisive)
    search = _ParameterSearch(learner, evaluator, TimeBudget(seconds), callback)
    interrupted = False
    try:
        search.try_parameters({})
        for proposal in proposals(proposed, n_trials, random_state):
            search.try_proposal(proposal, valid_space)
    except SearchEndedError:
        pass
    except KeyboardInterrupt:
        if not search.finished:
            raise
        interrupted = True
    if not search.finished:
        raise InputError(_no_value(search.trials, seconds))
    best = max(search.finished, key=_value)
    return Tuning(best.learner, name_of(decisive), best, search.trials, evaluator.notes, interrupted)


class SearchEndedError(Exception):
    """The time limit was reached, or the callback ended the search."""


class TrialPrunedError(Exception):
    """The trial is in the worst quarter at the same round."""


class _ParameterSearch:
    """State of a search: the trials so far."""

    def __init__(self, learner: Any, evaluator: TrialEvaluator, budget: TimeBudget, callback: OnTrial | None) -> None:
        self.learner, self.evaluator, self.budget, self.callback = learner, evaluator, budget, callback
        self.trials: list[Trial] = []

    @property
    def finished(self) -> list[Trial]:
        """Trials that have a value."""
        return [trial for trial in self.trials if trial.value is not None]

    def try_proposal(self, proposal: Proposal, space: SearchSpace) -> None:
        """Try the proposed parameters, along a regularization path if the learner has one with these parameters."""
        name, Cs = next(((name, values.Cs) for name, values in space.items() if isinstance(values, AlongPath)), ("", None))
        own = getattr(with_parameters(self.learner, proposal.parameters), "search_space", {})
        if isinstance(own.get(name), AlongPath):
            proposal.finish(self.try_path(proposal.parameters, name, Cs))
            return
        points = [{**proposal.parameters, name: C} for C in Cs] if Cs else [proposal.parameters]
        values = [self.try_parameters(parameters, proposal.should_prune) for parameters in points]
        proposal.finish(max((value for value in values if value is not None), default=None))

    def try_parameters(
        self, parameters: dict[str, Any], should_prune: Callable[[int, int, float], bool] | None = None
    ) -> float | None:
        """Value of the parameters; None if the trial is pruned or invalid."""
        best_so_far = _BestSoFar()

        def on_step(fold: int, progress: Progress) -> None:
            self._check_time()
            value = next(iter(progress.evals.get("validation", {}).values()), None)
            if should_prune is not None and value is not None:
                best_so_far.update(fold, value)
                if should_prune(fold, progress.step, best_so_far.mean):
                    raise TrialPrunedError

        def evaluate(learner: Any, start: float) -> list[Trial]:
            try:
                values, refit_learner = self.evaluator.evaluate(learner, on_step)
            except TrialPrunedError:
                return [Trial(parameters, None, None, time.perf_counter() - start, learner)]
            return [_make_trial(parameters, values, time.perf_counter() - start, refit_learner)]

        return self._record(parameters, evaluate)

    def try_path(self, parameters: dict[str, Any], name: str, Cs: Sequence[float] | None) -> float | None:
        """Highest value of the parameters along the regularization path; None if they are invalid."""

        def evaluate(learner: Any, start: float) -> list[Trial]:
            found = self.evaluator.evaluate_path(learner, Cs, self._check_time)
            seconds = (time.perf_counter() - start) / len(found)
            points = {C: {**parameters, name: C} for C in found}
            return [
                _make_trial(points[C], values, seconds, with_parameters(learner, points[C])) for C, values in found.items()
            ]

        return self._record(parameters, evaluate)

    def _record(self, parameters: dict[str, Any], evaluate: Callable[[Any, float], list[Trial]]) -> float | None:
        """Run and record the trials of the parameters; return their highest value.

        An error before any trial has a value is raised: it is about the data, not about the parameters.
        """
        self._check_time()
        start, learner = time.perf_counter(), with_parameters(self.learner, parameters)
        try:
            invalid = parameter_error(learner)
            trials = [] if invalid else evaluate(learner, start)
        except ValueError as error:  # scikit-learn's errors too, whose first line says what is wrong
            if not self.finished:
                raise
            invalid = (str(error) or type(error).__name__).splitlines()[0]
        if invalid:
            trials = [Trial(parameters, None, None, time.perf_counter() - start, learner, invalid)]
        self.trials += trials
        if self.callback is not None and any(map(self.callback, trials)):
            raise SearchEndedError
        return max((trial.value for trial in trials if trial.value is not None), default=None)

    def _check_time(self) -> None:
        if self.budget.is_exhausted:
            raise SearchEndedError


class _BestSoFar:
    """Best validation value of each fold so far."""

    def __init__(self) -> None:
        self._values = dict[int, float]()

    def update(self, fold: int, value: float) -> None:
        self._values[fold] = max(value, self._values.get(fold, value))

    @property
    def mean(self) -> float:
        """Mean over the folds so far."""
        return float(np.mean([*self._values.values()]))


def _make_trial(parameters: dict[str, Any], values: Floats, seconds: float, learner: Any) -> Trial:
    standard_error = float(values.std(ddof=1) / np.sqrt(values.size)) if values.size > 1 else 0.0
    return Trial(parameters, float(values.mean()), standard_error, seconds, learner, values=values)


def _value(trial: Trial) -> float:
    assert trial.value is not None
    return trial.value


def _no_value(trials: Sequence[Trial], seconds: float | None) -> str:
    """Error message if no trial has a value."""
    errors = [trial.error for trial in trials if trial.error is not None]
    if errors:
        return f"all {len(trials)} trials were invalid; the first: {errors[0]}"
    return "no trial was finished" if seconds is None else f"no trial was finished within {seconds:g} s; allow more time"
