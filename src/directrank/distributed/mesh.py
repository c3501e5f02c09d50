"""Full mesh of TCP connections between the ranks of one job, and the exchange of parts over them.

The ranks of a job agree on who sends what to whom, so one operation is enough: every rank sends a part to every rank. It is
written for failure: a rank that dies takes its connections with it; a rank that waits for it gets a `MeshError` at once and
aborts towards all others, so that the whole job ends instead of hanging.
"""

from __future__ import annotations

import selectors
import socket
import struct
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType
from typing import Self

from .rendezvous import Address, Listener, MeshError, connect_peers

Part = bytes | bytearray | memoryview

_LENGTH = struct.Struct("!Q")
_CLOSE = 2**64 - 1  # close frame: instead of a length

#: Timeout, in seconds, for sending a close frame.
_CLOSE_TIMEOUT = 1.0

#: Parts below this size, in bytes, are copied behind their length, to leave in one packet.
_SMALL = 2**14

#: Options that detect a machine that vanishes silently after about 10 + 3 * 5 seconds, also with unacknowledged data.
_KEEPALIVE = {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 25_000}


class Mesh:
    """Connections of one rank to all others of its job; made by `connect`.

    One thread exchanges; any thread may call `abort`.

    Attributes
    ----------
    rank : int
        Rank in the job, counted from 0.
    size : int
        Number of ranks.
    """

    def __init__(self, rank: int, links: Sequence[_Link]) -> None:
        self.rank = rank
        self.size = len(links) + 1
        self._links = links
        self._broken: str | None = None
        self._lock = threading.Lock()
        self._selector = selectors.DefaultSelector()
        self._waker, self._alarm = socket.socketpair()
        self._selector.register(self._alarm, selectors.EVENT_READ)
        for link in links:
            self._selector.register(link.socket, link.watched, link)

    @classmethod
    def connect(cls, listener: Listener, rank: int, addresses: Sequence[Address], token: bytes, timeout: float) -> Self:
        """Connect to all other ranks; the listener is closed then.

        Parameters
        ----------
        listener : Listener
            Its address is ``addresses[rank]``.
        rank : int
        addresses : sequence of (str, int)
            Listeners of all ranks.
        token : bytes
            Secret of this job.
        timeout : float
            Timeout in seconds.

        Raises
        ------
        MeshError
            It names the rank that was not reached, or did not connect in time.
        """
        peers = connect_peers(listener, rank, addresses, token, timeout)
        return cls(rank, [_Link(peer.rank, peer.name, peer.socket) for peer in peers])

    def exchange(self, parts: Sequence[Part]) -> list[Part]:
        """Send a part to every rank, and receive one from each.

        It waits for as long as the others compute; `abort` from another thread ends the waiting.

        Parameters
        ----------
        parts : sequence of bytes-like
            Part for each rank, of any length.

        Returns
        -------
        list of bytes-like
            Part from each rank; the own part as it is.

        Raises
        ------
        MeshError
            A rank closed its end or died, or the mesh was aborted or had failed before.
        """
        if len(parts) != self.size:
            raise ValueError(f"there must be a part for each of {self.size} ranks, not {len(parts)}")
        self._check()
        try:
            self._transfer(parts)
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
                self._waker.send(b"!")

    def close(self) -> None:
        """Close all connections; a rank that still exchanges with this one gets a `MeshError`."""
        with self._lock:
            if self._broken is None:
                self._broken = "the mesh is closed"
                for link in self._links:
                    link.send_close()
            self._selector.close()
            for connection in (*(link.socket for link in self._links), self._waker, self._alarm):
                connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is not None:
            self.abort(f"the work was aborted: {error!r}")
        self.close()

    def _transfer(self, parts: Sequence[Part]) -> None:
        """Send and receive wherever possible, until all parts are through."""
        for link in self._links:
            link.begin(parts[link.rank])
            self._serve(link, selectors.EVENT_WRITE)
        while [link for link in self._links if not link.is_through]:
            for key, events in self._selector.select():
                self._check()
                self._serve(key.data, events)

    def _serve(self, link: _Link, events: int) -> None:
        """Let a connection progress, and update the events to wait for."""
        link.advance(events)
        if link.events != link.watched:
            if link.watched:
                self._selector.unregister(link.socket)
            if link.events:
                self._selector.register(link.socket, link.events, link)
            link.watched = link.events

    def _check(self, cause: BaseException | None = None) -> None:
        if self._broken is not None:
            raise MeshError(self._broken) from cause


