"""CPU time from the start of a process to its first result, and the cost of waiting threads."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path

import numpy as np

from .timing import Result

EVALUATE = "from directrank import evaluate; evaluate([1, 0, 0, 1], [.9, .2, .7, .5], [1, 1, 2, 2], {measures!r})"

#: A fit with many short parallel loops; it prints its wall and CPU seconds.
FIT = """
import time, numpy as np
from directrank import SVMRanker
X = np.random.default_rng(0).normal(size=(20_000, 20))
y = (X[:, 0] + X[:, 1] ** 2 > 2).astype(float)
def fit():
    wall, cpu = time.perf_counter(), time.process_time()
    SVMRanker(C=1.0).fit(X, y, np.arange(20_000) // 50)
    return time.perf_counter() - wall, time.process_time() - cpu
fit()
print(*map(min, zip(*(fit() for _ in range(20)))))
"""


def run() -> list[Result]:
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        return [*_small_commands(), *_waiting()]


def _small_commands() -> Iterator[Result]:
    write_data(Path("small.txt"))
    train = ["-m", "directrank", "train", "small.txt", "-o", "model.json", "--learner"]
    for what, (arguments, required) in {
        "directrank --help": (["-m", "directrank", "--help"], 0.2),
        "first evaluate of a new process": (["-c", EVALUATE.format(measures=["AP", "nDCG@10", "RR"])], 0.35),
        "train on 50 queries, SVM, C given": ([*train, "svm", "--set", "C=1"], 0.5),
        "train on 50 queries, SVM": ([*train, "svm"], 0.5),
        "train on 50 queries, AdaRank": ([*train, "adarank"], 0.5),
        "train on 50 queries, LambdaMART": ([*train, "lambdamart"], 1.2),
    }.items():
        _cpu(arguments)
        yield _cpu_seconds(f"{what}, whole process", min(_cpu(arguments) for _ in range(5)), required)


def _waiting() -> Iterator[Result]:
    """Cost of threads that wait for each other: CPU time, and wall time on a busy machine."""
    _, cpu = _fit(threads=2)
    _, cpu_of_one = _fit(threads=1)
    yield _against_one_thread("SVM fit with 2 threads, CPU", cpu, cpu_of_one, 1.5)
    with _busy_cores():
        wall, _ = _fit(threads=2)
        wall_of_one, _ = _fit(threads=1)
    yield _against_one_thread("SVM fit with 2 threads, all cores busy", wall, wall_of_one, 1.0)


def write_data(file: Path) -> None:
    """Write LETOR text: 50 queries of 20 documents with 10 features."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=(1000, 10))
    grades = np.clip(features[:, :3].sum(axis=1) + rng.normal(size=1000), 0, 2).astype(int)
    with file.open("w") as out:
        for i, (grade, row) in enumerate(zip(grades, features, strict=True)):
            out.write(f"{grade} qid:{i // 20} " + " ".join(f"{j}:{value:.4f}" for j, value in enumerate(row, 1)) + "\n")


def _cpu(arguments: list[str]) -> float:
    """CPU seconds of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _fit(threads: int) -> list[float]:
    env = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    out = subprocess.run([sys.executable, "-c", FIT], env=env, check=True, capture_output=True, text=True)
    return [float(seconds) for seconds in out.stdout.split()]


@contextmanager
def _busy_cores() -> Iterator[None]:
    """Keep every core busy while the block runs."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def _cpu_seconds(what: str, seconds: float, required: float) -> Result:
    return Result(what, f"{seconds:.2f} CPU-s", "", "", f"at most {required:g} CPU-s", seconds <= required)


def _against_one_thread(what: str, seconds: float, one_thread: float, required: float) -> Result:
    ratio, ours, theirs = seconds / one_thread, f"{1e3 * seconds:.1f} ms", f"one thread {1e3 * one_thread:.1f} ms"
    return Result(what, ours, theirs, f"{ratio:.2f} x", f"at most {required:g} x", ratio <= required)
