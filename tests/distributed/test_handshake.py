"""Handshakes between ranks, message by message: no proof is valid twice, nor for anything else."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
from peers import SECRET

from directrank.distributed.handshake import Connection, HandshakeError, JobSecret, Steps

#: What counts as at once on a busy machine, in seconds.
SOON = 5.0


class Outcome:
    """How the steps of a handshake end, run as far as they go without waiting."""

    def __init__(self, steps: Steps[Any]) -> None:
        self.steps, self.result, self.is_done, self.error = steps, None, False, None

    def advance(self) -> None:
        try:
            next(self.steps)
        except StopIteration as done:
            self.result, self.is_done = done.value, True
        except HandshakeError as error:
            self.error = error


@contextmanager
def pair() -> Iterator[tuple[Connection, socket.socket]]:
    """A connection, and its other end."""
    mine, other = socket.socketpair()
    other.settimeout(SOON)
    with closing(mine), closing(other):
        yield Connection(mine), other


def genuine(secret: JobSecret = SECRET) -> tuple[bytes, bytes, bytes]:
    """The messages of a handshake: hello, reply and proof."""
    with pair() as (dialer, dialer_end), pair() as (listener, listener_end):
        dialling, accepting = Outcome(dialer.dial(secret, 1, 0, None)), Outcome(listener.accept(secret, 0, [1], None))
        dialling.advance()
        hello = dialer_end.recv(1000)
        listener_end.sendall(hello)
        accepting.advance()
        reply = listener_end.recv(1000)
        dialer_end.sendall(reply)
        dialling.advance()
        proof = dialer_end.recv(1000)
        listener_end.sendall(proof)
        accepting.advance()
        assert dialling.is_done and accepting.is_done and accepting.result == 1
        return hello, reply, proof


def test_a_handshake_never_repeats_itself() -> None:
    for first, second in zip(genuine(), genuine(), strict=True):
        assert first != second


def test_a_replayed_dialer_is_rejected() -> None:
    """Even by another rank of the same job, to whom the recorded handshake was addressed."""
    hello, _, proof = genuine()
    with pair() as (listener, end):
        accepting = Outcome(listener.accept(SECRET, 0, [1], None))
        end.sendall(hello + proof)
        accepting.advance()
        assert str(accepting.error) == "is not a rank of this job"


def test_a_replayed_listener_is_rejected() -> None:
    _, reply, _ = genuine()
    with pair() as (dialer, end):
        dialling = Outcome(dialer.dial(SECRET, 1, 0, None))
        end.sendall(reply)
        dialling.advance()
        assert str(dialling.error) == "is not a rank of this job"


def test_a_listeners_proof_is_not_a_dialers() -> None:
    """Sent back to the listener, which had been asked for it with a nonce of the other side's choice."""
    hello, _, _ = genuine()
    with pair() as (listener, end):
        accepting = Outcome(listener.accept(SECRET, 0, [1], None))
        end.sendall(hello)
        accepting.advance()
        end.sendall(end.recv(1000)[32:])
        accepting.advance()
        assert str(accepting.error) == "is not a rank of this job"


def test_an_echo_is_no_proof() -> None:
    """Whatever is sent to it, the other side sends it back, with zeros where that is too short."""
    with pair() as (dialer, end):
        dialling = Outcome(dialer.dial(SECRET, 1, 0, None))
        dialling.advance()
        end.sendall((end.recv(1000) + bytes(100))[:64])
        dialling.advance()
        assert str(dialling.error) == "is not a rank of this job"
    with pair() as (listener, end):
        accepting = Outcome(listener.accept(SECRET, 0, [1], None))
        end.sendall(genuine()[0])
        accepting.advance()
        end.sendall(end.recv(1000)[:32])
        accepting.advance()
        assert str(accepting.error) == "is not a rank of this job"


@pytest.mark.parametrize("step", [0, 1], ids=["hello", "proof"])
def test_a_handshake_that_is_cut_off_waits_for_the_rest_or_fails(step: int) -> None:
    with pair() as (listener, end):
        accepting = Outcome(listener.accept(SECRET, 0, [1], None))
        hello, _, proof = genuine()
        if step:
            end.sendall(hello)
            accepting.advance()
            end.recv(1000)
        end.sendall((hello, proof)[step][:-1])
        accepting.advance()
        assert not accepting.is_done and accepting.error is None
        end.close()
        accepting.advance()
        assert str(accepting.error) == "closed its connection; it has died or aborted"


@pytest.mark.parametrize("other", [SECRET._replace(key=b"another"), SECRET._replace(name="another job")], ids=["key", "job"])
def test_proofs_are_of_one_key_and_one_job(other: JobSecret) -> None:
    with pair() as (dialer, dialer_end), pair() as (listener, listener_end):
        dialling, accepting = Outcome(dialer.dial(other, 1, 0, None)), Outcome(listener.accept(SECRET, 0, [1], None))
        dialling.advance()
        listener_end.sendall(dialer_end.recv(1000))
        accepting.advance()
        dialer_end.sendall(listener_end.recv(1000))
        dialling.advance()
        assert str(dialling.error) == "is not a rank of this job" and not accepting.is_done


def test_only_expected_ranks_are_accepted() -> None:
    with pair() as (dialer, dialer_end), pair() as (listener, listener_end):
        Outcome(dialer.dial(SECRET, 7, 0, None)).advance()
        accepting = Outcome(listener.accept(SECRET, 0, [1], None))
        listener_end.sendall(dialer_end.recv(1000))
        accepting.advance()
        assert str(accepting.error) == "is not a rank of this job"


def test_the_key_is_not_in_logs() -> None:
    assert "key" not in repr(SECRET) and SECRET.name in repr(SECRET)
    assert JobSecret.random().key != JobSecret.random().key and len(JobSecret.random().key) == 32
