"""Rendezvous of the ranks of one job: a connection between every two of them, authenticated on both sides."""

from __future__ import annotations

import selectors
import socket
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from .handshake import Connection, HandshakeError, JobSecret, Steps, TLSContexts
from .wakeup import Wakeup

Address = tuple[str, int]

#: Time, in seconds, within which a connection that was accepted must be authenticated.
HANDSHAKE_TIMEOUT = 10.0

#: Number of unauthenticated connections kept beyond the number of ranks; with more, the oldest one is closed.
MAX_UNAUTHENTICATED = 32


class MeshError(RuntimeError):
    """A rank of the job is gone, or the job was aborted: nothing can be exchanged any more."""


class Peer(NamedTuple):
    """Another rank, connected to this one."""

    rank: int
    name: str
    socket: socket.socket


def connect_peers(
    listener: Listener,
    rank: int,
    addresses: Sequence[Address],
    secret: JobSecret,
    timeout: float,
    tls: TLSContexts | None = None,
) -> list[Peer]:
    """Connect to all other ranks: dial lower ranks, accept connections of higher ranks, then close the listener.

    All handshakes proceed at the same time, so the order in which ranks arrive does not matter. Whoever does not prove
    that it knows the job's key is disconnected.

    Parameters
    ----------
    listener, rank, addresses, secret, timeout, tls
        See `Mesh.connect`.
    """
    with listener.taken(), selectors.DefaultSelector() as selector:
        rendezvous = _Rendezvous(listener, selector, rank, addresses, secret, tls)
        try:
            rendezvous.run(time.monotonic() + timeout)
        except BaseException:
            rendezvous.close(rendezvous.connected.values())
            raise
        finally:
            rendezvous.close(attempt.connection for attempt in rendezvous.attempts.values())
    return rendezvous.peers()


