"""Cluster-wide lock for collective jobs: two at once could deadlock."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from contextlib import suppress
from types import TracebackType

from distributed import Client, Lock

from .cluster import ClusterError, address_of, scheduler_identity, wait_for_scheduler

#: Interval, in seconds, at which the thread that waits for the lock, or holds it, checks whether it is still wanted.
POLL_INTERVAL = 1.0

#: Number of attempts to acquire it where the scheduler fails, and the interval, in seconds, between them.
_MAX_ATTEMPTS, _RETRY_INTERVAL = 50, 0.1


class JobLock:
    """Held during a collective job: two at once could each hold workers that the other needs.

    A thread of its own acquires the lock, holds it and releases it. Ctrl-C, which may come at any moment here, never comes
    there: a lock that is no longer wanted is released, where the scheduler would otherwise keep it for half a minute. A
    scheduler that was restarted does not know the lock; it is then made again.

    Parameters
    ----------
    client : Client
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._unwanted = threading.Event()
        self._released: Future[None] = Future()

    def __enter__(self) -> None:
        self._unwanted, self._released, acquired = threading.Event(), Future(), Future[None]()
        args = (self._client, self._unwanted, acquired, self._released)
        try:
            threading.Thread(target=_hold, args=args, name="directrank-lock").start()
            acquired.result()
        except BaseException:
            self._unwanted.set()
            raise

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._unwanted.set()
        self._released.result()

    def close(self) -> None:
        """Release the lock if Ctrl-C has kept `__exit__` from it."""
        self._unwanted.set()


def _hold(client: Client, unwanted: threading.Event, acquired: Future[None], released: Future[None]) -> None:
    try:
        lock = _acquire(client, unwanted)
        if lock is None:
            return
        acquired.set_result(None)
        while not unwanted.wait(POLL_INTERVAL) and threading.main_thread().is_alive():
            pass
        _release(client, lock)
    except BaseException as error:
        if not acquired.done():
            acquired.set_exception(error)
    finally:
        released.set_result(None)


def _acquire(client: Client, unwanted: threading.Event) -> Lock | None:
    """The lock, once it is acquired; None if it is no longer wanted."""
    for _ in range(_MAX_ATTEMPTS):
        wait_for_scheduler(client)
        lock: Lock | None = None
        try:
            lock = Lock(_name(client), scheduler_rpc=client.scheduler, loop=client.loop)
            while not lock.acquire(timeout=POLL_INTERVAL):
                if unwanted.is_set():
                    _stop_refreshing(client, lock)
                    return None
            return lock
        except (OSError, RuntimeError) as error:  # the scheduler is gone, or was restarted and does not know the lock
            _stop_refreshing(client, lock)
            why = error
        if unwanted.wait(_RETRY_INTERVAL):
            return None
    raise ClusterError(f"the Dask scheduler at {address_of(client)} gives no lock for a collective job ({why})") from why


def _name(client: Client) -> str:
    """Name of the lock, another one on each scheduler: Dask renews a lock of the old one on the new one for a while."""
    return f"directrank-collective-{scheduler_identity(client, n_workers=0)['id']}"


def _release(client: Client, lock: Lock) -> None:
    if client.status == "running":
        with suppress(OSError, RuntimeError):  # without a scheduler there is no lock
            lock.release()
    _stop_refreshing(client, lock)


def _stop_refreshing(client: Client, lock: Lock | None) -> None:
    """Stop the periodic calls that renew a lock."""
    refreshing = getattr(lock, "refresh_callback", None)  # None where locks have no time limit, or the lock was not made
    if refreshing is not None:
        client.loop.add_callback(refreshing.stop)