class _Link:
    """Connection to one other rank, and the parts in transit.

    A part is sent behind its length. Whatever arrives is received at once, even a part of the next exchange: so the end of
    a connection is noticed immediately, and if no close frame came before it, the other rank has died. The other rank can
    be ahead by one part at most, since it needs one of ours for each of its own.
    """

    def __init__(self, rank: int, name: str, connection: socket.socket) -> None:
        self.rank = rank
        self.name = name
        self.socket = connection
        self._unsent: list[memoryview] = []
        self._received: deque[bytearray] = deque()
        self._header = bytearray(_LENGTH.size)
        self._part: bytearray | None = None
        self._space = memoryview(self._header)
        self._is_closed = False
        self.watched = selectors.EVENT_READ
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in _KEEPALIVE.items():
            if hasattr(socket, option):
                connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)

    @property
    def events(self) -> int:
        """Events to wait for."""
        return (0 if self._is_closed else selectors.EVENT_READ) | (selectors.EVENT_WRITE if self._unsent else 0)

    @property
    def is_through(self) -> bool:
        """Whether the part for the other rank has been sent, and its part received."""
        if self._is_closed and not self._received:
            raise MeshError(f"{self.name} has closed its connections")
        return not self._unsent and bool(self._received)

    def begin(self, part: Part) -> None:
        """Queue a part to send."""
        content = memoryview(part)
        header = _LENGTH.pack(content.nbytes)
        is_small = content.nbytes < _SMALL
        self._unsent = [memoryview(header + bytes(part))] if is_small else [memoryview(header), content.cast("B")]

    def take(self) -> bytearray:
        """Return the part that was received."""
        return self._received.popleft()

    def advance(self, events: int) -> None:
        """Send and receive without blocking."""
        try:
            with suppress(BlockingIOError):
                if events & selectors.EVENT_WRITE:
                    self._send()
            with suppress(BlockingIOError):
                if events & selectors.EVENT_READ:
                    self._receive()
        except OSError as error:
            raise MeshError(f"the connection to {self.name} broke: {error.strerror or error}") from error

    def send_close(self) -> None:
        """Send a close frame: this rank is done. The other may have to read some of its last part first."""
        with suppress(OSError):
            self.socket.settimeout(_CLOSE_TIMEOUT)
            self.socket.sendall(_LENGTH.pack(_CLOSE))

    def shut(self) -> None:
        """End the connection for both sides; the socket itself stays, as another thread may be using it."""
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)

    def _send(self) -> None:
        while self._unsent:
            rest = self._unsent[0][self.socket.send(self._unsent[0]) :]
            self._unsent[:1] = [rest] if rest else []

    def _receive(self) -> None:
        """Receive up to the end of a part."""
        while not self._is_closed:
            got = self.socket.recv_into(self._space)
            if not got:
                raise MeshError(f"{self.name} closed its connection; it has died or aborted")
            self._space = self._space[got:]
            if not self._space and self._part is None:
                self._read_header()
            if not self._space and self._part is not None:
                self._received.append(self._part)
                self._part, self._space = None, memoryview(self._header)
                return

    def _read_header(self) -> None:
        """Allocate a part of the length received."""
        length = _LENGTH.unpack(self._header)[0]
        if length == _CLOSE:
            self._is_closed = True
        else:
            self._part = bytearray(length)
            self._space = memoryview(self._part)
