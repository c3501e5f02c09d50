"""Connection of one rank to another, with the parts in transit."""

from __future__ import annotations

import selectors
import socket
import ssl
import struct
from collections.abc import Callable
from contextlib import suppress

from .rendezvous import MeshError, Peer

Part = bytes | bytearray | memoryview

_LENGTH = struct.Struct("!Q")
_CLOSE = 2**64 - 1  # close frame: instead of a length

#: Parts below this size, in bytes, are copied behind their length, to leave in one packet.
_SMALL = 2**14

#: Options that detect a machine that vanishes silently after about 10 + 3 * 5 seconds, unless it owes an acknowledgement.
#: TCP_USER_TIMEOUT would detect that too, but ends connections to ranks that compute for so long before they read a part.
_KEEPALIVE = {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3}


class Link:
    """Connection to one other rank.

    A part is sent behind its length. The length is compared with the expected one before any memory is taken; the first
    part of the next exchange waits in the connection until its length is known. The other rank can be ahead by one part at
    most, since it needs one of ours for each of its own. A connection that ends without a close frame is that of a rank
    that has died.

    Parameters
    ----------
    peer : Peer

    Attributes
    ----------
    events, watched : int
        Events of `selectors` that the next `advance` waits for, and those that the mesh has registered.
    """

    def __init__(self, peer: Peer) -> None:
        self.rank, self.name, self.socket = peer.rank, peer.name, peer.socket
        self.events = self.watched = 0
        self._unsent: list[memoryview] = []
        self._expected: int | None = None
        self._received: bytearray | None = None
        self._header = bytearray(_LENGTH.size)
        self._part: bytearray | None = None
        self._space = memoryview(self._header)
        self._is_closed = False
        self.socket.setblocking(False)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in _KEEPALIVE.items():
            if hasattr(socket, option):
                self.socket.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)

    @property
    def is_through(self) -> bool:
        """Whether the part for the other rank has been sent, and its part received."""
        if self._is_closed and self._received is None:
            raise MeshError(f"{self.name} has closed its connections")
        return not self._unsent and self._received is not None

    @property
    def is_sent(self) -> bool:
        return not self._unsent

    def begin(self, part: Part, expected: int) -> None:
        """Queue a part to send, and expect one of a length."""
        content = memoryview(part)
        header = _LENGTH.pack(content.nbytes)
        is_small = content.nbytes < _SMALL
        self._unsent = [memoryview(header + bytes(part))] if is_small else [memoryview(header), content.cast("B")]
        self._expected = expected

    def begin_close(self) -> None:
        """Queue a close frame: this rank is done. The other may have to read some of its last part first."""
        self._unsent.append(memoryview(_LENGTH.pack(_CLOSE)))

    def take(self) -> bytearray:
        """Return the part that was received."""
        received, self._received = self._received, None
        assert received is not None
        return received

    def advance(self) -> None:
        """Send and receive as much as possible without blocking."""
        try:
            self.events = _attempt(self._send, selectors.EVENT_WRITE) | _attempt(self._receive, selectors.EVENT_READ)
        except OSError as error:
            raise MeshError(f"the connection to {self.name} broke: {error.strerror or error}") from error

    def advance_sending(self) -> None:
        """The same, without receiving; a connection that breaks has nothing left to send."""
        try:
            self.events = _attempt(self._send, selectors.EVENT_WRITE)
        except OSError:
            self.events, self._unsent = 0, []

    def shut(self) -> None:
        """End the connection for both sides; the socket itself stays, as another thread may be using it."""
        with suppress(OSError):
            socket.socket.shutdown(self.socket, socket.SHUT_RDWR)  # that of TLS would also drop the session in use

    def _send(self) -> None:
        while self._unsent:
            rest = self._unsent[0][self.socket.send(self._unsent[0]) :]
            self._unsent[:1] = [rest] if rest else []

    def _receive(self) -> None:
        """Receive the part that is expected, and the header of the next."""
        while not self._is_closed:
            while self._space:
                got = self.socket.recv_into(self._space)
                if not got:
                    raise MeshError(f"{self.name} closed its connection; it has died or aborted")
                self._space = self._space[got:]
            if self._part is not None:
                self._received, self._part, self._space = self._part, None, memoryview(self._header)
            elif not self._read_header():
                return

    def _read_header(self) -> bool:
        """Allocate the part of a header; False if that part is not expected yet."""
        length = _LENGTH.unpack(self._header)[0]
        if length == _CLOSE:
            self._is_closed = True
            return True
        if self._expected is None:
            return False
        if length != self._expected:
            why = f"{self.name} sends {length:,} bytes, and {self._expected:,} were expected"
            raise MeshError(f"the ranks of the job are out of step: {why}")
        self._part, self._expected = bytearray(length), None
        self._space = memoryview(self._part)
        return True


def _attempt(operation: Callable[[], None], event: int) -> int:
    """Run a non-blocking operation; returns the event it waits for, or 0 if it is done."""
    try:
        operation()
    except ssl.SSLWantReadError:
        return selectors.EVENT_READ
    except ssl.SSLWantWriteError:
        return selectors.EVENT_WRITE
    except BlockingIOError:
        return event
    return 0
