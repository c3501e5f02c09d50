"""Work that all places do at the same time, connected to each other: the half of it that runs on the workers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ..learners.shards import Place
from .held import Held, ShardsId, held_by, in_computing_thread
from .lightgbm_network import lightgbm_over
from .mesh import Door, Mesh, MeshBroken
from .workers import ClusterError, unpacked

#: A job is broken off by the event loop and goes on in the computing thread.
_changing = threading.Lock()

#: How long places wait for each other, which may have the steps of others to end first; in seconds. One that fails is
#: heard of at once.
CONNECTING = 600.0


class JointWork(NamedTuple):
    """What the places are to do.

    Attributes
    ----------
    job : str
        A name that no other has; to those who connect it is the proof that they belong to it.
    doors : dict
        By the address of a worker, where it can be connected to; in the order of the ranks.
    shards : dict of lists of (number, key)
    ids : tuple of ShardsId
        The last is that of the tasks to work on.
    work : callable
    args : tuple
    """

    job: str
    doors: dict[str, tuple[str, int]]
    shards: dict[str, list[tuple[int, str]]]
    ids: tuple[ShardsId, ...]
    work: Callable[..., Any]
    args: tuple[Any, ...]


async def open_door(message: bytes, dask_worker: Any) -> tuple[str, int]:
    """Where this worker can be connected to in a job."""
    job: str = unpacked(message, dask_worker.address)
    with _saying_where(dask_worker.address):
        door = Door(_host(dask_worker.address))
    _jobs(dask_worker)[job] = door
    return door.address


async def work_together(message: bytes, dask_worker: Any) -> Any:
    """What the work gives in this place."""
    joint: JointWork = unpacked(message, dask_worker.address)
    mine = held_by(dask_worker, joint.shards[dask_worker.address])
    try:
        with _saying_where(dask_worker.address):
            return await in_computing_thread(dask_worker, _work, joint, mine, dask_worker)
    finally:
        _jobs(dask_worker).pop(joint.job, None)


async def abort(job: str, dask_worker: Any) -> None:
    """Break off a job, whatever it is waiting for."""
    with _changing:
        link = _jobs(dask_worker).pop(job, None)
    if isinstance(link, Mesh):
        link.abort()
    elif link is not None:
        link.close()


@contextmanager
def _saying_where(address: str) -> Iterator[None]:
    """What the system refuses on a worker is no sign that the worker is lost."""
    try:
        yield
    except ClusterError:
        raise
    except OSError as error:
        raise ClusterError(f"the worker at {address} cannot do its part: {error}") from error


def _work(joint: JointWork, mine: dict[int, Held | None], dask_worker: Any) -> Any:
    place = _place(joint, mine, dask_worker)
    door = _jobs(dask_worker).get(joint.job)
    if not isinstance(door, Door):
        raise MeshBroken("the job was broken off")
    try:
        with Mesh.connect(door, place.rank, list(joint.doors.values()), joint.job.encode(), CONNECTING) as mesh:
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
        jobs[job] = mesh


def _place(joint: JointWork, mine: dict[int, Held | None], dask_worker: Any) -> Place:
    """The place that this worker is; a new one where it has other shards than before."""
    shards = joint.ids[-1]
    tasks = [None if held is None else held.tasks.get(shards) for held in mine.values()]
    first = next(iter(mine.values()))
    if first is None or any(task is None for task in tasks):
        raise MeshBroken("a shard was lost")
    known = first.places.get(shards)
    if known is None or len(known.tasks) != len(tasks) or any(a is not b for a, b in zip(known.tasks, tasks, strict=True)):
        known = first.places[shards] = Place(tasks, n_threads=dask_worker.state.nthreads)  # type: ignore[arg-type]
    known.rank, known.n_places = list(joint.doors).index(dask_worker.address), len(joint.doors)
    return known  # type: ignore[no-any-return]


def _jobs(dask_worker: Any) -> dict[str, Door | Mesh]:
    """What a worker is connected by in each of its jobs."""
    jobs = getattr(dask_worker, "_directrank_jobs", None)
    if jobs is None:
        jobs = dask_worker._directrank_jobs = {}
    return jobs  # type: ignore[no-any-return]


def _host(address: str) -> str:
    """The host of a worker's address; of one in the same process, this machine."""
    return "127.0.0.1" if address.startswith("inproc://") else urlsplit(address).hostname or "127.0.0.1"


def _no_check() -> None:
    """Nobody is connected: nobody can be lost."""
