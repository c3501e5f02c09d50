"""A shard in the memory of a Dask worker: its rows, and the tasks derived from them."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

from scipy import sparse

from ..data import RankingData
from ..learners.core.shards import Worker, args_of_shard
from ..learners.core.task import Task

#: Session name, and number of a `DaskShards` in that session.
ShardsId = tuple[str, int]

#: One derivation of a task: a function of the task before it (at first of shard number and rows), and its arguments.
Change = tuple[Callable[..., Any], tuple[Any, ...]]


class Lineage(NamedTuple):
    """Derivation of a task from rows, change by change.

    Attributes
    ----------
    ids : tuple of ShardsId
        The `DaskShards` after each change.
    changes : tuple of Change, or None
        They may be large: None where workers should have the tasks already.
    """

    ids: tuple[ShardsId, ...]
    changes: tuple[Change, ...] | None


class Shard:
    """Rows of a shard, and the tasks derived from them.

    Tasks live as long as the rows: when Dask drops a shard, or a worker dies, all that was remembered is gone too.

    Parameters
    ----------
    data : RankingData
    """

    def __init__(self, data: RankingData) -> None:
        self.data = data
        self.tasks: dict[ShardsId, Task] = {}
        self.workers: dict[ShardsId, Worker] = {}  # kept by the first shard of each worker

    def __getstate__(self) -> dict[str, Any]:
        return {"data": self.data, "tasks": {}, "workers": {}}

    def __sizeof__(self) -> int:
        """Size of the rows, for Dask."""
        X = self.data.X
        parts = (X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,)
        return sum(int(part.nbytes) for part in (*parts, self.data.y))

    def task(self, number: int, lineage: Lineage) -> Task | None:
        """Task at the end of a lineage, derived from the last known one; None if the changes were not sent."""
        if lineage.ids[-1] not in self.tasks:
            if lineage.changes is None:
                return None
            _shards_with_tasks.add(self)
            made: Any = (number, self.data)
            for known, (change, args) in zip(lineage.ids, lineage.changes, strict=True):
                if known not in self.tasks:
                    self.tasks[known] = change(made, *args_of_shard(args, number))
                made = self.tasks[known]
        return self.tasks[lineage.ids[-1]]

    def keep_only(self, session: str, live: frozenset[int]) -> None:
        """Drop the tasks of a session's `DaskShards` that are no longer alive."""
        kept: dict[ShardsId, Any]
        for kept in (self.tasks, self.workers):
            for known in list(kept):  # another thread on this Dask worker may be changing it
                if known[0] == session and known[1] not in live:
                    kept.pop(known, None)


#: Shards in this process that tasks were derived from.
_shards_with_tasks: weakref.WeakSet[Shard] = weakref.WeakSet()


def forget_tasks(session: str) -> None:
    """Drop all tasks of a session in this process."""
    for shard in list(_shards_with_tasks):
        shard.keep_only(session, frozenset())


def local_shards(dask_worker: Any, shards: list[tuple[int, str]]) -> dict[int, Shard | None]:
    """Shards in the memory of a Dask worker, by number; None for those that it does not hold."""
    return {number: dask_worker.data.get(key) for number, key in shards}
