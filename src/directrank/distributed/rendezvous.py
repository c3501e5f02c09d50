"""Rendezvous of the ranks of one job: a connection between every two of them, authenticated on both sides."""

from __future__ import annotations

import hashlib
import hmac
import selectors
import socket
import struct
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

Address = tuple[str, int]

_RANK = struct.Struct("!I")
_HELLO_SIZE = _RANK.size + hashlib.sha256().digest_size

#: Interval, in seconds, at which a waiting rank checks whether its listener was closed.
_POLL_INTERVAL = 0.2


class MeshError(RuntimeError):
    """A rank of the job is gone, or the job was aborted: nothing can be exchanged any more."""


class Peer(NamedTuple):
    """Another rank, connected to this one."""

    rank: int
    name: str
    socket: socket.socket


def connect_peers(listener: Listener, rank: int, addresses: Sequence[Address], token: bytes, timeout: float) -> list[Peer]:
    """Connect to all other ranks: dial lower ranks, accept connections of higher ranks, then close the listener.

    No rank waits for a reply before it has dialled all others, so the order in which ranks arrive does not matter. Both
    sides prove that they know the token, which is not sent itself. Unauthenticated peers are rejected.

    Parameters
    ----------
    listener, rank, addresses, token, timeout
        See `Mesh.connect`.
    """
    rendezvous = _Rendezvous(rank, addresses, token, time.monotonic() + timeout)
    try:
        rendezvous.dial()
        rendezvous.accept(listener)
        rendezvous.confirm(listener)
        rendezvous.check(listener)
    except BaseException:
        rendezvous.close()
        raise
    finally:
        listener.close()
    return rendezvous.peers()


class Listener:
    """Listening socket of a rank, on a free port, for as long as the mesh is being made.

    Parameters
    ----------
    host : str
        Name or address of this machine, as the other ranks reach it.

    Attributes
    ----------
    address : (str, int)
    """

    def __init__(self, host: str) -> None:
        family = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][0]
        try:
            self.socket = socket.create_server((host, 0), family=family, backlog=1024)
        except OSError:  # the address by which others reach this machine is not its own
            self.socket = socket.create_server(("", 0), family=family, backlog=1024)
        self.socket.setblocking(False)
        self.address: Address = (host, self.socket.getsockname()[1])

    @property
    def is_closed(self) -> bool:
        return self.socket.fileno() < 0

    def close(self) -> None:
        """Accept no more connections; from any thread: one that waits in `Mesh.connect` soon raises `MeshError`."""
        self.socket.close()


