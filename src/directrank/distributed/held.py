"""A shard as a worker holds it, and how a worker runs steps on those it holds.

This is the half that runs on the workers. A step comes as a `Trip` through ``client.run``: outside of Dask's scheduling,
which would take ten times as long. The worker's event loop hands it to the one thread that computes there, and stays free.
"""

from __future__ import annotations

import asyncio
import ctypes
import logging
import pickle
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, NamedTuple

from scipy import sparse

from ..core import threads as kernel_threads
from ..data import RankingData
from ..learners.core.shards import args_of_shard
from ..learners.core.task import Task
from .workers import unpacked

#: How many bytes of freed memory a worker may keep for the next arrays.
KEPT_MEMORY = 2**26

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _LARGEST_MMAP_THRESHOLD = -1, -3, 2**25


class Held:
    """The rows of a shard, and the tasks that were made of them.

    Tasks live and die with the rows: when Dask drops a shard, or a worker dies, all that was remembered is gone too.

    Parameters
    ----------
    data : RankingData
    """

    def __init__(self, data: RankingData) -> None:
        self.data = data
        self.tasks: dict[ShardsId, Task] = {}
        self.places: dict[ShardsId, Any] = {}  # of the shards that this one is the first of in its place

    def __getstate__(self) -> dict[str, Any]:
        return {"data": self.data, "tasks": {}, "places": {}}

    def __sizeof__(self) -> int:
        """What Dask is to know of its size: that of the rows."""
        X = self.data.X
        parts = (X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,)
        return sum(int(part.nbytes) for part in (*parts, self.data.y))

    def task(self, number: int, lineage: Lineage) -> Task | None:
        """The task of some shards, made from that of the shards before it; None where how to make it was not sent."""
        if lineage.ids[-1] not in self.tasks:
            if lineage.changes is None:
                return None
            _with_tasks.add(self)
            made: Any = (number, self.data)
            for known, (change, args) in zip(lineage.ids, lineage.changes, strict=True):
                if known not in self.tasks:
                    self.tasks[known] = change(made, *args_of_shard(args, number))
                made = self.tasks[known]
        return self.tasks[lineage.ids[-1]]

    def keep_only(self, session: str, live: frozenset[int]) -> None:
        """Forget what no shards of a session stand for any more."""
        for kept in (self.tasks, self.places):
            for known in list(kept):  # which another place on this worker may be changing
                if known[0] == session and known[1] not in live:
                    kept.pop(known, None)


#: Those of this process of which tasks were made.
_with_tasks: weakref.WeakSet[Held] = weakref.WeakSet()

#: Held while a worker gets a thread: its event loop and Dask's tasks ask for it.
_making = threading.Lock()

#: Which shards of which session.
ShardsId = tuple[str, int]

#: What a shard's task is made by: a function of the task before it (of number and rows, at first), and its arguments.
Change = tuple[Callable[..., Any], tuple[Any, ...]]


class Lineage(NamedTuple):
    """How the task of some shards is made from rows, change after change.

    Attributes
    ----------
    ids : tuple of ShardsId
        Those of the shards after each change.
    changes : tuple of Change, or None
        They may be large: they are left out where workers should have the tasks already.
    """

    ids: tuple[ShardsId, ...]
    changes: tuple[Change, ...] | None


class Trip(NamedTuple):
    """What the workers are asked to do.

    Attributes
    ----------
    session : str
    live : frozenset of int
        The shards of the session that still stand for something; workers forget the others.
    shards : dict of lists of (number, key)
        By the address of a worker, the shards that it is to look at, and their keys in its memory.
    lineage : Lineage, or None
        None to hand a step the `RankingData` itself.
    step : callable
    args : tuple
    """

    session: str
    live: frozenset[int]
    shards: dict[str, list[tuple[int, str]]]
    lineage: Lineage | None
    step: Callable[..., Any]
    args: tuple[Any, ...]


