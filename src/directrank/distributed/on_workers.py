"""Shards that live on the workers of a Dask cluster."""

from __future__ import annotations

import itertools
import uuid
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from distributed import Client

from ..learners.core.shards import MAX_RETRIES, PerShard, Shards, WorkersChangedError
from ..learners.core.task import Task, make_task
from ..measures import AP
from .held import Change, Lineage, Outcome, Trip, forget_session, run_trip
from .joint_work import JointWork, abort, open_doors, places_of, work_together
from .meeting import MeshBroken
from .one_job_at_a_time import OneJobAtATime
from .workers import ClusterError, Lost, Workers


class Session:
    """A training on a cluster: the shards that it makes of some data, and what workers know of them.

    Parameters
    ----------
    client : Client
    shards : sequence of distributed.Future
        Of `Held` shards.
    names : sequence of str
        Where each comes from.
    """

    def __init__(self, client: Client, shards: Sequence[Any], names: Sequence[str]) -> None:
        self.name, self.client, self.n_shards = uuid.uuid4().hex, client, len(shards)
        self.workers = Workers(client, shards, names)
        self.alone = OneJobAtATime(client)
        self.numbers = itertools.count()
        self.live: weakref.WeakSet[OnWorkers] = weakref.WeakSet()

    def run(self, step: Callable[..., Any], args: tuple[Any, ...], shards: OnWorkers | None = None) -> list[Any]:
        """A step on every shard: on the task of some shards, or on the rows themselves.

        Shards that are lost on the way are waited for, and the step is run on those again.
        """
        results: dict[int, Any] = {}
        for _ in range(MAX_RETRIES):
            for number, outcome in self._trip(step, args, shards, set(range(self.n_shards)) - set(results)).items():
                if outcome.error is not None:
                    raise outcome.error
                if not outcome.is_lost:
                    results[number] = outcome.result
            if len(results) == self.n_shards:
                return [results[number] for number in range(self.n_shards)]
            if shards is not None:
                shards.is_known = False
        raise ClusterError(f"workers were lost {MAX_RETRIES} times in a row during one step; is there too little memory?")

    def run_collective(self, work: Callable[..., Any], args: tuple[Any, ...], shards: OnWorkers) -> list[Any]:
        """Work in every place at the same time; see `Shards.run_collective`."""
        workers, held = (list(part) for part in zip(*places_of(self.workers.holders()), strict=True))
        job = uuid.uuid4().hex
        try:
            ranks = {address: [rank for rank, other in enumerate(workers) if other == address] for address in workers}
            doors = _by_rank(self._all(open_doors, {address: (job, of_worker) for address, of_worker in ranks.items()}))
            joint = JointWork(job, workers, held, doors, shards.ids, work, args)
            return _by_rank(self._all(work_together, dict.fromkeys(workers, joint)))
        except BaseException:
            self._abort(job)
            raise

    def close(self) -> None:
        """Have the workers forget what they know of this session."""
        self.alone.close()
        if self.client.status != "running":
            return
        with suppress(Exception):  # a worker that does not hear of it forgets when the shards are dropped
            self.client.run(forget_session, self.name, on_error="ignore")

    def _trip(
        self, step: Callable[..., Any], args: tuple[Any, ...], shards: OnWorkers | None, wanted: set[int]
    ) -> dict[int, Outcome]:
        live, lineage = frozenset(known.number for known in self.live), None if shards is None else shards.lineage()
        asked = {
            address: [(number, key) for number, key in held if number in wanted]
            for address, held in self.workers.holders().items()
        }
        asked = {address: held for address, held in asked.items() if held}
        trip = Trip(self.name, live, asked, lineage, step, args)
        answers = self.workers.ask(run_trip, _messages(trip))
        outcomes: dict[int, Outcome] = {}
        for answer in answers.values():
            if isinstance(answer, Lost):
                self.workers.forget_holders()
            elif isinstance(answer, Exception):
                raise answer
            else:
                outcomes |= answer
        if any(outcome.is_lost for outcome in outcomes.values()):
            self.workers.forget_holders()
        if shards is not None and len(outcomes) == self.n_shards:
            shards.is_known = True
        return dict(sorted(outcomes.items()))

    def _all(self, function: Callable[..., Any], messages: dict[str, Any]) -> dict[str, Any]:
        """What all places answer; if one fails the others are not waited for."""
        answers = self.workers.ask(function, messages, all_or_none=True)
        errors = [answer for answer in answers.values() if isinstance(answer, Exception)]
        if not errors:
            return answers
        self.workers.forget_holders()
        for error in errors:
            if not isinstance(error, (Lost, MeshBroken, WorkersChangedError)):
                raise error
        raise WorkersChangedError from next((error for error in errors if not isinstance(error, Lost)), errors[0])

    def _abort(self, job: str) -> None:
        with suppress(Exception):  # a worker that does not hear of it has ended, or will when the others have
            self.client.run(abort, job, on_error="ignore")


