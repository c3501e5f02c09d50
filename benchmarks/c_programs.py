"""The SVMs against the original authors' C programs, in processor time.

The programs are not on PyPI. Their times below were measured earlier on a machine of the same kind (2 cores of an AMD EPYC);
by the same function, their objectives were equal to ours or higher. On another machine only the order of magnitude of these
ratios is meaningful.
"""

from __future__ import annotations

import gzip
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from directrank import MultivariateSVC, RankSVM

from .structural_svm import ranking
from .timing import Result, best_cpu_of

#: Seconds of svm_perf and of liblinear's RankSVM (including reading), and the required speed-up.
SVM_PERF_AUC = {1.0: (7.3, 50), 100.0: (30.5, 50)}
SVM_PERF_SETS = {("Optdigits", "PRBEP"): (0.20, 10), ("Optdigits", "F1"): (0.51, 10)}
SVM_PERF_SETS |= {("Covertype", "PRBEP"): (6.0, 40), ("Covertype", "F1"): (23.9, 40)}
LIBLINEAR = 0.10

DATA = Path(os.environ.get("DIRECTRANK_DATA", Path(__file__).parents[2] / "shared" / "data"))


def run() -> list[Result]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [*_roc_area(), *_sets(), _large_C()]


def _roc_area() -> list[Result]:
    """svm_perf's C is for a loss in per cent of the pairs; the paper's and ours is for a number of pairs."""
    X, y, _ = ranking()
    y = (y > 0).astype(float)
    pairs = float(y.sum() * (len(y) - y.sum()))
    learners = [MultivariateSVC("AUC", C=100 * C / pairs, fit_intercept=False, scaling="none") for C in SVM_PERF_AUC]
    return [
        _against(f"ROC area of one set, 120,000 x 136, C={C:g} of svm_perf", *SVM_PERF_AUC[C], seconds)
        for C, seconds in zip(SVM_PERF_AUC, _seconds(learners, X, y), strict=True)
    ]


def _sets() -> list[Result]:
    """svm_perf's default C; skipped without the data."""
    results = []
    for (name, measure), (theirs, required) in SVM_PERF_SETS.items():
        read = {"Optdigits": _optdigits, "Covertype": _covertype}[name]
        if DATA.is_dir():
            X, y = read()
            [seconds] = _seconds([MultivariateSVC(measure, C=0.01, scaling="none")], X, y)
            results.append(_against(f"{measure}, {name}, {len(X):,} x {X.shape[1]}", theirs, required, seconds))
    return results


def _large_C() -> Result:
    X, y, qid = ranking(100)
    [seconds] = _seconds([RankSVM(C=1e5, scaling="none")], X[:, :46].copy(), y, qid)
    return _against("RankSVM, 12,000 x 46, C=1e5; liblinear", LIBLINEAR, 1, seconds)


def _seconds(learners: list[Any], X: np.ndarray, *y: np.ndarray) -> list[float]:
    for learner in learners:
        learner.fit(X, *y)  # warm-up
        if learner.gap_ > learner.tol:
            raise RuntimeError(f"{learner} did not converge")
    return best_cpu_of(5, *(lambda learner=learner: learner.fit(X, *y) for learner in learners))


def _optdigits() -> tuple[np.ndarray, np.ndarray]:
    """One digit against the rest."""
    table = _table(DATA / "optdigits" / "optdigits.tra.gz")
    return table[:, :64] / 16, (table[:, 64] == 3).astype(float)


def _covertype() -> tuple[np.ndarray, np.ndarray]:
    """The second cover type against the rest."""
    table = _table(DATA / "covtype" / "covtype.20k.data.gz")
    X = table[:, :54]
    return X / np.maximum(np.abs(X).max(axis=0), 1e-9), (table[:, 54] == 2).astype(float)


def _table(path: Path) -> np.ndarray:
    with gzip.open(path) as file:
        return np.loadtxt(file, delimiter=",")


def _against(what: str, theirs: float, required: float, ours: float) -> Result:
    ratio = theirs / ours
    return Result(
        what,
        f"{ours:.3f} s",
        f"{theirs:g} s earlier",
        f"{ratio:.3g} x faster",
        f"at least {required:g} x",
        ratio >= required,
    )
