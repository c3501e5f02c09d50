"""Kernels in several Python threads and in several processes."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import directrank
from directrank.core import num_threads

MAKE_DATA = """
import multiprocessing, sys, threading
import numpy as np
from directrank import LambdaMART, SVMRanker, evaluate
from directrank.datasets import make_ranking

data = make_ranking(200, (5, 30), random_state=0)
scores = data.X[:, 0]

def values():
    return evaluate(data.y, scores, data.qid, ["AP", "nDCG@10"]).means

def fits():
    svm = SVMRanker("AP", C=0.1).fit(data.X, data.y, data.qid)
    trees = LambdaMART("AP", n_estimators=3).fit(data.X, data.y, data.qid)
    return svm.coef_.tolist(), trees.predict(data.X).tolist()

def answers(_=None):
    return values(), fits()
"""


def run(code: str, first: str = "") -> str:
    """What a script prints; it may take a minute, and not be ended by a signal."""
    env = {**os.environ, "DIRECTRANK_NUM_THREADS": "2"}
    command = [sys.executable, "-c", first + MAKE_DATA + code]
    out = subprocess.run(command, capture_output=True, text=True, check=False, env=env, timeout=60)
    assert out.returncode == 0 and out.stderr == "", out.stderr
    return out.stdout


def test_threads() -> None:
    code = """
alone, wrong = answers(), []

def work(times):
    for i in range(times):
        if (answers() if i % 10 == 0 else (values(), alone[1])) != alone:
            wrong.append(i)

threads = [threading.Thread(target=work, args=(100,)) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(wrong)
"""
    assert run(code) == "[]\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_computes_the_same() -> None:
    code = """
before = answers()
with multiprocessing.get_context("fork").Pool(2) as pool:
    inside = pool.map_async(answers, range(4)).get(40)
print(inside == [before] * 4, answers() == before)
"""
    assert run(code) == "True True\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_process_forked_twice_computes_the_same() -> None:
    code = """
import os, signal
before = answers()
child = os.fork()
if child == 0:
    signal.alarm(60)  # should its parent be killed
    grandchild = os.fork()
    if grandchild == 0:
        signal.alarm(60)  # should its parent be killed
        os._exit(0 if answers() == before else 1)
    os._exit(os.waitstatus_to_exitcode(os.waitpid(grandchild, 0)[1]))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert run(code) == "0\n"


def test_a_search_on_several_processes() -> None:
    code = """
from sklearn.model_selection import GridSearchCV
from directrank import routing
from directrank.data import QueryKFold

def best(n_jobs):
    search = GridSearchCV(SVMRanker("AP"), {"C": [0.01, 0.1]}, cv=QueryKFold(2), n_jobs=n_jobs)
    with routing():
        return search.fit(data.X, data.y, qid=data.qid).cv_results_["mean_test_score"].tolist()

print(best(2) == best(None))
"""
    assert run(code) == "True\n"


def test_ctrl_c_is_never_lost_within_a_kernel() -> None:
    code = """
import os, signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)
right, wrong, caught = values(), 0, 0
sent = 100

def send():
    for _ in range(sent):
        time.sleep(0.003)
        waiting.wait()
        waiting.clear()
        os.kill(os.getpid(), signal.SIGINT)

waiting = threading.Event()
thread = threading.Thread(target=send)
thread.start()
while caught < sent:
    try:
        waiting.set()
        while True:
            wrong += values() != right
    except (KeyboardInterrupt, SystemError):
        caught += 1
thread.join()
print(wrong, caught)
"""
    assert run(code) == "0 100\n"


@pytest.mark.skipif(sys.platform != "linux", reason="where OpenMP is not GNU's, it survives")
def test_several_threads_of_lightgbm_are_refused_where_they_would_hang() -> None:
    code = """
import os, signal
before = fits()
child = os.fork()
if child == 0:
    signal.alarm(60)  # should its parent be killed
    try:
        LambdaMART("AP", n_estimators=2, num_threads=2).fit(data.X, data.y, data.qid)
    except ValueError as error:
        print(error, flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""
    said = "num_threads=2: this process was forked from one that had used directrank, where LightGBM can use one thread only"
    assert run(code).startswith(said)


def test_environment_variables_affinity_and_quota_set_the_number_of_threads(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.delenv("DIRECTRANK_NUM_THREADS", raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(num_threads, "_CPU_QUOTA", tmp_path / "cpu.max")
    monkeypatch.setattr(num_threads, "_n_processors", lambda: 7)
    assert num_threads.default_num_threads() == min(7, os.cpu_count() or 1)
    (tmp_path / "cpu.max").write_text("150000 100000\n")
    assert num_threads.default_num_threads() == 2
    (tmp_path / "cpu.max").write_text("max 100000\n")
    assert num_threads.default_num_threads() == min(7, os.cpu_count() or 1)
    monkeypatch.setenv("OMP_NUM_THREADS", "3,2")
    assert num_threads.default_num_threads() == 3
    monkeypatch.setenv("DIRECTRANK_NUM_THREADS", "5")
    assert num_threads.default_num_threads() == 5
    monkeypatch.setenv("DIRECTRANK_NUM_THREADS", "many")
    assert num_threads.default_num_threads() == 3


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="needs processor affinity")
def test_a_process_of_one_processor_has_one_thread() -> None:
    code = """
import os
os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
import directrank
print(directrank.get_num_threads())
"""
    env = {name: value for name, value in os.environ.items() if name not in num_threads.VARIABLES}
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert out.stdout == "1\n"


def test_a_limit_is_for_one_thread_alone() -> None:
    before = directrank.get_num_threads()
    with num_threads.limit_num_threads(5):
        assert directrank.get_num_threads() == 5
        with ThreadPoolExecutor(1) as other:
            assert other.submit(directrank.get_num_threads).result() == before
    assert directrank.get_num_threads() == before


@pytest.mark.parametrize("n_threads", [0, -1, 1.5, True, "2"])
def test_a_bad_number_of_threads_is_refused(n_threads: object) -> None:
    with pytest.raises(ValueError, match="number of threads must be an integer of at least 1"):
        directrank.set_num_threads(n_threads)


def test_threads_sleep_while_they_wait() -> None:
    code = """
import time
values()
before = time.process_time()
time.sleep(0.5)
print(time.process_time() - before < 0.1)
"""
    assert run(code) == "True\n"
