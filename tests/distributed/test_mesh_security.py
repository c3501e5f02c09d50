"""Who is let into a mesh, what an unauthenticated peer can cost, and what goes over the wire."""

from __future__ import annotations

import selectors
import socket
import ssl
import threading
import time
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

import pytest
from certificates import Certificate
from peers import HOST, SECRET, meshes

from directrank.distributed import mesh as mesh_module, rendezvous
from directrank.distributed.handshake import Connection, TLSContexts
from directrank.distributed.mesh import Mesh
from directrank.distributed.rendezvous import Listener, MeshError

#: What counts as at once on a busy machine, in seconds.
SOON = 5.0

#: Content that must not be seen on the wire.
MARKER = b"the gradients of all queries"


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> TLSContexts:
    return Certificate.make(tmp_path_factory.mktemp("tls"), "cluster").contexts()


def test_a_length_is_checked_before_memory_is_taken() -> None:
    with ExitStack() as stack:
        first, second = (stack.enter_context(mesh) for mesh in meshes(2))
        second._links[0].socket.sendall((2**50).to_bytes(8, "big"))
        tracemalloc.start()
        try:
            with pytest.raises(MeshError, match=r"out of step: rank 1 .* sends 1,125,899,906,842,624 bytes, and 5 were"):
                first.exchange([b"", b"first"], [0, 5])
            assert tracemalloc.get_traced_memory()[1] < 10**6
        finally:
            tracemalloc.stop()


def test_a_part_of_the_next_exchange_waits_in_the_connection() -> None:
    """Its length is not known yet, so it takes no memory."""
    with ExitStack() as stack:
        first, second = (stack.enter_context(mesh) for mesh in meshes(2))
        early = bytes(10**6)
        link = second._links[0]
        link.socket.sendall((5).to_bytes(8, "big") + b"first")
        link.begin(early, 5)
        link.advance()
        assert first.exchange([b"", b"12345"], [0, 5])[1] == b"first"
        first._links[0].advance()
        assert first._links[0]._part is None and first._links[0].events == 0
        with ThreadPoolExecutor(1) as pool:
            last = pool.submit(first.exchange, [b"", b""], [0, 10**6])
            while not link.is_sent:
                link.advance_sending()
            assert last.result(SOON)[1] == early


@contextmanager
def waiting_listener(tls: TLSContexts | None = None, n_ranks: int = 2) -> Iterator[tuple[Listener, Future[Mesh]]]:
    """A rank 0 that waits for the others."""
    listener = Listener(HOST)
    with ThreadPoolExecutor(1) as pool:
        addresses = [listener.address, *[(HOST, 1)] * (n_ranks - 1)]
        waiting = pool.submit(Mesh.connect, listener, 0, addresses, SECRET, 20.0, tls)
        try:
            yield listener, waiting
        finally:
            listener.close()


def dialled(listener: Listener, rank: int) -> Connection:
    """A connection to rank 0 that has proved to be of a rank."""
    connection = Connection(socket.create_connection(listener.address))
    steps = connection.dial(SECRET, rank, 0, None)
    with selectors.DefaultSelector() as selector:
        for event in steps:
            selector.register(connection.socket, event)
            assert selector.select(SOON)
            selector.unregister(connection.socket)
    return connection


def test_the_first_connection_of_a_rank_counts() -> None:
    with waiting_listener(n_ranks=3) as (listener, waiting):
        first = dialled(listener, 1)
        time.sleep(0.05)
        second = dialled(listener, 1)
        with closing(second):
            assert has_ended(second.socket) and not waiting.done()
        third = dialled(listener, 2)
        with waiting.result(SOON) as mesh, closing(first), closing(third):
            first.socket.sendall((1).to_bytes(8, "big") + b"a")
            third.socket.sendall((1).to_bytes(8, "big") + b"c")
            assert mesh.exchange([b"", b"", b""], [0, 1, 1]) == [b"", b"a", b"c"]


