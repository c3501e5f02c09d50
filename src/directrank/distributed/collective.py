"""Collective jobs: work that all ranks do at the same time, connected to each other. The part that runs on Dask workers."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ..core.num_threads import limit_num_threads
from ..learners.core.shards import Worker, WorkersChangedError
from .cluster import ClusterError, Placement, deserialize
from .lightgbm_collectives import lightgbm_over
from .mesh import Mesh
from .remote_call import in_compute_thread
from .rendezvous import Address, Listener, MeshError
from .shard import Shard, ShardsId, local_shards

#: Guards the connections of jobs: the event loop aborts a job that runs in a compute thread.
_changing = threading.Lock()

#: Time, in seconds, that ranks wait for each other, which may have steps of others to finish first. A rank that fails is
#: noticed at once.
CONNECT_TIMEOUT = 120.0

#: By rank, the listener or the mesh of a job.
Connections = dict[int, Listener | Mesh]


class CollectiveJob(NamedTuple):
    """A job for all ranks; lists are by rank.

    Attributes
    ----------
    name : str
        Unique name of the job; also the secret by which its ranks authenticate each other.
    workers : list of str
        Address of the Dask worker that runs each rank.
    shards : list of lists of (number, key)
    listeners : list of (str, int)
    ids : tuple of ShardsId
        The last one identifies the tasks to work on.
    work : callable
    args : tuple
    """

    name: str
    workers: list[str]
    shards: list[list[tuple[int, str]]]
    listeners: list[Address]
    ids: tuple[ShardsId, ...]
    work: Callable[..., Any]
    args: tuple[Any, ...]


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


async def open_listeners(message: bytes, dask_worker: Any) -> dict[int, Address]:
    """Open a listener for each rank on this Dask worker; their addresses by rank."""
    name, ranks = deserialize(message, dask_worker.address)
    connections: Connections = {}
    _jobs(dask_worker)[name] = connections
    asyncio.get_running_loop().call_later(CONNECT_TIMEOUT, _expire, _jobs(dask_worker), name)
    addresses: dict[int, Address] = {}
    with _os_errors_as_cluster_errors(dask_worker.address):
        for rank in ranks:
            connections[rank] = listener = Listener(_host(dask_worker.address))
            addresses[rank] = listener.address
    return addresses


async def run_job(message: bytes, dask_worker: Any) -> dict[int, Any]:
    """Run the ranks of a `CollectiveJob` that are on this Dask worker; their results by rank."""
    job: CollectiveJob = deserialize(message, dask_worker.address)
    ranks = {
        rank: local_shards(dask_worker, shards)
        for rank, (worker, shards) in enumerate(zip(job.workers, job.shards, strict=True))
        if worker == dask_worker.address
    }
    n_threads = -(-dask_worker.state.nthreads // len(ranks))
    try:
        running = (
            _run_in_thread(dask_worker, index, job, rank, shards, n_threads)
            for index, (rank, shards) in enumerate(ranks.items())
        )
        results = await asyncio.gather(*running, return_exceptions=True)
    finally:
        with _changing:
            _close_listeners(_jobs(dask_worker).pop(job.name, {}))
    errors = [result for result in results if isinstance(result, BaseException)]
    if errors:  # rather the error of a rank that failed than that of a rank which lost its peers
        raise min(errors, key=lambda error: isinstance(error, (MeshError, WorkersChangedError)))
    return dict(zip(ranks, results, strict=True))


async def _run_in_thread(dask_worker: Any, index: int, job: CollectiveJob, *about_rank: Any) -> Any:
    """Run one rank; if it fails, the other rank on this Dask worker must not wait for it."""
    try:
        return await in_compute_thread(dask_worker, _run_rank, job, *about_rank, dask_worker, index=index)
    except BaseException:
        await abort_job(job.name, dask_worker)
        raise


async def abort_job(name: str, dask_worker: Any) -> None:
    """Abort a job, whatever it is waiting for."""
    with _changing:
        connections = _jobs(dask_worker).pop(name, {})
    _close_listeners(connections)
    for connection in connections.values():
        if isinstance(connection, Mesh):
            connection.abort()


@contextmanager
def _os_errors_as_cluster_errors(address: str) -> Iterator[None]:
    """Raise errors of the operating system as `ClusterError`: they do not mean that a worker was lost."""
    try:
        yield
    except ClusterError:
        raise
    except OSError as error:
        raise ClusterError(f"the worker at {address} cannot do its part: {error}") from error


def _run_rank(job: CollectiveJob, rank: int, shards: dict[int, Shard | None], n_threads: int, dask_worker: Any) -> Any:
    worker = _find_worker(job, rank, shards, n_threads)
    listener = _jobs(dask_worker).get(job.name, {}).get(rank)
    if not isinstance(listener, Listener):
        raise MeshError("the job was aborted")
    try:
        with (
            limit_num_threads(n_threads),
            _os_errors_as_cluster_errors(dask_worker.address),
            Mesh.connect(listener, rank, job.listeners, job.name.encode(), CONNECT_TIMEOUT) as mesh,
        ):
            _replace_listener(dask_worker, job.name, mesh)
            with lightgbm_over(mesh) as collectives:
                worker.check_peers = collectives.check
                return job.work(worker, *job.args)
    except BaseException:
        worker.memory.clear()  # state that was computed with ranks that failed is invalid
        raise
    finally:
        worker.check_peers = _no_peers


def _replace_listener(dask_worker: Any, name: str, mesh: Mesh) -> None:
    """Replace a listener by its mesh, which can abort the job from now on."""
    jobs = _jobs(dask_worker)
    with _changing:
        if name not in jobs:
            raise MeshError("the job was aborted")
        jobs[name][mesh.rank] = mesh


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


def _expire(jobs: dict[str, Connections], name: str) -> None:
    """End a job that was neither started in time nor aborted."""
    with _changing:
        if not any(isinstance(connection, Mesh) for connection in jobs.get(name, {}).values()):
            _close_listeners(jobs.pop(name, {}))


def _close_listeners(connections: Connections) -> None:
    for connection in list(connections.values()):
        if isinstance(connection, Listener):
            connection.close()


def _jobs(dask_worker: Any) -> dict[str, Connections]:
    """Connections of the jobs on a Dask worker, by name."""
    jobs = getattr(dask_worker, "_directrank_jobs", None)
    if jobs is None:
        jobs = dask_worker._directrank_jobs = {}
    return jobs  # type: ignore[no-any-return]


def _host(address: str) -> str:
    """Host of a worker's address; the loopback address for workers in the same process."""
    return "127.0.0.1" if address.startswith("inproc://") else urlsplit(address).hostname or "127.0.0.1"


def _no_peers() -> None:
    """The `check_peers` of a worker that is not connected."""
