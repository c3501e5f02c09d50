"""Plugin of a Dask worker, for as long as a session uses it: a handler of calls, threads that compute, connections of jobs.

It is installed on a worker by the first call of a session, and removed with the last session, so that nothing is left in the
worker's process. It is not registered with the scheduler: workers that join the cluster need not have directrank.
"""

from __future__ import annotations

import asyncio
import pickle
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from distributed import WorkerPlugin
from distributed.protocol import to_serialize
from distributed.protocol.pickle import loads

from ..core import threads as kernel_threads
from .shard import forget_tasks

#: Name of the plugin, and of its handler.
NAME = "directrank"

#: Time, in seconds, without a call after which the plugin removes itself: the driver was killed, or is busy elsewhere. The
#: next call installs it again.
IDLE_TIMEOUT = 600.0


class DirectrankPlugin(WorkerPlugin):  # type: ignore[misc]
    """State of directrank on one Dask worker.

    Attributes
    ----------
    worker : distributed.Worker
    address : str
        Its address as scheduler and driver know it, which is the worker's own one with names resolved.
    sessions : set of str
        Names of the sessions that use it.
    jobs : dict
        Connections of collective jobs, by name; see `collective`.
    """

    name = NAME

    def setup(self, worker: Any) -> None:
        """Called by Dask when the plugin is added."""
        self.worker, self.address, self.sessions = worker, "", set[str]()
        self.jobs: dict[str, Any] = {}
        self._threads: dict[int, ThreadPoolExecutor] = {}
        self._n_running, self._last_used, self._is_removed = 0, time.monotonic(), False
        self._loop = asyncio.get_running_loop()
        self._timer = self._loop.call_later(IDLE_TIMEOUT, self._expire)
        worker.handlers[NAME] = self.handle

    def teardown(self, worker: Any) -> None:
        """Called by Dask when the plugin is removed, or the worker closes."""
        worker.handlers.pop(NAME, None)
        self._is_removed = True
        self._timer.cancel()
        for job in list(self.jobs.values()):
            job.abort()
        for thread in self._threads.values():
            thread.shutdown(wait=False)

    async def handle(self, function: bytes, message: bytes) -> dict[str, Any]:
        """Call ``function(message, plugin)``, which the message is for; exceptions are returned."""
        self._n_running += 1
        try:
            result = await loads(function)(message, self)
        except Exception as error:
            result = picklable(error)
        finally:
            self._n_running, self._last_used = self._n_running - 1, time.monotonic()
        return {"status": "OK", "result": to_serialize(result)}

    async def compute(self, function: Callable[..., Any], *args: Any, thread: int = 0) -> Any:
        """Call a function in a compute thread; the event loop goes on.

        Steps run in the first thread only, since two at once would share the cores; kernels use as many threads as the
        worker has. Others are for a Dask worker that runs several ranks of a collective; see `collective.assign_ranks`.
        """
        if self._is_removed:
            raise ConnectionAbortedError("the session was closed")
        return await self._loop.run_in_executor(self._thread(thread), function, *args)

    def end_session(self, session: str) -> None:
        """Drop a session's tasks, once the current step has ended."""
        self.sessions.discard(session)
        if self._threads:
            self._thread(0).submit(forget_tasks, session)

    def _thread(self, number: int) -> ThreadPoolExecutor:
        if number not in self._threads:
            limit = (self.worker.state.nthreads,)
            self._threads[number] = ThreadPoolExecutor(1, "directrank", kernel_threads.set_thread_limit, limit)
        return self._threads[number]

    def _expire(self) -> None:
        idle = 0.0 if self._n_running else time.monotonic() - self._last_used
        if idle < IDLE_TIMEOUT:
            self._timer = self._loop.call_later(IDLE_TIMEOUT - idle, self._expire)
            return
        for session in list(self.sessions):
            self.end_session(session)
        self._removal = self._loop.create_task(self.worker.plugin_remove(name=NAME))


async def open_session(session: str, address: str, dask_worker: Any) -> None:
    """Install the plugin for a session on the worker at an address; run by ``client.run``."""
    if NAME not in dask_worker.plugins:
        await dask_worker.plugin_add(plugin=DirectrankPlugin(), name=NAME, catch_errors=False)
    plugin = dask_worker.plugins[NAME]
    plugin.address = address
    plugin.sessions.add(session)


async def close_session(session: bytes, plugin: DirectrankPlugin) -> None:
    """End a session, and remove the plugin with the last one."""
    plugin.end_session(session.decode())
    if not plugin.sessions:
        await plugin.worker.plugin_remove(name=NAME)


def picklable(error: Exception) -> Exception:
    """An exception, or one of the same text that can be pickled."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(repr(error))
    return error
