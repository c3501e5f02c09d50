"""Remote calls: steps that Dask workers run on their shards.

A call goes through ``client.run``, outside Dask's task scheduling, which would take ten times as long. The worker's event
loop hands it to the one thread that computes there, and stays free.
"""

from __future__ import annotations

import asyncio
import ctypes
import logging
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, NamedTuple

from ..core import threads as kernel_threads
from ..learners.core.shards import args_of_shard
from .cluster import deserialize
from .shard import Lineage, Shard, forget_tasks, local_shards

#: Number of bytes of freed memory that a worker may keep for the next arrays.
KEPT_MEMORY = 2**26

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _MAX_MMAP_THRESHOLD = -1, -3, 2**25

#: Guards the creation of compute threads, which the event loop and Dask's tasks both ask for.
_creating_threads = threading.Lock()


class RemoteCall(NamedTuple):
    """A step to run on shards.

    Attributes
    ----------
    session : str
    live : frozenset of int
        The session's `DaskShards` that are still alive; workers drop the tasks of the others.
    shards : dict of lists of (number, key)
        By the address of a worker, the shards to run the step on, and their keys in its memory.
    lineage : Lineage, or None
        None to give the step the `RankingData` itself.
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
    """Outcome of a step on one shard.

    Attributes
    ----------
    result : object
    error : Exception, or None
        Exception that the step raised.
    is_lost : bool
        Whether the worker does not have the shard or its task.
    """

    result: Any = None
    error: Exception | None = None
    is_lost: bool = False


async def forget_session(session: str, dask_worker: Any) -> None:
    """Have this worker drop all tasks of a session, once its current step has ended."""
    compute_thread(dask_worker).submit(forget_tasks, session)


async def run_call(message: bytes, dask_worker: Any) -> dict[int, Outcome]:
    """Run a `RemoteCall` on the shards of this worker."""
    call: RemoteCall = deserialize(message, dask_worker.address)
    shards = local_shards(dask_worker, call.shards.get(dask_worker.address, []))
    return await in_compute_thread(dask_worker, _outcomes, call, shards)  # type: ignore[no-any-return]


async def in_compute_thread(dask_worker: Any, function: Callable[..., Any], *args: Any, index: int = 0) -> Any:
    """Call a function in a compute thread of a worker; its event loop goes on."""
    return await asyncio.get_running_loop().run_in_executor(compute_thread(dask_worker, index), function, *args)


def compute_thread(dask_worker: Any, index: int = 0) -> ThreadPoolExecutor:
    """A thread of a Dask worker in which kernels run, created on first use.

    Steps run in the first one only, since two at once would share the cores; kernels use as many threads as the worker has.
    Others are for a Dask worker that runs several ranks of a collective; see `collective.assign_ranks`.
    """
    with _creating_threads:
        threads: dict[int, ThreadPoolExecutor] | None = getattr(dask_worker, "_directrank_threads", None)
        if threads is None:
            _keep_freed_memory()
            logging.getLogger("distributed.worker").addFilter(_is_worth_logging)
            threads = dask_worker._directrank_threads = {}
        if index not in threads:
            threads[index] = ThreadPoolExecutor(
                1, "directrank", kernel_threads.set_thread_limit, (dask_worker.state.nthreads,)
            )
        return threads[index]


def _keep_freed_memory() -> None:
    """Have malloc keep some freed memory, as it does by default.

    Dask starts workers with a setting that returns all of it to the system at once, to come back page by page with the next
    array: steps take half as long again.
    """
    with suppress(OSError, AttributeError):  # where malloc is not GNU's
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_M_TRIM_THRESHOLD, KEPT_MEMORY)
        mallopt(_M_MMAP_THRESHOLD, _MAX_MMAP_THRESHOLD)


def _is_worth_logging(record: logging.LogRecord) -> bool:
    """Filter out the log records of remote calls: there are thousands."""
    return not (record.levelno <= logging.INFO and str(record.args).startswith("('run_call'"))


def _outcomes(call: RemoteCall, shards: dict[int, Shard | None]) -> dict[int, Outcome]:
    return {number: _outcome(call, number, shard) for number, shard in shards.items()}


def _outcome(call: RemoteCall, number: int, shard: Shard | None) -> Outcome:
    if shard is None:
        return Outcome(is_lost=True)
    try:
        shard.keep_only(call.session, call.live)
        subject = shard.data if call.lineage is None else shard.task(number, call.lineage)
        if subject is None:
            return Outcome(is_lost=True)
        return Outcome(call.step(subject, *args_of_shard(call.args, number)))
    except Exception as error:
        return Outcome(error=_picklable(error))


def _picklable(error: Exception) -> Exception:
    """An exception, or one of the same text that can be pickled."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(repr(error))
    return error
