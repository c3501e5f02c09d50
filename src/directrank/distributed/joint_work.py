"""Work that all places do at the same time, connected to each other: the half of it that runs on the workers."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ..core.num_threads import limit_num_threads
from ..learners.core.shards import Place, WorkersChangedError
from .held import Held, ShardsId, held_by, in_computing_thread
from .lightgbm_network import lightgbm_over
from .meeting import Address, Door, MeshBroken
from .mesh import Mesh
from .workers import ClusterError, unpacked

#: A job is broken off by the event loop and goes on in the computing thread.
_changing = threading.Lock()

#: How long places wait for each other, which may have the steps of others to end first; in seconds. One that fails is
#: heard of at once.
CONNECTING = 120.0


class JointWork(NamedTuple):
    """What the places are to do; lists are by rank.

    Attributes
    ----------
    job : str
        A name that no other has; to those who connect it is the proof that they belong to it.
    workers : list of str
        The address of the worker on which each place is.
    shards : list of lists of (number, key)
    doors : list of (str, int)
        Where each can be connected to.
    ids : tuple of ShardsId
        The last is that of the tasks to work on.
    work : callable
    args : tuple
    """

    job: str
    workers: list[str]
    shards: list[list[tuple[int, str]]]
    doors: list[Address]
    ids: tuple[ShardsId, ...]
    work: Callable[..., Any]
    args: tuple[Any, ...]


def places_of(holders: dict[str, list[tuple[int, str]]]) -> list[tuple[str, list[tuple[int, str]]]]:
    """For each place, the address of its worker and the shards it has: every worker is a place, and one alone is two.

    LightGBM grows other trees in one place than in several. Two places at the least give the same trees on one worker as on
    many; a single shard is always in one place.
    """
    places = list(holders.items())
    if len(places) == 1 and len(places[0][1]) > 1:
        ((address, shards),) = places
        half = len(shards) // 2
        return [(address, shards[:half]), (address, shards[half:])]
    return places


async def open_doors(message: bytes, dask_worker: Any) -> dict[int, Address]:
    """By rank, where the places on this worker can be connected to in a job."""
    job, ranks = unpacked(message, dask_worker.address)
    doors: dict[int, Door | Mesh] = {}
    _jobs(dask_worker)[job] = doors
    asyncio.get_running_loop().call_later(CONNECTING, _end_unused, _jobs(dask_worker), job)
    with _saying_where(dask_worker.address):
        for rank in ranks:
            doors[rank] = Door(_host(dask_worker.address))
    return {rank: door.address for rank, door in doors.items() if isinstance(door, Door)}


async def work_together(message: bytes, dask_worker: Any) -> dict[int, Any]:
    """What the work gives in each place on this worker, by rank."""
    joint: JointWork = unpacked(message, dask_worker.address)
    mine = {
        rank: held_by(dask_worker, shards)
        for rank, (worker, shards) in enumerate(zip(joint.workers, joint.shards, strict=True))
        if worker == dask_worker.address
    }
    n_threads = -(-dask_worker.state.nthreads // len(mine))
    try:
        places = (
            _in_thread(dask_worker, thread, joint, rank, held, n_threads) for thread, (rank, held) in enumerate(mine.items())
        )
        given = await asyncio.gather(*places, return_exceptions=True)
    finally:
        with _changing:
            _close_doors(_jobs(dask_worker).pop(joint.job, {}))
    errors = [each for each in given if isinstance(each, BaseException)]
    if errors:  # where one place fails, the other only says that it was left alone
        raise min(errors, key=lambda error: isinstance(error, (MeshBroken, WorkersChangedError)))
    return dict(zip(mine, given, strict=True))


async def _in_thread(dask_worker: Any, thread: int, joint: JointWork, *about_place: Any) -> Any:
    """What the work gives in one place; where it fails, the other place on this worker is not to wait for it."""
    try:
        return await in_computing_thread(dask_worker, _work, joint, *about_place, dask_worker, thread=thread)
    except BaseException:
        await abort(joint.job, dask_worker)
        raise


async def abort(job: str, dask_worker: Any) -> None:
    """Break off a job, whatever it is waiting for."""
    with _changing:
        links = _jobs(dask_worker).pop(job, {})
    _close_doors(links)
    for link in links.values():
        if isinstance(link, Mesh):
            link.abort()


@contextmanager
def _saying_where(address: str) -> Iterator[None]:
    """What the system refuses on a worker is no sign that the worker is lost."""
    try:
        yield
    except ClusterError:
        raise
    except OSError as error:
        raise ClusterError(f"the worker at {address} cannot do its part: {error}") from error


def _work(joint: JointWork, rank: int, held: dict[int, Held | None], n_threads: int, dask_worker: Any) -> Any:
    place = _place(joint, rank, held, n_threads)
    door = _jobs(dask_worker).get(joint.job, {}).get(rank)
    if not isinstance(door, Door):
        raise MeshBroken("the job was broken off")
    try:
        with (
            limit_num_threads(n_threads),
            _saying_where(dask_worker.address),
            Mesh.connect(door, rank, joint.doors, joint.job.encode(), CONNECTING) as mesh,
        ):
            _replace_door(dask_worker, joint.job, mesh)
            with lightgbm_over(mesh) as network:
                place.check = network.check
                return joint.work(place, *joint.args)
    except BaseException:
        place.memory.clear()  # what has been made with others that failed is not to be trusted
        raise
    finally:
        place.check = _no_check


def _replace_door(dask_worker: Any, job: str, mesh: Mesh) -> None:
    """From now on the job is broken off by its mesh."""
    jobs = _jobs(dask_worker)
    with _changing:
        if job not in jobs:
            raise MeshBroken("the job was broken off")
        jobs[job][mesh.rank] = mesh


def _place(joint: JointWork, rank: int, held: dict[int, Held | None], n_threads: int) -> Place:
    """The place of some rank; a new one where it has other shards than before."""
    shards = joint.ids[-1]
    tasks = [None if each is None else each.tasks.get(shards) for each in held.values()]
    first = next(iter(held.values()))
    if first is None or any(task is None for task in tasks):
        raise MeshBroken("a shard was lost")
    known = first.places.get(shards)
    if known is None or len(known.tasks) != len(tasks) or any(a is not b for a, b in zip(known.tasks, tasks, strict=True)):
        for each in filter(None, held.values()):
            each.places.pop(shards, None)  # those of other groups of shards, with all that they remember
        known = first.places[shards] = Place(tasks)  # type: ignore[arg-type]
    known.rank, known.n_places, known.n_threads = rank, len(joint.workers), n_threads
    return known  # type: ignore[no-any-return]


def _end_unused(jobs: dict[str, dict[int, Door | Mesh]], job: str) -> None:
    """End a job that nobody has begun in time, and nobody has broken off."""
    with _changing:
        if not any(isinstance(link, Mesh) for link in jobs.get(job, {}).values()):
            _close_doors(jobs.pop(job, {}))


def _close_doors(links: dict[int, Door | Mesh]) -> None:
    for link in list(links.values()):
        if isinstance(link, Door):
            link.close()


def _jobs(dask_worker: Any) -> dict[str, dict[int, Door | Mesh]]:
    """What the places on a worker are connected by in each of their jobs, by rank."""
    jobs = getattr(dask_worker, "_directrank_jobs", None)
    if jobs is None:
        jobs = dask_worker._directrank_jobs = {}
    return jobs  # type: ignore[no-any-return]


def _host(address: str) -> str:
    """The host of a worker's address; of one in the same process, this machine."""
    return "127.0.0.1" if address.startswith("inproc://") else urlsplit(address).hostname or "127.0.0.1"


def _no_check() -> None:
    """Nobody is connected: nobody can be lost."""
