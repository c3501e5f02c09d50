"""Shards of whole queries, in this process or on a cluster, which learners reach through a few calls."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...data import InputError, RankingData
from ...measures import SupportsEvaluate
from .task import (
    Task,
    count_documents,
    divide_weights,
    graded_only,
    informative_only,
    make_task,
    rebind,
    sum_of_weights,
)

#: Number of times in a row that the shards of a step may be lost before it fails.
MAX_RETRIES = 10


class PerShard:
    """Argument of a step that differs from shard to shard.

    Parameters
    ----------
    parts : sequence, or mapping from the numbers of shards
        Value for each shard.
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
        Tasks of the shards, if they are in this process.
    """

    n_features: int
    feature_names: tuple[str, ...] | None = None
    tasks: list[Task] | None = None

    @abstractmethod
    def each(self, step: Callable[..., Any], *args: Any) -> list[Any]:
        """Results of ``step(task, *args)`` on every shard, in their order; a `PerShard` argument is replaced by its part."""

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
        """Shards with the tasks ``change(task, *args)``."""

    def total(self, step: Callable[..., Any], *args: Any) -> Any:
        """Sum of a step's results over the shards, in their order: numbers, arrays, or tuples of them."""
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
        """One shard for each part of the data; no query may be in two parts."""
        return cls([make_task(d.X, d.y, d.qid, measure) for d in parts])

    def each(self, step: Callable[..., Any], *args: Any) -> list[Any]:
        return [step(task, *args_of_shard(args, task.number)) for task in self.tasks]

    def run_collective(self, work: Callable[..., Any], *args: Any) -> list[Any]:
        return [work(self._worker, *args)]

    def map(self, change: Callable[..., Task], *args: Any) -> LocalShards:
        return LocalShards([change(task, *args_of_shard(args, task.number)) for task in self.tasks])


def sum_of_parts(parts: Sequence[Any]) -> Any:
    """Sum of the results of shards, in their order: numbers, arrays, or tuples of them."""
    first, *others = parts
    for other in others:
        first = tuple(map(_add, first, other)) if isinstance(first, tuple) else _add(first, other)
    return first


def args_of_shard(args: Sequence[Any], number: int) -> tuple[Any, ...]:
    """Arguments of a step on one shard."""
    return tuple(arg.parts[number] if isinstance(arg, PerShard) else arg for arg in args)


def weighted_for_training(shards: Shards) -> Shards:
    """Shards with weights that add up to 1, and are 0 for queries that are not informative.

    If no query is informative, those with documents of different grades count, and the learner says what it cannot learn.
    """
    weighted = shards.map(informative_only)
    return normalized(weighted if weighted.total(sum_of_weights) > 0 else shards.map(graded_only))


def normalized(shards: Shards) -> Shards:
    """Shards with weights that add up to 1."""
    total = shards.total(sum_of_weights)
    if not total > 0:
        raise InputError(
            f"there is nothing to learn from (n_samples={shards.total(count_documents)}): "
            "no query of weight above 0 has documents of different grades"
        )
    return shards.map(divide_weights, total)


def mean_value(shards: Shards, step: Callable[..., float], *args: Any) -> float:
    """Weighted mean over the queries, for a step that gives their weighted sum."""
    value, weight = shards.total(_with_weight, step, args)
    return float(value / weight)


def mean_over_all(training: Shards, measure: SupportsEvaluate) -> tuple[float, float]:
    """Affine map from the mean over informative queries to the mean over all queries: its constant and its factor.

    Queries that are not informative have the same value in any order.
    """
    learned, total, others = training.total(_parts_of_mean, measure)
    return (float(others / total), float(learned / total)) if np.isfinite(others) else (0.0, 1.0)


def _parts_of_mean(task: Task, measure: SupportsEvaluate) -> Floats:
    """Total weight of informative queries and of all queries, and the weighted sum of the other queries' values."""
    others = (task.weights == 0) & (task.given > 0)
    values = rebind(task, measure).bound.evaluate(np.zeros(task.n_documents)) if others.any() else np.zeros(task.n_queries)
    return np.array([task.given[task.weights > 0].sum(), task.given.sum(), np.sum(task.given[others] * values[others])])


def _with_weight(task: Task, step: Callable[..., float], args: tuple[Any, ...]) -> tuple[float, float]:
    return step(task, *args), sum_of_weights(task)


def _add(a: Any, b: Any) -> Any:
    return np.add(a, b) if isinstance(a, np.ndarray) else a + b


def count_informative(training: Shards) -> int:
    """Number of queries to learn from."""
    return int(np.sum([informative for informative, _ in training.each(_count)]))


class Folds:
    """Folds of the training queries; informative queries are assigned first, so that each fold has its share of them.

    The queries of a fold are held out by a weight of 0, so no rows are copied.

    Parameters
    ----------
    training : Shards
        At least two of its queries are informative.
    n_folds : int
        Number of folds; at most the number of informative queries.
    """

    def __init__(self, training: Shards, n_folds: int) -> None:
        counts = np.array(training.each(_count))
        n_informative = int(counts[:, 0].sum())
        self.training, self.n_folds = training, min(n_folds, n_informative)
        self.first_numbers = np.cumsum(counts, axis=0) - counts + [0, n_informative]

    def without(self, fold: int) -> Shards:
        """Queries of all other folds."""
        return normalized(self.training.map(_weigh, fold, False, self.first_numbers, self.n_folds))

    def only(self, fold: int) -> Shards:
        """Queries of one fold."""
        return normalized(self.training.map(_weigh, fold, True, self.first_numbers, self.n_folds))

    def value(self, fold: int, w: Floats) -> float:
        """Mean value of a fold's queries, without those that the user gave a weight of 0."""
        total, n_queries = self.training.total(_value_in_fold, w, fold, self.first_numbers, self.n_folds)
        return float(total / n_queries)


def _count(task: Task) -> tuple[int, int]:
    """Number of informative queries, and of others."""
    informative = int(np.sum(task.weights > 0))
    return informative, task.n_queries - informative


def _in_fold(task: Task, fold: int, first_numbers: Ints, n_folds: int) -> Bools:
    """Mask of the queries of a fold; `first_numbers` are those of a shard's informative queries and of its others."""
    number = np.empty(task.n_queries, np.int64)
    for which, first in zip((task.weights > 0, task.weights == 0), first_numbers[task.number], strict=True):
        number[which] = first + np.arange(which.sum())
    return number % n_folds == fold


def _weigh(task: Task, fold: int, inside: bool, first_numbers: Ints, n_folds: int) -> Task:
    """Task with weight 0 for the queries outside a fold, or inside; also for a learner that weights them anew."""
    counts = _in_fold(task, fold, first_numbers, n_folds) == inside
    return replace(task, given=task.given * counts, weights=task.weights * counts, memory={})


def _value_in_fold(task: Task, w: Floats, fold: int, first_numbers: Ints, n_folds: int) -> tuple[float, int]:
    values = task.bound.evaluate(task.queries.to_query_order(task.operator.matvec(w)))
    mine = values[_in_fold(task, fold, first_numbers, n_folds) & (task.given > 0)]
    return float(mine.sum()), int(mine.size)
