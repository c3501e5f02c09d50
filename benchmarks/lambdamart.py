"""LambdaMART against LightGBM's own lambdarank: the same trees, leaves, rounds and threads.

With 10 leaves, RankLib's LambdaMART took 41 s for 120,000 x 136 and 3.9 s for 12,000 x 46 where ours took 5.4 s and 0.58 s.
"""

from __future__ import annotations

import subprocess
import sys

import lightgbm as lgb
import numpy as np

from directrank import LambdaMART
from directrank.measures import parse

from .structural_svm import DOCUMENTS, ranking
from .timing import Result, at_most, best_of

TREES = 100
SMALL = 100 * DOCUMENTS
MEASURES = ("AUC", "MAUC", "nDCG@10", "nDCG", "AP", "RR", "P@10", "ERR")
LEAVES = 31
SETTINGS = {"learning_rate": 0.1, "seed": 0, "verbosity": -1}

LARGE = """
import resource, time
from benchmarks.structural_svm import ranking
from directrank import LambdaMART
X, y, qid = ranking(6000)
start = time.perf_counter()
LambdaMART("MAUC", n_estimators=300).fit(X, y, qid)
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, X.nbytes)
"""


def run() -> list[Result]:
    X, y, qid = ranking()
    for measure in MEASURES:  # warm-up
        LambdaMART(measure, n_estimators=1).fit(X[:SMALL], y[:SMALL], qid[:SMALL])
    lambdarank, regression = (min(_lightgbm(name, X, y) for _ in range(2)) for name in ("lambdarank", "regression"))
    return [
        *(_fit(measure, X, y, qid) for measure in MEASURES),
        _fit("nDCG@10", X, y, qid, 10),
        _fit("nDCG@10", X[:SMALL, :46], y[:SMALL], qid[:SMALL], 10),
        _default(X, y, qid),
        *(_kernel(measure, X, y, (lambdarank - regression) / TREES) for measure in MEASURES),
        _million(),
        _large(),
    ]


def _lightgbm(objective: str, X: np.ndarray, y: np.ndarray, leaves: int = LEAVES) -> float:
    """Shorter time of LightGBM's own histogram layout and ours."""
    group = np.full(len(y) // DOCUMENTS, DOCUMENTS) if objective == "lambdarank" else None

    def train(layout: dict[str, bool]) -> None:
        settings = {**SETTINGS, **layout, "num_leaves": leaves, "objective": objective, "metric": "none"}
        lgb.train(settings, lgb.Dataset(X, y, group=group, params=settings), TREES)

    return min(best_of(1, lambda: train({})), best_of(1, lambda: train({"force_col_wise": True, "deterministic": True})))


def _fit(measure: str, X: np.ndarray, y: np.ndarray, qid: np.ndarray, leaves: int = LEAVES) -> Result:
    """Time both sides alternately."""
    learner = LambdaMART(measure, n_estimators=TREES, n_seeds=1, num_leaves=leaves, learning_rate=0.1)
    ours, theirs = zip(
        *((best_of(1, lambda: learner.fit(X, y, qid)), _lightgbm("lambdarank", X, y, leaves)) for _ in range(2)), strict=True
    )
    what = f"LambdaMART, {measure}, {TREES} trees of {leaves} leaves, {X.shape[0]:,} x {X.shape[1]}"
    return at_most(what, min(ours), min(theirs), "lambdarank", 1)


def _default(X: np.ndarray, y: np.ndarray, qid: np.ndarray) -> Result:
    """A fit without any settings, on both sides."""
    group = np.full(len(y) // DOCUMENTS, DOCUMENTS)
    ours, theirs = zip(
        *(
            (
                best_of(1, lambda: LambdaMART().fit(X, y, qid)),
                best_of(1, lambda: lgb.LGBMRanker(verbosity=-1).fit(X, y, group=group)),
            )
            for _ in range(2)
        ),
        strict=True,
    )
    return at_most(f"LambdaMART(), {X.shape[0]:,} x {X.shape[1]}", min(ours), min(theirs), "LGBMRanker()", 2)


def _kernel(measure: str, X: np.ndarray, y: np.ndarray, theirs: float) -> Result:
    """Lambdas of one round, at the scores of a partly trained model."""
    offsets = np.arange(0, len(y) + 1, DOCUMENTS)
    scores = (
        LambdaMART(measure, n_estimators=10, n_seeds=1)
        .fit(X, y, np.repeat(np.arange(offsets.size - 1), DOCUMENTS))
        .predict(X)
    )
    bound = parse(measure).bind(y, offsets)
    bound.lambdas(scores, True)
    seconds = best_of(10, lambda: bound.lambdas(scores, True))
    return at_most(f"lambdas, {measure}", seconds, theirs, "lambdarank minus regression", 1)


def _million() -> Result:
    random, n = np.random.default_rng(0), 1_000_000
    scores, grades, offsets = random.normal(size=n), (random.random(n) < 0.2).astype(float), np.array([0, n])
    bound = parse("AUC").bind(grades, offsets)
    bound.lambdas(scores)
    seconds = best_of(5, lambda: bound.lambdas(scores))
    return at_most("lambdas, AUC, one query of 1,000,000", seconds, best_of(5, lambda: np.sort(scores)), "np.sort", 10)


def _large() -> Result:
    out = subprocess.run([sys.executable, "-c", LARGE], capture_output=True, text=True, check=True)
    seconds, peak, size = map(float, out.stdout.split())
    return Result(
        "MAUC, 300 trees, 6,000 x 120 x 136",
        f"{seconds:.0f} s",
        f"peak {peak / 2**20:.0f} MiB",
        f"X {size / 2**20:.0f} MiB",
        "printed",
        True,
    )
