"""Structural SVMs against one product X @ w, a lower bound of the cost of an iteration."""

from __future__ import annotations

import subprocess
import sys
import time
import warnings

import numpy as np

from directrank import SVMRanker
from directrank.learners.svm.bundle import Bundle
from directrank.matrix.linear_operator import MatrixOperator
from directrank.measures import parse

from .timing import Result, at_most, best_of

QUERIES, DOCUMENTS, FEATURES = 1000, 120, 136

MEMORY = """
import re, sys
from pathlib import Path
import numpy as np
from benchmarks.structural_svm import ranking
from directrank import SVMRanker
def status(field):
    return int(re.search(field + r":\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024
X, y, qid = ranking(10)
SVMRanker("AP", tol=0.5).fit(X, y, qid)  # warm-up
X, y, qid = ranking()
Path("/proc/self/clear_refs").write_text("5")  # resets the peak
before = status("VmRSS")
SVMRanker("AP", C=100).fit(X, y, qid)
print(before, status("VmHWM"), X.nbytes)
"""


def ranking(queries: int = QUERIES) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Graded documents with many weak features, float32."""
    random = np.random.default_rng(0)
    n = queries * DOCUMENTS
    X = random.standard_normal((n, FEATURES), dtype=np.float32)
    weights = np.zeros(FEATURES, np.float32)
    weights[:30] = 1 / np.arange(1, 31)
    hidden = X @ weights
    hidden = hidden / hidden.std() + random.standard_normal(n)
    return (
        X,
        np.searchsorted(np.quantile(hidden, [0.8, 0.93, 0.98]), hidden).astype(float),
        np.repeat(np.arange(queries), DOCUMENTS),
    )


def run() -> list[Result]:
    X, y, qid = ranking()
    w = np.random.default_rng(1).standard_normal(FEATURES).astype(np.float32)
    X @ w
    product = best_of(20, lambda: X @ w)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [
            *_iterations(X, y, product),
            *_fits(X, y, qid, product),
            _path(X, y, qid),
            *_f1(),
            _long_query(),
            _memory(),
        ]


def _iterations(X: np.ndarray, y: np.ndarray, product: float) -> list[Result]:
    operator, offsets = MatrixOperator(X), np.arange(0, len(y) + 1, DOCUMENTS)
    w = np.random.default_rng(1).standard_normal(FEATURES) / 10
    results = []
    for name in ("AP", "nDCG@10", "RR", "P@10", "AUC"):
        bound = parse(name).bind(y, offsets)

        def iteration(bound=bound) -> None:
            operator.rmatvec(bound.most_violated(operator.matvec(w)).coefficients)

        iteration()
        results.append(at_most(f"one iteration, {name}", best_of(10, iteration), product, "X @ w", 5))
    return results


def _fits(X: np.ndarray, y: np.ndarray, qid: np.ndarray, product: float) -> list[Result]:
    results = []
    for name in ("AP", "AUC"):
        SVMRanker(name, tol=0.5).fit(X, y, qid)
        in_dual: list[float] = []
        optimise = Bundle.optimise

        def timed(*arguments, optimise=optimise, in_dual=in_dual):
            start = time.perf_counter()
            found = optimise(*arguments)
            in_dual.append(time.perf_counter() - start)
            return found

        Bundle.optimise = timed
        seconds = best_of(3, lambda name=name: SVMRanker(name, C=100).fit(X, y, qid))
        Bundle.optimise = optimise
        results.append(at_most(f"whole fit, {name}, C=100, gap 1e-3", seconds, product, "X @ w", 150))
        share = sum(in_dual) / 3 / seconds
        results.append(Result(f"fraction of it in the dual, {name}", f"{share:.1%}", "", "", "under 10 %", share < 0.1))
    return results


def _path(X: np.ndarray, y: np.ndarray, qid: np.ndarray) -> Result:
    single = best_of(1, lambda: SVMRanker("AP", C=1e4).fit(X, y, qid))
    path = best_of(1, lambda: SVMRanker("AP").path(X, y, qid))
    return at_most("path of 13 C from 10^-2 to 10^4, AP", path, single, "fit at 10^4", 2)


def _f1() -> list[Result]:
    random = np.random.default_rng(2)
    times = []
    for n in (1_000_000, 2_000_000):
        X = random.standard_normal((n, 50), dtype=np.float32)
        w = random.standard_normal(50)
        y = (X @ w.astype(np.float32) + 5 * random.standard_normal(n) > 9).astype(float)
        operator, bound = MatrixOperator(X), parse("F1").bind(y, np.array([0, n]))

        def iteration(operator=operator, bound=bound, w=w) -> None:
            operator.rmatvec(bound.most_violated(operator.matvec(w)).coefficients)

        iteration()
        product = best_of(5, lambda X=X, w=w: X @ w.astype(np.float32))
        times.append((best_of(3, iteration), product))
    return [
        at_most("one iteration, F1, 1,000,000 x 50", times[0][0], times[0][1], "X @ w", 12),
        at_most("the same, twice the rows", times[1][0], times[0][0], "before", 2.2),
    ]


def _long_query() -> Result:
    random = np.random.default_rng(3)
    n, relevant = 100_000, 10_000
    scores, grades = random.standard_normal(n), np.zeros(n)
    grades[random.permutation(n)[:relevant]] = 1
    bound = parse("AP").bind(grades, np.array([0, n]))
    bound.most_violated(scores)
    oracle = best_of(10, lambda: bound.most_violated(scores))
    return at_most(
        "most violated ranking, AP, 100,000 documents", oracle, best_of(10, lambda: np.argsort(scores)), "argsort", 3
    )


def _memory() -> Result:
    out = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True)
    before, peak, size = map(int, out.stdout.split())
    ratio = (peak - before) / size
    return Result(
        "fit: peak memory above X",
        f"{(peak - before) / 2**20:.0f} MiB",
        f"X {size / 2**20:.0f} MiB",
        f"{ratio:.0%}",
        "under 25 %",
        ratio < 0.25,
    )
