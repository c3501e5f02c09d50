"""Accuracy SVMs, compared with scikit-learn's solutions and brute force."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from sklearn.svm import SVC, LinearSVC

from directrank import RankingData
from directrank.measures import MeasureError
from directrank.papers.accuracy_svms import _Separation, accuracy_path


def _data(n: int = 80) -> RankingData:
    random = np.random.default_rng(0)
    X = random.standard_normal((n, 4))
    return RankingData(X, (X[:, 0] + random.standard_normal(n) > 1).astype(float), np.arange(n) % 7)


def _unit(y: np.ndarray, ratio: float) -> float:
    """Divisor of C for a sum of losses."""
    return 2 * min(ratio * np.sum(y > 0), np.sum(y == 0))


@pytest.mark.parametrize("ratio", [1.0, 3.0, 20.0])
def test_weights_match_svc(ratio: float) -> None:
    data, Cs = _data(), [1.0, 30.0, 300.0]
    paths = accuracy_path(data, Cs, ratio=ratio, tol=1e-7)
    for C, w in zip(Cs, paths, strict=True):
        svc = SVC(kernel="linear", C=C / _unit(data.y, ratio), class_weight={0: 1, 1: ratio}, tol=1e-8)
        np.testing.assert_allclose(w, svc.fit(data.X, data.y).coef_[0], rtol=1e-3, atol=1e-5)


def test_weights_match_linear_svc() -> None:
    data = _data()
    (w,) = accuracy_path(RankingData(sparse.csr_array(data.X), data.y, data.qid), [100.0], tol=1e-7)
    # The weight of a large constant feature is hardly regularised, like our unregularised threshold.
    svc = LinearSVC(
        C=100 / _unit(data.y, 1.0), loss="hinge", intercept_scaling=30, tol=1e-9, max_iter=1_000_000, random_state=0
    )
    np.testing.assert_allclose(w, svc.fit(data.X, data.y).coef_[0], rtol=2e-2, atol=2e-3)


@given(
    st.lists(st.tuples(st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0]), st.booleans()), min_size=2, max_size=9),
    st.sampled_from([0.5, 1.0, 2.5, 8.0]),
)
def test_the_most_violated_output_is_the_hinge_loss_at_the_best_threshold(
    rows: list[tuple[float, bool]], ratio: float
) -> None:
    scores, relevant = np.array([s for s, _ in rows]), np.array([r for _, r in rows])
    bound = _Separation(ratio=ratio).bind(relevant.astype(float), np.array([0, len(rows)]))
    coefficients, (loss,) = bound.most_violated(scores)
    if relevant.all() or not relevant.any():
        assert loss == 0 and not coefficients.any()
        return
    signs, costs = np.where(relevant, 1.0, -1.0), np.where(relevant, ratio, 1.0)
    hinge = [np.sum(costs * np.maximum(0, 1 - signs * (scores + b))) for b in signs - scores]
    unit = _unit(relevant.astype(float), ratio)
    assert loss - np.sum(coefficients * scores) == pytest.approx(min(hinge) / unit)
    assert np.sum(coefficients) == pytest.approx(0) and 0 <= loss <= 1 + 1e-12
    thresholds = np.append(scores, np.inf)
    errors = [np.sum(costs * ((scores >= t) != relevant)) for t in thresholds]
    assert bound.evaluate(scores)[0] == pytest.approx(1 - min(errors) / unit)
    assert 1 - bound.evaluate(scores)[0] <= min(hinge) / unit + 1e-12


def test_zero_weights_give_no_warning() -> None:
    data = _data()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        coefs = accuracy_path(RankingData(np.zeros_like(data.X), data.y, data.qid), [1.0, 10.0])
    assert coefs.shape == (2, 4) and not coefs.any()


def test_ratio_must_be_positive() -> None:
    with pytest.raises(MeasureError, match="ratio must be a number above 0"):
        accuracy_path(_data(), [1.0], ratio=0.0)
