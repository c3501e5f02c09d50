"""What parameters to try next: all combinations of a few values, or what Optuna proposes."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, Protocol

from ..data import InputError
from ..learners.search_space import Between, OneOf

Space = Mapping[str, Between | OneOf]

#: Trials are compared every so many rounds.
COMPARED_EVERY = 25

#: One is given up if this share of the earlier ones was better at the same round ...
BETTER = 0.75

#: ... of which there must be so many.
FIRST_TRIALS = 5


class Proposal(Protocol):
    """Parameters to try."""

    parameters: dict[str, Any]

    def is_hopeless(self, part: int, number: int, value: float) -> bool:
        """Whether to give up, for the best value until round `number` of the training on a part of the data."""

    def end(self, value: float | None) -> None:
        """Say what was reached; None if the trial was given up or refused."""


def can_all_be_tried(space: Space, n_trials: int) -> bool:
    """Whether so many trials are enough for all combinations of values."""
    counts = [len(values.values) for values in space.values() if isinstance(values, OneOf)]
    return len(counts) == len(space) and math.prod(counts) <= n_trials


def check_optuna() -> None:
    """Refuse, before any work, a search that needs Optuna where there is none."""
    try:
        import optuna  # noqa: F401
    except ImportError as error:
        raise InputError("this search needs Optuna: pip install 'directrank[tune]'") from error


def proposals(space: Space, n_trials: int, random_state: int) -> Iterator[Proposal]:
    """Proposals, each to be ended before the next is asked for."""
    if can_all_be_tried(space, n_trials):
        for values in product(*(of.values for of in space.values() if isinstance(of, OneOf))):
            yield _Combination(dict(zip(space, values, strict=True)))
        return
    study, earlier = _study(random_state), Earlier()
    for _ in range(n_trials):
        yield _Suggestion(study, study.ask(_distributions(space)), earlier)


class Earlier:
    """What earlier trials had reached, round by round of each part of the data.

    Optuna's pruners take the best value of all rounds of a trial for that of the present one, so that none which did well
    on an easy part of the data could fail on a hard one.
    """

    def __init__(self) -> None:
        self.values: defaultdict[tuple[int, int], list[float]] = defaultdict(list)
        self.given_up: list[tuple[int, int]] = []

    def are_better(self, part: int, number: int, value: float) -> bool:
        """Whether most were better than a trial that has come to a round, and it is given up; its value is kept.

        Those that were given up before count as worse, lest the worst of those that are left be given up in each round.
        """
        here, known = (part, number), self.values[part, number]
        n_trials = len(known) + sum(end < here for end in self.given_up)
        hopeless = n_trials >= FIRST_TRIALS and sum(each > value for each in known) >= BETTER * n_trials
        known.append(value)
        if hopeless:
            self.given_up.append(here)
        return hopeless


class _Combination:
    """One of all."""

    def __init__(self, parameters: dict[str, Any]) -> None:
        self.parameters = parameters

    def is_hopeless(self, part: int, number: int, value: float) -> bool:
        return False

    def end(self, value: float | None) -> None:
        pass


class _Suggestion:
    """A trial of Optuna's."""

    def __init__(self, study: Any, trial: Any, earlier: Earlier) -> None:
        self.study, self.trial, self.earlier, self.parameters = study, trial, earlier, dict(trial.params)

    def is_hopeless(self, part: int, number: int, value: float) -> bool:
        return number % COMPARED_EVERY == 0 and self.earlier.are_better(part, number, value)

    def end(self, value: float | None) -> None:
        from optuna.trial import TrialState

        self.study.tell(self.trial, value, state=TrialState.PRUNED if value is None else TrialState.COMPLETE)


def _study(random_state: int) -> Any:
    import optuna

    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)  # it would print that there is a study
    try:
        sampler = optuna.samplers.TPESampler(seed=random_state)
        return optuna.create_study(direction="maximize", sampler=sampler, pruner=optuna.pruners.NopPruner())
    finally:
        optuna.logging.set_verbosity(before)


def _distributions(space: Space) -> dict[str, Any]:
    from optuna import distributions

    found: dict[str, Any] = {}
    for name, values in space.items():
        if isinstance(values, OneOf):
            found[name] = distributions.CategoricalDistribution(values.values)
        else:
            kind: Any = distributions.IntDistribution if values.whole else distributions.FloatDistribution
            found[name] = kind(values.low, values.high, log=values.log)
    return found
