"""LambdaMART with several threads, and in forked processes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

MAKE_DATA = """
import os, signal, sys, threading, warnings
warnings.simplefilter("ignore")  # that a process with several threads is forked
from directrank import LambdaMART
from directrank.datasets import make_ranking

data = make_ranking(100, (5, 30), random_state=0)

def trees(**given):
    model = LambdaMART("AP", n_estimators=4, n_seeds=2, lightgbm=given)
    return model.fit(data.X, data.y, data.qid).predict(data.X).tolist()

def exit_code(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
"""


def script(code: str) -> str:
    command = [sys.executable, "-c", MAKE_DATA + code]
    out = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert out.returncode == 0 and out.stderr == "", out.stderr
    return out.stdout


def test_several_threads_at_once() -> None:
    code = """
alone, wrong = trees(), []
workers = [threading.Thread(target=lambda: wrong.append(trees() != alone)) for _ in range(4)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
print(wrong)
"""
    assert script(code) == "[False, False, False, False]\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_grows_the_same_trees() -> None:
    code = """
before = trees()
for given in ({}, {"n_jobs": 1}):
    child = os.fork()
    if child == 0:
        signal.alarm(40)
        os._exit(0 if trees(**given) == before else 1)
    print(exit_code(child))
print(trees(num_threads=2) == before)
"""
    assert script(code) == "0\n0\nTrue\n"


@pytest.mark.skipif(sys.platform != "linux", reason="where OpenMP is not GNU's, it survives")
def test_several_threads_are_rejected_where_they_would_hang() -> None:
    code = """
trees()
child = os.fork()
if child == 0:
    signal.alarm(40)
    try:
        trees(n_jobs=2)
    except ValueError as error:
        print(error, flush=True)
    os._exit(0)
exit_code(child)
"""
    assert script(code).startswith(
        "n_jobs=2: this process was forked from one that had used directrank, where LightGBM can use one thread only"
    )
