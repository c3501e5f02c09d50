"""The workers of a Dask cluster that hold shards: which holds what, what they answer, and what becomes of those that die."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Any

from distributed import Client
from distributed.comm.core import CommClosedError
from distributed.protocol.pickle import dumps, loads

from ..data import InputError
from ..version import __version__

#: How long to wait between looks whether a worker was lost while they are busy: at first, and at most; in seconds.
FIRST_LOOK, LAST_LOOK = 0.1, 1.0

#: The same while shards are read.
LOOK_AGAIN = 0.05

#: How long to wait for a worker where there is none; in seconds.
PATIENCE = 60.0

#: What tells the version that somebody has.
_VERSION = "__import__('directrank').__version__"

#: Called after each shard that was read, with how many there are by then, and how many there will be.
Progress = Callable[[int, int], None]

#: In which clients wait for workers. They are kept: a Ctrl-C would be lost in what Python does to let go of them.
waiting_threads = ThreadPoolExecutor(1000, "directrank-client")


class ClusterError(OSError):
    """The cluster cannot do what is asked; the message is one sentence that says why, and what to do."""


class Lost(Exception):  # noqa: N818 -- it says what happened
    """A worker did not answer: it died, or what it held was lost."""


class Workers:
    """The workers that hold some shards.

    Parameters
    ----------
    client : Client
    shards : sequence of distributed.Future
        Dask reads a shard again when the worker that held it dies.
    names : sequence of str
        What messages call them.
    """

    def __init__(self, client: Client, shards: Sequence[Any], names: Sequence[str]) -> None:
        self.client, self.shards, self.names = client, shards, names
        self._holders: dict[str, list[tuple[int, str]]] | None = None

    @property
    def are_held(self) -> bool:
        """Whether all shards are in memory, as far as the scheduler has told us."""
        return all(shard.status == "finished" for shard in self.shards)

    def wait_until_held(self, progress: Progress | None = None) -> None:
        """Wait until all shards are in memory.

        Parameters
        ----------
        progress : callable, optional
        """
        since, told, running = time.monotonic(), 0, set[str]()
        while True:
            self._refuse_lost_cause(since)
            n_held = sum(shard.status == "finished" for shard in self.shards)
            while progress is not None and told < n_held:
                told += 1
                progress(told, len(self.shards))
            if n_held == len(self.shards):
                return
            before, running = running, self._running()
            if running:
                since = time.monotonic()
            if before - running or not running:
                self.may_be_anywhere()
            time.sleep(LOOK_AGAIN)

    def may_be_anywhere(self) -> None:
        """Let Dask read shards again wherever it can.

        Where no worker is left that takes work, it would wait for the one that a shard was first meant for, although it was
        told that others will do.
        """
        with suppress(OSError, KeyError):  # the scheduler is gone, or has dropped them: whoever waits for them says so
            self.client.sync(self.client.scheduler.set_restrictions, worker={shard.key: None for shard in self.shards})

    def holders(self) -> dict[str, list[tuple[int, str]]]:
        """By the address of each worker, numbers and keys of the shards that it holds; in the order of the shards.

        Waits for those that are being read.
        """
        if self._holders is None or not self.are_held:
            self._holders = self._find_holders()
        return self._holders

    def forget_holders(self) -> None:
        """Ask the scheduler again, the next time."""
        self._holders = None

    def ask(self, function: Callable[..., Any], messages: dict[str, Any], *, all_or_none: bool = False) -> dict[str, Any]:
        """What workers answer, by address: ``function(message, dask_worker)`` of the packed message, or an exception.

        It is `Lost` of a worker that died, and of all that have not answered when a shard is lost.

        Parameters
        ----------
        messages : dict
            What to tell each worker, by address; those that are told the same are asked at once.
        all_or_none : bool
            Whether to wait no longer when one has answered by an exception; the others then are `Lost`.
        """
        same: dict[int, list[str]] = {}
        for address, message in messages.items():
            same.setdefault(id(message), []).append(address)
        contents = {id(message): packed(message) for message in messages.values()}
        groups = [(contents[key], some) for key, some in same.items()]
        if all_or_none:  # each for itself, so as to hear of it
            groups = [(content, [address]) for content, some in groups for address in some]
        pending = {waiting_threads.submit(self._run, function, content, some): some for content, some in groups}
        answers: dict[str, Any] = {}
        look = FIRST_LOOK
        while pending:
            done, _ = wait(pending, look, FIRST_COMPLETED)
            for future in done:
                answers |= _answers(future, pending.pop(future))
            waiting = [address for addresses in pending.values() for address in addresses]
            has_failed = all_or_none and any(isinstance(answer, Exception) for answer in answers.values())
            if waiting and (has_failed or (not done and not self._still_hold(waiting))):
                return answers | {address: Lost() for address in waiting}
            look = min(2 * look, LAST_LOOK)
        return answers

    def _still_hold(self, addresses: list[str]) -> bool:
        """Whether workers are still there, as far as the scheduler knows: one that is gone may be waited for for long."""
        if self.client.status != "running" or not self.are_held:
            return False
        holders = {address for known in self._who_has().values() for address in known}
        return holders >= set(addresses)

    def _who_has(self) -> dict[str, Sequence[str]]:
        """By the key of a shard, the addresses of the workers that hold it; none where the scheduler does not answer."""
        try:
            return dict(self.client.who_has(self.shards))
        except (OSError, CommClosedError):
            return {}

    def _run(self, function: Callable[..., Any], message: bytes, addresses: list[str]) -> dict[str, Any]:
        return self.client.run(function, message, workers=addresses, on_error="return")  # type: ignore[no-any-return]

    def _running(self) -> set[str]:
        """The addresses of all workers that take work."""
        return {address for address, worker in known_workers(self.client).items() if worker["status"] == "running"}

    def _find_holders(self) -> dict[str, list[tuple[int, str]]]:
        self.wait_until_held()
        while not all((known := self._who_has()).get(shard.key) for shard in self.shards):
            time.sleep(LOOK_AGAIN)
            self.wait_until_held()
        holders: dict[str, list[tuple[int, str]]] = {}
        for number, shard in enumerate(self.shards):
            holders.setdefault(min(known[shard.key]), []).append((number, shard.key))
        return holders

    def _refuse_lost_cause(self, since: float) -> None:
        """Raise if no waiting helps."""
        if self.client.status != "running":
            raise scheduler_is_gone(self.client)
        for name, shard in zip(self.names, self.shards, strict=True):
            if shard.status == "error":
                raise _reading_error(name, shard)
            if shard.status == "cancelled":
                raise ClusterError("the shards were dropped by the cluster (was it restarted?); read the data anew")
        if time.monotonic() - since > PATIENCE:
            what = "no worker that takes work (Dask pauses those that are short of memory)"
            raise ClusterError(f"the cluster has had {what} for {PATIENCE:.0f} s; start some, and train again")


def packed(message: Any) -> bytes:
    """A message as workers unpack it: what is wrong with it is then for us to say."""
    return dumps(message)  # type: ignore[no-any-return]


def unpacked(message: bytes, address: str) -> Any:
    """A message, on the worker of some address."""
    try:
        return loads(message)
    except (ImportError, AttributeError) as error:
        raise ClusterError(
            f"the worker at {address} lacks what this needs ({error}); install it there, or give it by client.upload_file"
        ) from error


def scheduler_is_gone(client: Client) -> ClusterError:
    return ClusterError(f"the Dask scheduler at {_address(client)} is gone; start it again, and read the data anew")


def _reading_error(name: str, shard: Any) -> Exception:
    """What to say of a shard that could not be read."""
    error = shard.exception()
    if isinstance(error, (InputError, ClusterError)):
        return error
    if type(error).__name__ == "KilledWorker":
        return ClusterError(f"workers died again and again while reading {name}; is it too large for their memory?")
    return ClusterError(f"{name} cannot be read: {' '.join(str(error).split())}")


def check_cluster(client: Client) -> None:
    """Refuse a cluster that has no worker, or where scheduler or workers have no directrank, or another version."""
    deadline = time.monotonic() + PATIENCE
    while not (addresses := list(known_workers(client))):
        if client.status != "running" or time.monotonic() > deadline:
            raise ClusterError(f"the cluster at {_address(client)} has no workers; start some with `dask worker`")
        time.sleep(LOOK_AGAIN)
    # What is asked must be known to a worker without directrank: a built-in function is.
    versions = client.run(eval, _VERSION, workers=addresses, on_error="return")
    for address, version in versions.items():
        _check_version(f"the worker at {address}", version)
    _check_version(f"the scheduler at {_address(client)}", _version_of_scheduler(client))


def _version_of_scheduler(client: Client) -> Any:
    """Its version, or why it has none; ours, where it does not let itself be asked."""
    try:
        return client.run_on_scheduler(eval, _VERSION)
    except ImportError as error:
        return error
    except Exception:
        return __version__


def _check_version(who: str, version: Any) -> None:
    """Refuse a version that is not ours, or the exception that came instead; not that of a connection that was lost."""
    if isinstance(_answer(version), Lost):
        return
    if isinstance(version, Exception):
        why = " ".join(str(version).split())
        raise ClusterError(f"{who} cannot import directrank ({why}); install directrank[dask] {__version__} there")
    if version != __version__:
        raise ClusterError(f"{who} has directrank {version}, and here it is {__version__}; install the same on both")


def _answers(asked: Future[dict[str, Any]], addresses: list[str]) -> dict[str, Any]:
    error = asked.exception()
    if error is not None:
        return dict.fromkeys(addresses, _answer(error))
    found = asked.result()
    return {address: _answer(found.get(address, Lost())) for address in addresses}


def _answer(answer: Any) -> Any:
    """An answer, or as an exception why there is none."""
    is_lost = isinstance(answer, (CommClosedError, OSError, TimeoutError)) and not isinstance(answer, ClusterError)
    return Lost(str(answer)) if is_lost else answer


def known_workers(client: Client) -> dict[str, Any]:
    """What is known of the workers, by address; nothing of a client that is closed."""
    return client.scheduler_info(n_workers=-1).get("workers", {})  # type: ignore[no-any-return]


def _address(client: Client) -> str:
    return str(getattr(client.scheduler, "address", "an unknown address"))
