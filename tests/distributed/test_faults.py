"""Workers that are killed: no bit changes, and nothing hangs."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from clusters import DATA, HELD_OUT_PARTS, PARTS, Cluster
from sklearn.base import clone

from directrank import AdaRank, LambdaMART, SVMRanker
from directrank.distributed import ShardedData, read_parquet, train
from directrank.distributed.cluster import ClusterClient
from directrank.learners.core.shards import LocalShards, WorkersChangedError
from directrank.learners.core.task import make_task
from directrank.measures import AP

LEARNERS = [
    SVMRanker("AP", C=100),
    AdaRank("nDCG@5", directions="both", early_stopping_rounds=50, n_estimators=50),
]
TREES = LambdaMART("nDCG@5", n_seeds=1, n_estimators=40, min_child_samples=5)


@contextmanager
def killing(cluster: Cluster, data: ShardedData, moments: dict[int, float]) -> Iterator[list[str]]:
    """Kill a worker that holds shards during some calls: by call number, the delay in seconds after its start."""
    pids, call, count, dead, threads = cluster.pids(), ClusterClient.call, 0, [], []

    def kill(delay: float) -> None:
        time.sleep(delay)
        address = cluster.holders(data)[-1]
        if address not in pids:  # one that was started again after the first was killed
            pids.update(cluster.pids())
        os.kill(pids[address], signal.SIGKILL)
        dead.append(address)

    def call_and_kill(self: ClusterClient, *args: object, **options: object) -> object:
        nonlocal count
        count += 1
        if count in moments:
            threads.append(threading.Thread(target=kill, args=(moments[count],), daemon=True))
            threads[-1].start()
        return call(self, *args, **options)

    patch = pytest.MonkeyPatch()
    patch.setattr(ClusterClient, "call", call_and_kill)
    try:
        yield dead
    finally:
        patch.undo()
        for thread in threads:
            thread.join(60)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_a_killed_worker_changes_no_bit(learner, cluster: Cluster, sharded: ShardedData, held_out: ShardedData) -> None:
    """Weights are sent again with what else the worker knew."""
    weights = {query: 1.0 + query % 3 for query in DATA.qid.tolist()}
    training = LocalShards([make_task(d.X, d.y, d.qid, AP(), {q: weights[q] for q in d.qid.tolist()}) for d in PARTS])
    wanted = clone(learner).fit_shards(training, LocalShards.from_data(HELD_OUT_PARTS, AP()), eval_measures="RR")
    with killing(cluster, sharded, {12: 0.0}) as dead:
        there = train(clone(learner), sharded, held_out, query_weight=weights, eval_measures="RR")
    assert len(dead) == 1 and there.evals_result_ == wanted.evals_result_
    np.testing.assert_array_equal(there.model_.predict(DATA.X), wanted.model_.predict(DATA.X))
    cluster.client.wait_for_workers(2, timeout=60)


@pytest.mark.parametrize("moment", [{9: 0.0}, {11: 0.01, 19: 0.0}], ids=str)
def test_killed_workers_change_no_tree(moment: dict[int, float], cluster: Cluster, sharded, held_out) -> None:
    """Of two workers one is left, until the other is started again."""
    learner = clone(TREES).set_params(n_seeds=2, lightgbm={"bagging_fraction": 0.7, "bagging_freq": 2})
    wanted = train(clone(learner), sharded, held_out)
    cluster.client.wait_for_workers(2, timeout=60)
    with killing(cluster, sharded, moment) as dead:
        there = train(clone(learner), sharded, held_out)
    assert len(dead) == len(moment)
    np.testing.assert_array_equal(there.model_.predict(DATA.X), wanted.model_.predict(DATA.X))
    assert there.evals_result_ == wanted.evals_result_
    cluster.client.wait_for_workers(2, timeout=60)


def test_the_last_worker_dies_and_another_comes(own_cluster, folder: Path) -> None:
    lonely = own_cluster(1, nanny=False)
    for learner in (LEARNERS[0], TREES):
        data = read_parquet(folder / "train", client=lonely.client)
        wanted = train(clone(learner), data)
        with killing(lonely, data, {12: 0.0}) as dead:
            threading.Timer(1.0, lonely.start_worker).start()  # after it was seen that there is none
            there = train(clone(learner), data)
        assert len(dead) == 1
        np.testing.assert_array_equal(there.model_.predict(DATA.X), wanted.model_.predict(DATA.X))


def test_a_rank_that_fails_is_noticed_at_once(cluster: Cluster, sharded: ShardedData) -> None:
    """Before the others are connected to it."""
    shards = sharded.to_shards()
    started = time.monotonic()
    with pytest.raises(ZeroDivisionError):
        shards.run_collective(fail_on_one_rank)
    assert time.monotonic() - started < 10
    assert shards.run_collective(rank_of) == [0, 1]  # nothing is left behind


def test_two_ranks_on_one_worker_do_not_wait_for_each_other_after_a_failure(own_cluster, folder: Path) -> None:
    lonely = own_cluster(1, nanny=False)
    shards = read_parquet(folder / "train", client=lonely.client).to_shards()
    assert shards.run_collective(rank_of) == [0, 1]
    with pytest.raises(ZeroDivisionError):
        shards.run_collective(fail_on_one_rank)
    lonely.client.run(lose_a_task)
    started = time.monotonic()
    with pytest.raises(WorkersChangedError):
        shards.session.run_collective(rank_of, (), shards)
    assert time.monotonic() - started < 10


def lose_a_task(dask_worker) -> None:
    """Drop the task of the first shard, so that its rank fails before it is connected to the other."""
    min(dask_worker.data.items())[1].tasks.clear()


def fail_on_one_rank(worker) -> None:
    if worker.rank == 1:
        raise ZeroDivisionError
    time.sleep(0.1)


def rank_of(worker) -> int:
    return worker.rank
