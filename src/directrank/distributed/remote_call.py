"""Remote calls: steps that Dask workers run on their shards.

A call goes to a handler of the worker's plugin, outside Dask's task scheduling, which would take ten times as long. The
worker's event loop hands it to the one thread that computes there, and stays free.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..learners.core.shards import args_of_shard
from .cluster import deserialize
from .shard import Lineage, Shard, local_shards
from .worker_plugin import DirectrankPlugin, picklable


class RemoteCall(NamedTuple):
    """A step to run on shards.

    Attributes
    ----------
    session : str
    live : frozenset of int
        The session's `DaskShards` that are still alive; workers drop the tasks of the others.
    shards : dict of lists of (number, key)
        By the address of a worker, the shards to run the step on, and their keys in its memory.
    lineage : Lineage, or None
        None to give the step the `RankingData` itself.
    step : callable
    args : tuple
    """

    session: str
    live: frozenset[int]
    shards: dict[str, list[tuple[int, str]]]
    lineage: Lineage | None
    step: Callable[..., Any]
    args: tuple[Any, ...]


class Outcome(NamedTuple):
    """Outcome of a step on one shard.

    Attributes
    ----------
    result : object
    error : Exception, or None
        Exception that the step raised.
    is_lost : bool
        Whether the worker does not have the shard or its task.
    """

    result: Any = None
    error: Exception | None = None
    is_lost: bool = False


async def run_call(message: bytes, plugin: DirectrankPlugin) -> dict[int, Outcome]:
    """Run a `RemoteCall` on the shards of this worker."""
    call: RemoteCall = deserialize(message, plugin.address)
    shards = local_shards(plugin.worker, call.shards.get(plugin.address, []))
    return await plugin.compute(_outcomes, call, shards)  # type: ignore[no-any-return]


def _outcomes(call: RemoteCall, shards: dict[int, Shard | None]) -> dict[int, Outcome]:
    return {number: _outcome(call, number, shard) for number, shard in shards.items()}


def _outcome(call: RemoteCall, number: int, shard: Shard | None) -> Outcome:
    if shard is None:
        return Outcome(is_lost=True)
    try:
        shard.keep_only(call.session, call.live)
        subject = shard.data if call.lineage is None else shard.task(number, call.lineage)
        if subject is None:
            return Outcome(is_lost=True)
        return Outcome(call.step(subject, *args_of_shard(call.args, number)))
    except Exception as error:
        return Outcome(error=picklable(error))
