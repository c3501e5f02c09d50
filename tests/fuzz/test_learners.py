"""Every estimator on generated nonsense: an error of one line, or a model whose predictions are finite."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone

from directrank import (
    AdaRank,
    CoordinateAscent,
    EnsembleSelection,
    InputError,
    LambdaMART,
    MeasureError,
    MultivariateSVC,
    OneVsRestSVM,
    RankBoost,
    RankSVM,
    SmoothRank,
    SVMRanker,
)

#: Features are between 10^-SCALES and 10^SCALES in size: all that numbers can be.
SCALES, LARGEST = 307, np.finfo(float).max

LEARNERS = [
    SVMRanker("AP", max_iter=20),
    SVMRanker("nDCG@3", C=100.0, max_iter=20),
    SVMRanker("AP", C="auto", Cs=[0.1, 10.0], cv=2, max_iter=20),
    SVMRanker("AP", kernel="rbf", max_iter=20),
    SVMRanker("nDCG@3", C=100.0, kernel="poly", max_iter=20),
    RankSVM(max_iter=20),
    OneVsRestSVM(max_iter=20),
    MultivariateSVC("F1", max_iter=20),
    MultivariateSVC("MCC", max_iter=20),
    MultivariateSVC("AUC", max_iter=20),
    MultivariateSVC("F1", kernel="rbf", max_iter=20),
    AdaRank("AP", n_estimators=5),
    AdaRank("nDCG", n_estimators=5, directions="both"),
    AdaRank("AP", n_estimators=3, weak_ranker=RankBoost(n_estimators=2), sample=0.5, early_stopping_rounds=2),
    RankBoost(n_estimators=5),
    CoordinateAscent("AP", n_restarts=1, max_iter=2),
    EnsembleSelection("AP", n_estimators=5),
    SmoothRank("nDCG@3", cv=2),
    LambdaMART("nDCG@5", n_estimators=3, min_child_samples=1),
    LambdaMART("AUC", n_estimators=3),
]

#: What a warning of ours is; NumPy's of overflows would be others.
OURS = (UserWarning,)


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_nonsense(fuzz, learner) -> None:
    fuzz(lambda rng: check(rng, clone(learner)), cases=40)


def check(rng: np.random.Generator, learner: Any) -> None:
    n = int(rng.choice([0, 1, 2, 3, 10, 40], p=[0.03, 0.03, 0.04, 0.1, 0.4, 0.4]))
    d = int(rng.choice([0, 1, 2, 5], p=[0.03, 0.17, 0.4, 0.4]))
    X = features(rng, n, d)
    y = grades(rng, n)
    given: dict[str, Any] = {}
    if not isinstance(learner, MultivariateSVC):
        given["qid"] = queries(rng, n)
        if rng.random() < 0.2:
            given["query_weight"] = weights(rng, n)
        if rng.random() < 0.2:
            m = int(rng.integers(12))
            given["eval_set"] = (wrapped(rng, features(rng, m, d)), grades(rng, m), queries(rng, m))
    rows = wrapped(rng, X)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            scores = learner.fit(rows, y, **given).predict(rows)
        except (ValueError, TypeError) as error:  # ours are of one line; scikit-learn's may show the array
            assert str(error) and not (isinstance(error, (InputError, MeasureError)) and "\n" in str(error))
            return
    assert all(issubclass(warning.category, OURS) for warning in caught), [str(warning) for warning in caught]
    assert scores.shape == (n,) and (isinstance(learner, MultivariateSVC) or np.all(np.isfinite(scores)))


def features(rng: np.random.Generator, n: int, d: int) -> Any:
    """Columns each of its own kind and scale, with a few values that are none."""
    X = np.zeros((n, d))
    with np.errstate(over="ignore"):
        for j in range(d):
            X[:, j] = np.clip(column(rng, n) * 10.0 ** (rng.uniform(-SCALES, SCALES) * rng.integers(2)), -LARGEST, LARGEST)
    if rng.random() < 0.1 and X.size:
        X.flat[rng.integers(X.size)] = rng.choice([np.nan, np.inf, -np.inf])
    if rng.random() < 0.2 and n > 1:
        X[1::2] = X[: n - n % 2 : 2]  # rows twice
    return X


def column(rng: np.random.Generator, n: int) -> Any:
    return [
        lambda: rng.standard_normal(n),
        lambda: rng.integers(0, 3, n).astype(float),
        lambda: np.full(n, rng.standard_normal()),
        lambda: np.zeros(n),
        lambda: rng.standard_normal(n) * 10.0 ** rng.uniform(-SCALES / 4, SCALES / 4, n),
    ][rng.integers(5)]()


def wrapped(rng: np.random.Generator, X: Any) -> Any:
    """The same values in some container."""
    columns = [f"f{j}" for j in range(X.shape[1])]
    with np.errstate(all="ignore"):
        return [
            lambda: X,
            lambda: X.tolist(),
            lambda: X.astype(np.float32),
            lambda: np.asfortranarray(X),
            lambda: X[::-1],
            lambda: X.astype(object),
            lambda: sparse.csr_array(X),
            lambda: sparse.csc_matrix(X),
            lambda: sparse.coo_array(X),
            lambda: sparse.lil_array(X),
            lambda: pd.DataFrame(X, columns=columns, index=rng.permutation(X.shape[0])),
            lambda: pl.DataFrame(dict(zip(columns, X.T, strict=True))),
            lambda: X[None],
            lambda: X.ravel(),
            lambda: np.clip(np.nan_to_num(X), -100, 100).astype(np.int8),
            lambda: X.astype(str),
            lambda: X + 0j,
            lambda: X > 0,
        ][rng.choice(18, p=[0.4, *[0.6 / 17] * 17])]()


def grades(rng: np.random.Generator, n: int) -> Any:
    made = [
        lambda: rng.integers(0, 2, n),
        lambda: rng.integers(0, 5, n).astype(float),
        lambda: (rng.random(n) < 0.3).tolist(),
        lambda: rng.random(n),
        lambda: np.zeros(n),
        lambda: np.ones(n, np.uint8),
        lambda: rng.integers(-1, 2, n),
        lambda: np.full(n, np.nan),
        lambda: rng.integers(0, 2, n).astype(str),
        lambda: np.array([None] * n, object),
        lambda: rng.integers(0, 2, n + 1),
        lambda: rng.integers(0, 2, (n, 2)),
        lambda: pd.Series(rng.integers(0, 3, n), index=rng.permutation(n)),
    ]
    return made[rng.choice(13, p=[0.4, 0.4, *[0.2 / 11] * 11])]()


def queries(rng: np.random.Generator, n: int) -> Any:
    numbers = rng.integers(0, max(1, n // 5), n)
    made = [
        lambda: numbers,
        lambda: np.sort(numbers),
        lambda: np.arange(n),
        lambda: None,
        lambda: [f"q{q}" for q in numbers],
        lambda: [int(q) if q % 2 else f"q{q}" for q in numbers],
        lambda: numbers.astype(float),
        lambda: numbers + 0.5,
        lambda: np.where(numbers == 0, np.nan, numbers),
        lambda: numbers.astype(object),
        lambda: [None] * n,
        lambda: numbers[:-1],
        lambda: numbers[:, None],
        lambda: pd.Series(numbers).astype("category"),
        lambda: numbers.astype("datetime64[D]"),
        lambda: np.full(n, 2**63, np.uint64),
        lambda: ["\x00", *["\ud800"] * (n - 1)],
    ]
    return made[rng.choice(17, p=[0.6, *[0.4 / 16] * 16])]()


def weights(rng: np.random.Generator, n: int) -> Any:
    return [
        lambda: np.full(n, rng.random()),
        lambda: np.zeros(n),
        lambda: -np.ones(n),
        lambda: rng.random(n),
        lambda: np.full(n, np.inf),
        lambda: np.full(n, 1e300),
        lambda: np.full(n, 1e-300),
        lambda: np.ones(n + 1),
        lambda: "much",
    ][rng.integers(9)]()
