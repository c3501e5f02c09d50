"""The Dask cluster as the driver sees it: which worker holds which shards, calls to workers, lost workers and schedulers."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import suppress
from typing import Any

from distributed import Client
from distributed.comm.core import CommClosedError
from distributed.protocol.pickle import dumps, loads

from ..data import InputError
from .resubmission import resubmitted
from .worker_plugin import NAME, close_session, open_session

#: Interval, in seconds, between checks for lost workers during a call: the first, and the longest.
FIRST_CHECK, MAX_CHECK_INTERVAL = 0.1, 1.0

#: Interval, in seconds, between checks while shards are read.
POLL_INTERVAL = 0.05

#: Time, in seconds, to wait for a worker where the cluster has none.
WORKER_TIMEOUT = 60.0

#: Time, in seconds, to wait for a scheduler that is gone to be started again; Dask's client may give up before.
SCHEDULER_TIMEOUT = 60.0

#: Time, in seconds, to wait for workers to abort a job or to end a session.
CLOSE_TIMEOUT = 10.0

#: Number of times in a row that lost shards are submitted again before they are given up.
MAX_RESUBMISSIONS = 10

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
    shards : list of distributed.Future
        Dask reads a shard again when the worker that held it dies. Those that a new scheduler does not know are
        replaced in this list.
    names : sequence of str
        Names of the shards for messages.

    Attributes
    ----------
    name : str
        Unique name of this session on the workers.
    """

    def __init__(self, client: Client, shards: list[Any], names: Sequence[str]) -> None:
        self.name, self.client, self.shards, self.names = uuid.uuid4().hex, client, shards, names
        self._placement: Placement | None = None
        self._opened: set[str] = set()
        self._opening: set[asyncio.Future[Any]] = set()
        self._n_resubmissions = 0

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
            wait_for_scheduler(self.client)
            before, running = running, self._running()
            if running:
                since = time.monotonic()
            self._check_hopeful(since, bool(running))
            n_loaded = sum(shard.status == "finished" for shard in self.shards)
            while progress is not None and reported < n_loaded:
                reported += 1
                progress(reported, len(self.shards))
            if n_loaded == len(self.shards):
                self._n_resubmissions = 0
                return
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
        """Answers of workers by address: ``function(message, plugin)`` of the serialized message, or an exception.

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
        pending = {self._start(self._request(function, content, some)): some for content, some in groups}
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

    def notify(self, function: Callable[..., Any], message: str) -> None:
        """Call a function on all workers of this session; those that are not reached soon are not waited for."""
        if self.client.status == "running":
            with suppress(Exception):
                self._start(self._notify(function, message.encode())).result(CLOSE_TIMEOUT)

    def close(self) -> None:
        """Have the workers drop all that they keep for this session; another call opens it again."""
        self.notify(close_session, self.name)
        self._opened.clear()

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

    def _start(self, coroutine: Coroutine[Any, Any, Any]) -> Future[Any]:
        """Run a coroutine on the client's event loop; Ctrl-C can end the waiting for it."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.client.loop.asyncio_loop)  # type: ignore[attr-defined]

    async def _request(self, function: Callable[..., Any], message: bytes, addresses: list[str]) -> dict[str, Any]:
        answers = await self._open(addresses)
        ready = [address for address in addresses if address not in answers]
        responses = await self._broadcast(function, message, ready)
        return answers | {address: self._answer(address, response) for address, response in responses.items()}

    async def _broadcast(self, function: Callable[..., Any], message: bytes, addresses: list[str]) -> dict[str, Any]:
        """Responses of workers to a call of the plugin's handler."""
        request = {"op": NAME, "function": dumps(function), "message": message}
        return await self.client.scheduler.broadcast(  # type: ignore[no-any-return]
            msg=request, workers=addresses, on_error="return_pickle"
        )

    async def _notify(self, function: Callable[..., Any], message: bytes) -> None:
        if self._opening:  # by a call that Ctrl-C has ended: the plugin would be installed after this, and stay
            await asyncio.wait(self._opening)
        if self._opened:
            known = (await self.client.scheduler.identity(n_workers=-1))["workers"]  # type: ignore[union-attr]
            await self._broadcast(function, message, [address for address in self._opened if address in known])

    async def _open(self, addresses: list[str]) -> dict[str, Exception]:
        """Install the plugin on workers that do not have it yet; the exceptions of those that cannot."""
        new = [address for address in addresses if address not in self._opened]
        opening = [asyncio.ensure_future(self._open_one(address)) for address in new]
        self._opening.update(opening)
        try:
            failed = await asyncio.gather(*opening)
        finally:
            self._opening.difference_update(opening)
        return {address: error for errors in failed for address, error in errors.items()}

    async def _open_one(self, address: str) -> dict[str, Exception]:
        answers = await self.client.run(open_session, self.name, address, workers=[address], on_error="return")
        failed = {address: answer for address, answer in answers.items() if isinstance(answer, Exception)}
        self._opened.update(answers.keys() - failed.keys())
        return failed

    def _answer(self, address: str, response: Any) -> Any:
        """Result or exception in a response: bytes if the worker was not reached, None if it has no plugin (any more)."""
        if isinstance(response, bytes):
            return loads(response)
        if response is None:
            self._opened.discard(address)
            return WorkerLostError(f"the worker at {address} has forgotten this session")
        return response["result"]

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

    def _check_hopeful(self, since: float, has_workers: bool) -> None:
        """Raise if waiting does not help; submit shards again that the scheduler has lost."""
        for name, shard in zip(self.names, self.shards, strict=True):
            if shard.status == "error":
                raise _reading_error(name, shard)
        if has_workers and any(shard.status == "cancelled" for shard in self.shards):
            self._resubmit()
        if time.monotonic() - since > WORKER_TIMEOUT:
            what = "no worker that takes work (Dask pauses those that are short of memory)"
            raise ClusterError(f"the cluster has had {what} for {WORKER_TIMEOUT:.0f} s; start some, and train again")

    def _resubmit(self) -> None:
        """Have all shards read again: the cluster or its scheduler was restarted."""
        wait_for_scheduler(self.client)  # a client that has given up cancels its futures too
        self._n_resubmissions += 1
        again = resubmitted(self.shards) if self._n_resubmissions <= MAX_RESUBMISSIONS else None
        if again is None:
            raise ClusterError("the shards were dropped by the cluster (was it restarted?); read the data anew")
        self.shards[:] = again
        self._placement = None
        self._opened.clear()


