"""Connections between the ranks of a job: all parts arrive, and a lost rank is noticed."""

from __future__ import annotations

import random
import signal
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import pytest
from hypothesis import given, strategies as st
from peers import HOST, SECRET, Processes, in_threads, meshes

from directrank.distributed.handshake import JobSecret
from directrank.distributed.mesh import Mesh
from directrank.distributed.rendezvous import Listener, MeshError

#: Far more than a loopback connection holds on its way.
LARGE = 40_000_000

#: What counts as at once on a busy machine, in seconds.
SOON = 5.0


@contextmanager
def connected_ranks(size: int) -> Iterator[list[Mesh]]:
    """The meshes of all ranks, in this process."""
    with ExitStack() as stack:
        yield [stack.enter_context(mesh) for mesh in meshes(size)]


def part(sender: int, receiver: int, length: int) -> bytes:
    """Bytes that name their sender and receiver."""
    return (bytes([sender, receiver]) * (length // 2 + 1))[:length]


def alike(mesh: Mesh, parts: list[bytes]) -> list[bytes]:
    """Exchange parts that are of the same length on all ranks."""
    return mesh.exchange(parts, [len(parts[mesh.rank])] * mesh.size)


def exchanged(connected: list[Mesh], parts: list[list[bytes]]) -> list[list[bytes]]:
    """Parts that each rank receives; if that takes too long, all are aborted, so that none waits forever."""
    lengths = [[len(each[rank]) for each in parts] for rank in range(len(connected))]
    with ThreadPoolExecutor(len(connected)) as pool:
        try:
            return list(pool.map(Mesh.exchange, connected, parts, lengths, timeout=60))
        except BaseException:
            for mesh in connected:
                mesh.abort()
            raise


@pytest.fixture(scope="module")
def five() -> Iterator[list[Mesh]]:
    with connected_ranks(5) as connected:
        yield connected


@given(st.data())
def test_all_parts_arrive(five: list[Mesh], data: st.DataObject) -> None:
    length = st.sampled_from([0, 0, 1, 7, 8, 2**14 - 1, 2**14, 300_000])
    lengths = [[data.draw(length) for _ in five] for _ in five]
    got = exchanged(five, [[part(i, j, lengths[i][j]) for j in range(5)] for i in range(5)])
    assert got == [[part(i, j, lengths[i][j]) for i in range(5)] for j in range(5)]


def test_ranks_and_sizes(five: list[Mesh]) -> None:
    assert [mesh.rank for mesh in five] == [0, 1, 2, 3, 4]
    assert {mesh.size for mesh in five} == {5}
    with pytest.raises(ValueError, match="a part and a length for each of 5 ranks, not 1"):
        five[0].exchange([b""], [0])


def test_a_fast_rank_waits_for_the_others() -> None:
    def hurry(mesh: Mesh) -> list[list[bytes]]:
        wait = random.Random(mesh.rank)
        got = []
        for turn in range(50):
            time.sleep(wait.random() * 0.004)
            got.append([bytes(p) for p in alike(mesh, [part(mesh.rank, j, turn * 1000) for j in range(3)])])
        return got

    for rank, got in enumerate(in_threads(hurry, 3)):
        assert got == [[part(i, rank, turn * 1000) for i in range(3)] for turn in range(50)]


def exchange_large_parts(mesh: Mesh) -> bool:
    got = alike(mesh, [part(mesh.rank, j, LARGE) for j in range(mesh.size)])
    return all(p == part(i, mesh.rank, LARGE) for i, p in enumerate(got))


def test_large_parts_in_all_directions_at_once() -> None:
    assert [outcome.value for outcome in Processes(exchange_large_parts, 3).outcomes()] == [True] * 3


def test_a_rank_that_is_done_may_close() -> None:
    """Ranks that still wait for the last part of another are not disturbed; an exchange with the closed one fails."""
    with (
        ThreadPoolExecutor(2) as pool,
        connected_ranks(3) as [first, second, third],
    ):  # if this fails, nobody is left waiting
        waits = [pool.submit(alike, mesh, [b"last"] * 3) for mesh in (first, second)]
        third._links[0].begin(b"last", 4)
        third._links[0].advance()
        assert waits[0].result(SOON) == [b"last"] * 3
        first.close()
        time.sleep(0.1)
        assert not waits[1].done()
        third._links[1].begin(b"last", 4)
        third._links[1].advance()
        assert waits[1].result(SOON) == [b"last"] * 3
        with pytest.raises(MeshError, match=r"rank 0 \(.*\) has closed its connections"):
            alike(second, [b"more"] * 3)


def test_a_mesh_of_one() -> None:
    with connected_ranks(1) as [mesh]:
        assert alike(mesh, [b"mine"]) == [b"mine"]
        mesh.abort()
        with pytest.raises(MeshError):
            alike(mesh, [b"mine"])


def test_waiting_takes_no_processor_time() -> None:
    def wait(mesh: Mesh) -> float:
        if mesh.rank == 1:
            time.sleep(0.5)
        before = time.thread_time()
        alike(mesh, [b"", b""])
        return time.thread_time() - before

    assert max(in_threads(wait, 2)) < 0.1


@contextmanager
def waiting(mesh: Mesh, length: int = 1, expected: int | None = None) -> Iterator[list[BaseException]]:
    """A thread that waits in an exchange; at the end of the block it must come back soon, with an error."""
    errors: list[BaseException] = []

    def exchange() -> None:
        try:
            mesh.exchange([bytes(length)] * mesh.size, [length if expected is None else expected] * mesh.size)
        except MeshError as error:
            errors.append(error)

    thread = threading.Thread(target=exchange)
    thread.start()
    time.sleep(0.1)
    assert thread.is_alive()
    yield errors
    thread.join(SOON)
    assert not thread.is_alive()
    assert len(errors) == 1


@pytest.mark.parametrize("length", [0, 1, LARGE])
def test_abort_ends_all_exchanges(length: int) -> None:
    with connected_ranks(3) as [first, second, third], waiting(first, length) as errors, waiting(second, length) as others:
        first.abort("enough")
    assert str(errors[0]) == "enough"
    assert "closed its connection" in str(others[0]) or "broke" in str(others[0])
    for mesh in (first, second, third):
        with pytest.raises(MeshError):
            alike(mesh, [b""] * 3)


def test_the_first_abort_counts() -> None:
    with connected_ranks(2) as [mesh, _]:
        mesh.abort("first")
        mesh.abort("second")
        with pytest.raises(MeshError, match="first"):
            alike(mesh, [b"", b""])
    mesh.abort("third")
    with pytest.raises(MeshError, match="first"):
        alike(mesh, [b"", b""])


@pytest.mark.parametrize("length", [1, LARGE])
def test_a_rank_that_closes_is_noticed_and_named(length: int) -> None:
    with connected_ranks(3) as [first, second, third], waiting(first, length) as errors:
        second.close()
    assert "rank 1 (127.0.0.1:" in str(errors[0])
    with pytest.raises(MeshError, match="is closed"):
        alike(second, [b""] * 3)
    with pytest.raises(MeshError):
        alike(third, [b""] * 3)


def test_a_rank_that_only_sends_notices_the_abort_too() -> None:
    """The other rank has sent its part and reads no more: it is computing when its mesh is aborted."""
    with connected_ranks(2) as [busy, sender]:
        busy._links[0].begin(b"its part", LARGE)
        busy._links[0].advance_sending()
        with waiting(sender, LARGE, len(b"its part")):
            busy.abort()


def exchange_forever(mesh: Mesh, length: int) -> None:
    while True:
        alike(mesh, [bytes(length)] * mesh.size)


@pytest.mark.parametrize("length", [0, 100, LARGE // 10])
def test_a_killed_rank_ends_all_others(length: int) -> None:
    job = Processes(exchange_forever, 3, length)
    job.wait_until_connected()
    time.sleep(0.3)
    killed = job.send(1)
    first, second, third = job.outcomes()
    assert second.exitcode == -signal.SIGKILL
    for survivor in (first, third):
        assert isinstance(survivor.value, MeshError)
        assert survivor.exitcode == 0
        assert survivor.time - killed < SOON


def test_an_interrupt_breaks_the_mesh() -> None:
    job = Processes(exchange_forever, 2, 1)
    job.wait_until_connected()
    time.sleep(0.3)
    job.send(0, signal.SIGINT)
    first, second = job.outcomes()
    assert isinstance(first.value, KeyboardInterrupt)
    assert isinstance(second.value, MeshError)


def unauthenticated_peer(hello: bytes, listener: Listener) -> socket.socket:
    peer = socket.create_connection(listener.address)
    peer.sendall(hello)
    return peer


def test_unauthenticated_peers_are_rejected() -> None:
    """Whether silent, gone again, sending garbage, or of another job."""
    listeners = [Listener(HOST) for _ in range(3)]
    addresses = [listener.address for listener in listeners]
    garbage = [b"", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b"\0" * 36, b"\0\0\0\1" + b"?" * 32, b"half", b"x" * 10**5]
    with ExitStack() as stack:
        for listener in listeners:
            for hello in garbage:
                stack.enter_context(unauthenticated_peer(hello, listener))
            unauthenticated_peer(b"bye", listener).close()
        start = time.monotonic()
        with ThreadPoolExecutor(3) as pool:
            job = [pool.submit(Mesh.connect, listeners[i], i, addresses, SECRET, 20.0) for i in range(3)]
        connected = [stack.enter_context(future.result()) for future in job]
        assert time.monotonic() - start < SOON
        assert exchanged(connected, [[b"a", b"b", b"c"]] * 3) == [[b"a"] * 3, [b"b"] * 3, [b"c"] * 3]


def failing(i: int, listeners: list[Listener], secret: JobSecret = SECRET, timeout: float = 0.5) -> str:
    """Error of a failed rendezvous."""
    with pytest.raises(MeshError) as error:
        Mesh.connect(listeners[i], i, [listener.address for listener in listeners], secret, timeout)
    assert listeners[i].is_closed
    return str(error.value)


def test_a_rank_that_does_not_connect_in_time_is_named() -> None:
    listeners = [Listener(HOST), Listener(HOST), Listener(HOST)]
    start = time.monotonic()
    message = failing(0, listeners)
    assert time.monotonic() - start < SOON
    assert message == "rank 1 ({}:{}) and rank 2 ({}:{}) did not connect in time".format(
        *listeners[1].address, *listeners[2].address
    )
    assert failing(1, listeners) == "rank 0 ({}:{}) was not reached: Connection refused".format(*listeners[0].address)
    listeners[2].close()


def test_a_rank_that_does_not_reply_is_named() -> None:
    listeners = [Listener(HOST), Listener(HOST)]
    assert failing(1, listeners) == "rank 0 ({}:{}) did not reply in time".format(*listeners[0].address)
    listeners[0].close()


def test_a_rank_with_another_key_is_rejected() -> None:
    listeners = [Listener(HOST), Listener(HOST)]
    with ThreadPoolExecutor(2) as pool:
        rejected = pool.submit(failing, 1, listeners, SECRET._replace(key=b"another"))
        assert "rank 1" in failing(0, listeners)
        assert "rank 0" in rejected.result()


def test_an_impostor_is_rejected() -> None:
    """Another process listens where a rank of the job has been."""

    def answer(server: socket.socket) -> None:
        with server.accept()[0] as caller:
            caller.sendall(b"?" * 64)
            caller.recv(100)

    with socket.create_server((HOST, 0)) as impostor, ThreadPoolExecutor(1) as pool:
        impostor.settimeout(SOON)
        listener = Listener(HOST)
        answered = pool.submit(answer, impostor)
        with pytest.raises(MeshError, match="is not a rank of this job"):
            Mesh.connect(listener, 1, [impostor.getsockname(), listener.address], SECRET, 5.0)
        answered.result()


@pytest.mark.parametrize("rank", [0, 1])
def test_closing_the_listener_ends_the_rendezvous(rank: int) -> None:
    listeners = [Listener(HOST), Listener(HOST)]
    with ThreadPoolExecutor(1) as pool:
        rendezvous = pool.submit(failing, rank, listeners, timeout=60.0)
        time.sleep(0.1)
        listeners[rank].close()
        assert "the listener was closed" in rendezvous.result(SOON)
    listeners[1 - rank].close()


def test_a_cancelled_rendezvous_makes_no_mesh() -> None:
    listeners = [Listener(HOST), Listener(HOST)]
    listeners[1].close()
    assert "the listener was closed" in failing(1, listeners)
    assert "rank 1" in failing(0, listeners, timeout=0.1)


def test_a_close_frame_arrives_behind_a_large_part() -> None:
    """The other rank reads slowly, as it waits for a third one most of the time."""

    def exchange_large(mesh: Mesh) -> int:
        if mesh.rank == 2:
            time.sleep(0.3)
        return len(alike(mesh, [bytes(LARGE // 10)] * 3))

    assert in_threads(exchange_large, 3) == [3, 3, 3]


def test_a_rank_that_computes_for_long_before_it_reads_is_not_taken_for_dead() -> None:
    """With TCP_USER_TIMEOUT, Linux ends a connection whose other end is alive, but has no room for more, after that time."""
    with connected_ranks(2) as connected:
        for mesh in connected:
            for link in mesh._links:
                assert link.socket.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
                assert link.socket.getsockopt(socket.IPPROTO_TCP, getattr(socket, "TCP_USER_TIMEOUT", 18)) == 0