class OnWorkers(Shards):
    """Shards that live on workers.

    `map` only takes down what is to be changed; workers make a task when a step first needs it.

    Parameters
    ----------
    session : Session
    n_features : int
    feature_names : tuple of str, or None
    change : Change, optional
        What makes their tasks from those of `before`; by default from rows.
    before : OnWorkers, optional
    """

    def __init__(
        self,
        session: Session,
        n_features: int,
        feature_names: tuple[str, ...] | None,
        change: Change | None = None,
        before: OnWorkers | None = None,
    ) -> None:
        self.session, self.n_features, self.feature_names, self.before = session, n_features, feature_names, before
        self.number, self.is_known = next(session.numbers), False
        self.ids: tuple[tuple[str, int], ...] = (*(before.ids if before else ()), (session.name, self.number))
        self.changes: tuple[Change, ...] = (*(before.changes if before else ()), change or (_task_of_rows, ()))
        session.live.add(self)

    def each(self, step: Callable[..., Any], *args: Any) -> list[Any]:
        return self.session.run(step, args, self)

    def run_collective(self, work: Callable[..., Any], *args: Any) -> list[Any]:
        with self.session.alone:
            self.each(_nothing)  # so that all places have their tasks
            return self.session.run_collective(work, args, self)

    def map(self, change: Callable[..., Task], *args: Any) -> OnWorkers:
        return OnWorkers(self.session, self.n_features, self.feature_names, (change, args), self)

    def lineage(self) -> Lineage:
        """How a worker comes by a task of these shards."""
        return Lineage(self.ids, None if self.is_known else self.changes)


def _by_rank(answers: dict[str, dict[int, Any]]) -> list[Any]:
    """What all places gave, of what each worker says of its own."""
    found = {rank: given for of_worker in answers.values() for rank, given in of_worker.items()}
    return [found[rank] for rank in sorted(found)]


def _messages(trip: Trip) -> dict[str, Trip]:
    """What each worker is told: the same, unless arguments have a part for each shard."""
    changes = (trip.lineage.changes if trip.lineage is not None else None) or ()
    if not any(isinstance(arg, PerShard) for args in (trip.args, *(args for _, args in changes)) for arg in args):
        return dict.fromkeys(trip.shards, trip)
    messages = {}
    for address, held in trip.shards.items():
        numbers = [number for number, _ in held]
        lineage = trip.lineage and trip.lineage._replace(
            changes=tuple((change, _parts(args, numbers)) for change, args in changes) or None
        )
        messages[address] = trip._replace(lineage=lineage, args=_parts(trip.args, numbers))
    return messages


def _parts(args: tuple[Any, ...], numbers: list[int]) -> tuple[Any, ...]:
    """Arguments with no more of what is `PerShard` than the parts of some shards."""
    return tuple(PerShard({n: arg.parts[n] for n in numbers}) if isinstance(arg, PerShard) else arg for arg in args)


def _task_of_rows(shard: tuple[int, Any]) -> Task:
    """The first task of a shard; whatever measure it is bound to, learners bind it to theirs."""
    number, data = shard
    task = make_task(data.X, data.y, data.qid, AP())
    task.number = number
    return task


def _nothing(subject: Any) -> None:
    """A step that only has the shards there."""
