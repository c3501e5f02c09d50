"""Sparse matrices as users may pass them: kernels trust indices, so estimators check them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from directrank import AdaRank, LambdaMART, MultivariateSVC, RankBoost, SVMRanker
from directrank.data import InputError

ESTIMATORS = [SVMRanker("AP", C=1.0), AdaRank("AP"), RankBoost(), LambdaMART("AP", n_estimators=2), MultivariateSVC("F1")]


def training(estimator: Any) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    random = np.random.default_rng(0)
    X, y, qid = random.normal(size=(60, 5)), np.arange(60) % 2, np.arange(60) // 10
    return X, (y,) if isinstance(estimator, MultivariateSVC) else (y, qid)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
@pytest.mark.parametrize("index", [5, 2**31 - 1, -1, -(2**31)])
def test_a_column_index_out_of_range_is_rejected(estimator: Any, index: int) -> None:
    X, targets = training(estimator)
    damaged = sparse.csr_array(X)
    damaged.indices[39] = index
    with pytest.raises(InputError, match="X is not a CSR matrix"):
        estimator.fit(damaged, *targets)
    estimator.fit(X, *targets)
    for predict in (estimator.predict, estimator.model_.predict):
        with pytest.raises(InputError, match="X is not a CSR matrix"):
            predict(damaged)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
@pytest.mark.parametrize("container", [sparse.csr_array, sparse.csr_matrix])
def test_indices_of_any_integers_are_read_and_stay_as_they_are(estimator: Any, container: type) -> None:
    X, targets = training(estimator)
    expected = estimator.fit(container(X), *targets).predict(container(X))
    for kinds in [(np.int64, np.int32), (np.int32, np.int64), (np.int64, np.int64)]:
        other = container(X)
        other.indices, other.indptr = other.indices.astype(kinds[0]), other.indptr.astype(kinds[1])
        np.testing.assert_array_equal(estimator.fit(other, *targets).predict(other), expected)
        assert (other.indices.dtype, other.indptr.dtype) == kinds
