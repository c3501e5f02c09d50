"""Handshake between two ranks of a job: TLS if the cluster has it, then proofs of the job's key on both sides.

The rank that dials sends its rank and a nonce. The rank that listens replies with a nonce of its own and a proof, and gets a
proof back. A proof is an HMAC of the role, the job, both ranks and both nonces, so that none is valid in another connection,
another job or the other direction. A handshake never blocks: it is a generator that yields the event it waits for.
"""

from __future__ import annotations

import hmac
import os
import secrets
import selectors
import socket
import ssl
import struct
from collections.abc import Callable, Container, Generator
from typing import Any, NamedTuple, TypeVar

Result = TypeVar("Result")

#: Steps of a handshake: yields the event of the socket (of `selectors`) that the next step waits for.
Steps = Generator[int, None, Result]

_PROTOCOL = b"drmesh\x00\x01"
_NONCE_SIZE = 32
_PROOF_SIZE = 32
_HELLO = struct.Struct(f"!{len(_PROTOCOL)}sI{_NONCE_SIZE}s")
_REPLY = struct.Struct(f"!{_NONCE_SIZE}s{_PROOF_SIZE}s")


class HandshakeError(Exception):
    """The other side is not a rank of this job, or has closed its connection."""


class JobSecret(NamedTuple):
    """Name of a job, and the key that only its ranks know.

    Attributes
    ----------
    name : str
    key : bytes
    """

    name: str
    key: bytes

    def __repr__(self) -> str:
        return f"JobSecret({self.name!r}, ...)"  # logs must not have the key

    @classmethod
    def random(cls) -> JobSecret:
        """A new job; its name and its key are independent."""
        return cls(secrets.token_hex(16), secrets.token_bytes(32))

    def proof(self, role: bytes, dialer: int, listener: int, nonces: bytes) -> bytes:
        """Proof by the rank in a role, ``b"D"`` or ``b"L"``, that it knows the key."""
        message = struct.pack("!cII", role, dialer, listener) + nonces + self.name.encode()
        return hmac.digest(self.key, _PROTOCOL + message, "sha256")


class TLSContexts(NamedTuple):
    """TLS contexts of a Dask worker, for connections that it accepts and that it makes."""

    accepting: ssl.SSLContext
    connecting: ssl.SSLContext


class Connection:
    """A non-blocking connection to another process.

    Parameters
    ----------
    connected : socket.socket
        TLS may replace it, with the same file descriptor.
    """

    def __init__(self, connected: socket.socket) -> None:
        self.socket = connected
        connected.setblocking(False)

    def connect(self, address: Any) -> Steps[None]:
        """Connect to an address."""
        try:
            self.socket.connect(address)
        except BlockingIOError:
            yield selectors.EVENT_WRITE
            error = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if error:
                raise OSError(error, os.strerror(error)) from None

    def dial(self, secret: JobSecret, rank: int, peer: int, tls: TLSContexts | None) -> Steps[None]:
        """Handshake of the rank that has connected to another one."""
        if tls is not None:
            yield from self._start_tls(tls.connecting, is_server=False)
        nonce = secrets.token_bytes(_NONCE_SIZE)
        yield from self._send(_HELLO.pack(_PROTOCOL, rank, nonce))
        theirs, proof = _REPLY.unpack((yield from self._receive(_REPLY.size)))
        if not hmac.compare_digest(proof, secret.proof(b"L", rank, peer, nonce + theirs)):
            raise HandshakeError("is not a rank of this job")
        yield from self._send(secret.proof(b"D", rank, peer, nonce + theirs))

    def accept(self, secret: JobSecret, rank: int, expected: Container[int], tls: TLSContexts | None) -> Steps[int]:
        """Handshake of the rank that was connected to; the rank of the other side."""
        if tls is not None:
            yield from self._start_tls(tls.accepting, is_server=True)
        protocol, peer, theirs = _HELLO.unpack((yield from self._receive(_HELLO.size)))
        if protocol != _PROTOCOL or peer not in expected:
            raise HandshakeError("is not a rank of this job")
        nonce = secrets.token_bytes(_NONCE_SIZE)
        yield from self._send(nonce + secret.proof(b"L", peer, rank, theirs + nonce))
        proof = yield from self._receive(_PROOF_SIZE)
        if not hmac.compare_digest(proof, secret.proof(b"D", peer, rank, theirs + nonce)):
            raise HandshakeError("is not a rank of this job")
        return peer  # type: ignore[no-any-return]

    def close(self) -> None:
        self.socket.close()

    def _start_tls(self, context: ssl.SSLContext, is_server: bool) -> Steps[None]:
        self.socket = wrapped = context.wrap_socket(self.socket, server_side=is_server, do_handshake_on_connect=False)
        yield from _retried(selectors.EVENT_READ, wrapped.do_handshake)

    def _send(self, content: bytes) -> Steps[None]:
        while content:
            sent = yield from _retried(selectors.EVENT_WRITE, self.socket.send, content)
            content = content[sent:]

    def _receive(self, size: int) -> Steps[bytes]:
        """Receive `size` bytes, and none of those behind them."""
        content = b""
        while len(content) < size:
            chunk = yield from _retried(selectors.EVENT_READ, self.socket.recv, size - len(content))
            if not chunk:
                raise HandshakeError("closed its connection; it has died or aborted")
            content += chunk
        return content


def _retried(event: int, operation: Callable[..., Result], *args: Any) -> Steps[Result]:
    """Result of a non-blocking operation, repeated whenever the event that it waits for has come."""
    while True:
        try:
            return operation(*args)
        except ssl.SSLWantReadError:
            yield selectors.EVENT_READ
        except ssl.SSLWantWriteError:
            yield selectors.EVENT_WRITE
        except BlockingIOError:
            yield event
