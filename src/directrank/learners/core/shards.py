"""Shards of whole queries, in this process or on a cluster, which learners reach through a few calls."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...arrays import Floats, Ints
from ...data import InputError, RankingData
from ...measures import SupportsEvaluate
from .content_keys import Keys
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
        Value for each shard. A mapping may lack shards, such as those that another worker holds.
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
    """Tasks of whole queries that may live anywhere: in this process, on a cluster.

    A *step* is a module-level pure function whose first argument is a `Task`. It may remember things on the task, but
    only what it could compute again from its arguments, so that a shard that is lost and made anew changes nothing.

    A subclass implements `each` and `map`, and for LambdaMART `run_collective`. docs/shards.md says what it must promise,
    and `directrank.learners.testing` checks it.

    Attributes
    ----------
    n_features : int
        Number of features, the same in all shards.
    feature_names : tuple of str, or None
    """

    n_features: int
    feature_names: tuple[str, ...] | None = None

    @abstractmethod
    def each(self, step: Callable[..., Any], *args: Any) -> list[Any]:
        """Results of ``step(task, *args)`` on every shard, in their order.

        A `PerShard` among the arguments is replaced by its part: see `args_of_shard`. A step that fails raises its exception
        here. A shard that was lost is made again, and the step repeated on it.
        """

    @abstractmethod
    def map(self, change: Callable[..., Task], *args: Any) -> Shards:
        """Shards with the tasks ``change(task, *args)``, now or when a step first needs them; these stay as they are."""

    def run_collective(self, work: Callable[..., Any], *args: Any) -> list[Any]:
        """``work(worker, *args)`` on all workers at the same time; results in rank order.

        For libraries that communicate among themselves: while it runs, LightGBM on each worker is connected to LightGBM
        on all others. `work` is a module-level function whose first argument is a `Worker`.

        Raises
        ------
        WorkersChangedError
            If a worker is lost meanwhile.
        InputError
            If this kind of shards does not implement it.
        """
        raise InputError(
            f"{type(self).__name__} has no run_collective, for work that workers do together; see docs/shards.md"
        )

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
    """Arguments of a step on one shard: a `PerShard` is replaced by its part.

    Examples
    --------
    >>> args_of_shard((10, PerShard(["a", "b"])), 1)
    (10, 'b')
    """
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
    return int(training.total(_count_informative))


class Folds:
    """Folds of the training queries, dealt by content: shuffled, renamed or put into other shards, queries stay together.

    Queries are dealt one by one in the order of their keys, which is random but does not depend on the order of rows;
    informative queries first, so that each fold has its share of them, and last those that the user gave a weight of 0. The
    queries of a fold are held out by a weight of 0, so no rows are copied.

    Parameters
    ----------
    training : Shards
        At least two of its queries are informative.
    n_folds : int
        Number of folds; at most the number of informative queries.
    """

    def __init__(self, training: Shards, n_folds: int) -> None:
        parts = training.each(_keys_and_turns)
        keys, turns = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        self.training, self.n_folds = training, min(n_folds, int(np.sum(turns == 0)))
        fold = np.empty(keys.size, np.int64)
        fold[np.lexsort((keys, turns))] = np.arange(keys.size) % self.n_folds
        self.fold_of = PerShard(np.split(fold, np.cumsum([part[0].size for part in parts])[:-1]))

    def without(self, fold: int) -> Shards:
        """Queries of all other folds."""
        return normalized(self.training.map(_weigh, fold, False, self.fold_of))

    def only(self, fold: int) -> Shards:
        """Queries of one fold."""
        return normalized(self.training.map(_weigh, fold, True, self.fold_of))

    def value(self, fold: int, w: Floats) -> float:
        """Mean value of a fold's queries, without those that the user gave a weight of 0."""
        total, n_queries = self.training.total(_value_in_fold, w, fold, self.fold_of)
        return float(total / n_queries)


def _count_informative(task: Task) -> int:
    return int(np.sum(task.weights > 0))


def _keys_and_turns(task: Task) -> tuple[Keys, Ints]:
    """Content keys of the queries, and the turn in which each is dealt."""
    return task.keys, np.where(task.weights > 0, 0, np.where(task.given > 0, 1, 2))


def _weigh(task: Task, fold: int, inside: bool, fold_of: Ints) -> Task:
    """Task with weight 0 for the queries outside a fold, or inside; also for a learner that weights them anew."""
    counts = (fold_of == fold) == inside
    return replace(task, given=task.given * counts, weights=task.weights * counts, memory={})


def _value_in_fold(task: Task, w: Floats, fold: int, fold_of: Ints) -> tuple[float, int]:
    values = task.bound.evaluate(task.operator.matvec(w))
    mine = values[(fold_of == fold) & (task.given > 0)]
    return float(mine.sum()), int(mine.size)