class Outcome(NamedTuple):
    """What became of a step on one shard.

    Attributes
    ----------
    result : object
    error : Exception, or None
        What the step raised.
    is_lost : bool
        Whether the shard, or its task, is not there.
    """

    result: Any = None
    error: Exception | None = None
    is_lost: bool = False


async def forget_session(session: str, dask_worker: Any) -> None:
    """Have this worker forget all that it knows of a session, once it has ended the step that it is at."""
    computing_thread(dask_worker).submit(_forget, session)


async def run_trip(message: bytes, dask_worker: Any) -> dict[int, Outcome]:
    """The outcome of a step on each shard that this worker is asked about."""
    trip: Trip = unpacked(message, dask_worker.address)
    mine = held_by(dask_worker, trip.shards.get(dask_worker.address, []))
    return await in_computing_thread(dask_worker, _outcomes, trip, mine)  # type: ignore[no-any-return]


def held_by(dask_worker: Any, shards: list[tuple[int, str]]) -> dict[int, Held | None]:
    """What a worker holds of some shards."""
    return {number: dask_worker.data.get(key) for number, key in shards}


async def in_computing_thread(dask_worker: Any, function: Callable[..., Any], *args: Any, thread: int = 0) -> Any:
    """Call a function in a thread of a worker that computes; its event loop goes on."""
    return await asyncio.get_running_loop().run_in_executor(computing_thread(dask_worker, thread), function, *args)


def computing_thread(dask_worker: Any, number: int = 0) -> ThreadPoolExecutor:
    """A thread of a worker in which kernels run, made when it is first asked for.

    Steps run in the first alone, for two in kernels at once would share the cores; within, kernels use as
    many threads as the worker has. Another is for a worker that is two places; see `joint_work.places_of`.
    """
    with _making:
        threads: dict[int, ThreadPoolExecutor] | None = getattr(dask_worker, "_directrank_threads", None)
        if threads is None:
            _keep_freed_memory()
            logging.getLogger("distributed.worker").addFilter(_is_no_trip)
            threads = dask_worker._directrank_threads = {}
        if number not in threads:
            threads[number] = ThreadPoolExecutor(
                1, "directrank", kernel_threads.set_thread_limit, (dask_worker.state.nthreads,)
            )
        return threads[number]


def _keep_freed_memory() -> None:
    """Have malloc keep some of what is freed, as it does by default.

    Dask starts workers with a setting by which all goes back to the system at once, and comes back page by page with the
    next array: steps take half as long again.
    """
    with suppress(OSError, AttributeError):  # where malloc is not GNU's
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_M_TRIM_THRESHOLD, KEPT_MEMORY)
        mallopt(_M_MMAP_THRESHOLD, _LARGEST_MMAP_THRESHOLD)


def _is_no_trip(record: logging.LogRecord) -> bool:
    """Whether to log something: not that a step was run, for there are thousands."""
    return not (record.levelno <= logging.INFO and str(record.args).startswith("('run_trip'"))


def _forget(session: str) -> None:
    for held in list(_with_tasks):
        held.keep_only(session, frozenset())


def _outcomes(trip: Trip, mine: dict[int, Held | None]) -> dict[int, Outcome]:
    return {number: _outcome(trip, number, held) for number, held in mine.items()}


def _outcome(trip: Trip, number: int, held: Held | None) -> Outcome:
    if held is None:
        return Outcome(is_lost=True)
    try:
        held.keep_only(trip.session, trip.live)
        subject = held.data if trip.lineage is None else held.task(number, trip.lineage)
        if subject is None:
            return Outcome(is_lost=True)
        return Outcome(trip.step(subject, *args_of_shard(trip.args, number)))
    except Exception as error:
        return Outcome(error=_sendable(error))


def _sendable(error: Exception) -> Exception:
    """An exception, or one that says the same and can be sent."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(repr(error))
    return error
