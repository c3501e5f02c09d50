"""Full mesh of connections between the ranks of one job, and the exchange of parts over them.

The ranks of a job agree on who sends what to whom, so one operation is enough: every rank sends a part to every rank. It is
written for failure: a rank that dies takes its connections with it; a rank that waits for it gets a `MeshError` at once and
aborts towards all others, so that the whole job ends instead of hanging.
"""

from __future__ import annotations

import selectors
import threading
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from .handshake import JobSecret, TLSContexts
from .link import Link, Part
from .rendezvous import Address, Listener, MeshError, connect_peers
from .wakeup import Wakeup

#: Timeout, in seconds, for sending close frames.
_CLOSE_TIMEOUT = 1.0


class Mesh:
    """Connections of one rank to all others of its job; made by `connect`.

    One thread exchanges and closes; any thread may call `abort`, which never blocks.

    Attributes
    ----------
    rank : int
        Rank in the job, counted from 0.
    size : int
        Number of ranks.
    """

    def __init__(self, rank: int, links: Sequence[Link]) -> None:
        self.rank = rank
        self.size = len(links) + 1
        self._links = links
        self._broken: str | None = None
        self._is_closed = False
        self._lock = threading.Lock()  # held for moments only, and never while anything is waited for
        self._wakeup = Wakeup()
        self._selector = selectors.DefaultSelector()
        self._wakeup.register(self._selector)

    @classmethod
    def connect(
        cls,
        listener: Listener,
        rank: int,
        addresses: Sequence[Address],
        secret: JobSecret,
        timeout: float,
        tls: TLSContexts | None = None,
    ) -> Self:
        """Connect to all other ranks; the listener is closed then.

        Parameters
        ----------
        listener : Listener
            Its address is ``addresses[rank]``.
        rank : int
        addresses : sequence of (str, int)
            Listeners of all ranks.
        secret : JobSecret
            Secret of this job.
        timeout : float
            Timeout in seconds.
        tls : TLSContexts, optional
            By default, connections are not encrypted.

        Raises
        ------
        MeshError
            It names the rank that was not reached, or did not connect in time.
        """
        return cls(rank, [Link(peer) for peer in connect_peers(listener, rank, addresses, secret, timeout, tls)])

    def exchange(self, parts: Sequence[Part], lengths: Sequence[int]) -> list[Part]:
        """Send a part to every rank, and receive one from each.

        It waits for as long as the others compute; `abort` from another thread ends the waiting.

        Parameters
        ----------
        parts : sequence of bytes-like
            Part for each rank, of any length.
        lengths : sequence of int
            Length of the part that each rank sends to this one.

        Returns
        -------
        list of bytes-like
            Part from each rank; the own part as it is.

        Raises
        ------
        MeshError
            A rank closed its end, died or sends a part of another length, or the mesh was aborted or had failed before.
        """
        if not len(parts) == len(lengths) == self.size:
            raise ValueError(f"there must be a part and a length for each of {self.size} ranks, not {len(parts)}")
        self._check()
        try:
            self._transfer(parts, lengths)
        except MeshError as error:
            self.abort(str(error))
            self._check(error)
        except BaseException as error:  # half an exchange cannot be resumed, and the others must not wait for the rest
            self.abort(f"an exchange was aborted: {error!r}")
            raise
        received: list[Part] = [link.take() for link in self._links]
        received.insert(self.rank, parts[self.rank])
        return received

    def abort(self, reason: str = "the mesh was aborted") -> None:
        """Abort from any thread: a waiting `exchange` raises at once, on this rank and on the others."""
        with self._lock:
            if self._broken is None:
                self._broken = reason
                for link in self._links:
                    link.shut()
                self._wakeup.set()

    def close(self) -> None:
        """Close all connections; a rank that still exchanges with this one gets a `MeshError`."""
        with self._lock:
            is_whole, self._broken = self._broken is None, self._broken or "the mesh is closed"
        if is_whole:
            self._send_close_frames()
        with self._lock:
            if not self._is_closed:
                self._is_closed = True
                self._selector.close()
                self._wakeup.close()
                for link in self._links:
                    link.socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is not None:
            self.abort(f"the work was aborted: {error!r}")
        self.close()

    def _transfer(self, parts: Sequence[Part], lengths: Sequence[int]) -> None:
        """Send and receive wherever possible, until all parts are through."""
        for link in self._links:
            link.begin(parts[link.rank], lengths[link.rank])
        ready = list(self._links)
        while True:
            for link in ready:
                link.advance()
                self._watch(link)
            if not [link for link in self._links if not link.is_through]:  # asks all, as each may raise
                return
            ready = [key.data for key, _ in self._selector.select() if key.data is not None]
            self._check()

    def _send_close_frames(self) -> None:
        """Tell the others that this rank is done, all within the timeout."""
        deadline = time.monotonic() + _CLOSE_TIMEOUT
        for link in self._links:
            link.begin_close()
            link.advance_sending()
            self._watch(link)
        while not all(link.is_sent for link in self._links) and (left := deadline - time.monotonic()) > 0:
            for key, _ in self._selector.select(left):
                if key.data is not None:
                    key.data.advance_sending()
                    self._watch(key.data)

    def _watch(self, link: Link) -> None:
        """Update the events of a connection to wait for."""
        if link.events != link.watched:
            if link.watched:
                self._selector.unregister(link.socket)
            if link.events:
                self._selector.register(link.socket, link.events, link)
            link.watched = link.events

    def _check(self, cause: BaseException | None = None) -> None:
        if self._broken is not None:
            raise MeshError(self._broken) from cause
