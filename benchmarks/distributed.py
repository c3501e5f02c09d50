"""Training on a cluster of two workers against local training: time against two threads, memory against the shards."""

from __future__ import annotations

import gc
import re
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from distributed import Client, LocalCluster

from directrank import AdaRank, CoordinateAscent, LambdaMART, MultivariateSVC, RankBoost, RankingData, RankSVM, SVMRanker
from directrank.data import write_parquet
from directrank.distributed import ShardedData, read_parquet, train
from directrank.distributed.dask_shards import Session

from .timing import Result, at_most, best_of

QUERIES, DOCUMENTS, FEATURES, SHARDS = 10_000, 100, 46, 8

#: Learners, and the maximum ratio to the time of a local fit.
FITS: dict[str, tuple[Any, float]] = {
    "SVM-map, C=100": (SVMRanker("AP", C=100), 1.3),
    "SVM for nDCG@10, C=1e4": (SVMRanker("nDCG@10", C=1e4, bound="convex"), 1.3),
    "RankSVM": (RankSVM(C=1), 1.3),
    "AdaRank": (AdaRank("AP", n_estimators=10), 1.3),
    "RankBoost, 30 rounds": (RankBoost(n_estimators=30), 1.3),
    "CoordinateAscent, one sweep": (CoordinateAscent("AP", n_restarts=0, max_iter=1), 1.3),
    "LambdaMART, 30 trees of 15 leaves": (LambdaMART("nDCG@10", n_estimators=30), 1.5),
    "LambdaMART, 10 trees of 255 leaves": (LambdaMART("nDCG@10", n_estimators=10, num_leaves=255), 1.5),
}

#: Learners whose memory is measured.
MEASURED = ("SVM-map, C=100", "AdaRank", "RankBoost, 30 rounds", "LambdaMART, 30 trees of 15 leaves")


#: Also trained on a single worker, which then runs two ranks.
ALONE = "LambdaMART, 30 trees of 15 leaves"


def ranking(queries: int) -> RankingData:
    """Graded documents with a few informative features, float32."""
    random, n = np.random.default_rng(0), queries * DOCUMENTS
    X = random.standard_normal((n, FEATURES), dtype=np.float32)
    hidden = X[:, :15].sum(axis=1) / 4 + 1.5 * random.standard_normal(n)
    grades = np.searchsorted(np.quantile(hidden, [0.8, 0.93, 0.98]), hidden).astype(float)
    return RankingData(X, grades, np.repeat(np.arange(queries), DOCUMENTS))


def run() -> list[Result]:
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        small, large = Path(folder, "small"), Path(folder, "large")
        write_parquet(small, ranking(QUERIES // 100), shards=SHARDS)
        data = ranking(QUERIES)
        write_parquet(large, data, shards=SHARDS)
        with _cluster() as client:
            sharded, few = read_parquet(large, client=client), read_parquet(small, client=client)
            results = [_remote_call(sharded)]
            results += [_fit(name, learner, required, data, sharded, few) for name, (learner, required) in FITS.items()]
        with _cluster(n_workers=1, threads_per_worker=2) as client:
            sharded, few = read_parquet(large, client=client), read_parquet(small, client=client)
            results.append(_fit(ALONE, *FITS[ALONE], data, sharded, few, "one worker of 2 threads"))
        results += [_memory(name, FITS[name][0], small, large, data) for name in MEASURED]
        return [*results, *_one_set(folder, data)]


@contextmanager
def _cluster(n_workers: int = 2, threads_per_worker: int = 1) -> Iterator[Client]:
    settings = {"n_workers": n_workers, "threads_per_worker": threads_per_worker}
    with LocalCluster(**settings, dashboard_address=":0", silence_logs=50) as cluster, Client(cluster) as client:
        yield client


def _remote_call(data: ShardedData) -> Result:
    """A step that does nothing, against Dask's way of running one."""
    session = Session(data.client, data.shards, data.names)

    def submit() -> None:
        data.client.gather([data.client.submit(len, shard.key, pure=False) for shard in data.shards])

    submit()
    ours = best_of(50, lambda: session.run(_nothing, ()))
    return at_most("an empty remote call to two workers", ours, best_of(20, submit), "submit and gather", 0.5)


def _fit(
    name: str,
    learner: Any,
    required: float,
    data: RankingData,
    sharded: ShardedData,
    few: ShardedData,
    where: str = "2 workers",
) -> Result:
    first = slice(QUERIES // 100 * DOCUMENTS)
    learner.fit(data.X[first], data.y[first], data.qid[first])  # warm-up
    train(learner, few)
    local, remote = [], []
    for _ in range(3):  # alternating, so that both sides see the same load
        local.append(best_of(1, lambda: learner.fit(data.X, data.y, data.qid)))
        remote.append(best_of(1, lambda: train(learner, sharded)))
    return at_most(f"{name}, {len(data):,} x {FEATURES}, {where}", min(remote), min(local), "local, 2 threads", required)


def _memory(name: str, learner: Any, small: Path, large: Path, data: RankingData) -> Result:
    """Peak memory of a worker above its memory after training on few rows, relative to its shards."""
    with _cluster() as client:
        train(learner, read_parquet(small, client=client))
        client.run(gc.collect)
        before = max(client.run(_reset_peak).values())
        sharded = read_parquet(large, client=client)
        train(learner, sharded)
        peak = max(client.run(_status, "VmHWM").values())
    shards = (data.X.nbytes + data.y.nbytes + data.qid.nbytes) / 2
    ratio = (peak - before) / shards
    return Result(
        f"memory of a worker, {name}",
        f"{(peak - before) / 2**20:.0f} MiB",
        f"its shards {shards / 2**20:.0f} MiB",
        f"{ratio:.2f} x",
        "at most 1.3 x",
        ratio <= 1.3,
    )


def _one_set(folder: str, data: RankingData) -> list[Result]:
    """One set over all workers, whose scores are sent to the driver."""
    binary = RankingData(data.X, data.y > 0, data.qid)
    write_parquet(Path(folder, "set"), binary, shards=SHARDS)
    learner = MultivariateSVC("AUC", C=1e-4)
    with _cluster() as client:
        sharded = read_parquet(Path(folder, "set"), client=client)
        train(learner, sharded)
        remote = best_of(2, lambda: train(learner, sharded))
        local = best_of(2, lambda: learner.fit(binary.X, binary.y))
    return [at_most(f"MultivariateSVC for AUC, one set of {len(data):,}", remote, local, "local, 2 threads", 3)]


def _nothing(data: RankingData) -> None:
    """A step that does nothing."""


def _reset_peak() -> int:
    """Reset the peak of this process; return its current memory."""
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def _status(field: str) -> int:
    found = re.search(field + r":\s*(\d+) kB", Path("/proc/self/status").read_text())
    return 1024 * int(found[1]) if found else 0
