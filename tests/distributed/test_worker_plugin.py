"""Manners on workers that others use too: a training leaves nothing behind."""

from __future__ import annotations

import asyncio
import logging
import signal
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from clusters import Cluster
from distributed.protocol.pickle import dumps

from directrank import LambdaMART, SVMRanker
from directrank.distributed import (
    ShardedData,
    cluster as cluster_module,
    evaluate,
    predict,
    read_parquet,
    train,
    worker_plugin,
)
from directrank.distributed.worker_plugin import NAME, DirectrankPlugin

#: Time, in seconds, within which workers drop what a session has left, on a busy machine.
SETTLING = 30.0


def traces(dask_worker: Any) -> dict[str, list[str]]:
    """What a training could change on a worker and in its process."""
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.worker", "distributed.core", None)]
    return {
        "attributes": sorted(vars(dask_worker)),
        "handlers": sorted(dask_worker.handlers),
        "plugins": sorted(dask_worker.plugins),
        "extensions": sorted(dask_worker.extensions),
        "filters": [repr(each) for logger in loggers for each in (*logger.filters, *logger.handlers)],
        "threads": sorted(thread.name for thread in threading.enumerate() if "directrank" in thread.name),
        "signals": [repr(signal.getsignal(number)) for number in (signal.SIGINT, signal.SIGTERM)],
    }


def settled(cluster: Cluster, wanted: dict[str, Any]) -> dict[str, Any]:
    """Traces on all workers, once they are as wanted, or after a while."""
    deadline = time.monotonic() + SETTLING
    while (found := cluster.client.run(traces)) != wanted and time.monotonic() < deadline:
        time.sleep(0.02)
    return found


async def end_all_sessions(dask_worker: Any) -> None:
    """Those that other tests have left open."""
    if NAME in dask_worker.plugins:
        await dask_worker.plugin_remove(NAME)


@pytest.fixture
def before(cluster: Cluster) -> dict[str, Any]:
    """Traces on workers that nobody uses."""
    cluster.client.run(end_all_sessions)
    deadline = time.monotonic() + SETTLING
    while "directrank" in str(found := cluster.client.run(traces)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert "directrank" not in str(found)
    return found


def test_workers_are_left_as_they_were(cluster: Cluster, before: dict[str, Any], folder: Path) -> None:
    sharded, held_out = (read_parquet(folder / name, client=cluster.client) for name in ("train", "vali"))
    assert settled(cluster, before) == before
    during: list[dict[str, Any]] = []
    for learner in (SVMRanker("AP", C=1), LambdaMART("AP", n_seeds=1, n_estimators=12, min_child_samples=5)):
        validation = held_out if isinstance(learner, LambdaMART) else None
        model = train(learner, sharded, validation, callbacks=[lambda _: during.append(cluster.client.run(traces))])
        assert settled(cluster, before) == before
    evaluate(model, held_out, "AP")
    predict(model, held_out).compute(scheduler=cluster.client)
    assert settled(cluster, before) == before
    for found in (*during[0].values(), *during[-1].values()):  # or this would test nothing
        assert NAME in found["plugins"] and NAME in found["handlers"] and found["threads"]


def test_a_training_leaves_another_ones_state_alone(
    cluster: Cluster, before: dict[str, Any], folder: Path, sharded: ShardedData
) -> None:
    """Two sessions use the workers: with the first that ends, nothing is removed."""
    shards = read_parquet(folder / "train", client=cluster.client).to_shards()
    shards.each(number_of)
    train(SVMRanker("AP", C=1), sharded)
    found = cluster.client.run(traces)
    assert all(NAME in traces["plugins"] for traces in found.values())
    assert shards.each(number_of) == [0, 1, 2]
    shards.session.close()
    assert settled(cluster, before) == before
    assert shards.each(number_of) == [0, 1, 2]  # a session that is used again is opened again
    shards.session.close()


def number_of(task: Any) -> int:
    return task.number


def test_ctrl_c_while_a_session_is_opened_leaves_no_plugin(
    cluster: Cluster, before: dict[str, Any], sharded: ShardedData, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first call has been sent, and its answer is not waited for."""

    def press(*args: Any) -> None:
        raise KeyboardInterrupt

    shards = sharded.to_shards()
    with monkeypatch.context() as patch:
        patch.setattr(cluster_module, "wait", press)
        with pytest.raises(KeyboardInterrupt):
            shards.each(number_of)
    shards.session.close()
    assert settled(cluster, before) == before


def test_a_session_that_ends_by_force_is_forgotten_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its driver was killed, and could not say good-bye; a running call is no idle time."""
    monkeypatch.setattr(worker_plugin, "IDLE_TIMEOUT", 0.05)

    async def wait_and_see() -> list[bool]:
        plugin, seen = DirectrankPlugin(), []

        async def plugin_remove(name: str) -> None:
            plugin.teardown(worker)

        worker = SimpleNamespace(handlers={}, state=SimpleNamespace(nthreads=1), plugin_remove=plugin_remove)
        plugin.setup(worker)
        plugin.sessions.add("lost")
        running = asyncio.create_task(plugin.handle(dumps(busy), b""))
        await asyncio.sleep(0.15)
        seen.append(NAME in worker.handlers)
        await running
        await asyncio.sleep(0.2)
        return [*seen, NAME in worker.handlers, bool(plugin.sessions)]

    assert asyncio.run(wait_and_see()) == [True, False, False]


async def busy(message: bytes, plugin: DirectrankPlugin) -> None:
    await plugin.compute(time.sleep, 0.2)


def test_nothing_is_registered_with_the_scheduler(cluster: Cluster, sharded: ShardedData) -> None:
    """Or workers that cannot import it could not join the cluster during a training."""
    shards = sharded.to_shards()
    shards.each(number_of)
    assert NAME not in cluster.client.run_on_scheduler(plugins_for_new_workers)
    shards.session.close()


def plugins_for_new_workers(dask_scheduler: Any) -> list[str]:
    return list(dask_scheduler.worker_plugins)
