"""The two SVMs, compared with other solvers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from sklearn.svm import SVC

from directrank import MultivariateSVC
from directrank.measures import SupportsDepths, as_measure
from directrank.papers.joachims.coordinate_descent import CoordinateDescent
from directrank.papers.joachims.hyperplane import Hyperplane
from directrank.papers.joachims.svm_multi import train_multivariate_svms
from directrank.papers.joachims.svm_org import train_ordinary_svms


def problem(seed: int, n: int = 60, d: int = 30, share: float = 0.3) -> tuple[sparse.csr_array, np.ndarray]:
    """Sparse rows, all on one side of the origin, so that the bias matters."""
    random = np.random.default_rng(seed)
    X = random.random((n, d)) * (random.random((n, d)) < 0.3) + (np.arange(d) == 0)
    positive = X @ random.standard_normal(d) + 0.5 * random.standard_normal(n)
    return sparse.csr_array(X), positive > np.quantile(positive, 1 - share)


def objective(plane: Hyperplane, X: sparse.csr_array, positive: np.ndarray, C: float, j: float) -> float:
    slack = np.maximum(0, 1 - np.where(positive, 1, -1) * plane.scores(X))
    return float(plane.w @ plane.w / 2 + np.sum(np.where(positive, C * j, C) * slack))


@given(st.integers(0, 10**6), st.sampled_from([1.0, 8.0]), st.sampled_from([0.05, 0.3, 0.5]))
def test_coordinate_descent_finds_the_optimum_of_libsvm(seed: int, j: float, share: float) -> None:
    X, positive = problem(seed, share=share)
    descent = CoordinateDescent(X, positive, 1e-5)
    for C in (0.1, 1.0, 4.0):
        found = descent.solve(C, j)
        svm = SVC(C=C, kernel="linear", class_weight={True: j}, tol=1e-6).fit(X.toarray(), positive)
        peer = Hyperplane(svm.coef_[0], float(svm.intercept_[0]), True)
        assert found.solved
        assert objective(found, X, positive, C, j) == pytest.approx(objective(peer, X, positive, C, j), rel=1e-3)
        np.testing.assert_allclose(found.w, peer.w, atol=5e-3 * max(1, np.abs(peer.w).max()))


@pytest.mark.parametrize("as_rows", [sparse.csr_array, np.asarray])
def test_the_bias_is_not_regularised(as_rows: type) -> None:
    X, positive = problem(0)
    rows = as_rows(X.toarray()), as_rows(X.toarray() + 5.0 * (np.arange(X.shape[1]) == 0))  # moved by a constant
    (near,), (far,) = (list(train_ordinary_svms(each, positive, 1.0, [1.0], 1e-6)) for each in rows)
    np.testing.assert_allclose(near.scores(rows[0]), far.scores(rows[1]), atol=1e-3)


def test_sparse_and_dense_rows_have_the_same_hyperplanes() -> None:
    X, positive = problem(1)
    Cs = [2.0**C for C in range(-4, 5, 2)]
    for j in (1.0, 4.0):
        sparse_svms, dense_svms = (train_ordinary_svms(rows, positive, j, Cs, 1e-5) for rows in (X, X.toarray()))
        for one, other in zip(sparse_svms, dense_svms, strict=True):
            assert one.solved and other.solved
            np.testing.assert_allclose(one.scores(X), other.scores(X), atol=2e-2)


@pytest.mark.parametrize("measure", ["F1", "PRBEP", "R@2p", "AUC"])
def test_path_matches_single_fits(measure: str) -> None:
    X, positive = problem(2)
    Cs, tol = [2.0**C for C in (-8, -4, 0)], 1e-5
    loss, _ = as_measure(measure).violation_units(positive.size, int(positive.sum()))
    for C, plane in zip(Cs, train_multivariate_svms(X, positive, measure, Cs, tol), strict=True):
        alone = MultivariateSVC(measure, C=C, tol=tol, scaling="none").fit(X, positive)
        ours, theirs = plane.w, alone.coef_[0]
        if not isinstance(as_measure(measure), SupportsDepths):  # with a k, the intercept is such that k rows are positive
            ours, theirs = np.append(ours, plane.intercept), np.append(theirs, alone.intercept_)
        # The objective is above its optimum by at most C tol, and by at least half the squared distance to the optimal w.
        assert plane.solved
        assert np.linalg.norm(ours - theirs) <= 2 * np.sqrt(2 * C * tol * loss)
        assert np.linalg.norm(ours) > 4 * np.sqrt(2 * C * tol * loss)