class Listener:
    """Listening socket of a rank, on a free port, for as long as the mesh is being made.

    It listens on one address only: the one at which the other ranks reach this machine.

    Parameters
    ----------
    host : str
        Name or address of this machine, as the other ranks reach it.

    Attributes
    ----------
    address : (str, int)
        In numbers: the other ranks could resolve a name to another of its addresses.

    Raises
    ------
    OSError
        The host is not an address of this machine.
    """

    def __init__(self, host: str) -> None:
        self._lock = threading.Lock()  # held for moments only, and never while anything is waited for
        self._is_taken = self.is_cancelled = False
        family, *_, address = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
        self.socket = socket.create_server(address, family=family, backlog=1024)
        self.socket.setblocking(False)
        self.address: Address = self.socket.getsockname()[:2]
        self.wakeup = Wakeup()

    @property
    def is_closed(self) -> bool:
        return self.socket.fileno() < 0

    def close(self) -> None:
        """Accept no more connections; from any thread, without blocking: `Mesh.connect` raises `MeshError` at once."""
        with self._lock:
            self.is_cancelled = True
            if self._is_taken:
                self.wakeup.set()
            else:
                self._close_sockets()

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Block of the thread that waits for connections: it alone closes the sockets, at its end."""
        with self._lock:
            if self.is_cancelled:
                raise MeshError("the listener was closed before all connections were made")
            self._is_taken = True
        try:
            yield
        finally:
            with self._lock:
                self._is_taken, self.is_cancelled = False, True
                self._close_sockets()

    def _close_sockets(self) -> None:
        self.socket.close()
        self.wakeup.close()


class _Attempt(NamedTuple):
    """A handshake in progress; `peer` is None for connections that were accepted."""

    connection: Connection
    steps: Steps[Any]
    deadline: float
    peer: int | None


class _Rendezvous:
    """Connections of one rank while they are being made."""

    def __init__(
        self,
        listener: Listener,
        selector: selectors.BaseSelector,
        rank: int,
        addresses: Sequence[Address],
        secret: JobSecret,
        tls: TLSContexts | None,
    ) -> None:
        self.listener, self.selector, self.rank, self.secret, self.tls = listener, selector, rank, secret, tls
        self.addresses = [(host, port) for host, port in addresses]
        self.connected: dict[int, Connection] = {}
        self.attempts: dict[int, _Attempt] = {}  # by file descriptor, the oldest first
        listener.wakeup.register(selector)
        selector.register(listener.socket, selectors.EVENT_READ)

    def run(self, deadline: float) -> None:
        """Make all connections by a deadline."""
        for peer in range(self.rank):
            self._dial(peer, deadline)
        while missing := self._missing():
            self._check(missing, deadline)
            until = min((attempt.deadline for attempt in self.attempts.values()), default=deadline)
            for key, _ in self.selector.select(max(min(until, deadline) - time.monotonic(), 0)):
                if key.fileobj is self.listener.socket:
                    self._accept()
                elif key.fd in self.attempts:  # it may have been closed meanwhile
                    self._advance(key.fd)
        self._check([], deadline)

    def peers(self) -> list[Peer]:
        """The other ranks, in order."""
        return [Peer(peer, self._name(peer), self.connected[peer].socket) for peer in sorted(self.connected)]

    def close(self, connections: Iterable[Connection]) -> None:
        for connection in connections:
            connection.close()

    def _missing(self) -> list[int]:
        return [peer for peer in range(len(self.addresses)) if peer != self.rank and peer not in self.connected]

    def _check(self, missing: list[int], deadline: float) -> None:
        """Raise if the listener was closed by another thread, or after the deadline; close slow unauthenticated peers."""
        if self.listener.is_cancelled:
            raise MeshError("the listener was closed before all connections were made")
        now = time.monotonic()
        if missing and now >= deadline:
            silent = [peer for peer in missing if peer > self.rank] or missing
            what = "connect" if silent[-1] > self.rank else "reply"
            raise MeshError(f"{' and '.join(map(self._name, silent))} did not {what} in time")
        for descriptor in [fd for fd, attempt in self.attempts.items() if attempt.deadline <= now]:
            self._drop(descriptor)

    def _dial(self, peer: int, deadline: float) -> None:
        try:
            family, *_, address = socket.getaddrinfo(*self.addresses[peer], type=socket.SOCK_STREAM)[0]
            connection = Connection(socket.socket(family, socket.SOCK_STREAM))
        except OSError as error:
            raise self._not_reached(peer, error) from error
        steps = self._dialled(connection, address, peer)
        self._begin(_Attempt(connection, steps, deadline, peer))

    def _dialled(self, connection: Connection, address: Any, peer: int) -> Steps[int]:
        try:
            yield from connection.connect(address)
        except OSError as error:
            raise self._not_reached(peer, error) from error
        yield from connection.dial(self.secret, self.rank, peer, self.tls)
        return peer

    def _accept(self) -> None:
        """Accept a connection; where there are too many, the oldest unauthenticated one has to go."""
        try:
            connection = Connection(self.listener.socket.accept()[0])
        except (BlockingIOError, ConnectionError):  # the peer has gone again
            return
        unauthenticated = [descriptor for descriptor, attempt in self.attempts.items() if attempt.peer is None]
        if len(unauthenticated) >= MAX_UNAUTHENTICATED + len(self.addresses):
            self._drop(unauthenticated[0])
        steps = connection.accept(self.secret, self.rank, range(self.rank + 1, len(self.addresses)), self.tls)
        self._begin(_Attempt(connection, steps, time.monotonic() + HANDSHAKE_TIMEOUT, None))

    def _begin(self, attempt: _Attempt) -> None:
        descriptor = attempt.connection.socket.fileno()
        self.attempts[descriptor] = attempt
        self.selector.register(descriptor, selectors.EVENT_READ)
        self._advance(descriptor)

    def _advance(self, descriptor: int) -> None:
        """Let a handshake progress until it has to wait, is done, or fails."""
        attempt = self.attempts[descriptor]
        try:
            self.selector.modify(descriptor, next(attempt.steps))
        except StopIteration as done:
            self._finish(descriptor, done.value)
        except (HandshakeError, OSError) as error:
            self._drop(descriptor)
            if attempt.peer is not None:
                raise MeshError(f"{self._name(attempt.peer)} {_reason(error)}") from error

    def _finish(self, descriptor: int, peer: int) -> None:
        """Keep an authenticated connection; the first one of each rank counts."""
        if peer in self.connected:
            self._drop(descriptor)
            return
        self.selector.unregister(descriptor)
        self.connected[peer] = self.attempts.pop(descriptor).connection

    def _drop(self, descriptor: int) -> None:
        self.selector.unregister(descriptor)
        with suppress(OSError):
            self.attempts.pop(descriptor).connection.close()

    def _not_reached(self, peer: int, error: OSError) -> MeshError:
        return MeshError(f"{self._name(peer)} was not reached: {error.strerror or error}")

    def _name(self, peer: int) -> str:
        host, port = self.addresses[peer]
        return f"rank {peer} ({host}:{port})"


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, HandshakeError) else f"did not complete the handshake: {error}"
