"""Failures of a cluster: one sentence each."""

from __future__ import annotations

import importlib.util
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import dask
import numpy as np
import pytest
from clusters import DATA, QUIET, Cluster
from distributed import Client

from directrank import AdaRank, LambdaMART, RankBoost, RankSVM
from directrank.distributed import ClusterError, ShardedData, cluster as cluster_module, read_parquet, sources, train
from directrank.distributed.cluster import ClusterClient, known_workers
from directrank.distributed.job_lock import JobLock
from directrank.learners import Progress


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "WORKER_TIMEOUT", 1.0)


def test_a_cluster_without_workers(own_cluster, folder: Path, impatient: None) -> None:
    with pytest.raises(ClusterError, match=r"the cluster at tcp://127\.0\.0\.1:\d+ has no workers; start some with"):
        read_parquet(folder / "train", client=own_cluster(0).client)


def test_workers_of_another_version(own_cluster, folder: Path, tmp_path: Path) -> None:
    metadata = tmp_path / "directrank-99.0.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text("Metadata-Version: 2.1\nName: directrank\nVersion: 99.0\n")
    other = own_cluster(0, nanny=False)
    other.environment = {"PYTHONPATH": f"{tmp_path}{os.pathsep}{QUIET['PYTHONPATH']}"}
    other.start_worker()
    other.client.wait_for_workers(1, timeout=60)
    wanted = r"the worker at tcp://.* has directrank 99\.0, but this process has (\d|an unknown).*; install the same on both"
    with pytest.raises(ClusterError, match=wanted):
        read_parquet(folder / "train", client=other.client)


