"""Parallel kernels in several Python threads and in several processes, under each of Numba's threading layers."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

LAYERS = ["workqueue", "omp"]

MAKE_DATA = """
import multiprocessing, sys, threading
import numba, numpy as np
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


def run(layer: str, code: str, first: str = "") -> str:
    """What a script prints; it may take a minute, and not be ended by a signal."""
    env = {**os.environ, "NUMBA_THREADING_LAYER": layer, "NUMBA_NUM_THREADS": "2"}
    command = [sys.executable, "-c", first + MAKE_DATA + code]
    out = subprocess.run(command, capture_output=True, text=True, check=False, env=env, timeout=60)
    if "No threading layer could be loaded" in out.stderr:
        pytest.skip(f"Numba has no {layer} here")
    assert out.returncode == 0 and out.stderr == "", out.stderr
    return out.stdout


@pytest.mark.parametrize("layer", LAYERS)
def test_threads(layer: str) -> None:
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
print(numba.threading_layer(), wrong)
"""
    assert run(layer, code) == f"{layer} []\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("layer", LAYERS)
def test_a_forked_process_computes_the_same(layer: str) -> None:
    code = """
before = answers()
with multiprocessing.get_context("fork").Pool(2) as pool:
    inside = pool.map_async(answers, range(4)).get(40)
print(inside == [before] * 4, answers() == before)
"""
    assert run(layer, code) == "True True\n"


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
    assert run("omp", code) == "0\n"


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
    assert run("default", code) == "True\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_threads_that_another_library_has_started_before() -> None:
    code = """
before = answers()
with multiprocessing.get_context("fork").Pool(1) as pool:
    print(pool.map_async(answers, range(1)).get(40) == [before])
"""
    assert run("omp", code, "import numba; numba.set_num_threads(1)\n") == "True\n"


def test_nested_kernels_run_under_workqueue() -> None:
    """Numba alone ends the process, and a lock would wait for itself."""
    code = """
from numba import njit, prange

@njit(parallel=True)
def inner(n):
    total = np.zeros(n)
    for i in prange(n):
        total[i] = i
    return total.sum()

@njit(parallel=True)
def outer(n):
    sums = np.zeros(n)
    for i in prange(n):
        sums[i] = inner(100)
    return sums

print(set(outer(8).tolist()))
"""
    assert run("workqueue", code) == "{4950.0}\n"


def test_a_numba_that_has_changed_goes_without() -> None:
    first = "from numba.np.ufunc import parallel\nparallel.new_name = parallel.__dict__.pop('_launch_threads')\n"
    code = "print(len(LambdaMART('AP', n_estimators=2).get_params()) > 0)"
    command = [sys.executable, "-c", first + "from directrank import LambdaMART\n" + code]
    out = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert out.stdout == "True\n", out.stderr


@pytest.mark.parametrize("layer", LAYERS)
def test_ctrl_c_is_never_lost_within_a_kernel(layer: str) -> None:
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
    assert run(layer, code) == "0 100\n"