def has_ended(peer: socket.socket) -> bool:
    """Whether the other side closes a connection soon."""
    peer.settimeout(SOON)
    with suppress(ConnectionError):
        return peer.recv(1) == b""
    return True


def test_a_slow_unauthenticated_peer_is_disconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    """However regularly it sends something."""
    monkeypatch.setattr(rendezvous, "HANDSHAKE_TIMEOUT", 0.3)
    with waiting_listener() as (listener, waiting):
        start = time.monotonic()  # before the rank can have accepted them
        silent, slow = (socket.create_connection(listener.address) for _ in range(2))
        with silent, slow:
            with suppress(ConnectionError):
                while time.monotonic() - start < SOON:
                    slow.send(b"d")
                    time.sleep(0.02)
            assert 0.3 <= time.monotonic() - start < SOON
            assert has_ended(silent) and not waiting.done()


def test_unauthenticated_peers_are_limited_and_do_not_keep_ranks_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendezvous, "MAX_UNAUTHENTICATED", 5)
    with waiting_listener() as (listener, waiting), ExitStack() as stack:
        silent = [stack.enter_context(socket.create_connection(listener.address)) for _ in range(40)]
        assert all(has_ended(each) for each in silent[:33])
        peer = Mesh.connect(Listener(HOST), 1, [listener.address, (HOST, 1)], SECRET, 20.0)
        with peer, waiting.result(SOON) as mesh, ThreadPoolExecutor(1) as pool:
            there = pool.submit(peer.exchange, [b"a", b""], [1, 0])
            assert mesh.exchange([b"", b"b"], [0, 1]) == [b"", b"a"] and there.result(SOON) == [b"b", b""]


def test_a_listener_is_on_one_address() -> None:
    with closing(Listener(HOST)) as listener:
        assert listener.socket.getsockname()[0] == HOST
    with pytest.raises(OSError, match="assign"):
        Listener("192.0.2.1")  # reserved for documentation: an address of no machine


