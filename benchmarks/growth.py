"""Growth of time and memory from 10^4 to 10^7 documents, relative to one pass over the input.

Each job at each size runs in its own process, after a small warm-up: CPU seconds of all threads, peak resident memory above
that with X loaded (for readers, the file's bytes count too), and one pass over the input as the unit. The slope is
log(t2/t1)/log(n2/n1) between consecutive sizes: 1 is linear.
"""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from directrank import AdaRank, LambdaMART, MultivariateSVC, RankSVM, SVMRanker, evaluate, read_letor, read_run

from .timing import Result

SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
MAX_SECONDS = 20.0  #: Sizes at which a linear job would take more CPU seconds are skipped.
FEATURES, DOCUMENTS = 10, 100


class Prepared(NamedTuple):
    """A job with its input in memory, or in a file.

    Attributes
    ----------
    job : callable
        Returns its number of iterations, or 0.
    one_pass : callable
        One pass over the input.
    input_name : str
    input_bytes : int
    """

    job: Callable[[], int]
    one_pass: Callable[[], object]
    input_name: str
    input_bytes: int


class Figures(NamedTuple):
    """CPU seconds and bytes of a job at one size."""

    seconds: float
    iterations: int
    one_pass: float
    input_name: str
    input_bytes: int
    memory: int


def run() -> list[Result]:
    results = []
    for name in PREPARE:
        before: Figures | None = None
        for n in SIZES:
            if before is not None and 10 * before.seconds > MAX_SECONDS:
                break
            now = _in_subprocess(name, n)
            results += _rows(name, n, before, now)
            before = now
    return results


def _in_subprocess(name: str, n: int) -> Figures:
    # Otherwise waiting threads count as busy.
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive", "OPENBLAS_NUM_THREADS": "1"}
    code = f"from benchmarks.growth import print_figures; print_figures({name!r}, {n})"
    out = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return Figures(*json.loads(out.stdout))


def _rows(name: str, n: int, before: Figures | None, now: Figures) -> list[Result]:
    """Results of the whole job, and of one iteration if that has a limit."""
    is_limited = name == SVM_AUC and n == 1_000_000
    what = f"{name}, 10^{round(math.log10(n))}" + (f", {now.iterations} iterations" if now.iterations else "")
    memory = f"{now.seconds:.3g} s, {now.memory / 2**20:.0f} MiB ({now.memory / now.input_bytes:.1f} x) more"
    unit = f"{now.input_name} {1e3 * now.one_pass:.3g} ms, {now.seconds / now.one_pass:.0f} x"
    rows = [_row(what, memory, unit, before and now.seconds / before.seconds, 1.1 if is_limited else 1.25)]
    if name == SVM_AUC:
        each = now.seconds / now.iterations
        growth = before and each / (before.seconds / before.iterations)
        unit = f"{now.input_name}, {each / now.one_pass:.1f} x"
        rows.append(_row("  one iteration", f"{1e3 * each:.3g} ms", unit, growth, 1.1 if is_limited else 1.25))
    return rows


def _row(what: str, ours: str, against: str, growth: float | None, required: float) -> Result:
    if growth is None:
        return Result(what, ours, against, "", "", True)
    slope = math.log10(growth)
    return Result(what, ours, against, f"slope {slope:.2f}", f"at most {required:g}", slope <= required)


def print_figures(name: str, n: int) -> None:
    """Measure one job at one size, in this process."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        PREPARE[name](20 * DOCUMENTS, Path(folder)).job()  # warm-up
        prepared = PREPARE[name](n, Path(folder))
        Path("/proc/self/clear_refs").write_text("5")  # resets the peak
        resident = _status("VmRSS")
        start = time.process_time()
        iterations = prepared.job()
        seconds = [time.process_time() - start]
        memory = _status("VmHWM") - resident
        while len(seconds) < 2 or (len(seconds) < 5 and sum(seconds) < 2):
            seconds.append(_cpu_seconds(prepared.job))
        one_pass = min(_cpu_seconds(prepared.one_pass) for _ in range(10))
    print(json.dumps(Figures(min(seconds), iterations, one_pass, *prepared[2:], memory)))


def _status(field: str) -> int:
    found = re.search(rf"{field}:\s*(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


def _cpu_seconds(job: Callable[[], object]) -> float:
    start = time.process_time()
    job()
    return time.process_time() - start


def _ranking(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Queries of graded documents, float32."""
    random = np.random.default_rng(0)
    X = random.standard_normal((n, FEATURES), dtype=np.float32)
    hidden = X @ (1 / np.arange(1, FEATURES + 1, dtype=np.float32))
    hidden += random.standard_normal(n, dtype=np.float32)
    return X, np.digitize(hidden, [1.4, 2.3, 3.2]).astype(float), np.arange(n) // DOCUMENTS


