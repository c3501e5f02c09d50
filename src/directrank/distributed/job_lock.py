"""Cluster-wide lock for collective jobs: two at once could deadlock."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from contextlib import suppress
from types import TracebackType

from distributed import Client, Lock

from .cluster import scheduler_gone

#: Interval, in seconds, at which the thread that waits for the lock, or holds it, checks whether it is still wanted.
POLL_INTERVAL = 1.0


class JobLock:
    """Held during a collective job: two at once could each hold workers that the other needs.

    A thread of its own acquires the lock, holds it and releases it. Ctrl-C, which may come at any moment here, never comes
    there: a lock that is no longer wanted is released, where the scheduler would otherwise keep it for half a minute.

    Parameters
    ----------
    client : Client
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._lock: Lock | None = None
        self._unwanted = threading.Event()
        self._released: Future[None] = Future()

    def __enter__(self) -> None:
        if self._lock is None:
            self._lock = Lock("directrank-collective", scheduler_rpc=self._client.scheduler, loop=self._client.loop)
        self._unwanted, self._released, acquired = threading.Event(), Future(), Future[None]()
        args = (self._client, self._lock, self._unwanted, acquired, self._released)
        try:
            threading.Thread(target=_hold, args=args, name="directrank-lock").start()
            acquired.result()
        except OSError as error:
            raise scheduler_gone(self._client) from error
        except BaseException:
            self._unwanted.set()
            raise

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._unwanted.set()
        self._released.result()

    def close(self) -> None:
        """Release the lock if Ctrl-C has kept `__exit__` from it, and stop Dask's periodic refresh."""
        self._unwanted.set()
        refreshing = getattr(self._lock, "refresh_callback", None)  # None where locks have no time limit
        if refreshing is not None:
            self._client.loop.add_callback(refreshing.stop)


def _hold(client: Client, lock: Lock, unwanted: threading.Event, acquired: Future[None], released: Future[None]) -> None:
    try:
        while not lock.acquire(timeout=POLL_INTERVAL):
            if unwanted.is_set():
                return
        acquired.set_result(None)
        while not unwanted.wait(POLL_INTERVAL) and threading.main_thread().is_alive():
            pass
        if client.status == "running":
            with suppress(OSError):  # without a scheduler there is no lock
                lock.release()
    except BaseException as error:
        if not acquired.done():
            acquired.set_exception(error)
    finally:
        released.set_result(None)
