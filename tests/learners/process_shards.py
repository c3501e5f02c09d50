"""Shards in processes of their own: a third kind, written from docs/shards.md, with public names only."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any

from directrank import RankingData
from directrank.learners import Shards, Task, args_of_shard, make_task
from directrank.measures import AP

#: On a worker: the rows of shards, and tasks derived from them, by their keys.
_rows: dict[tuple[str, int], RankingData] = {}
_tasks: dict[tuple[str, int, int], Task] = {}


#: Key of the tasks that are made from rows.
FIRST = -1


class LostError(Exception):
    """A worker does not have the rows of a shard."""


class Workers:
    """Processes of one worker each, which are started again when they die."""

    def __init__(self, n: int) -> None:
        self.n, self.pools = n, [self._start() for _ in range(n)]

    def _start(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(1, get_context("spawn"))

    def submit(self, number: int, function: Callable[..., Any], *args: Any) -> Future[Any]:
        pool = self.pools[number % self.n]
        try:
            return pool.submit(function, *args)
        except BrokenProcessPool:
            if self.pools[number % self.n] is pool:
                self.pools[number % self.n] = self._start()
            return self.pools[number % self.n].submit(function, *args)

    def close(self) -> None:
        for pool in self.pools:
            pool.shutdown()


class Source:
    """Parts of data that workers hold, dealt in turn from a first worker on; this process can send them again."""

    names = itertools.count()

    def __init__(self, workers: Workers, parts: Sequence[RankingData], first: int = 0) -> None:
        self.name, self.workers, self.parts, self.first = f"data {next(self.names)}", workers, parts, first
        self.keys, self.live = itertools.count(), weakref.WeakSet()

    def submit(self, number: int, function: Callable[..., Any], *args: Any) -> Future[Any]:
        """Call a function on the worker of a shard."""
        return self.workers.submit(number + self.first, function, *args)


class ProcessShards(Shards):
    """Shards of a source: the changes from its rows to their tasks, which workers make when a step first needs them."""

    def __init__(self, source: Source, before: ProcessShards | None = None, *change: Any) -> None:
        self.source, self.before, self.key = source, before, next(source.keys)
        self.changes: tuple[Any, ...] = () if before is None else (*before.changes, (self.key, *change))
        self.n_features, self.feature_names = source.parts[0].n_features, tuple(source.parts[0].feature_names)
        source.live.add(self)

    def each(self, step: Callable[..., Any], *args: Any) -> list[Any]:
        running = [self._submit(number, step, args) for number in range(len(self.source.parts))]
        return [self._result(number, future, step, args) for number, future in enumerate(running)]

    def map(self, change: Callable[..., Task], *args: Any) -> ProcessShards:
        return type(self)(self.source, self, change, args)

    def _submit(self, number: int, step: Callable[..., Any], args: tuple[Any, ...]) -> Future[Any]:
        live = frozenset(shards.key for shards in self.source.live)
        return self.source.submit(number, run, self.source.name, number, live, self.changes, step, args)

    def _result(self, number: int, future: Future[Any], step: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        while True:
            try:
                return future.result()
            except (LostError, BrokenProcessPool):
                self.source.submit(number, load, self.source.name, number, self.source.parts[number])
                future = self._submit(number, step, args)


def load(name: str, number: int, data: RankingData) -> None:
    _rows[name, number] = data


def run(name: str, number: int, live: frozenset[int], changes: Any, step: Callable[..., Any], args: Any) -> Any:
    """Run a step on the task at the end of some changes."""
    if (name, number) not in _rows:
        raise LostError
    for known in list(_tasks):
        if known[0] == name and known[2] not in {FIRST, *live}:
            del _tasks[known]
    return step(task_after(name, number, changes), *args_of_shard(args, number))


def task_after(name: str, number: int, changes: Any) -> Task:
    if (name, number, FIRST) not in _tasks:
        data = _rows[name, number]
        first = _tasks[name, number, FIRST] = make_task(data.X, data.y, data.qid, AP())
        first.number = number
    task = _tasks[name, number, FIRST]
    for key, change, args in changes:
        if (name, number, key) not in _tasks:
            _tasks[name, number, key] = change(task, *args_of_shard(args, number))
        task = _tasks[name, number, key]
    return task


def forget(task: Task) -> None:
    """A step after which this worker has no tasks, as one that was started again."""
    _tasks.clear()
