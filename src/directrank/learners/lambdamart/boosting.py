"""Boosting: rounds of trees until no round improves, on shards of any kind."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch
from typing import NamedTuple, Protocol

from ...data import InputError
from ...models import TreesModel
from ..core.rounds import until_best, with_validation
from ..core.shards import LocalShards, Shards
from .boosters import LambdaObjective, make_local_ensemble
from .params import TreeParams

#: Number of rounds without an `eval_set`; maximum number and patience with one.
DEFAULT_ROUNDS, MAX_ROUNDS, PATIENCE = 300, 2000, 100


class LambdaMARTRound(NamedTuple):
    """Values of one round of LambdaMART.

    Attributes
    ----------
    value : float
        Measure of the model so far on the training queries.
    validation : float or None
        Measure of the model so far on the `eval_set`.
    trees : int
        Number of trees so far, of all seeds. A round adds none if its sample of rows and features has no split.
    seconds : float
        Time since boosting began.
    """

    value: float
    validation: float | None
    trees: int
    seconds: float

    def __str__(self) -> str:
        return with_validation(f"{self.value:.4f}", self.validation)


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
    raise InputError(f"LambdaMART has no implementation for {type(training).__name__}; register one with make_ensemble")


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
        cls, n_estimators: int | None, early_stopping_rounds: int | None, has_validation: bool, is_dart: bool
    ) -> RoundLimits:
        """Limits for the parameters of a learner, with defaults where they are None."""
        can_stop = has_validation and not is_dart
        max_rounds = n_estimators or (MAX_ROUNDS if can_stop else DEFAULT_ROUNDS)
        by_default = PATIENCE if n_estimators is None else None
        return cls(max_rounds, (early_stopping_rounds or by_default) if can_stop else None, is_dart)

    def kept(self, history: list[LambdaMARTRound], init_value: float | None) -> list[LambdaMARTRound]:
        """Rounds up to the best one on the validation set; none if the initial model is at least as good."""
        if self.keeps_all:
            return history
        kept = until_best(history)
        best = kept[-1].validation if kept else None
        is_better = best is None or init_value is None or best > init_value
        return kept if is_better else []


def boost(
    ensemble: Ensemble,
    limits: RoundLimits,
    init_value: float | None,
    history: list[LambdaMARTRound],
    on_round: Callable[[int, LambdaMARTRound], None],
) -> None:
    """Grow trees round by round, until the limits say to stop.

    Parameters
    ----------
    ensemble : Ensemble
    limits : RoundLimits
    init_value : float, optional
        Measure of the initial model on the validation set.
    history : list of LambdaMARTRound
        Rounds are appended to it.
    on_round : callable
        Called after each round with its number and its values.
    """
    began, can_split = time.perf_counter(), ensemble.can_split
    for number in range(1, limits.max_rounds + 1):
        if can_split:  # LightGBM takes the lack of splits for an error
            ensemble.grow()
        history.append(LambdaMARTRound(*ensemble.values(), ensemble.end_round(), time.perf_counter() - began))
        on_round(number, history[-1])
        n_waited = len(history) - len(limits.kept(history, init_value))
        if not can_split or (limits.patience is not None and n_waited >= limits.patience):
            break
