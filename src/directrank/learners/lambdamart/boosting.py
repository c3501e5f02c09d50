"""Boosting: rounds of trees until no round improves, on shards of any kind."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import Protocol

import numpy as np

from ...data import InputError
from ...models import TreesModel
from ..core.monitoring import TrainingMonitor, first_best
from ..core.shards import LocalShards, Shards
from ..core.validation import VALIDATION
from ..core.watchlist import Evals
from .boosters import LambdaObjective, make_local_ensemble
from .params import TreeParams

#: Number of rounds where no queries are held out, which takes at most twice the time of LightGBM's 100, and maximum number
#: where some are.
DEFAULT_ROUNDS, MAX_ROUNDS = 180, 2000

#: Number of rounds without improvement before training stops: the first number plus the second divided by the number of
#: validation queries. The value of a few queries jumps, and an early round may be the best by luck.
PATIENCE, PATIENCE_OF_ONE_QUERY = 100, 1500


class Ensemble(Protocol):
    """Trees of several seeds, grown round by round from shards of some kind; their scores are averaged.

    A kind of `Shards` supplies its own by registering a function with `make_ensemble`.
    """

    @property
    def can_split(self) -> bool:
        """Whether any feature can be split on."""

    def grow(self) -> None:
        """Grow the next round: a tree for each seed."""

    def values(self) -> tuple[float, float | None]:
        """Measure of the mean scores so far, on the training queries and on the validation set."""

    def end_round(self) -> int:
        """Record the round; returns the number of trees so far, of all seeds."""

    def evals(self) -> Evals | None:
        """Values on the watchlist after the round; None without one."""

    def model(self, n_rounds: int) -> TreesModel:
        """Model of the first rounds; of DART, always of all rounds."""


@singledispatch
def make_ensemble(
    training: Shards, validation: Shards | None, params: TreeParams, objective: LambdaObjective, max_rounds: int
) -> Ensemble:
    """Ensemble that grows from a kind of shards.

    Parameters
    ----------
    training, validation : Shards
    params : TreeParams
    objective : LambdaObjective
    max_rounds : int
        Maximum number of rounds.
    """
    raise InputError(f"LambdaMART cannot grow trees from {type(training).__name__}; register a function with make_ensemble")


@make_ensemble.register(LocalShards)
def _make_local_ensemble(
    training: LocalShards, validation: LocalShards | None, params: TreeParams, objective: LambdaObjective, max_rounds: int
) -> Ensemble:
    return make_local_ensemble(training, validation, params, objective)


@dataclass(frozen=True)
class RoundLimits:
    """When boosting stops, and which rounds the model keeps.

    Attributes
    ----------
    max_rounds : int
    patience : int or None
        Number of rounds without improvement on the validation set before boosting stops; None for no early stopping.
    keeps_all : bool
        Whether the model keeps all rounds: with DART, later rounds change earlier trees.
    """

    max_rounds: int
    patience: int | None
    keeps_all: bool

    @classmethod
    def choose(
        cls, n_estimators: int | None, early_stopping_rounds: int | None, n_validation_queries: int, is_dart: bool
    ) -> RoundLimits:
        """Limits for the parameters of a learner, with defaults where they are None."""
        can_stop = n_validation_queries > 0 and not is_dart
        max_rounds = n_estimators or (MAX_ROUNDS if can_stop else DEFAULT_ROUNDS)
        by_default = PATIENCE + PATIENCE_OF_ONE_QUERY // max(n_validation_queries, 1) if n_estimators is None else None
        return cls(max_rounds, (early_stopping_rounds or by_default) if can_stop else None, is_dart)

    def kept(self, monitor: TrainingMonitor, init_value: float | None) -> int:
        """Number of rounds up to the best one; 0 if the initial model is at least as good on the validation set."""
        if self.keeps_all:
            return len(monitor.history)
        kept = monitor.best_round()
        best = monitor.history[kept - 1].evals.get(VALIDATION, {}).get(monitor.measure) if kept else None
        is_better = best is None or init_value is None or best > init_value
        return kept if is_better else 0


def boost(ensemble: Ensemble, limits: RoundLimits, init_value: float | None, monitor: TrainingMonitor) -> None:
    """Grow trees round by round, until the limits say to stop.

    Parameters
    ----------
    ensemble : Ensemble
    limits : RoundLimits
    init_value : float, optional
        Measure of the initial model on the validation set.
    monitor : TrainingMonitor
        Gets each round, and may end the training.
    """
    can_split, monitor.n_steps = ensemble.can_split, None if limits.patience else limits.max_rounds
    for _ in range(limits.max_rounds):
        if can_split:  # LightGBM takes the lack of splits for an error
            ensemble.grow()
        training, validation = ensemble.values()
        info, evals = {"trees": ensemble.end_round()}, ensemble.evals()
        if monitor.round(training=training, validation=validation, info=info, evals=evals) or not can_split:
            break
        n_waited = len(monitor.history) - limits.kept(monitor, init_value)
        if limits.patience is not None and n_waited >= limits.patience:
            break


def validation_values(ensemble: Ensemble, limits: RoundLimits) -> list[float]:
    """Validation values of the rounds that limits allow, of an ensemble whose rounds nobody watches."""
    values: list[float] = []
    for number in range(1, (limits.max_rounds if ensemble.can_split else 0) + 1):
        ensemble.grow()
        _, value = ensemble.values()
        ensemble.end_round()
        if value is None:
            break
        values.append(value)
        if limits.patience is not None and number - first_best(np.array(values)) > limits.patience:
            break
    return values
