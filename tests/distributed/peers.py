"""Ranks of a job for tests: processes or threads, connected by a mesh, that all run the same function."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from forked import FORKSERVER

from directrank.distributed.handshake import JobSecret, TLSContexts
from directrank.distributed.mesh import Mesh
from directrank.distributed.rendezvous import Listener

SECRET = JobSecret("a job", b"the key of all ranks")
HOST = "127.0.0.1"

#: What a process says once it is connected to all others.
_CONNECTED = "connected"


def meshes(size: int, timeout: float = 10.0, tls: TLSContexts | None = None) -> list[Mesh]:
    """Both ends of all connections, in this process."""
    listeners = [Listener(HOST) for _ in range(size)]
    addresses = [listener.address for listener in listeners]
    with ThreadPoolExecutor(size) as pool:
        return list(pool.map(lambda i: Mesh.connect(listeners[i], i, addresses, SECRET, timeout, tls), range(size)))


def in_threads(work: Callable[[Mesh], Any], size: int) -> list[Any]:
    """Result of each rank, or the error it ends with."""

    def run(mesh: Mesh) -> Any:
        with mesh:
            try:
                return work(mesh)
            except Exception as error:
                return error

    with ThreadPoolExecutor(size) as pool:
        return list(pool.map(run, meshes(size)))


@dataclass
class Outcome:
    """How a process ended: its result or exception, when, and its exit code."""

    value: Any
    time: float
    exitcode: int | None


class Processes:
    """Processes that do ``work(mesh, *args)``, with ``work`` a function of a module."""

    def __init__(self, work: Callable[..., Any], size: int, *args: Any, timeout: float = 10.0) -> None:
        pipes = [FORKSERVER.Pipe() for _ in range(size)]
        self._pipes = [here for here, _ in pipes]
        self.processes = [
            FORKSERVER.Process(target=_run_rank, args=(there, rank, timeout, work, args), daemon=True)
            for rank, (_, there) in enumerate(pipes)
        ]
        for process, (_, there) in zip(self.processes, pipes, strict=True):
            process.start()
            there.close()
        try:
            addresses = [_next(pipe, 30.0) for pipe in self._pipes]
        except BaseException:
            for process in self.processes:
                process.kill()
            raise
        for pipe in self._pipes:
            pipe.send(addresses)

    def wait_until_connected(self) -> None:
        """Wait until every rank has its mesh; the next thing that it says is how it ends."""
        for pipe in self._pipes:
            assert _next(pipe, 30.0) == _CONNECTED

    def send(self, rank: int, number: signal.Signals = signal.SIGKILL) -> float:
        """Send a signal to a process, and say when."""
        pid = self.processes[rank].pid
        assert pid is not None
        os.kill(pid, number)
        return time.monotonic()

    def outcomes(self, timeout: float = 20.0) -> list[Outcome]:
        """How the processes end; one that does not is ended, and has no exit code."""
        deadline = time.monotonic() + timeout
        return [self._outcome(rank, deadline) for rank in range(len(self.processes))]

    def _outcome(self, rank: int, deadline: float) -> Outcome:
        value, at = None, time.monotonic()
        try:
            while self._pipes[rank].poll(max(deadline - time.monotonic(), 0)):
                received = self._pipes[rank].recv()
                value, at = (value, at) if received == _CONNECTED else received
        except EOFError:
            self.processes[rank].join(max(deadline - time.monotonic(), 0))
        exitcode = self.processes[rank].exitcode
        if exitcode is None:
            self.processes[rank].kill()
        return Outcome(value, at, exitcode)


def _next(pipe: Any, timeout: float) -> Any:
    """Object received from a pipe, with a timeout."""
    if not pipe.poll(timeout):
        raise TimeoutError(f"a process has said nothing for {timeout:g} s")
    return pipe.recv()


def _run_rank(pipe: Any, rank: int, timeout: float, work: Callable[..., Any], args: tuple[Any, ...]) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests in the background ignores it
    listener = Listener(HOST)
    pipe.send(listener.address)
    try:
        with Mesh.connect(listener, rank, pipe.recv(), SECRET, timeout) as mesh:
            pipe.send(_CONNECTED)
            value = work(mesh, *args)
    except (Exception, KeyboardInterrupt) as error:
        value = error
    pipe.send((value, time.monotonic()))