def wait_for_scheduler(client: Client) -> None:
    """Wait until a client is connected again, while its scheduler is being restarted.

    Raises
    ------
    ClusterError
        The client has given up, or the time is over.
    """
    deadline = time.monotonic() + SCHEDULER_TIMEOUT
    while client.status != "running":
        if client.status != "connecting" or time.monotonic() > deadline:
            raise scheduler_gone(client)
        time.sleep(POLL_INTERVAL)


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
    return ClusterError(f"the Dask scheduler at {address_of(client)} is gone; start it again, and read the data anew")


def _reading_error(name: str, shard: Any) -> Exception:
    """Exception for a shard that could not be read."""
    error = shard.exception()
    if isinstance(error, (InputError, ClusterError)):
        return error
    if type(error).__name__ == "KilledWorker":
        return ClusterError(f"workers died again and again while reading {name}; is it too large for their memory?")
    return ClusterError(f"{name} cannot be read: {' '.join(str(error).split())}")


def _answers(called: Future[dict[str, Any]], addresses: list[str]) -> dict[str, Any]:
    try:
        found = called.result()
    except (Exception, CancelledError) as error:
        return dict.fromkeys(addresses, lost_as_error(error))
    return {address: lost_as_error(found.get(address, WorkerLostError())) for address in addresses}


def lost_as_error(answer: Any) -> Any:
    """An answer, with errors of the connection as `WorkerLostError`."""
    is_lost = isinstance(answer, (CommClosedError, OSError, TimeoutError, CancelledError)) and not isinstance(
        answer, ClusterError
    )
    return WorkerLostError(str(answer)) if is_lost else answer


def wait_for_workers(client: Client) -> dict[str, Any]:
    """The scheduler's information on workers, by address, once it knows of one.

    Raises
    ------
    ClusterError
        The scheduler is gone, or the time is over.
    """
    deadline = time.monotonic() + WORKER_TIMEOUT
    while not (workers := known_workers(client)):
        wait_for_scheduler(client)
        if time.monotonic() > deadline:
            raise ClusterError(f"the cluster at {address_of(client)} has no workers; start some with `dask worker`")
        time.sleep(POLL_INTERVAL)
    return workers


def known_workers(client: Client) -> dict[str, Any]:
    """The scheduler's information on workers, by address; empty if it does not answer."""
    try:
        return scheduler_identity(client, n_workers=-1)["workers"]  # type: ignore[no-any-return]
    except OSError:
        return {}


def scheduler_identity(client: Client, n_workers: int) -> dict[str, Any]:
    """What the scheduler says of itself and of `n_workers` of its workers, all of them if -1.

    `Client.scheduler_info` would return what its periodic update, which asks for no workers, may have stored meanwhile.
    """
    scheduler = client.scheduler
    if client.status not in ("running", "connecting") or scheduler is None:
        raise scheduler_gone(client)
    return client.sync(scheduler.identity, n_workers=n_workers)  # type: ignore[no-any-return]


def address_of(client: Client) -> str:
    return str(getattr(client.scheduler, "address", "an unknown address"))
