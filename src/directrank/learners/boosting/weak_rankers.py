"""What AdaRank asks of its weak rankers, and of where they come from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ...arrays import Floats
from ...data import InputError
from ...measures import name_of
from ...models import Model
from ..core.monitoring import EQUAL_VALUES
from ..core.task import Task

if TYPE_CHECKING:
    from .distribution import BoostedModel


class WeakRanker(Protocol):
    """A weak ranker h, as a value that goes to the shards and is equal only to itself."""

    @property
    def feature(self) -> int | None:
        """Which feature it is, if it is one."""

    @property
    def direction(self) -> float:
        """1, or -1 for a feature in reverse."""

    def scores(self, task: Task) -> Floats:
        """The score h(x) of each document, in query order."""

    def values(self, task: Task) -> Floats:
        """E(q, h) of each query."""


class Candidates(Protocol):
    """Weak rankers that are known before the first round, as a value that goes to the shards."""

    def values(self, task: Task) -> Floats:
        """E(q, h): a row for each of them, a column for each query."""


class NoCandidates:
    """None: each weak ranker is known only when its round has come."""

    def values(self, task: Task) -> Floats:
        return np.empty((0, task.n_queries))


class WeakRankers(ABC):
    """Where weak rankers come from.

    Attributes
    ----------
    candidates : Candidates
        Those whose phi each model is to know, so that `best` need not go to the shards for them.
    has_others : bool
        Whether `best` has another one to give where the last did not improve the model.
    called : str
        What they are, in a sentence.
    advice : str
        What to try where none is of use.
    """

    candidates: Candidates
    has_others: bool
    called: str
    advice: str

    @abstractmethod
    def best(self, model: BoostedModel) -> tuple[WeakRanker, float]:
        r"""The weak ranker for the distribution P that a model leaves, and its :math:`\varphi = \sum_q P(q) E(q, h)`."""

    @abstractmethod
    def tried(self, weak: WeakRanker, improves: bool) -> None:
        """Hear whether a weak ranker improved the model."""

    @abstractmethod
    def as_model(self, steps: list[tuple[WeakRanker, float]]) -> Model:
        """The sum of weak rankers, each with its weight."""


def check_range(values: Floats, task: Task) -> Floats:
    """The values, if all are from -1 to 1."""
    outside = values[np.abs(values) > 1 + EQUAL_VALUES]
    if outside.size:
        measure = name_of(task.bound.measure)
        raise InputError(f"AdaRank needs a measure with values in [-1, 1], and {measure} has {outside[0]:.4g} here")
    return values