def _evaluating(n: int, folder: Path) -> Prepared:
    X, y, qid = _ranking(n)
    scores = X[:, 0].astype(np.float64)

    def job() -> int:
        evaluate(y, scores, qid, ["AP", "nDCG@10", "RR"])
        return 0

    return Prepared(job, lambda: scores @ y, "s @ y", scores.nbytes + y.nbytes + qid.nbytes)


def _svm_on_one_set(n: int, folder: Path) -> Prepared:
    """C is divided by the number of pairs, which its loss counts, so that problems of all sizes are comparable."""
    X, y, _ = _ranking(n)
    positive = y > 0
    pairs = int(positive.sum()) * int(n - positive.sum())

    def job() -> int:
        return MultivariateSVC("AUC", C=10 / pairs).fit(X, positive).n_iter_

    return _over_rows(X, job)


def _fitting(learner: Any) -> Callable[[int, Path], Prepared]:
    def prepare(n: int, folder: Path) -> Prepared:
        X, y, qid = _ranking(n)

        def job() -> int:
            return int(getattr(learner.fit(X, y, qid), "n_iter_", 0))

        return _over_rows(X, job)

    return prepare


def _over_rows(X: np.ndarray, job: Callable[[], int]) -> Prepared:
    w = np.ones(FEATURES, np.float32)
    return Prepared(job, lambda: X @ w, "X @ w", X.nbytes)


def _reading(read: Callable[[Path], object], line: Callable[[int], str]) -> Callable[[int, Path], Prepared]:
    """Files of repeated blocks of lines with distinct queries."""

    def prepare(n: int, folder: Path) -> Prepared:
        path = folder / str(n)
        n_in_block = min(n, 10_000)
        block = "".join(line(row) for row in range(n_in_block))
        with open(path, "w") as file:
            for number in range(n // n_in_block):
                file.write(block.replace("BLOCK", str(1000 + number)))

        def job() -> int:
            read(path)
            return 0

        size = path.stat().st_size
        return Prepared(job, path.read_bytes, "bytes", size)

    return prepare


def _letor_line(row: int) -> str:
    values = np.random.default_rng(row).random(FEATURES).tolist()
    features = " ".join(f"{j}:{value:.6f}" for j, value in enumerate(values, 1))
    return f"{row % 5} qid:BLOCK{row // DOCUMENTS:03d} {features}\n"


def _run_line(row: int) -> str:
    rank = row % 1000
    return f"BLOCK{row // 1000} Q0 FT{900 + row % 50}-{row * 7919 % 500_000} {rank + 1} {30 - rank / 37:.6f} bm25\n"


SVM_AUC = "MultivariateSVC, AUC, one set"

PREPARE: dict[str, Callable[[int, Path], Prepared]] = {
    "evaluate, AP nDCG@10 RR": _evaluating,
    SVM_AUC: _svm_on_one_set,
    "SVMRanker, AP, C=10": _fitting(SVMRanker("AP", C=10)),
    "RankSVM, C=1": _fitting(RankSVM(C=1)),
    "AdaRank, AP, 10 rounds": _fitting(AdaRank("AP", n_estimators=10)),
    "LambdaMART, AUC, 10 trees": _fitting(LambdaMART("AUC", n_estimators=10)),
    "read_letor, 10 features": _reading(read_letor, _letor_line),
    "read_run": _reading(read_run, _run_line),
}
