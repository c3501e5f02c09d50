"""Collective jobs: work that all ranks do at the same time, connected to each other. The part that runs on Dask workers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ..core.num_threads import limit_num_threads
from ..learners.core.shards import Worker, WorkersChangedError
from .cluster import ClusterError, Placement, deserialize
from .handshake import JobSecret, TLSContexts
from .lightgbm_collectives import lightgbm_over
from .mesh import Mesh
from .rendezvous import Address, Listener, MeshError
from .shard import Shard, ShardsId, local_shards
from .worker_plugin import DirectrankPlugin

#: Time, in seconds, that ranks wait for each other, which may have steps of others to finish first. A rank that fails is
#: noticed at once.
CONNECT_TIMEOUT = 120.0

#: Protocols of Dask that are encrypted.
_ENCRYPTED = ("tls://", "wss://")


class CollectiveJob(NamedTuple):
    """A job for all ranks; lists are by rank.

    Attributes
    ----------
    secret : JobSecret
        Unique name of the job, and the key with which its ranks authenticate each other.
    workers : list of str
        Address of the Dask worker that runs each rank.
    shards : list of lists of (number, key)
    listeners : list of (str, int)
    ids : tuple of ShardsId
        The last one identifies the tasks to work on.
    work : callable
    args : tuple
    """

    secret: JobSecret
    workers: list[str]
    shards: list[list[tuple[int, str]]]
    listeners: list[Address]
    ids: tuple[ShardsId, ...]
    work: Callable[..., Any]
    args: tuple[Any, ...]


class JobConnections:
    """Connections of the ranks of one job on a Dask worker: listeners at first, then meshes.

    The event loop may abort the job at any moment, while ranks connect in compute threads. Neither waits for the other: a
    rank adds its mesh and then asks whether the job was aborted; the event loop does it the other way around.

    Parameters
    ----------
    plugin : DirectrankPlugin
    name : str
        Name of the job.
    """

    def __init__(self, plugin: DirectrankPlugin, name: str) -> None:
        self._plugin, self._name, self._is_aborted = plugin, name, False
        self._by_rank: dict[int, Listener | Mesh] = {}
        self._timer = asyncio.get_running_loop().call_later(CONNECT_TIMEOUT, self._expire)
        plugin.jobs[name] = self

    def listen(self, rank: int, host: str) -> Address:
        """Open the listener of a rank."""
        self._by_rank[rank] = listener = Listener(host)
        return listener.address

    def listener(self, rank: int) -> Listener:
        """Listener of a rank, until it is connected."""
        found = self._by_rank.get(rank)
        if self._is_aborted or not isinstance(found, Listener):
            raise MeshError("the job was aborted")
        return found

    def add(self, mesh: Mesh) -> None:
        """Replace a listener by its mesh, which can abort the job from now on."""
        self._by_rank[mesh.rank] = mesh
        if self._is_aborted:
            raise MeshError("the job was aborted")

    def abort(self) -> None:
        """End the job, whatever its ranks are waiting for; on the event loop, which it does not block."""
        self._is_aborted = True
        self._timer.cancel()
        self._plugin.jobs.pop(self._name, None)
        for connection in list(self._by_rank.values()):
            if isinstance(connection, Mesh):
                connection.abort()
            else:
                connection.close()

    def _expire(self) -> None:
        """End a job that was not started in time."""
        if not any(isinstance(connection, Mesh) for connection in self._by_rank.values()):
            self.abort()


def assign_ranks(placement: Placement) -> list[tuple[str, list[tuple[int, str]]]]:
    """Address of the Dask worker and the shards of each rank: one rank per Dask worker, but two if there is only one.

    LightGBM grows other trees on one machine than on several. With two ranks at least, one Dask worker gives the same trees
    as many; a single shard always has one rank.
    """
    ranks = list(placement.items())
    if len(ranks) == 1 and len(ranks[0][1]) > 1:
        ((address, shards),) = ranks
        half = len(shards) // 2
        return [(address, shards[:half]), (address, shards[half:])]
    return ranks


async def open_listeners(message: bytes, plugin: DirectrankPlugin) -> dict[int, Address]:
    """Open a listener for each rank on this Dask worker; their addresses by rank."""
    address = plugin.address
    name, ranks = deserialize(message, address)
    connections, host = JobConnections(plugin, name), _host(address)
    try:
        return {rank: connections.listen(rank, host) for rank in ranks}
    except OSError as error:
        connections.abort()
        why = f"cannot accept connections of other workers at {host} ({error.strerror or error})"
        raise ClusterError(f"the worker at {address} {why}; start it with --host and an address of its machine") from error


async def run_job(message: bytes, plugin: DirectrankPlugin) -> dict[int, Any]:
    """Run the ranks of a `CollectiveJob` that are on this Dask worker; their results by rank."""
    dask_worker = plugin.worker
    job: CollectiveJob = deserialize(message, plugin.address)
    connections = plugin.jobs.get(job.secret.name)
    if connections is None:
        raise MeshError("the job was aborted")
    ranks = {
        rank: local_shards(dask_worker, shards)
        for rank, (worker, shards) in enumerate(zip(job.workers, job.shards, strict=True))
        if worker == plugin.address
    }
    try:
        work = _RankWork(job, connections, -(-dask_worker.state.nthreads // len(ranks)), _tls_contexts(dask_worker))
        running = (_run_in_thread(plugin, index, work, rank, shards) for index, (rank, shards) in enumerate(ranks.items()))
        results = await asyncio.gather(*running, return_exceptions=True)
    finally:
        connections.abort()  # its meshes are closed by now
    errors = [result for result in results if isinstance(result, BaseException)]
    if errors:  # rather the error of a rank that failed than that of a rank which lost its peers
        raise min(errors, key=lambda error: isinstance(error, (MeshError, WorkersChangedError)))
    return dict(zip(ranks, results, strict=True))


async def abort_job(name: bytes, plugin: DirectrankPlugin) -> None:
    """Abort a job, whatever it is waiting for."""
    connections = plugin.jobs.get(name.decode())
    if connections is not None:
        connections.abort()


async def _run_in_thread(plugin: DirectrankPlugin, index: int, work: _RankWork, rank: int, shards: Any) -> Any:
    """Run one rank; if it fails, the other rank on this Dask worker must not wait for it."""
    try:
        return await plugin.compute(_run_rank, work, rank, shards, thread=index)
    except BaseException:
        work.connections.abort()
        raise


@contextmanager
def _os_errors_as_cluster_errors(address: str) -> Iterator[None]:
    """Raise errors of the operating system as `ClusterError`: they do not mean that a worker was lost."""
    try:
        yield
    except ClusterError:
        raise
    except OSError as error:
        raise ClusterError(f"the worker at {address} cannot do its part: {error}") from error


class _RankWork(NamedTuple):
    """A job as the ranks of one Dask worker run it."""

    job: CollectiveJob
    connections: JobConnections
    n_threads: int
    tls: TLSContexts | None


def _run_rank(work: _RankWork, rank: int, shards: dict[int, Shard | None]) -> Any:
    job, connections, n_threads, tls = work
    worker = _find_worker(job, rank, shards, n_threads)
    listener = connections.listener(rank)
    try:
        with (
            limit_num_threads(n_threads),
            _os_errors_as_cluster_errors(job.workers[rank]),
            Mesh.connect(listener, rank, job.listeners, job.secret, CONNECT_TIMEOUT, tls) as mesh,
        ):
            connections.add(mesh)
            with lightgbm_over(mesh) as collectives:
                worker.check_peers = collectives.check
                return job.work(worker, *job.args)
    except BaseException:
        worker.memory.clear()  # state that was computed with ranks that failed is invalid
        raise
    finally:
        worker.check_peers = _no_peers


def _find_worker(job: CollectiveJob, rank: int, shards: dict[int, Shard | None], n_threads: int) -> Worker:
    """The `Worker` of a rank, with its memory; a new one if the rank has other shards than before."""
    ids = job.ids[-1]
    tasks = [None if shard is None else shard.tasks.get(ids) for shard in shards.values()]
    first = next(iter(shards.values()))
    if first is None or any(task is None for task in tasks):
        raise MeshError("a shard was lost")
    known = first.workers.get(ids)
    if known is None or len(known.tasks) != len(tasks) or any(a is not b for a, b in zip(known.tasks, tasks, strict=True)):
        for shard in filter(None, shards.values()):
            shard.workers.pop(ids, None)  # of other groups of shards, with all that they remember
        known = first.workers[ids] = Worker(tasks)  # type: ignore[arg-type]
    known.rank, known.n_workers, known.n_threads = rank, len(job.workers), n_threads
    return known


def _tls_contexts(dask_worker: Any) -> TLSContexts | None:
    """TLS contexts that a worker also uses for other Dask workers; None where Dask does not encrypt.

    Raises
    ------
    ClusterError
        The cluster is encrypted, and the worker has no certificate.
    """
    if not dask_worker.address.startswith(_ENCRYPTED) and not dask_worker.scheduler.address.startswith(_ENCRYPTED):
        return None
    security = dask_worker.security
    contexts = [args("worker").get("ssl_context") for args in (security.get_listen_args, security.get_connection_args)]
    if None in contexts:
        why = "the cluster is encrypted, and it has no certificate for connections to other workers"
        raise ClusterError(f"the worker at {dask_worker.address} cannot do its part: {why}; start it with --tls-cert")
    return TLSContexts(*contexts)


def _host(address: str) -> str:
    """Host of a worker's address; the loopback address for workers in the same process."""
    return "127.0.0.1" if address.startswith("inproc://") else urlsplit(address).hostname or "127.0.0.1"


def _no_peers() -> None:
    """The `check_peers` of a worker that is not connected."""
