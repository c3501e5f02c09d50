"""Where the rows live: shards of whole queries, here or elsewhere, that learners reach through a few calls."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...data import InputError, RankingData
from ...measures import SupportsEvaluate
from .task import (
    Task,
    count_documents,
    divide_weights,
    graded_only,
    informative_only,
    make_task,
    sum_of_weights,
)

#: How often in a row the shards of a step may be lost before it is given up.
MAX_RETRIES = 10


class PerShard:
    """An argument that the shards do not share: each gets its own part.

    Parameters
    ----------
    parts : sequence, or mapping from the numbers of shards
        One for each shard.
    """

    def __init__(self, parts: Sequence[Any] | Mapping[int, Any]) -> None:
        self.parts = parts


@dataclass(eq=False)
class Worker:
    """One rank of a collective computation: the shards it holds, and its connection to the other ranks.

    A process is usually one worker; it may also run several, each on a thread of its own.

    Attributes
    ----------
    tasks : list of Task
        Tasks of its shards, in shard order.
    rank, n_workers : int
        Rank of this worker, counted from 0, and number of workers.
    n_threads : int or None
        Number of threads it may use; None for all cores.
    memory : dict
        State kept between calls. As with `Task.memory`, it may be lost at any time.
    check_peers : callable
        Raises if another worker was lost, in which case results of collectives must be discarded.
    """

    tasks: list[Task]
    rank: int = 0
    n_workers: int = 1
    n_threads: int | None = None
    memory: dict[str, Any] = field(default_factory=dict, repr=False)
    check_peers: Callable[[], None] = lambda: None


class WorkersChangedError(Exception):
    """A worker was lost during a collective: its shards have moved, and the state of all workers is gone."""


class Shards(ABC):
    """Tasks of whole queries that may live anywhere.

    A *step* is a module-level pure function whose first argument is a `Task`. It may remember things on the task, but
    only what it could compute again from its arguments, so that a shard that is lost and made anew changes nothing.

    Attributes
    ----------
    n_features : int
    feature_names : tuple of str, or None
    tasks : list of Task, or None
        Those of the shards, where they are in this process.
    """

    n_features: int
    feature_names: tuple[str, ...] | None = None
    tasks: list[Task] | None = None

    @abstractmethod
    def each(self, step: Callable[..., Any], *args: Any) -> list[Any]:
        """``step(task, *args)`` of every shard, in the order of the shards; of arguments that are `PerShard`, its part."""

    @abstractmethod
    def run_collective(self, work: Callable[..., Any], *args: Any) -> list[Any]:
        """``work(worker, *args)`` on all workers at the same time; results in rank order.

        For libraries that communicate among themselves: while it runs, LightGBM on each worker is connected to LightGBM
        on all others. `work` is a module-level function whose first argument is a `Worker`.

        Raises
        ------
        WorkersChangedError
            If a worker is lost meanwhile.
        """

    @abstractmethod
    def map(self, change: Callable[..., Task], *args: Any) -> Shards:
        """Shards of the changed tasks, ``change(task, *args)``."""

    def total(self, step: Callable[..., Any], *args: Any) -> Any:
        """The sum of a step over the shards, in their order: of numbers, arrays, or tuples of them."""
        return sum_of_parts(self.each(step, *args))


class LocalShards(Shards):
    """Shards in this process.

    Parameters
    ----------
    tasks : sequence of Task
    """

    tasks: list[Task]

    def __init__(self, tasks: Sequence[Task]) -> None:
        widths = {int(task.X.shape[1]) for task in tasks}
        if len(widths) != 1:
            raise InputError(f"shards must be of one width, not {sorted(widths)}" if widths else "there is no shard")
        self.tasks = [task if task.number == i else replace(task, number=i) for i, task in enumerate(tasks)]
        self.n_features = widths.pop()
        self._worker = Worker(self.tasks)

    @classmethod
    def from_data(cls, parts: Iterable[RankingData], measure: SupportsEvaluate) -> LocalShards:
        """Shards of data that has been divided between queries."""
        return cls([make_task(d.X, d.y, d.qid, measure) for d in parts])

    def each(self, step: Callable[..., Any], *args: Any) -> list[Any]:
        return [step(task, *part_of(args, task.number)) for task in self.tasks]

    def run_collective(self, work: Callable[..., Any], *args: Any) -> list[Any]:
        return [work(self._worker, *args)]

    def map(self, change: Callable[..., Task], *args: Any) -> LocalShards:
        return LocalShards([change(task, *part_of(args, task.number)) for task in self.tasks])


def sum_of_parts(parts: Sequence[Any]) -> Any:
    """The sum of what shards gave, in their order: of numbers, arrays, or tuples of them."""
    first, *others = parts
    for other in others:
        first = tuple(map(_add, first, other)) if isinstance(first, tuple) else _add(first, other)
    return first


def part_of(args: Sequence[Any], number: int) -> tuple[Any, ...]:
    """The arguments as one shard gets them."""
    return tuple(arg.parts[number] if isinstance(arg, PerShard) else arg for arg in args)


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
    value, n_queries = shards.total(_with_count, step, args)
    return float(value / n_queries)


def _with_count(task: Task, step: Callable[..., float], args: tuple[Any, ...]) -> tuple[float, int]:
    return step(task, *args), task.n_queries


def _add(a: Any, b: Any) -> Any:
    return np.add(a, b) if isinstance(a, np.ndarray) else a + b
