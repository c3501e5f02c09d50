"""Shards on the workers of a Dask cluster."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from distributed import Client

from ..learners.core.shards import MAX_RETRIES, PerShard, Shards, WorkersChangedError
from ..learners.core.task import Task
from ..learners.lambdamart.boosting import make_ensemble
from ..learners.lambdamart.data_parallel.ensemble import make_distributed_ensemble
from .cluster import ClusterClient, ClusterError, WorkerLostError
from .collective import CollectiveJob, abort_job, assign_ranks, open_listeners, run_job
from .handshake import JobSecret
from .job_lock import JobLock
from .remote_call import Outcome, RemoteCall, run_call
from .rendezvous import MeshError
from .shard import Change, Lineage, ShardsId


class Session:
    """A training on a cluster: the `DaskShards` derived from some data, and what workers know of them.

    Parameters
    ----------
    client : Client
    shards : list of distributed.Future
        Futures of `Shard`.
    names : sequence of str
        Name of each shard for messages.
    """

    def __init__(self, client: Client, shards: list[Any], names: Sequence[str]) -> None:
        self.cluster = ClusterClient(client, shards, names)
        self.name, self.client, self.n_shards = self.cluster.name, client, len(shards)
        self.job_lock = JobLock(client)
        self.numbers = itertools.count()
        self.live: weakref.WeakSet[DaskShards] = weakref.WeakSet()

    def run(self, step: Callable[..., Any], args: tuple[Any, ...], shards: DaskShards | None = None) -> list[Any]:
        """Run a step on every shard: on its task, or without `shards` on its `RankingData`.

        If shards are lost on the way, it waits until they were read again, and repeats the step on those.
        """
        results: dict[int, Any] = {}
        for _ in range(MAX_RETRIES):
            for number, outcome in self._call(step, args, shards, set(range(self.n_shards)) - set(results)).items():
                if outcome.error is not None:
                    raise outcome.error
                if not outcome.is_lost:
                    results[number] = outcome.result
            if len(results) == self.n_shards:
                return [results[number] for number in range(self.n_shards)]
            if shards is not None:
                shards.forget_known()
        raise ClusterError(f"workers were lost {MAX_RETRIES} times in a row during one step; is there too little memory?")

    def run_collective(self, work: Callable[..., Any], args: tuple[Any, ...], shards: DaskShards) -> list[Any]:
        """Run work on all ranks at the same time; see `Shards.run_collective`."""
        workers, placed = (list(part) for part in zip(*assign_ranks(self.cluster.placement()), strict=True))
        secret = JobSecret.random()
        try:
            ranks = {address: [rank for rank, other in enumerate(workers) if other == address] for address in workers}
            messages = {address: (secret.name, numbers) for address, numbers in ranks.items()}
            listeners = _by_rank(self._call_all(open_listeners, messages))
            job = CollectiveJob(secret, workers, placed, listeners, shards.ids, work, args)
            return _by_rank(self._call_all(run_job, dict.fromkeys(workers, job)))
        except BaseException:
            self.cluster.notify(abort_job, secret.name)  # one that is not reached has ended, or will when the others have
            raise

    def close(self) -> None:
        """Have the workers drop the tasks of this session."""
        self.job_lock.close()
        self.cluster.close()  # a worker that is not reached drops them with the shards

    def _call(
        self, step: Callable[..., Any], args: tuple[Any, ...], shards: DaskShards | None, wanted: set[int]
    ) -> dict[int, Outcome]:
        live, lineage = frozenset(known.number for known in self.live), None if shards is None else shards.lineage()
        placement = {
            address: [(number, key) for number, key in placed if number in wanted]
            for address, placed in self.cluster.placement().items()
        }
        placement = {address: placed for address, placed in placement.items() if placed}
        call = RemoteCall(self.name, live, placement, lineage, step, args)
        outcomes: dict[int, Outcome] = {}
        for answer in self.cluster.call(run_call, _messages(call)).values():
            if isinstance(answer, WorkerLostError):
                self.cluster.invalidate_placement()
            elif isinstance(answer, Exception):
                raise answer
            else:
                outcomes |= answer
        if any(outcome.is_lost for outcome in outcomes.values()):
            self.cluster.invalidate_placement()
        if shards is not None and len(outcomes) == self.n_shards:
            shards.is_known = True
        return dict(sorted(outcomes.items()))

    def _call_all(self, function: Callable[..., Any], messages: dict[str, Any]) -> dict[str, Any]:
        """Answers of all workers; if one fails, the others are not waited for."""
        answers = self.cluster.call(function, messages, fail_fast=True)
        errors = [answer for answer in answers.values() if isinstance(answer, Exception)]
        if not errors:
            return answers
        self.cluster.invalidate_placement()
        for error in errors:
            if not isinstance(error, (WorkerLostError, MeshError, WorkersChangedError)):
                raise error
        raise WorkersChangedError from next((e for e in errors if not isinstance(e, WorkerLostError)), errors[0])


class DaskShards(Shards):
    """Shards on the workers of a Dask cluster.

    `map` only records the change; workers derive a task when a step first needs it.

    Parameters
    ----------
    session : Session
    n_features : int
    feature_names : tuple of str, or None
    change : Change
        Derivation of their tasks from the tasks of `before`, or without it from each `Shard`.
    before : DaskShards, optional
    """

    def __init__(
        self,
        session: Session,
        n_features: int,
        feature_names: tuple[str, ...] | None,
        change: Change,
        before: DaskShards | None = None,
    ) -> None:
        self.session, self.n_features, self.feature_names, self.before = session, n_features, feature_names, before
        self.number, self.is_known = next(session.numbers), False
        self.ids: tuple[ShardsId, ...] = (*(before.ids if before else ()), (session.name, self.number))
        self.changes: tuple[Change, ...] = (*(before.changes if before else ()), change)
        session.live.add(self)

    def each(self, step: Callable[..., Any], *args: Any) -> list[Any]:
        return self.session.run(step, args, self)

    def run_collective(self, work: Callable[..., Any], *args: Any) -> list[Any]:
        with self.session.job_lock:
            self.each(_nothing)  # so that all workers have their tasks
            return self.session.run_collective(work, args, self)

    def map(self, change: Callable[..., Task], *args: Any) -> DaskShards:
        return DaskShards(self.session, self.n_features, self.feature_names, (change, args), self)

    def lineage(self) -> Lineage:
        """Derivation of the tasks, with the changes after the last tasks that workers know."""
        return Lineage(self.ids, self.changes[self._n_known() :])

    def forget_known(self) -> None:
        """Send all changes the next time: a worker has lost some tasks."""
        self.is_known = False
        if self.before is not None:
            self.before.forget_known()

    def _n_known(self) -> int:
        """Number of changes whose tasks all workers have."""
        return len(self.changes) if self.is_known else 0 if self.before is None else self.before._n_known()


make_ensemble.register(DaskShards, make_distributed_ensemble)


def _by_rank(answers: dict[str, dict[int, Any]]) -> list[Any]:
    """Results of all ranks in order, from the answers of the workers that run them."""
    found = {rank: result for answer in answers.values() for rank, result in answer.items()}
    return [found[rank] for rank in sorted(found)]


def _messages(call: RemoteCall) -> dict[str, RemoteCall]:
    """Message for each worker: the same for all, unless arguments are `PerShard`."""
    changes = call.lineage.changes if call.lineage is not None else ()
    if not any(isinstance(arg, PerShard) for args in (call.args, *(args for _, args in changes)) for arg in args):
        return dict.fromkeys(call.shards, call)
    messages = {}
    for address, placed in call.shards.items():
        numbers = [number for number, _ in placed]
        lineage = call.lineage and call.lineage._replace(
            changes=tuple((change, _parts(args, numbers)) for change, args in changes)
        )
        messages[address] = call._replace(lineage=lineage, args=_parts(call.args, numbers))
    return messages


def _parts(args: tuple[Any, ...], numbers: list[int]) -> tuple[Any, ...]:
    """Arguments with the parts of some shards only where they are `PerShard`."""
    return tuple(PerShard({n: arg.parts[n] for n in numbers}) if isinstance(arg, PerShard) else arg for arg in args)


def _nothing(task: Task) -> None:
    """A step that only derives the tasks."""
