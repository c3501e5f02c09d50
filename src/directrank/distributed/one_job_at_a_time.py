"""Whose turn it is, where two jobs at once would wait for each other."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from contextlib import suppress
from types import TracebackType

from distributed import Client, Lock

from .workers import scheduler_is_gone, waiting_threads

#: How long to wait for the lock before looking whether anybody still wants it; in seconds.
LOOK_UP = 1.0


class OneJobAtATime:
    """Held while the places of a cluster work together: two such jobs at once could each have places that the other needs.

    The scheduler gives a lock to whoever has asked, also if a Ctrl-C ends the waiting here; others would then stand still
    until it takes the lock back. So a thread asks, which gives back what nobody wants any more.

    Parameters
    ----------
    client : Client
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._lock: Lock | None = None

    def __enter__(self) -> None:
        if self._lock is None:
            self._lock = Lock("directrank-together", scheduler_rpc=self._client.scheduler, loop=self._client.loop)
        is_given_up = threading.Event()
        acquiring = waiting_threads.submit(_acquire, self._lock, is_given_up)
        try:
            acquiring.result()
        except OSError as error:
            raise scheduler_is_gone(self._client) from error
        except BaseException:
            is_given_up.set()
            acquiring.add_done_callback(self._give_back)
            raise

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        waiting_threads.submit(self._release).result()  # there it goes on, whatever interrupts the waiting here

    def close(self) -> None:
        """End what Dask does, again and again, to keep the lock."""
        refreshing = getattr(self._lock, "refresh_callback", None)  # none, where locks are held for ever
        if refreshing is not None:
            self._client.loop.add_callback(refreshing.stop)

    def _release(self) -> None:
        if self._client.status == "running" and self._lock is not None:
            with suppress(OSError):  # without a scheduler there is no lock
                self._lock.release()

    def _give_back(self, acquiring: Future[bool]) -> None:
        if acquiring.exception() is None and acquiring.result():
            self._release()


def _acquire(lock: Lock, is_given_up: threading.Event) -> bool:
    while not is_given_up.is_set():
        if lock.acquire(timeout=LOOK_UP):
            return True
    return False
