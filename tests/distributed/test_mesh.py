"""Connections between the places of a job: all parts arrive, and who is gone is noticed."""

from __future__ import annotations

import random
import signal
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from selectors import EVENT_WRITE

import pytest
from hypothesis import given, strategies as st
from places import HOST, TOKEN, Processes, in_threads, meshes

from directrank.distributed.mesh import Door, Mesh, MeshBroken

#: Far more than a loopback connection holds on its way.
LARGE = 40_000_000

#: What counts as at once on a busy machine, in seconds.
SOON = 5.0


@contextmanager
def places(size: int) -> Iterator[list[Mesh]]:
    """The meshes of all places, here."""
    with ExitStack() as stack:
        yield [stack.enter_context(mesh) for mesh in meshes(size)]


def part(sender: int, receiver: int, length: int) -> bytes:
    """Bytes that tell between whom they travel."""
    return (bytes([sender, receiver]) * (length // 2 + 1))[:length]


def exchanged(connected: list[Mesh], parts: list[list[bytes]]) -> list[list[bytes]]:
    """What each place gets; where that takes too long, all are broken off, so that nobody waits for ever."""
    with ThreadPoolExecutor(len(connected)) as pool:
        try:
            return list(pool.map(Mesh.exchange, connected, parts, timeout=60))
        except BaseException:
            for mesh in connected:
                mesh.abort()
            raise


@pytest.fixture(scope="module")
def five() -> Iterator[list[Mesh]]:
    with places(5) as connected:
        yield connected


@given(st.data())
def test_everyone_gets_what_everyone_hands_out(five: list[Mesh], data: st.DataObject) -> None:
    length = st.sampled_from([0, 0, 1, 7, 8, 2**14 - 1, 2**14, 300_000])
    lengths = [[data.draw(length) for _ in five] for _ in five]
    got = exchanged(five, [[part(i, j, lengths[i][j]) for j in range(5)] for i in range(5)])
    assert got == [[part(i, j, lengths[i][j]) for i in range(5)] for j in range(5)]


def test_ranks_and_sizes(five: list[Mesh]) -> None:
    assert [mesh.rank for mesh in five] == [0, 1, 2, 3, 4]
    assert {mesh.size for mesh in five} == {5}
    with pytest.raises(ValueError, match="a part for each of 5 places, not 1"):
        five[0].exchange([b""])


def test_one_who_is_ahead_waits_for_the_others() -> None:
    def hurry(mesh: Mesh) -> list[list[bytes]]:
        wait = random.Random(mesh.rank)
        got = []
        for turn in range(50):
            time.sleep(wait.random() * 0.004)
            got.append([bytes(p) for p in mesh.exchange([part(mesh.rank, j, turn * 1000) for j in range(3)])])
        return got

    for rank, got in enumerate(in_threads(hurry, 3)):
        assert got == [[part(i, rank, turn * 1000) for i in range(3)] for turn in range(50)]


def exchange_large_parts(mesh: Mesh) -> bool:
    got = mesh.exchange([part(mesh.rank, j, LARGE) for j in range(mesh.size)])
    return all(p == part(i, mesh.rank, LARGE) for i, p in enumerate(got))


def test_large_parts_in_all_directions_at_once() -> None:
    assert [outcome.value for outcome in Processes(exchange_large_parts, 3).outcomes()] == [True] * 3


def test_who_has_done_its_share_may_leave() -> None:
    """Those who still wait for another one's last part do not mind; who wants more of it is told."""
    with ThreadPoolExecutor(2) as pool, places(3) as [first, second, third]:  # if this fails, nobody is left waiting
        waits = [pool.submit(mesh.exchange, [b"last"] * 3) for mesh in (first, second)]
        third._links[0].begin(b"last")
        third._links[0].advance(EVENT_WRITE)
        assert waits[0].result(SOON) == [b"last"] * 3
        first.close()
        time.sleep(0.1)
        assert not waits[1].done()
        third._links[1].begin(b"last")
        third._links[1].advance(EVENT_WRITE)
        assert waits[1].result(SOON) == [b"last"] * 3
        with pytest.raises(MeshBroken, match=r"rank 0 \(.*\) has closed its connections and takes part no more"):
            second.exchange([b"more"] * 3)


def test_a_mesh_of_one() -> None:
    with places(1) as [mesh]:
        assert mesh.exchange([b"mine"]) == [b"mine"]
        mesh.abort()
        with pytest.raises(MeshBroken):
            mesh.exchange([b"mine"])


def test_waiting_costs_nothing() -> None:
    def wait(mesh: Mesh) -> float:
        if mesh.rank == 1:
            time.sleep(0.5)
        before = time.thread_time()
        mesh.exchange([b"", b""])
        return time.thread_time() - before

    assert max(in_threads(wait, 2)) < 0.1


@contextmanager
def waiting(mesh: Mesh, length: int = 1) -> Iterator[list[BaseException]]:
    """A thread that waits in an exchange; at the end of the block it must come back soon, with an error."""
    errors: list[BaseException] = []

    def exchange() -> None:
        try:
            mesh.exchange([bytes(length)] * mesh.size)
        except MeshBroken as error:
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
def test_abort_wakes_who_waits_here_and_elsewhere(length: int) -> None:
    with places(3) as [first, second, third], waiting(first, length) as errors, waiting(second, length) as others:
        first.abort("enough")
    assert str(errors[0]) == "enough"
    assert "closed its connection" in str(others[0]) or "broke" in str(others[0])
    for mesh in (first, second, third):
        with pytest.raises(MeshBroken):
            mesh.exchange([b""] * 3)


def test_who_aborts_twice_is_heard_once() -> None:
    with places(2) as [mesh, _]:
        mesh.abort("first")
        mesh.abort("second")
        with pytest.raises(MeshBroken, match="first"):
            mesh.exchange([b"", b""])
    mesh.abort("third")
    with pytest.raises(MeshBroken, match="first"):
        mesh.exchange([b"", b""])


@pytest.mark.parametrize("length", [1, LARGE])
def test_a_place_that_closes_is_noticed_and_named(length: int) -> None:
    with places(3) as [first, second, third], waiting(first, length) as errors:
        second.close()
    assert "rank 1 (127.0.0.1:" in str(errors[0])
    with pytest.raises(MeshBroken, match="is closed"):
        second.exchange([b""] * 3)
    with pytest.raises(MeshBroken):
        third.exchange([b""] * 3)


def test_who_only_sends_notices_the_end_too() -> None:
    """The other place has handed over its part and takes no more: it is computing when its mesh is aborted."""
    with places(2) as [busy, sender]:
        busy._links[0].begin(b"its part")
        busy._links[0].advance(EVENT_WRITE)
        with waiting(sender, LARGE):
            busy.abort()


def exchange_for_ever(mesh: Mesh, length: int) -> None:
    while True:
        mesh.exchange([bytes(length)] * mesh.size)


@pytest.mark.parametrize("length", [0, 100, LARGE // 10])
def test_a_place_that_is_killed_ends_all_others(length: int) -> None:
    job = Processes(exchange_for_ever, 3, length)
    time.sleep(0.3)
    killed = job.send(1)
    first, second, third = job.outcomes()
    assert second.exitcode == -signal.SIGKILL
    for survivor in (first, third):
        assert isinstance(survivor.value, MeshBroken)
        assert survivor.exitcode == 0
        assert survivor.time - killed < SOON


def test_an_interrupt_breaks_the_mesh() -> None:
    job = Processes(exchange_for_ever, 2, 1)
    time.sleep(0.3)
    job.send(0, signal.SIGINT)
    first, second = job.outcomes()
    assert isinstance(first.value, KeyboardInterrupt)
    assert isinstance(second.value, MeshBroken)


def greeted_by(caller: bytes, door: Door) -> socket.socket:
    stranger = socket.create_connection(door.address)
    stranger.sendall(caller)
    return stranger


def test_strangers_at_the_door_are_left_standing() -> None:
    """Whoever they are: silent, gone again, talking rubbish, or of another job."""
    doors = [Door(HOST) for _ in range(3)]
    addresses = [door.address for door in doors]
    rubbish = [b"", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b"\0" * 36, b"\0\0\0\1" + b"?" * 32, b"half", b"x" * 10**5]
    with ExitStack() as stack:
        for door in doors:
            for words in rubbish:
                stack.enter_context(greeted_by(words, door))
            greeted_by(b"bye", door).close()
        start = time.monotonic()
        with ThreadPoolExecutor(3) as pool:
            job = [pool.submit(Mesh.connect, doors[i], i, addresses, TOKEN, 20.0) for i in range(3)]
        connected = [stack.enter_context(future.result()) for future in job]
        assert time.monotonic() - start < SOON
        assert exchanged(connected, [[b"a", b"b", b"c"]] * 3) == [[b"a"] * 3, [b"b"] * 3, [b"c"] * 3]


def failing(i: int, doors: list[Door], token: bytes = TOKEN, timeout: float = 0.5) -> str:
    """How meeting the others fails."""
    with pytest.raises(MeshBroken) as error:
        Mesh.connect(doors[i], i, [door.address for door in doors], token, timeout)
    assert doors[i].is_closed
    return str(error.value)


def test_who_does_not_come_in_time_is_named() -> None:
    doors = [Door(HOST), Door(HOST), Door(HOST)]
    start = time.monotonic()
    message = failing(0, doors)
    assert time.monotonic() - start < SOON
    assert message == "rank 1 ({}:{}) and rank 2 ({}:{}) did not come in time".format(*doors[1].address, *doors[2].address)
    assert failing(1, doors) == "rank 0 ({}:{}) was not reached: Connection refused".format(*doors[0].address)
    doors[2].close()


def test_who_does_not_answer_is_named() -> None:
    doors = [Door(HOST), Door(HOST)]
    assert failing(1, doors) == "rank 0 ({}:{}) did not answer in time".format(*doors[0].address)
    doors[0].close()


def test_who_has_another_token_stays_outside() -> None:
    doors = [Door(HOST), Door(HOST)]
    with ThreadPoolExecutor(2) as pool:
        outside = pool.submit(failing, 1, doors, b"another")
        assert "rank 1" in failing(0, doors)
        assert "rank 0" in outside.result()


def test_an_impostor_is_not_believed() -> None:
    """Someone else listens where a place of the job has been."""

    def answer(listener: socket.socket) -> None:
        with listener.accept()[0] as caller:
            caller.sendall(b"?" * 36)
            caller.recv(100)

    with socket.create_server((HOST, 0)) as impostor, ThreadPoolExecutor(1) as pool:
        impostor.settimeout(SOON)
        door = Door(HOST)
        answered = pool.submit(answer, impostor)
        with pytest.raises(MeshBroken, match="is not a place of this job"):
            Mesh.connect(door, 1, [impostor.getsockname(), door.address], TOKEN, 5.0)
        answered.result()


@pytest.mark.parametrize("rank", [0, 1])
def test_closing_the_door_ends_the_waiting(rank: int) -> None:
    doors = [Door(HOST), Door(HOST)]
    with ThreadPoolExecutor(1) as pool:
        meeting = pool.submit(failing, rank, doors, timeout=60.0)
        time.sleep(0.1)
        doors[rank].close()
        assert "the door was closed" in meeting.result(SOON)
    doors[1 - rank].close()


def test_a_meeting_that_was_called_off_does_not_take_place() -> None:
    doors = [Door(HOST), Door(HOST)]
    doors[1].close()
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(Mesh.connect, doors[0], 0, [door.address for door in doors], TOKEN, 2.0)
        assert "the door was closed" in failing(1, doors, timeout=2.0)
        with other.result() as mesh, pytest.raises(MeshBroken, match="rank 1"):
            mesh.exchange([b"", b""])


def test_a_farewell_comes_through_behind_a_large_part() -> None:
    """The other place reads slowly, as it waits for a third one most of the time."""

    def hand_out(mesh: Mesh) -> int:
        if mesh.rank == 2:
            time.sleep(0.3)
        return len(mesh.exchange([bytes(LARGE // 10)] * 3))

    assert in_threads(hand_out, 3) == [3, 3, 3]