@pytest.mark.parametrize("host", ["::1", "localhost"])
def test_ranks_reach_each_other_by_ipv6_and_by_name(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a name, all take the address that the listener is on, whichever they would resolve it to."""
    if host == "::1" and not Path("/proc/net/if_inet6").exists():
        pytest.skip("this machine has no IPv6")
    listeners = [Listener(host) for _ in range(2)]
    addresses = [listener.address for listener in listeners]
    with monkeypatch.context() as patch, ThreadPoolExecutor(2) as pool:
        resolve = socket.getaddrinfo
        patch.setattr(socket, "getaddrinfo", lambda name, *args, **options: resolve(other(name), *args, **options))
        connecting = [pool.submit(Mesh.connect, listeners[i], i, addresses, SECRET, SOON) for i in range(2)]
        with connecting[0].result(SOON) as first, connecting[1].result(SOON) as second:
            there = pool.submit(second.exchange, [b"a", b""], [1, 0])
            assert first.exchange([b"", b"b"], [0, 1]) == [b"", b"a"] and there.result(SOON) == [b"b", b""]


def other(name: str) -> str:
    """An address at which nobody listens, for a name."""
    return "127.0.0.2" if name == "localhost" else name


def test_closing_takes_no_longer_with_more_ranks_and_abort_does_not_wait_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Closing waits for its timeout once, and not for each rank."""
    timeout = 2.0
    monkeypatch.setattr(mesh_module, "_CLOSE_TIMEOUT", timeout)
    first, *others = meshes(5)
    for link in first._links:
        with suppress(BlockingIOError):  # nobody reads it
            while True:
                link.socket.send(bytes(10**6))
    closing_thread = threading.Thread(target=first.close)
    start = time.monotonic()
    closing_thread.start()
    time.sleep(0.1)
    first.abort()
    assert time.monotonic() - start < timeout and closing_thread.is_alive()
    closing_thread.join(2 * timeout)
    assert not closing_thread.is_alive()
    for mesh in others:
        mesh.abort()
        mesh.close()


class Relay:
    """A listener's address of another port, of which everything is recorded."""

    def __init__(self, target: tuple[str, int]) -> None:
        self.server, self.target, self.seen = socket.create_server((HOST, 0)), target, bytearray()
        self.address = self.server.getsockname()
        self.thread = threading.Thread(target=self._relay)
        self.thread.start()

    def _relay(self) -> None:
        with (
            self.server.accept()[0] as caller,
            socket.create_connection(self.target) as target,
            ThreadPoolExecutor(2) as pool,
        ):
            for one, other in ((caller, target), (target, caller)):
                pool.submit(self._copy, one, other)

    def _copy(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while chunk := source.recv(2**16):
                self.seen += chunk
                target.sendall(chunk)
            target.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self.thread.join(SOON)
        self.server.close()


def seen_on_the_wire(tls: TLSContexts | None) -> bytes:
    """Bytes of a handshake and an exchange between two ranks."""
    with waiting_listener(tls=tls) as (listener, waiting), closing(Relay(listener.address)) as relay:
        peer = Mesh.connect(Listener(HOST), 1, [relay.address, (HOST, 1)], SECRET, 20.0, tls)
        with peer, waiting.result(SOON) as mesh, ThreadPoolExecutor(1) as pool:
            there = pool.submit(peer.exchange, [MARKER, b""], [len(MARKER), 0])
            assert mesh.exchange([b"", MARKER], [0, len(MARKER)])[1] == MARKER
            there.result(SOON)
        return bytes(relay.seen)


def test_a_mesh_over_tls_shows_nothing(tls: TLSContexts) -> None:
    assert seen_on_the_wire(None).count(MARKER) == 2
    seen = seen_on_the_wire(tls)
    assert len(seen) > 500 and MARKER not in seen and b"drmesh" not in seen


def test_all_parts_arrive_over_tls(tls: TLSContexts) -> None:
    """Small ones and large ones, in all directions, with ranks that are ahead."""
    lengths = [0, 1, 16_000, 3_000_000, 0, 7]
    with ExitStack() as stack, ThreadPoolExecutor(3) as pool:
        connected = [stack.enter_context(mesh) for mesh in meshes(3, tls=tls)]

        def run(mesh: Mesh) -> list[list[int]]:
            assert all(isinstance(link.socket, ssl.SSLSocket) for link in mesh._links)
            return [
                [set(part) for part in mesh.exchange([bytes([mesh.rank]) * length] * 3, [length] * 3)] for length in lengths
            ]

        for found in pool.map(run, connected, timeout=60):
            assert found == [[{rank} if length else set() for rank in range(3)] for length in lengths]


def test_abort_ends_an_exchange_over_tls(tls: TLSContexts) -> None:
    with ExitStack() as stack, ThreadPoolExecutor(2) as pool:
        first, second = (stack.enter_context(mesh) for mesh in meshes(2, tls=tls))
        waiting = pool.submit(first.exchange, [bytes(10**7)] * 2, [1] * 2)
        time.sleep(0.1)
        second.abort("enough")
        with pytest.raises(MeshError, match=r"rank 1 \(.*\) (closed its connection|broke)"):
            waiting.result(SOON)


def test_whoever_has_no_certificate_of_the_cluster_is_rejected(tls: TLSContexts, tmp_path: Path) -> None:
    foreign = Certificate.make(tmp_path, "foreign").contexts()
    for theirs in (None, foreign):
        with waiting_listener(tls=tls) as (listener, waiting):
            with pytest.raises(MeshError, match=r"rank 0 .*(closed its connection|did not complete|did not reply)"):
                Mesh.connect(Listener(HOST), 1, [listener.address, (HOST, 1)], SECRET, 2.0, theirs)
            assert not waiting.done()
