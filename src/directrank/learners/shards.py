"""Where the rows live: shards of whole queries, here or elsewhere, that learners reach through two calls."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..data import InputError, RankingData
from ..measures import Evaluates
from .task import (
    Task,
    count_documents,
    count_queries,
    divide_weights,
    graded_only,
    informative_only,
    make_task,
    sum_of_weights,
)


class Shards(ABC):
    """Tasks of whole queries that may live anywhere.

    A *step* is a module-level pure function whose first argument is a `Task`. It may remember things on the task, but
    only what it could compute again from its arguments, so that a shard that is lost and made anew changes nothing.

    Attributes
    ----------
    n_features : int
    """

    n_features: int

    @abstractmethod
    def each(self, step: Callable[..., Any], *args: Any) -> list[Any]:
        """``step(task, *args)`` of every shard, in the order of the shards."""

    @abstractmethod
    def map(self, change: Callable[..., Task], *args: Any) -> Shards:
        """Shards of the changed tasks, ``change(task, *args)``."""

    def total(self, step: Callable[..., Any], *args: Any) -> Any:
        """The sum of a step over the shards, in their order: of numbers, arrays, or tuples of them."""
        first, *others = self.each(step, *args)
        for other in others:
            first = tuple(map(_add, first, other)) if isinstance(first, tuple) else _add(first, other)
        return first


class Here(Shards):
    """Shards in this process.

    Parameters
    ----------
    tasks : sequence of Task
    """

    def __init__(self, tasks: Sequence[Task]) -> None:
        widths = {int(task.X.shape[1]) for task in tasks}
        if len(widths) != 1:
            raise InputError(f"shards must be of one width, not {sorted(widths)}" if widths else "there is no shard")
        self.tasks = [task if task.number == i else replace(task, number=i) for i, task in enumerate(tasks)]
        self.n_features = widths.pop()

    @classmethod
    def of(cls, parts: Iterable[RankingData], measure: Evaluates) -> Here:
        """Shards of data that has been divided between queries."""
        return cls([make_task(d.X, d.y, d.qid, measure) for d in parts])

    def each(self, step: Callable[..., Any], *args: Any) -> list[Any]:
        return [step(task, *args) for task in self.tasks]

    def map(self, change: Callable[..., Task], *args: Any) -> Here:
        return Here([change(task, *args) for task in self.tasks])


def weighted_for_training(shards: Shards) -> Shards:
    """Weights that add up to 1, and are 0 where a query is not informative.

    Where none is, those whose grades differ count: that there is nothing to learn is then for the learner to find and say.
    """
    weighted = shards.map(informative_only)
    return normalized(weighted if weighted.total(sum_of_weights) > 0 else shards.map(graded_only))


def normalized(shards: Shards) -> Shards:
    """Weights that add up to 1."""
    total = shards.total(sum_of_weights)
    if not total > 0:
        raise InputError(
            f"there is nothing to learn from (n_samples={shards.total(count_documents)}): "
            "no query of weight above 0 has documents of different grades"
        )
    return shards.map(divide_weights, total)


def mean_value(shards: Shards, step: Callable[..., float], *args: Any) -> float:
    """The mean over all queries, of a step that sums their values; the queries' weights are 1."""
    return float(shards.total(step, *args) / shards.total(count_queries))


def _add(a: Any, b: Any) -> Any:
    return np.add(a, b) if isinstance(a, np.ndarray) else a + b
