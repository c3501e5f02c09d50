"""Cluster-wide lock for collective jobs: two at once could deadlock."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from contextlib import suppress
from types import TracebackType

from distributed import Client, Lock

from .background import in_joined_thread
from .cluster import scheduler_gone

#: Interval, in seconds, at which a thread that waits for the lock checks whether it is still wanted.
POLL_INTERVAL = 1.0


class JobLock:
    """Held during a collective job: two at once could each hold workers that the other needs.

    The scheduler gives the lock to whoever asked, even if Ctrl-C has ended the waiting here; others would then wait until
    it takes the lock back. So a thread asks, which releases a lock that is no longer wanted.

    Parameters
    ----------
    client : Client
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._lock: Lock | None = None

    def __enter__(self) -> None:
        if self._lock is None:
            self._lock = Lock("directrank-collective", scheduler_rpc=self._client.scheduler, loop=self._client.loop)
        is_cancelled = threading.Event()
        acquiring = in_joined_thread(_acquire, self._lock, is_cancelled)
        try:
            acquiring.result()
        except OSError as error:
            raise scheduler_gone(self._client) from error
        except BaseException:
            is_cancelled.set()
            acquiring.add_done_callback(self._release_unwanted)
            raise

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        in_joined_thread(self._release).result()  # it completes even if Ctrl-C ends the waiting

    def close(self) -> None:
        """Stop Dask's periodic refresh of the lock."""
        refreshing = getattr(self._lock, "refresh_callback", None)  # None where locks have no time limit
        if refreshing is not None:
            self._client.loop.add_callback(refreshing.stop)

    def _release(self) -> None:
        if self._client.status == "running" and self._lock is not None:
            with suppress(OSError):  # without a scheduler there is no lock
                self._lock.release()

    def _release_unwanted(self, acquiring: Future[bool]) -> None:
        if acquiring.exception() is None and acquiring.result():
            self._release()


def _acquire(lock: Lock, is_cancelled: threading.Event) -> bool:
    while not is_cancelled.is_set():
        if lock.acquire(timeout=POLL_INTERVAL):
            return True
    return False
