"""SVM PropRank: its queries by hand, and its objective by a general optimiser."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from directrank import RankingData, RankSVM
from directrank.clicks import ClickLog, PositionBias, one_query_per_click
from directrank.data import InputError

BIAS = PositionBias.power(1.0, 3)
LOG = ClickLog.from_arrays(
    [1, 1, 1, 2, 2, 2, 3, 3, 4, 4],
    ["q", "q", "q", "q", "q", "q", "r", "r", "s", "s"],
    ["a", "b", "c", "b", "a", "c", "u", "v", "x", "y"],
    [1, 2, 3, 1, 2, 3, 1, 2, 1, 2],
    [1, 0, 1, 0, 1, 0, 0, 1, 0, 0],
)
X = np.random.default_rng(0).normal(size=(8, 3))
ROWS = RankingData(X, None, ["r", "q", "q", "q", "r", "q", "s", "t"], docno=["v", "c", "a", "b", "u", "new", "x", "a"])

#: Clicked rows, the weight of each, and the rows it competes with.
CLICKED = {1: (3.0, [2, 3, 5]), 2: (1.0 + 2.0, [1, 3, 5]), 0: (2.0, [4])}


def test_queries_weights_and_labels() -> None:
    found = one_query_per_click(ROWS, LOG, BIAS)
    assert found.n_queries == 3
    weights = {}
    for query in range(3):
        rows = np.flatnonzero(found.qid == query)
        originals = [int(np.flatnonzero((x == X).all(axis=1))[0]) for x in found.X[rows]]
        (clicked,) = (row for row, y in zip(originals, found.y[rows], strict=True) if y == 1)
        assert sorted({*originals} - {clicked}) == CLICKED[clicked][1]
        (weights[clicked],) = set(found.weight[rows].tolist())
    mean = np.mean([weight for weight, _ in CLICKED.values()])
    assert weights == pytest.approx({row: weight / mean for row, (weight, _) in CLICKED.items()})


def test_rank_svm_minimises_the_objective_of_the_paper() -> None:
    pairs = [(weight, X[i] - X[j]) for i, (weight, others) in CLICKED.items() for j in others]
    total = sum(weight for weight, _ in pairs)

    def objective(w) -> float:
        return w @ w / 2 + 5.0 / total * sum(weight * max(0.0, 1 - w @ x) for weight, x in pairs)

    found = one_query_per_click(ROWS, LOG, BIAS)
    svm = RankSVM(C=5.0, scaling="none", tol=1e-6).fit(found.X, found.y, found.qid, query_weight=found.weight)
    starts, limits = (np.zeros(3), svm.coef_, -svm.coef_), {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 20_000}
    best = min(minimize(objective, start, method="Nelder-Mead", options=limits).fun for start in starts)
    assert objective(svm.coef_) == pytest.approx(best, rel=1e-4)
    unweighted = RankSVM(C=5.0, scaling="none", tol=1e-6).fit(found.X, found.y, found.qid)
    assert objective(unweighted.coef_) > best * (1 + 1e-4)


def test_errors() -> None:
    with pytest.raises(InputError, match="SVM PropRank takes no trust bias"):
        one_query_per_click(ROWS, LOG, PositionBias([1.0, 0.5], beta=[0.1, 0.0]))
    with pytest.raises(InputError, match="no row was clicked in the log; check"):
        one_query_per_click(ROWS.select([6]), LOG, BIAS)
