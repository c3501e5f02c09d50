"""Whose turn it is, where two jobs at once would wait for each other."""

from __future__ import annotations

from concurrent.futures import Future
from types import TracebackType

from distributed import Client, Lock

from .workers import waiting_threads


class OneJobAtATime:
    """Held while the places of a cluster work together: two such jobs at once could each have places that the other needs.

    Dask's lock asks the scheduler again and again not to give it away; `close` ends that.

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
        acquiring = waiting_threads.submit(self._lock.acquire)
        try:
            acquiring.result()
        except BaseException:  # a Ctrl-C: the scheduler will give the lock to us all the same, and others would wait for it
            acquiring.add_done_callback(self._give_back)
            raise

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        assert self._lock is not None
        waiting_threads.submit(self._lock.release).result()  # which goes on there, whatever interrupts it here

    def _give_back(self, acquired: Future[bool]) -> None:
        if acquired.exception() is None and self._lock is not None:
            self._lock.release()

    def close(self) -> None:
        refreshing = getattr(self._lock, "refresh_callback", None)  # none, where locks are held for ever
        if refreshing is not None:
            self._client.loop.add_callback(refreshing.stop)
