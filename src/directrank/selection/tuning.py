"""Hyperparameter search."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np

from ..arrays import Floats
from ..data import InputError, RankingData
from ..evaluation.named_measures import MeasureLike
from ..learners.core.monitoring import Progress
from ..learners.search_space import AlongPath, Between, OneOf, SearchSpace
from ..measures import as_measure, name_of
from .judging import measure_of
from .proposals import Proposal, can_all_be_tried, check_optuna, proposals
from .time_budget import TimeBudget
from .training import set_parameters
from .trials import Parts, Trial

#: How many values of C a path has, where only their range is given.
ALONG_PATH = 13

#: Told of each trial when it has ended.
TellTrial = Callable[[Trial], None]


@dataclass(frozen=True, eq=False)
class Tuning:
    """What a search for parameters has found; `tune` makes it.

    Attributes
    ----------
    learner : estimator
        With the best parameters, not fitted. After a cross-validation it is ready for all queries at once, without a
        validation set: the number of rounds is the median of those that the folds chose.
    measure : str
        What decides.
    best : Trial
        That of the highest value.
    trials : list of Trial
        All, in their order.
    interrupted : bool
        Whether Ctrl-C ended the search.
    """

    learner: Any
    measure: str
    best: Trial
    trials: list[Trial]
    interrupted: bool

    def leading(self, n: int = 5) -> list[Trial]:
        """The best trials."""
        finished = [trial for trial in self.trials if trial.value is not None]
        return sorted(finished, key=lambda trial: -_value(trial))[:n]

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
    tell: TellTrial | None = None,
) -> Tuning:
    """Search for the best parameters of a learner.

    The first trial is the learner as it is. Where all values can be tried within `n_trials`, they are; else Optuna
    proposes them (extra ``tune``; the tree-structured Parzen estimator), and gives up trials that are among the worst
    quarter at the same round. A combination that the learner refuses is kept as a trial without a value. The models of all
    C of a linear SVM come from one path, without Optuna, for little more than the price of one.

    The value of the best trial is the best of many by the same queries, and so too high for what to expect: measure the
    model on queries that the search has not seen.

    Parameters
    ----------
    learner : estimator
        It stays as it is; what is not in the space keeps the value it has.
    data : RankingData
        With queries, in any order.
    measure : name or measure, optional
        What decides; by default the one that the learner optimises.
    validation : RankingData, optional
        What trials are measured by, and choose their rounds by; without it they are cross-validated (see
        `cross_validate`).
    space : dict, optional
        For the names of parameters, what to try: `Between` two numbers, or `OneOf` some values. By default the learner's
        own `search_space`.
    n_trials : int
        How many trials there are after the first.
    seconds : float, optional
        No trial goes on for longer.
    n_folds : int
        At least 3.
    random_state : int
        The seed of the search, and that by which queries are dealt out to folds. Without `seconds`, the same seed gives
        the same trials.
    tell : callable, optional
        Called with each trial.

    Examples
    --------
    >>> from directrank import RankSVM
    >>> from directrank.datasets import make_ranking
    >>> found = tune(RankSVM(), make_ranking(40, random_state=0), space={"C": OneOf((0.1, 1.0, 10.0))})
    >>> [trial.parameters for trial in found.trials]
    [{}, {'C': 0.1}, {'C': 1.0}, {'C': 10.0}]
    """
    decides = as_measure(measure_of(learner) if measure is None else measure)
    wanted = _checked(learner, getattr(learner, "search_space", {}) if space is None else space)
    proposed = {name: values for name, values in wanted.items() if not isinstance(values, AlongPath)}
    if not can_all_be_tried(proposed, n_trials):
        check_optuna()
    search = _ParameterSearch(learner, Parts(data, validation, n_folds, random_state, decides), TimeBudget(seconds), tell)
    interrupted = False
    try:
        search.attempt({})
        for proposal in proposals(proposed, n_trials, random_state):
            search.follow(proposal, wanted)
    except TimeOverError:
        pass
    except KeyboardInterrupt:
        if not search.finished:
            raise
        interrupted = True
    finished = search.finished
    if not finished and search.refusals:
        raise InputError(f"all {len(search.trials)} trials were refused; the first: {search.refusals[0]}")
    if not finished:
        raise InputError(f"no trial ended within {seconds:g} s; give the search more time")
    best = max(finished, key=_value)
    return Tuning(best.learner, name_of(decides), best, search.trials, interrupted)


class TimeOverError(Exception):
    """The search has had its time."""


class HopelessError(Exception):
    """A trial is among the worst."""


class _ParameterSearch:
    """The trials so far."""

    def __init__(self, learner: Any, parts: Parts, budget: TimeBudget, tell: TellTrial | None) -> None:
        self.learner, self.parts, self.budget, self.tell = learner, parts, budget, tell
        self.trials: list[Trial] = []

    @property
    def finished(self) -> list[Trial]:
        """Trials that have a value."""
        return [trial for trial in self.trials if trial.value is not None]

    @property
    def refusals(self) -> list[str]:
        """Why trials were refused."""
        return [trial.refusal for trial in self.trials if trial.refusal is not None]

    def follow(self, proposal: Proposal, space: SearchSpace) -> None:
        """Try what is proposed, along the path of C if the learner has one with these parameters."""
        name, Cs = next(((name, values.Cs) for name, values in space.items() if isinstance(values, AlongPath)), ("", None))
        own = getattr(set_parameters(self.learner, proposal.parameters), "search_space", {})
        if isinstance(own.get(name), AlongPath):
            proposal.end(self.attempt_path(proposal.parameters, name, Cs))
            return
        tried = [{**proposal.parameters, name: C} for C in Cs] if Cs else [proposal.parameters]
        values = [self.attempt(parameters, proposal.is_hopeless) for parameters in tried]
        proposal.end(max((value for value in values if value is not None), default=None))

    def attempt(
        self, parameters: dict[str, Any], is_hopeless: Callable[[int, int, float], bool] | None = None
    ) -> float | None:
        """The value of some parameters; None if it is given up or refused."""
        progress = _Progress(is_hopeless)

        def on_step(part: int, step: Progress) -> None:
            self._check_time()
            progress.see(part, step.step, next(iter(step.evals.get("validation", {}).values()), None))

        def examine(learner: Any, began: float) -> list[Trial]:
            try:
                values, ready = self.parts.examine(learner, on_step)
            except HopelessError:
                return [Trial(parameters, None, None, time.perf_counter() - began, learner)]
            return [_trial(parameters, values, time.perf_counter() - began, ready)]

        return self._keep(parameters, examine)

    def attempt_path(self, parameters: dict[str, Any], name: str, Cs: Sequence[float] | None) -> float | None:
        """The highest value of some parameters along the path of C; None if they are refused."""

        def examine(learner: Any, began: float) -> list[Trial]:
            found = self.parts.examine_path(learner, Cs, self._check_time)
            seconds = (time.perf_counter() - began) / len(found)
            tried = {C: {**parameters, name: C} for C in found}
            return [_trial(tried[C], values, seconds, set_parameters(learner, tried[C])) for C, values in found.items()]

        return self._keep(parameters, examine)

    def _keep(self, parameters: dict[str, Any], examine: Callable[[Any, float], list[Trial]]) -> float | None:
        """The highest value of the trials of some parameters, which are kept; so is their refusal.

        What a learner says of its data, before it has learned anything with any parameters, is no refusal of parameters.
        """
        self._check_time()
        began, learner = time.perf_counter(), set_parameters(self.learner, parameters)
        try:
            refusal = _refusal(learner)
            ended = [] if refusal else examine(learner, began)
        except ValueError as error:  # also scikit-learn's, of which the first line says what is wrong
            if all(trial.value is None for trial in self.trials):
                raise
            refusal = (str(error) or type(error).__name__).splitlines()[0]
        if refusal:
            ended = [Trial(parameters, None, None, time.perf_counter() - began, learner, refusal)]
        for trial in ended:
            self.trials.append(trial)
            if self.tell is not None:
                self.tell(trial)
        return max((trial.value for trial in ended if trial.value is not None), default=None)

    def _check_time(self) -> None:
        if self.budget.is_over:
            raise TimeOverError


class _Progress:
    """How far a trial has come, for whoever may give it up.

    What counts is the mean, over the parts of the data so far, of the best value on the validation set of each.
    """

    def __init__(self, is_hopeless: Callable[[int, int, float], bool] | None) -> None:
        self.is_hopeless, self.best = is_hopeless, dict[int, float]()

    def see(self, part: int, number: int, value: float | None) -> None:
        if value is None or self.is_hopeless is None:
            return
        self.best[part] = max(value, self.best.get(part, value))
        if self.is_hopeless(part, number, float(np.mean([*self.best.values()]))):
            raise HopelessError


def _trial(parameters: dict[str, Any], values: Floats, seconds: float, learner: Any) -> Trial:
    error = float(values.std(ddof=1) / np.sqrt(values.size)) if values.size > 1 else 0.0
    return Trial(parameters, float(values.mean()), error, seconds, learner)


def _value(trial: Trial) -> float:
    assert trial.value is not None
    return trial.value


def _checked(learner: Any, space: SearchSpace) -> SearchSpace:
    """A space for a learner, with its path of C where that is asked for; an error where it cannot be.

    A value is wrong if it is refused beside other parameters as they are, as they are by default, and at both ends of what
    is tried: what goes with what is for the trials to find out.
    """
    if not space:
        raise InputError(f"{type(learner).__name__} chooses its parameters itself; say what to try instead")
    own = getattr(learner, "search_space", {})
    some = {name: _some_of(values) for name, values in space.items()}
    for name, values in some.items():
        for value in values:
            refusal = _refusal(set_parameters(learner, {name: value}))
            others = _others(learner, some) if refusal else ()
            if refusal and all(_refusal(set_parameters(learner, {**beside, name: value})) for beside in others):
                raise InputError(refusal)
    return {name: _along_path(values) if isinstance(own.get(name), AlongPath) else values for name, values in space.items()}


def _others(learner: Any, some: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """Parameters as they are by default, and at both ends of what is tried."""
    known = signature(type(learner)).parameters.values()
    yield {each.name: each.default for each in known if each.default is not each.empty}
    for end in (0, -1):
        yield {name: values[end] for name, values in some.items() if values}


def _refusal(learner: Any) -> str | None:
    """Why a learner refuses its parameters, if it does; one of another library says so in its training only."""
    check = getattr(learner, "_check_parameters", None)
    try:
        if check is not None:
            check(True)
    except ValueError as error:
        return str(error)
    return None


def _some_of(values: Between | OneOf | AlongPath) -> Sequence[Any]:
    """Values that must be right if all are to be."""
    if isinstance(values, Between):
        return (values.low, values.high)
    return values.values if isinstance(values, OneOf) else values.Cs or ()


def _along_path(values: Between | OneOf | AlongPath) -> AlongPath:
    if isinstance(values, AlongPath):
        return values
    if isinstance(values, OneOf):
        return AlongPath(values.values)
    spaced = np.geomspace if values.log else np.linspace
    return AlongPath(spaced(values.low, values.high, ALONG_PATH).tolist())
