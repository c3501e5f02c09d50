"""Results of kernels as digests: the same on every processor, with every compiler and every width of vectors.

A change in the order of a sum changes them, and is to be deliberate: `python -m tests.core.test_same_bits` prints new ones.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np
import pytest
from scipy import sparse

from directrank import MultivariateSVC, SVMRanker
from directrank.core import elementary
from directrank.learners.core.scaling import scale
from directrank.learners.core.shards import LocalShards
from directrank.learners.core.task import make_task
from directrank.matrix.linear_operator import MatrixOperator
from directrank.matrix.mercer_kernels import Kernel
from directrank.measures import AP, bind, parse

OFFSETS = np.array([0, 1, 3, 20, 20, 150, 700, 4000])
N = int(OFFSETS[-1])

DIGESTS = {
    "elementary functions": "67269f698da39519",
    "rows, float64": "2bec3e5d8988f3a1",
    "rows, float32": "b70298e813571c04",
    "rows, by column": "2bec3e5d8988f3a1",
    "rows, sparse": "4d03892784ca2185",
    "kernels": "9a9f6a1b88c70edf",
    "AP, evaluate": "c5ea7cbd70b89d50",
    "AP, lambdas": "c12b244201a4ee74",
    "AP, most_violated": "9e44fe9d41737278",
    "AP, smooth": "ebb73cfa8afe59c1",
    "nDCG, evaluate": "4a16f9057f7ff9bb",
    "nDCG, lambdas": "c53eb26f141b07c6",
    "nDCG, most_violated": "8d6bfa3656bb0054",
    "nDCG, smooth": "edf0ba70a9ce06ee",
    "nDCG@10, evaluate": "09e444a51b33de70",
    "nDCG@10, lambdas": "1d91b717e2057b31",
    "nDCG@10, most_violated": "5d0fafc540140ef6",
    "nDCG@10, smooth": "a22a8e59ac4aa3e5",
    "RR, evaluate": "1798e067128f1b32",
    "RR, lambdas": "4f7e1f568e08e203",
    "RR, most_violated": "7dcaf6b83c9b5823",
    "RR, smooth": "5028135395345cd7",
    "ERR, evaluate": "16d606b683e8d409",
    "ERR, lambdas": "76229105b6860eb5",
    "ERR, smooth": "1787067e57053cc0",
    "AUC, evaluate": "f8e32f3dd7adf5c8",
    "AUC, lambdas": "2c8e457990e10fac",
    "AUC, most_violated": "4e49214d4f6aa0bf",
    "AUC, smooth": "eb1af8d65c492131",
    "AUPRC, evaluate": "fbda704640a9d846",
    "AUPRC, lambdas": "b01821823f1b8f83",
    "AUPRC, most_violated": "872f882c3f3b727a",
    "AUPRC, smooth": "3a8e8c60761c4dff",
    "SVM-map": "bba59615fc4a94b1",
    "SVM-map, raw features": "069c75eadf95471b",
    "scaled features": "68cb5651fe68f73b",
    "SVM-multi": "a344f988cfec066c",
}


def uniform(n: int, seed: int) -> np.ndarray:
    """Numbers between 0 and 1 that do not depend on NumPy's version."""
    numbers = (np.arange(1, n + 1, dtype=np.uint64) + np.uint64(seed << 32)) * np.uint64(0x9E3779B97F4A7C15)
    numbers ^= numbers >> np.uint64(29)
    return (numbers * np.uint64(0xBF58476D1CE4E5B9) >> np.uint64(11)) / 2.0**53


X = uniform(N * 37, 1).reshape(N, 37) - 0.5
SCORES = 8 * uniform(N, 2) - 4
GRADES = np.floor(3 * uniform(N, 3))
RAW = np.where(X > 0.45, np.nan, elementary.exp((40 * X).ravel()).reshape(X.shape))  # heavy tails, and missing values
QID = np.repeat(np.arange(7), np.diff(OFFSETS))


def of_measure(name: str, what: str) -> list[np.ndarray]:
    bound = bind(parse(name), GRADES, OFFSETS)
    if what == "evaluate":
        return [bound.evaluate(SCORES)]
    return list(bound.smooth(SCORES, 0.5) if what == "smooth" else getattr(bound, what)(SCORES))


def products(matrix: object) -> list[np.ndarray]:
    rows = MatrixOperator(matrix)
    return [rows.matvec(X[0].copy()), rows.rmatvec(SCORES)]


RESULTS: dict[str, Callable[[], list[np.ndarray]]] = {
    "elementary functions": lambda: [
        elementary.exp(100 * SCORES),
        elementary.exp2(100 * SCORES),
        elementary.log(uniform(N, 4) * 1e9 + 1e-9),
        elementary.log2(np.arange(1.0, N)),
        elementary.scaled_normal_tail(np.abs(SCORES)),
    ],
    "rows, float64": lambda: products(X),
    "rows, float32": lambda: products(X.astype(np.float32)),
    "rows, by column": lambda: products(np.asfortranarray(X)),
    "rows, sparse": lambda: products(sparse.csr_array(np.where(X > 0.3, X, 0.0))),
    "kernels": lambda: [Kernel(kind, 0.3, 3, 0.1)(X[:200], X[200:300]) for kind in ("linear", "rbf", "poly")],
    **{
        f"{name}, {what}": lambda name=name, what=what: of_measure(name, what)
        for name in ("AP", "nDCG", "nDCG@10", "RR", "ERR", "AUC", "AUPRC")
        for what in ("evaluate", "lambdas", "most_violated", "smooth")
        if hasattr(bind(parse(name), GRADES, OFFSETS), what)
    },
    "SVM-map": lambda: [SVMRanker("AP", C=10, scaling="none").fit(X, GRADES, QID).coef_],
    "SVM-map, raw features": lambda: [SVMRanker("AP", C=10).fit(RAW, GRADES, QID).coef_],
    "scaled features": lambda: [scale(LocalShards([make_task(RAW, GRADES, QID, AP())]), "auto").features.apply(RAW)],
    "SVM-multi": lambda: [
        MultivariateSVC("PRBEP", C=10, scaling="none").fit(X[:700], X[:700, 0] + 0.1 * SCORES[:700] > 0.4).coef_
    ],
}


def digest(name: str) -> str:
    return hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in RESULTS[name]())).hexdigest()[:16]


@pytest.mark.parametrize("name", RESULTS)
def test_bits_are_the_same_on_every_machine(name: str) -> None:
    assert digest(name) == DIGESTS[name]


if __name__ == "__main__":
    for name in RESULTS:
        print(f'    "{name}": "{digest(name)}",')