def test_workers_with_another_lightgbm(cluster: Cluster, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By which the trees could differ."""
    found = cluster.client.get_versions(packages=["directrank", "lightgbm"])
    found["client"]["packages"]["lightgbm"] = "0.1"
    monkeypatch.setattr(cluster.client, "get_versions", lambda packages: found)
    with pytest.raises(ClusterError, match=r"has lightgbm \d.*, but this process has 0\.1; install the same on both"):
        read_parquet(folder / "train", client=cluster.client)


@pytest.fixture
def without_directrank(tmp_path: Path) -> dict[str, str]:
    """An environment in which it cannot be imported."""
    hiding = """
import sys

class Hiding:
    def find_spec(self, name, path=None, target=None):
        if name == "directrank":
            raise ModuleNotFoundError("No module named 'directrank'")

sys.meta_path.insert(0, Hiding())  # before the finder of an editable install
"""
    (tmp_path / "sitecustomize.py").write_text(hiding)
    return {"PYTHONPATH": str(tmp_path)}


def test_workers_without_directrank(own_cluster, folder: Path, without_directrank: dict[str, str]) -> None:
    bare = own_cluster(0, nanny=False)
    bare.environment = without_directrank
    bare.start_worker()
    bare.client.wait_for_workers(1, timeout=60)
    with pytest.raises(
        ClusterError, match=r"the worker at .* cannot import directrank \(No module named .*\); install directrank\[dask\]"
    ):
        read_parquet(folder / "train", client=bare.client)


def test_a_scheduler_without_directrank(own_cluster, folder: Path, without_directrank: dict[str, str]) -> None:
    bare = own_cluster(0, nanny=False, environment=without_directrank)
    bare.environment = {}
    bare.start_worker()
    bare.client.wait_for_workers(1, timeout=60)
    with pytest.raises(ClusterError, match=r"the scheduler at tcp://.* cannot import directrank \(No module named"):
        read_parquet(folder / "train", client=bare.client)


def test_the_last_worker_is_gone_before_anything_is_read(
    own_cluster, folder: Path, impatient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "check_cluster", lambda client: None)
    with pytest.raises(ClusterError, match=r"has had no worker that takes work .* for 1 s; start some"):
        read_parquet(folder / "train", client=own_cluster(0).client)


def test_the_last_worker_is_gone(own_cluster, folder: Path, impatient: None) -> None:
    lonely = own_cluster(1, nanny=False)
    data = read_parquet(folder / "train", client=lonely.client)
    (pid,) = lonely.pids().values()
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(ClusterError, match=r"has had no worker that takes work .* for 1 s; start some, and train again"):
        train(RankSVM(C=1), data)


def test_the_scheduler_is_gone(own_cluster, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "SCHEDULER_TIMEOUT", 0.5)
    lost = own_cluster(1, nanny=False)
    data = read_parquet(folder / "train", client=lost.client)
    os.killpg(lost.processes[0].pid, signal.SIGKILL)
    lost.processes[0].wait(10)
    while lost.client.status == "running":  # or it may wait for an answer, for as long as Dask's client does
        time.sleep(0.01)
    for learner in (RankSVM(C=1), LambdaMART("AP", n_seeds=1, n_estimators=5)):
        started = time.monotonic()
        with pytest.raises(ClusterError, match=r"the Dask scheduler at .* is gone; start it again, and read the data anew"):
            train(learner, data)
        assert time.monotonic() - started < 30


def test_the_client_gives_up_while_shards_are_submitted_again() -> None:
    """It cancels its futures, as a new scheduler does, but knows no worker any more."""
    client = SimpleNamespace(status="closed", scheduler=SimpleNamespace(address="tcp://a:1"))
    shards = ClusterClient(client, [SimpleNamespace(status="cancelled")], ["a file"])
    with pytest.raises(ClusterError, match=r"the Dask scheduler at tcp://a:1 is gone; start it again"):
        shards._check_hopeful(time.monotonic(), has_workers=True)
    with pytest.raises(ClusterError, match=r"the Dask scheduler at tcp://a:1 is gone; start it again"):
        sources._spread(client, 3)


def test_workers_are_known_while_the_client_updates_what_it_knows(cluster: Cluster) -> None:
    """Its periodic update asks for no workers, and stores the answer where `Client.scheduler_info` looks."""
    with (
        dask.config.set({"distributed.client.scheduler-info-interval": "1ms"}),
        Client(cluster.address, set_as_default=False) as busy,
    ):
        assert all(known_workers(busy) for _ in range(300))


def test_shards_are_submitted_once_there_are_workers(own_cluster) -> None:
    """All of them may be gone for a moment, or the scheduler may be."""
    growing = own_cluster(0, nanny=False)
    threading.Timer(0.2, growing.start_worker).start()
    assert len(sources._spread(growing.client, 3)) == 3


def test_a_worker_whose_address_has_a_name(own_cluster, folder: Path) -> None:
    """Its scheduler resolves the name, so that the two know it by different addresses."""
    named = own_cluster(0, nanny=False)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    named.start_worker("--listen-address", f"tcp://127.0.0.1:{port}", "--contact-address", f"tcp://localhost:{port}")
    named.client.wait_for_workers(1, timeout=60)
    assert named.client.run(own_address) == {f"tcp://127.0.0.1:{port}": f"tcp://localhost:{port}"}
    shards = read_parquet(folder / "train", client=named.client).to_shards()
    assert shards.run_collective(rank_of) == [0, 1]


def own_address(dask_worker) -> str:
    return dask_worker.address


def rank_of(worker) -> int:
    return worker.rank


def test_ctrl_c_while_another_training_holds_the_lock(cluster: Cluster, folder: Path) -> None:
    """The process ends, and does not wait for the lock."""
    code = f"""
import sys
from distributed import Client
from directrank import LambdaMART
from directrank.distributed import read_parquet, train
from directrank.distributed.job_lock import JobLock
client = Client({cluster.address!r})
data = read_parquet({str(folder / "train")!r}, client=client)
acquire = JobLock.__enter__
def reporting(self):
    print("waiting", flush=True)
    acquire(self)
JobLock.__enter__ = reporting
train(LambdaMART("AP", n_seeds=1, n_estimators=5), data)
"""
    lock = JobLock(cluster.client)
    with lock:
        waiting = subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | QUIET
        )
        try:
            assert waiting.stdout is not None and waiting.stdout.readline() == b"waiting\n"
            time.sleep(0.5)
            waiting.send_signal(signal.SIGINT)
            waiting.communicate(timeout=60)
        finally:
            waiting.kill()
    lock.close()


@pytest.mark.parametrize(
    "learner", [RankBoost(n_estimators=100_000, thresholds=None), LambdaMART("AP", n_seeds=1, n_estimators=100_000)]
)
def test_ctrl_c_gives_the_model_so_far_and_stops_the_workers(learner, sharded: ShardedData) -> None:
    rounds: list[object] = []
    ended = threading.Event()
    deadline = time.monotonic() + 60

    def count(progress: Progress) -> None:
        assert time.monotonic() < deadline, "Ctrl-C was not heard"
        rounds.append(progress.step)

    def press() -> None:
        while len(rounds) < 15 and time.monotonic() < deadline:
            time.sleep(0.01)
        while not ended.is_set() and time.monotonic() < deadline:
            os.kill(os.getpid(), signal.SIGINT)
            ended.wait(5)  # Python may lose one, in a weak reference's callback

    threading.Thread(target=press, daemon=True).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            train(learner, sharded, callbacks=[count], keep_partial=True)
    finally:
        ended.set()
    assert learner.interrupted_ and len(learner.history_) >= 15
    assert np.ptp(learner.model_.predict(DATA.X)) > 0
    started = time.monotonic()
    train(LambdaMART("AP", n_seeds=1, n_estimators=2), sharded)
    assert time.monotonic() - started < 25  # nobody is still at work, or holds the lock, which Dask would for 30 s


def test_a_measure_that_workers_cannot_import(cluster: Cluster, sharded: ShardedData, tmp_path: Path) -> None:
    """A measure in a module that only this process has."""
    file = tmp_path / "only_here.py"
    file.write_text(
        "from directrank import Measure\nclass Mine(Measure):\n    def evaluate(self, scores, grades, offsets): return 0\n"
    )
    spec = importlib.util.spec_from_file_location("only_here", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules["only_here"] = module
    spec.loader.exec_module(module)
    try:
        with pytest.raises(ClusterError, match=r"lacks what this needs \(No module named 'only_here'\); install it there"):
            train(AdaRank(module.Mine()), sharded)
    finally:
        del sys.modules["only_here"]


def test_two_trainings_at_once(cluster: Cluster, folder: Path, sharded: ShardedData) -> None:
    """Of trees, whose ranks wait for each other."""
    other = read_parquet(folder / "train", client=cluster.client)
    wanted = [train(LambdaMART("AP", n_seeds=1, n_estimators=n, min_child_samples=5), sharded) for n in (25, 35)]
    found: dict[int, LambdaMART] = {}

    def fit(n: int, data: ShardedData) -> None:
        found[n] = train(LambdaMART("AP", n_seeds=1, n_estimators=n, min_child_samples=5), data)

    threads = [threading.Thread(target=fit, args=each, daemon=True) for each in ((25, sharded), (35, other))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for model, n in zip(wanted, (25, 35), strict=True):
        np.testing.assert_array_equal(found[n].model_.predict(DATA.X), model.model_.predict(DATA.X))


def test_workers_in_this_process(folder: Path) -> None:
    """As ``LocalCluster(processes=False)`` has them: two threads that compute, and a network between them."""
    code = f"""
import numpy as np
from distributed import Client, LocalCluster
from directrank import LambdaMART, SVMRanker
from directrank.distributed import read_parquet, train
with LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster, Client(cluster):
    data = read_parquet({str(folder / "train")!r})
    train(SVMRanker("AP", C=1), data)
    print(len(train(LambdaMART("AP", n_seeds=1, n_estimators=15, min_child_samples=5), data).history_))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, env=os.environ | QUIET)
    assert done.stdout == "15\n", done.stderr
