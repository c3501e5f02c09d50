"""How the places of one job find each other: every two of them are connected, and know that both belong to it."""

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
_GREETING_SIZE = _RANK.size + hashlib.sha256().digest_size

#: How often, in seconds, who waits for others looks whether the door was closed.
_LOOK_UP = 0.2


class MeshBroken(RuntimeError):  # noqa: N818 -- it says what happened
    """A place of the job is gone, or someone broke off: nothing can be exchanged any more."""


class Peer(NamedTuple):
    """Another place, as it is connected to this one."""

    rank: int
    name: str
    socket: socket.socket


def meet(door: Door, rank: int, addresses: Sequence[Address], token: bytes, timeout: float) -> list[Peer]:
    """Meet all other places: dial those of lower rank, let in those of higher rank, then close the door.

    Nobody waits for an answer before everyone has been dialled, so the order in which places arrive does not matter. The
    token proves on both sides who belongs to the job, and does not travel itself. A stranger is left standing.

    Parameters
    ----------
    door, rank, addresses, token, timeout
        See `Mesh.connect`.
    """
    meeting = _Meeting(rank, addresses, token, time.monotonic() + timeout)
    try:
        meeting.dial()
        meeting.admit(door)
        meeting.confirm(door)
        meeting.check(door)
    except BaseException:
        meeting.hang_up()
        raise
    finally:
        door.close()
    return meeting.met()


class Door:
    """Where a place is reached while the mesh is being made: a listening socket on a port that is free.

    Parameters
    ----------
    host : str
        The name or address of this machine by which the other places reach it.

    Attributes
    ----------
    address : (str, int)
    """

    def __init__(self, host: str) -> None:
        family = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][0]
        try:
            self.socket = socket.create_server((host, 0), family=family, backlog=1024)
        except OSError:  # the others reach this machine by an address that is not its own: let them in on any
            self.socket = socket.create_server(("", 0), family=family, backlog=1024)
        self.socket.setblocking(False)
        self.address: Address = (host, self.socket.getsockname()[1])

    @property
    def is_closed(self) -> bool:
        return self.socket.fileno() < 0

    def close(self) -> None:
        """Let nobody in any more; from any thread, and one that waits here in `Mesh.connect` soon raises `MeshBroken`."""
        self.socket.close()


class _Meeting:
    """How the places of a job find each other; each step ends by the deadline."""

    def __init__(self, rank: int, addresses: Sequence[Address], token: bytes, deadline: float) -> None:
        self.rank = rank
        self.addresses = [(host, port) for host, port in addresses]
        self.token = token
        self.deadline = deadline
        self.sockets: dict[int, socket.socket] = {}

    def dial(self) -> None:
        """Reach the places of lower rank and greet them; their answers are not waited for."""
        for peer in range(self.rank):
            try:
                self.sockets[peer] = socket.create_connection(self.addresses[peer], self._seconds_left())
                self.sockets[peer].sendall(self._greeting(self.rank, peer))
                self.sockets[peer].setblocking(False)
            except OSError as error:
                raise MeshBroken(f"{self._name(peer)} was not reached: {error.strerror or error}") from error

    def admit(self, door: Door) -> None:
        """Let in the places of higher rank and answer them; who does not prove to be one of them is sent away."""
        strangers: dict[socket.socket, bytearray] = {}
        try:
            while missing := [peer for peer in range(self.rank + 1, len(self.addresses)) if peer not in self.sockets]:
                for caller in self._wait(door, [door.socket, *strangers], missing, "come"):
                    if caller is door.socket:
                        self._open(door, strangers)
                    elif self._has_spoken(caller, strangers[caller]):
                        self._welcome(caller, strangers.pop(caller))
        finally:
            for caller in strangers:
                caller.close()

    def confirm(self, door: Door) -> None:
        """Wait for the answers of the places that were dialled."""
        for peer in range(self.rank):
            answer = bytearray()
            while not self._has_spoken(self.sockets[peer], answer):
                self._wait(door, [self.sockets[peer]], [peer], "answer")
            if len(answer) < _GREETING_SIZE:
                raise MeshBroken(f"{self._name(peer)} closed its connection; it has died or broken off")
            if not hmac.compare_digest(bytes(answer), self._greeting(peer, self.rank)):
                raise MeshBroken(f"{self._name(peer)} is not a place of this job")

    def check(self, door: Door) -> None:
        """That nobody has called the meeting off."""
        if door.is_closed:
            raise MeshBroken("the door was closed before all connections were made")

    def met(self) -> list[Peer]:
        """The places that are connected, by rank."""
        return [Peer(peer, self._name(peer), self.sockets[peer]) for peer in sorted(self.sockets)]

    def hang_up(self) -> None:
        for connection in self.sockets.values():
            connection.close()

    def _wait(self, door: Door, sockets: list[socket.socket], missing: list[int], what: str) -> list[socket.socket]:
        """Those sockets from which something can be read, after a while at the most; at the deadline, say who is missing."""
        self.check(door)
        if time.monotonic() >= self.deadline:
            raise MeshBroken(f"{' and '.join(map(self._name, missing))} did not {what} in time")
        return _readable(sockets, min(self._seconds_left(), _LOOK_UP))

    def _open(self, door: Door, strangers: dict[socket.socket, bytearray]) -> None:
        with suppress(OSError):  # who called has gone again, or the door was closed
            caller, _ = door.socket.accept()
            caller.setblocking(False)
            strangers[caller] = bytearray()

    def _has_spoken(self, caller: socket.socket, heard: bytearray) -> bool:
        """Whether all has been heard of a caller: a greeting, or the end."""
        words = b""
        try:
            words = caller.recv(_GREETING_SIZE - len(heard))
        except BlockingIOError:
            return False
        except OSError:
            pass
        heard += words
        return not words or len(heard) == _GREETING_SIZE

    def _welcome(self, caller: socket.socket, heard: bytearray) -> None:
        """Answer a place of the job; anyone else has to go."""
        peer = self._who_greets(bytes(heard))
        if peer is None:
            caller.close()
            return
        self.sockets[peer] = caller
        try:
            caller.sendall(self._greeting(self.rank, peer))
        except OSError as error:
            raise MeshBroken(f"the connection to {self._name(peer)} broke: {error.strerror or error}") from error

    def _who_greets(self, heard: bytes) -> int | None:
        """The rank of a place that is still missing and greets as it should."""
        if len(heard) < _GREETING_SIZE:
            return None
        peer: int = _RANK.unpack_from(heard)[0]
        is_missing = self.rank < peer < len(self.addresses) and peer not in self.sockets
        return peer if is_missing and hmac.compare_digest(heard, self._greeting(peer, self.rank)) else None

    def _greeting(self, sender: int, receiver: int) -> bytes:
        """What one place says to another: its rank, and a proof that it knows the token."""
        who = struct.pack("!III", sender, receiver, len(self.addresses))
        return _RANK.pack(sender) + hmac.digest(self.token, who, "sha256")

    def _name(self, peer: int) -> str:
        host, port = self.addresses[peer]
        return f"rank {peer} ({host}:{port})"

    def _seconds_left(self) -> float:
        return max(self.deadline - time.monotonic(), 1e-3)


def _readable(sockets: Sequence[socket.socket], timeout: float) -> list[socket.socket]:
    """Those of some sockets from which something can be read, now or within the time; none if one of them was closed."""
    with selectors.DefaultSelector() as selector, suppress(ValueError):
        for each in sockets:
            selector.register(each, selectors.EVENT_READ, each)
        return [key.data for key, _ in selector.select(timeout)]
    return []
