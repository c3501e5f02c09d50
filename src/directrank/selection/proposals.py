"""Proposals of parameters to try: all points of a small grid, or suggestions by Optuna with pruning."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, Protocol

from ..data import InputError
from ..learners.search_space import Between, OneOf

Space = Mapping[str, Between | OneOf]

#: Number of rounds between two checks whether to prune a trial.
PRUNING_INTERVAL = 25

#: A trial is pruned if this fraction of the earlier trials had a higher value at the same round.
PRUNING_QUANTILE = 0.75

#: Number of earlier trials that pruning needs.
N_STARTUP_TRIALS = 5


class Proposal(Protocol):
    """Parameters to try."""

    parameters: dict[str, Any]

    def should_prune(self, fold: int, round_number: int, value: float) -> bool:
        """Whether to prune the trial, given the best value up to a round of the training on a fold."""

    def finish(self, value: float | None) -> None:
        """Record the value of the trial; None if it was pruned or invalid."""


def is_small_grid(space: Space, n_trials: int) -> bool:
    """Whether all combinations of values can be tried."""
    counts = [len(values.values) for values in space.values() if isinstance(values, OneOf)]
    return len(counts) == len(space) and math.prod(counts) <= n_trials


def check_optuna() -> None:
    """Raise an error if Optuna is not installed."""
    try:
        import optuna  # noqa: F401
    except ImportError as error:
        raise InputError("this search needs Optuna: pip install 'directrank[tune]'") from error


def proposals(space: Space, n_trials: int, random_state: int) -> Iterator[Proposal]:
    """Proposals, each of which must be finished before the next is drawn."""
    if is_small_grid(space, n_trials):
        for point in product(*(values.values for values in space.values() if isinstance(values, OneOf))):
            yield _GridPoint(dict(zip(space, point, strict=True)))
        return
    study, history = _make_study(random_state), PruningHistory()
    for _ in range(n_trials):
        yield _OptunaProposal(study, study.ask(_distributions(space)), history)


class PruningHistory:
    """Values of earlier trials at each checked round of each fold.

    Optuna's own pruners compare the best value over all rounds of a trial, so a trial that did well on an easy fold could
    not be pruned on a hard one.
    """

    def __init__(self) -> None:
        self.values: defaultdict[tuple[int, int], list[float]] = defaultdict(list)
        self.pruned: list[tuple[int, int]] = []

    def should_prune(self, fold: int, round_number: int, value: float) -> bool:
        """Record the value of a trial at a round; whether most earlier trials were better.

        Trials that were pruned before count as worse. Otherwise the worst of the rest would be pruned at each check.
        """
        checkpoint, earlier = (fold, round_number), self.values[fold, round_number]
        n_trials = len(earlier) + sum(end < checkpoint for end in self.pruned)
        n_better = sum(each > value for each in earlier)
        is_pruned = n_trials >= N_STARTUP_TRIALS and n_better >= PRUNING_QUANTILE * n_trials
        earlier.append(value)
        if is_pruned:
            self.pruned.append(checkpoint)
        return is_pruned


class _GridPoint:
    """One combination of values; never pruned."""

    def __init__(self, parameters: dict[str, Any]) -> None:
        self.parameters = parameters

    def should_prune(self, fold: int, round_number: int, value: float) -> bool:
        return False

    def finish(self, value: float | None) -> None:
        pass


class _OptunaProposal:
    """A suggestion of Optuna's sampler."""

    def __init__(self, study: Any, trial: Any, history: PruningHistory) -> None:
        self.study, self.trial, self.history, self.parameters = study, trial, history, dict(trial.params)

    def should_prune(self, fold: int, round_number: int, value: float) -> bool:
        return round_number % PRUNING_INTERVAL == 0 and self.history.should_prune(fold, round_number, value)

    def finish(self, value: float | None) -> None:
        from optuna.trial import TrialState

        self.study.tell(self.trial, value, state=TrialState.PRUNED if value is None else TrialState.COMPLETE)


def _make_study(random_state: int) -> Any:
    import optuna

    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)  # otherwise it logs the creation of the study
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