class _Rendezvous:
    """Connections of one rank while they are being made; each step ends by the deadline."""

    def __init__(self, rank: int, addresses: Sequence[Address], token: bytes, deadline: float) -> None:
        self.rank = rank
        self.addresses = [(host, port) for host, port in addresses]
        self.token = token
        self.deadline = deadline
        self.sockets: dict[int, socket.socket] = {}

    def dial(self) -> None:
        """Connect to the lower ranks and send a hello; replies are not waited for."""
        for peer in range(self.rank):
            try:
                self.sockets[peer] = socket.create_connection(self.addresses[peer], self._seconds_left())
                self.sockets[peer].sendall(self._hello(self.rank, peer))
                self.sockets[peer].setblocking(False)
            except OSError as error:
                raise MeshError(f"{self._name(peer)} was not reached: {error.strerror or error}") from error

    def accept(self, listener: Listener) -> None:
        """Accept the higher ranks and reply to them; unauthenticated peers are disconnected."""
        unauthenticated: dict[socket.socket, bytearray] = {}
        try:
            while missing := [peer for peer in range(self.rank + 1, len(self.addresses)) if peer not in self.sockets]:
                for ready in self._wait(listener, [listener.socket, *unauthenticated], missing, "connect"):
                    if ready is listener.socket:
                        self._accept_one(listener, unauthenticated)
                    elif self._receive_hello(ready, unauthenticated[ready]):
                        self._authenticate(ready, unauthenticated.pop(ready))
        finally:
            for connection in unauthenticated:
                connection.close()

    def confirm(self, listener: Listener) -> None:
        """Wait for the replies of the ranks that were dialled."""
        for peer in range(self.rank):
            reply = bytearray()
            while not self._receive_hello(self.sockets[peer], reply):
                self._wait(listener, [self.sockets[peer]], [peer], "reply")
            if len(reply) < _HELLO_SIZE:
                raise MeshError(f"{self._name(peer)} closed its connection; it has died or aborted")
            if not hmac.compare_digest(bytes(reply), self._hello(peer, self.rank)):
                raise MeshError(f"{self._name(peer)} is not a rank of this job")

    def check(self, listener: Listener) -> None:
        """Raise if the listener was closed by another thread."""
        if listener.is_closed:
            raise MeshError("the listener was closed before all connections were made")

    def peers(self) -> list[Peer]:
        """The other ranks, in order."""
        return [Peer(peer, self._name(peer), self.sockets[peer]) for peer in sorted(self.sockets)]

    def close(self) -> None:
        for connection in self.sockets.values():
            connection.close()

    def _wait(self, listener: Listener, sockets: list[socket.socket], missing: list[int], what: str) -> list[socket.socket]:
        """Sockets that are readable within the poll interval; after the deadline, an error that names the missing ranks."""
        self.check(listener)
        if time.monotonic() >= self.deadline:
            raise MeshError(f"{' and '.join(map(self._name, missing))} did not {what} in time")
        return _readable(sockets, min(self._seconds_left(), _POLL_INTERVAL))

    def _accept_one(self, listener: Listener, unauthenticated: dict[socket.socket, bytearray]) -> None:
        with suppress(OSError):  # the peer has gone again, or the listener was closed
            connection, _ = listener.socket.accept()
            connection.setblocking(False)
            unauthenticated[connection] = bytearray()

    def _receive_hello(self, connection: socket.socket, received: bytearray) -> bool:
        """Receive without blocking; returns whether the hello is complete or the connection has ended."""
        chunk = b""
        try:
            chunk = connection.recv(_HELLO_SIZE - len(received))
        except BlockingIOError:
            return False
        except OSError:
            pass
        received += chunk
        return not chunk or len(received) == _HELLO_SIZE

    def _authenticate(self, connection: socket.socket, received: bytearray) -> None:
        """Reply to a rank of the job; disconnect anyone else."""
        peer = self._sender(bytes(received))
        if peer is None:
            connection.close()
            return
        self.sockets[peer] = connection
        try:
            connection.sendall(self._hello(self.rank, peer))
        except OSError as error:
            raise MeshError(f"the connection to {self._name(peer)} broke: {error.strerror or error}") from error

    def _sender(self, received: bytes) -> int | None:
        """Rank of the sender of a hello, if it is authentic and that rank is still missing."""
        if len(received) < _HELLO_SIZE:
            return None
        peer: int = _RANK.unpack_from(received)[0]
        is_missing = self.rank < peer < len(self.addresses) and peer not in self.sockets
        return peer if is_missing and hmac.compare_digest(received, self._hello(peer, self.rank)) else None

    def _hello(self, sender: int, receiver: int) -> bytes:
        """First message from one rank to another: its rank, and a proof that it knows the token."""
        who = struct.pack("!III", sender, receiver, len(self.addresses))
        return _RANK.pack(sender) + hmac.digest(self.token, who, "sha256")

    def _name(self, peer: int) -> str:
        host, port = self.addresses[peer]
        return f"rank {peer} ({host}:{port})"

    def _seconds_left(self) -> float:
        return max(self.deadline - time.monotonic(), 1e-3)


def _readable(sockets: Sequence[socket.socket], timeout: float) -> list[socket.socket]:
    """Sockets that are readable within the timeout; none if one of them was closed."""
    with selectors.DefaultSelector() as selector, suppress(ValueError):
        for each in sockets:
            selector.register(each, selectors.EVENT_READ, each)
        return [key.data for key, _ in selector.select(timeout)]
    return []
