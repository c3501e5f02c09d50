"""TCP connections between the places of one job, every two of them, and the exchange of parts over them.

The places of a job agree on who sends what to whom, so one operation is enough: everyone hands a part to everyone.
What this is written for is failure. A place that dies takes its connections with it; whoever waits for it gets a
`MeshBroken` at once and breaks off towards all others, so that the whole job ends instead of standing still.
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

from .meeting import Address, Door, MeshBroken, meet

Part = bytes | bytearray | memoryview

_LENGTH = struct.Struct("!Q")
_FAREWELL = 2**64 - 1  # in the place of a length

#: How many seconds a farewell may take.
_LEAVE_TAKING = 1.0

#: Parts below this many bytes are copied behind their length, to leave in one packet.
_SMALL = 2**14

#: By these a machine that vanishes without a word is noticed after about 10 + 3 * 5 seconds, also with bytes on their way.
_KEEPALIVE = {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 25_000}


class Mesh:
    """This place's connections to all others of its job; `connect` makes it.

    One thread exchanges; any thread may call `abort`.

    Attributes
    ----------
    rank : int
        The number of this place, from 0.
    size : int
        How many places there are.
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
    def connect(cls, door: Door, rank: int, addresses: Sequence[Address], token: bytes, timeout: float) -> Self:
        """Meet all other places; the door is closed then.

        Parameters
        ----------
        door : Door
            Its address is ``addresses[rank]``.
        rank : int
        addresses : sequence of (str, int)
            The doors of all places, by rank.
        token : bytes
            A secret of this job.
        timeout : float
            How many seconds it may take in all.

        Raises
        ------
        MeshBroken
            It names the place that was not reached, or did not come in time.
        """
        met = meet(door, rank, addresses, token, timeout)
        return cls(rank, [_Link(peer.rank, peer.name, peer.socket) for peer in met])

    def exchange(self, parts: Sequence[Part]) -> list[Part]:
        """Hand a part to every place, and get one from each.

        It waits as long as the others take, for they may have much to compute; who knows better calls `abort`.

        Parameters
        ----------
        parts : sequence of bytes-like
            What each rank gets, of any length.

        Returns
        -------
        list of bytes-like
            What each rank gave; one's own part as it is.

        Raises
        ------
        MeshBroken
            A place closed its end or died, or the mesh was aborted or had been broken before.
        """
        if len(parts) != self.size:
            raise ValueError(f"there must be a part for each of {self.size} places, not {len(parts)}")
        self._check()
        try:
            self._pass(parts)
        except MeshBroken as error:
            self.abort(str(error))
            self._check(error)
        except BaseException as error:  # half an exchange cannot be made good, and the others must not wait for the rest
            self.abort(f"an exchange was broken off here: {error!r}")
            raise
        received: list[Part] = [link.take() for link in self._links]
        received.insert(self.rank, parts[self.rank])
        return received

    def abort(self, reason: str = "the mesh was aborted") -> None:
        """Break off, from any thread: an `exchange` that waits here raises at once, and so do those of the other places."""
        with self._lock:
            if self._broken is None:
                self._broken = reason
                for link in self._links:
                    link.shut()
                self._waker.send(b"!")

    def close(self) -> None:
        """Close all connections; a place that still wants something of this one gets a `MeshBroken`."""
        with self._lock:
            if self._broken is None:
                self._broken = "the mesh is closed"
                for link in self._links:
                    link.leave()
            self._selector.close()
            for connection in (*(link.socket for link in self._links), self._waker, self._alarm):
                connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is not None:
            self.abort(f"work was broken off here: {error!r}")
        self.close()

    def _pass(self, parts: Sequence[Part]) -> None:
        """Send and receive wherever it is possible, until all parts are through."""
        for link in self._links:
            link.begin(parts[link.rank])
            self._serve(link, selectors.EVENT_WRITE)
        while [link for link in self._links if not link.is_through]:
            for key, events in self._selector.select():
                self._check()
                self._serve(key.data, events)

    def _serve(self, link: _Link, events: int) -> None:
        """Let a connection do what it can, and wait for what it then waits for."""
        link.advance(events)
        if link.events != link.watched:
            if link.watched:
                self._selector.unregister(link.socket)
            if link.events:
                self._selector.register(link.socket, link.events, link)
            link.watched = link.events

    def _check(self, cause: BaseException | None = None) -> None:
        if self._broken is not None:
            raise MeshBroken(self._broken) from cause


class _Link:
    """The connection to one other place, and the parts that are on their way over it.

    A part travels behind its length. Whatever comes is taken at once, even a part that is not asked for yet: so the end of
    a connection shows as soon as it comes, and if no farewell came before it, the other place has died. It can be ahead by
    one part at most, since it needs one of ours for each of its own.
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
        self._has_left = False
        self.watched = selectors.EVENT_READ
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in _KEEPALIVE.items():
            if hasattr(socket, option):
                connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)

    @property
    def events(self) -> int:
        """What to wait for."""
        return (0 if self._has_left else selectors.EVENT_READ) | (selectors.EVENT_WRITE if self._unsent else 0)

    @property
    def is_through(self) -> bool:
        """Whether the part for the other place has been sent, and its own received."""
        if self._has_left and not self._received:
            raise MeshBroken(f"{self.name} has closed its connections and takes part no more")
        return not self._unsent and bool(self._received)

    def begin(self, part: Part) -> None:
        """Have a part to send."""
        content = memoryview(part)
        header = _LENGTH.pack(content.nbytes)
        is_small = content.nbytes < _SMALL
        self._unsent = [memoryview(header + bytes(part))] if is_small else [memoryview(header), content.cast("B")]

    def take(self) -> bytearray:
        """The part that has been received."""
        return self._received.popleft()

    def advance(self, events: int) -> None:
        """Send and receive what can be."""
        try:
            with suppress(BlockingIOError):
                if events & selectors.EVENT_WRITE:
                    self._send()
            with suppress(BlockingIOError):
                if events & selectors.EVENT_READ:
                    self._receive()
        except OSError as error:
            raise MeshBroken(f"the connection to {self.name} broke: {error.strerror or error}") from error

    def leave(self) -> None:
        """Bid farewell: this place has done its share. The other may have to read some of its last part first."""
        with suppress(OSError):
            self.socket.settimeout(_LEAVE_TAKING)
            self.socket.sendall(_LENGTH.pack(_FAREWELL))

    def shut(self) -> None:
        """End the connection for both sides; the socket itself stays, as another thread may be using it."""
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)

    def _send(self) -> None:
        while self._unsent:
            rest = self._unsent[0][self.socket.send(self._unsent[0]) :]
            self._unsent[:1] = [rest] if rest else []

    def _receive(self) -> None:
        """Take what has come, up to the end of a part."""
        while not self._has_left:
            got = self.socket.recv_into(self._space)
            if not got:
                raise MeshBroken(f"{self.name} closed its connection; it has died or broken off")
            self._space = self._space[got:]
            if not self._space and self._part is None:
                self._read_header()
            if not self._space and self._part is not None:
                self._received.append(self._part)
                self._part, self._space = None, memoryview(self._header)
                return

    def _read_header(self) -> None:
        """Make room for a part of the length that was received."""
        length = _LENGTH.unpack(self._header)[0]
        if length == _FAREWELL:
            self._has_left = True
        else:
            self._part = bytearray(length)
            self._space = memoryview(self._part)
