"""A shard in the memory of a Dask worker: its rows, and the tasks derived from them."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from scipy import sparse

from ..arrays import Floats
from ..data import InputError, RankingData
from ..data.checked_arrays import as_scores
from ..learners.core.shards import Worker, args_of_shard
from ..learners.core.task import Task, make_task
from ..measures import AUC

#: Session name, and number of a `DaskShards` in that session.
ShardsId = tuple[str, int]

#: One derivation of a task: a function of the task before it (at first of shard number and `Shard`), and its arguments.
Change = tuple[Callable[..., Any], tuple[Any, ...]]


class Lineage(NamedTuple):
    """Derivation of a task from a shard, change by change.

    Attributes
    ----------
    ids : tuple of ShardsId
        The `DaskShards` after each change.
    changes : tuple of Change
        The last changes, or all. They may be large: those whose tasks workers should have already are left out.
    """

    ids: tuple[ShardsId, ...]
    changes: tuple[Change, ...]


class Shard:
    """Rows of a shard, and the tasks derived from them.

    Tasks live as long as the rows: when Dask drops a shard, or a worker dies, all that was remembered is gone too.

    Parameters
    ----------
    name : str
        Name for messages, such as the file.
    data : RankingData
    extra : dict of arrays, optional
        Further columns by name, with a number for each row.
    """

    def __init__(self, name: str, data: RankingData, extra: dict[str, Floats] | None = None) -> None:
        self.name, self.data, self.extra = name, data, extra or {}
        self.tasks: dict[ShardsId, Task] = {}
        self.workers: dict[ShardsId, Worker] = {}  # kept by the first shard of each worker

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "tasks": {}, "workers": {}}

    def __sizeof__(self) -> int:
        """Size of the rows, for Dask."""
        X = self.data.X
        parts = (X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,)
        return sum(int(part.nbytes) for part in (*parts, self.data.y, *self.extra.values()))

    def task(self, number: int, lineage: Lineage) -> Task | None:
        """Task at the end of a lineage, derived from the last known one; None if a change to do so was not sent."""
        n_left_out = len(lineage.ids) - len(lineage.changes)
        n_known = next((n for n in range(len(lineage.ids), 0, -1) if lineage.ids[n - 1] in self.tasks), 0)
        if n_known < n_left_out:
            return None
        _shards_with_tasks.add(self)
        made: Any = self.tasks[lineage.ids[n_known - 1]] if n_known else (number, self)
        for known, (change, args) in zip(lineage.ids[n_known:], lineage.changes[n_known - n_left_out :], strict=True):
            made = self.tasks[known] = change(made, *args_of_shard(args, number))
        return made  # type: ignore[no-any-return]

    def keep_only(self, session: str, live: frozenset[int]) -> None:
        """Drop the tasks of a session's `DaskShards` that are no longer alive."""
        kept: dict[ShardsId, Any]
        for kept in (self.tasks, self.workers):
            for known in list(kept):  # another thread on this Dask worker may be changing it
                if known[0] == session and known[1] not in live:
                    kept.pop(known, None)


def task_from_shard(place: tuple[int, Shard], query_weight: str | Floats | None, init_score: str | Floats | None) -> Task:
    """The first task of a shard; learners bind it to their own measure.

    Parameters
    ----------
    place : (int, Shard)
        Number of the shard, and the shard.
    query_weight : array, or name of an extra column, or None
        Weight of each query, or of each row.
    init_score : array, or name of an extra column, or None
    """
    number, shard = place
    weights, scores = (shard.extra[v] if isinstance(v, str) else v for v in (query_weight, init_score))
    try:
        scores = None if scores is None else as_scores(scores, len(shard.data), "init_score")
        return replace(make_task(shard.data.X, shard.data.y, shard.data.qid, AUC(), weights, scores), number=number)
    except InputError as error:
        raise InputError(f"{shard.name}: {error}") from error


#: Shards in this process that tasks were derived from.
_shards_with_tasks: weakref.WeakSet[Shard] = weakref.WeakSet()


def forget_tasks(session: str) -> None:
    """Drop all tasks of a session in this process."""
    for shard in list(_shards_with_tasks):
        shard.keep_only(session, frozenset())


def local_shards(dask_worker: Any, shards: list[tuple[int, str]]) -> dict[int, Shard | None]:
    """Shards in the memory of a Dask worker, by number; None for those that it does not hold."""
    return {number: dask_worker.data.get(key) for number, key in shards}
