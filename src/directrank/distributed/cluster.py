"""The Dask cluster as the driver sees it: which worker holds which shards, calls to workers, lost workers, versions."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from typing import Any

from distributed import Client
from distributed.comm.core import CommClosedError
from distributed.protocol.pickle import dumps, loads

from ..data import InputError
from ..version import __version__
from .background import in_background

#: Interval, in seconds, between checks for lost workers during a call: the first, and the longest.
FIRST_CHECK, MAX_CHECK_INTERVAL = 0.1, 1.0

#: Interval, in seconds, between checks while shards are read.
POLL_INTERVAL = 0.05

#: Time, in seconds, to wait for the first worker of a cluster that has none.
WORKER_TIMEOUT = 60.0

#: Expression for the version of directrank. `Client.get_versions` reads package metadata, which says nothing of a source
#: tree, nor whether the import works.
_VERSION = "__import__('directrank').__version__"

#: Called after each shard that was read, with the number of shards read so far and the number of all shards.
Progress = Callable[[int, int], None]

#: By the address of a worker, numbers and keys of the shards that it holds.
Placement = dict[str, list[tuple[int, str]]]


class ClusterError(OSError):
    """The cluster cannot do what was asked; the message says why, and what to do."""


class WorkerLostError(Exception):
    """A worker did not answer: it died, or a shard was lost."""


class ClusterClient:
    """Calls to the workers that hold some shards.

    Parameters
    ----------
    client : Client
    shards : sequence of distributed.Future
        Dask reads a shard again when the worker that held it dies.
    names : sequence of str
        Names of the shards for messages.
    """

    def __init__(self, client: Client, shards: Sequence[Any], names: Sequence[str]) -> None:
        self.client, self.shards, self.names = client, shards, names
        self._placement: Placement | None = None

    @property
    def is_loaded(self) -> bool:
        """Whether all shards are in memory, as far as the scheduler has told us."""
        return all(shard.status == "finished" for shard in self.shards)

    def wait_until_loaded(self, progress: Progress | None = None) -> None:
        """Wait until all shards are in memory.

        Parameters
        ----------
        progress : callable, optional
        """
        since, reported, running = time.monotonic(), 0, set[str]()
        while True:
            self._check_hopeful(since)
            n_loaded = sum(shard.status == "finished" for shard in self.shards)
            while progress is not None and reported < n_loaded:
                reported += 1
                progress(reported, len(self.shards))
            if n_loaded == len(self.shards):
                return
            before, running = running, self._running()
            if running:
                since = time.monotonic()
            if before - running or not running:
                self.allow_any_worker()
            time.sleep(POLL_INTERVAL)

    def allow_any_worker(self) -> None:
        """Let Dask read shards again wherever it can.

        Where no worker is left that takes work, it would otherwise wait for the one that a shard was first placed on, in
        spite of ``allow_other_workers``.
        """
        with suppress(OSError, KeyError):  # the scheduler is gone, or has dropped them, which those who wait for them report
            self.client.sync(self.client.scheduler.set_restrictions, worker={shard.key: None for shard in self.shards})

    def placement(self) -> Placement:
        """Placement of all shards, in shard order; waits for those that are being read."""
        if self._placement is None or not self.is_loaded:
            self._placement = self._find_placement()
        return self._placement

    def invalidate_placement(self) -> None:
        """Ask the scheduler for the placement again, the next time."""
        self._placement = None

    def call(self, function: Callable[..., Any], messages: dict[str, Any], *, fail_fast: bool = False) -> dict[str, Any]:
        """Answers of workers by address: ``function(message, dask_worker)`` of the serialized message, or an exception.

        The exception is `WorkerLostError` for a worker that died, and for all that have not answered when a shard is lost.

        Parameters
        ----------
        messages : dict
            Message for each worker, by address; workers with the same message object are called at once.
        fail_fast : bool
            Whether to stop waiting when one answer is an exception; the others then are `WorkerLostError`.
        """
        same: dict[int, list[str]] = {}
        for address, message in messages.items():
            same.setdefault(id(message), []).append(address)
        contents = {id(message): serialize(message) for message in messages.values()}
        groups = [(contents[key], some) for key, some in same.items()]
        if fail_fast:  # one by one, to see the first failure
            groups = [(content, [address]) for content, some in groups for address in some]
        pending = {in_background(self._run, function, content, some): some for content, some in groups}
        answers: dict[str, Any] = {}
        interval = FIRST_CHECK
        while pending:
            done, _ = wait(pending, interval, FIRST_COMPLETED)
            for future in done:
                answers |= _answers(future, pending.pop(future))
            waiting = [address for addresses in pending.values() for address in addresses]
            has_failed = fail_fast and any(isinstance(answer, Exception) for answer in answers.values())
            if waiting and (has_failed or (not done and not self._are_alive(waiting))):
                return answers | {address: WorkerLostError() for address in waiting}
            interval = min(2 * interval, MAX_CHECK_INTERVAL)
        return answers

    def _are_alive(self, addresses: list[str]) -> bool:
        """Whether workers still hold shards, as far as the scheduler knows; a call to a lost one may take very long."""
        if self.client.status != "running" or not self.is_loaded:
            return False
        holders = {address for known in self._who_has().values() for address in known}
        return holders >= set(addresses)

    def _who_has(self) -> dict[str, Sequence[str]]:
        """Addresses of the workers that hold a shard, by its key; empty if the scheduler does not answer."""
        try:
            return dict(self.client.who_has(self.shards))
        except (OSError, CommClosedError):
            return {}

    def _run(self, function: Callable[..., Any], message: bytes, addresses: list[str]) -> dict[str, Any]:
        return self.client.run(function, message, workers=addresses, on_error="return")  # type: ignore[no-any-return]

    def _running(self) -> set[str]:
        """Addresses of all workers that take work."""
        return {address for address, worker in known_workers(self.client).items() if worker["status"] == "running"}

    def _find_placement(self) -> Placement:
        self.wait_until_loaded()
        while not all((known := self._who_has()).get(shard.key) for shard in self.shards):
            time.sleep(POLL_INTERVAL)
            self.wait_until_loaded()
        placement: Placement = {}
        for number, shard in enumerate(self.shards):
            placement.setdefault(min(known[shard.key]), []).append((number, shard.key))
        return placement

    def _check_hopeful(self, since: float) -> None:
        """Raise if waiting does not help."""
        if self.client.status != "running":
            raise scheduler_gone(self.client)
        for name, shard in zip(self.names, self.shards, strict=True):
            if shard.status == "error":
                raise _reading_error(name, shard)
            if shard.status == "cancelled":
                raise ClusterError("the shards were dropped by the cluster (was it restarted?); read the data anew")
        if time.monotonic() - since > WORKER_TIMEOUT:
            what = "no worker that takes work (Dask pauses those that are short of memory)"
            raise ClusterError(f"the cluster has had {what} for {WORKER_TIMEOUT:.0f} s; start some, and train again")


def serialize(message: Any) -> bytes:
    """Serialize a message ourselves rather than let Dask do it, for errors of our own."""
    return dumps(message)  # type: ignore[no-any-return]


def deserialize(message: bytes, address: str) -> Any:
    """Deserialize a message on the worker at an address."""
    try:
        return loads(message)
    except (ImportError, AttributeError) as error:
        raise ClusterError(
            f"the worker at {address} lacks what this needs ({error}); install it there, or give it by client.upload_file"
        ) from error


def scheduler_gone(client: Client) -> ClusterError:
    return ClusterError(f"the Dask scheduler at {_address(client)} is gone; start it again, and read the data anew")


def _reading_error(name: str, shard: Any) -> Exception:
    """Exception for a shard that could not be read."""
    error = shard.exception()
    if isinstance(error, (InputError, ClusterError)):
        return error
    if type(error).__name__ == "KilledWorker":
        return ClusterError(f"workers died again and again while reading {name}; is it too large for their memory?")
    return ClusterError(f"{name} cannot be read: {' '.join(str(error).split())}")


def check_cluster(client: Client) -> None:
    """Raise if a cluster has no worker, or if scheduler or workers have no directrank, or another version."""
    deadline = time.monotonic() + WORKER_TIMEOUT
    while not (addresses := list(known_workers(client))):
        if client.status != "running" or time.monotonic() > deadline:
            raise ClusterError(f"the cluster at {_address(client)} has no workers; start some with `dask worker`")
        time.sleep(POLL_INTERVAL)
    # A built-in function, which workers without directrank know too.
    versions = client.run(eval, _VERSION, workers=addresses, on_error="return")
    for address, version in versions.items():
        _check_version(f"the worker at {address}", version)
    _check_version(f"the scheduler at {_address(client)}", _scheduler_version(client))


def _scheduler_version(client: Client) -> Any:
    """Version of the scheduler, or the exception of its import; ours if the scheduler runs no functions."""
    try:
        return client.run_on_scheduler(eval, _VERSION)
    except ImportError as error:
        return error
    except Exception:
        return __version__


def _check_version(who: str, version: Any) -> None:
    """Raise for a version that is not ours, or for the exception of the import; not for a lost connection."""
    if isinstance(_lost_as_error(version), WorkerLostError):
        return
    if isinstance(version, Exception):
        why = " ".join(str(version).split())
        raise ClusterError(f"{who} cannot import directrank ({why}); install directrank[dask] {__version__} there")
    if version != __version__:
        raise ClusterError(f"{who} has directrank {version}, but this process has {__version__}; install the same on both")


def _answers(called: Future[dict[str, Any]], addresses: list[str]) -> dict[str, Any]:
    error = called.exception()
    if error is not None:
        return dict.fromkeys(addresses, _lost_as_error(error))
    found = called.result()
    return {address: _lost_as_error(found.get(address, WorkerLostError())) for address in addresses}


def _lost_as_error(answer: Any) -> Any:
    """An answer, with errors of the connection as `WorkerLostError`."""
    is_lost = isinstance(answer, (CommClosedError, OSError, TimeoutError)) and not isinstance(answer, ClusterError)
    return WorkerLostError(str(answer)) if is_lost else answer


def known_workers(client: Client) -> dict[str, Any]:
    """The scheduler's information on workers, by address; empty if the client is closed."""
    return client.scheduler_info(n_workers=-1).get("workers", {})  # type: ignore[no-any-return]


def _address(client: Client) -> str:
    return str(getattr(client.scheduler, "address", "an unknown address"))
