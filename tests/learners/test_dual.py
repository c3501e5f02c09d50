"""The dual problem of the cutting-plane method, against the optimality conditions."""

import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.exceptions import ConvergenceWarning

from directrank.learners.svm import dual
from directrank.learners.svm.bundle import Bundle, Span
from directrank.learners.svm.dual import solve_dual


@given(st.integers(1, 25), st.integers(1, 8), st.floats(-8, 16), st.integers(0, 10**6), st.booleans(), st.integers(0, 10))
def test_ends_at_the_optimum(k: int, d: int, exponent: float, seed: int, from_zero: bool, spread: int) -> None:
    """Columns of scales up to 10^10 apart, equal planes, and any C: the gap of primal and dual is rounding."""
    random, total = np.random.default_rng(seed), 10.0**exponent
    planes, offsets = random.standard_normal((k, d)), random.random(k)
    planes *= 10.0 ** -(random.random(d) * spread)
    planes[k // 2] = planes[0]
    start = np.zeros(k) if from_zero else random.dirichlet(np.ones(k)) * total
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        alpha, w = solve_dual(planes, offsets, total, start)
    assert np.all(alpha >= 0) and alpha.sum() <= total * (1 + 1e-9)
    primal = 0.5 * np.sum(w**2) / total + max(np.max(offsets - planes @ w), 0.0)
    dual = offsets @ alpha / total - 0.5 * np.sum((alpha @ planes) ** 2) / total
    assert abs(primal - dual) <= 1e-10


def test_warns_where_it_does_not_converge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dual, "MAX_STEPS", 0)
    with pytest.warns(ConvergenceWarning, match="dual problem did not converge within 0 steps"):
        solve_dual(np.eye(2), np.ones(2), 1.0, np.zeros(2))


@given(st.integers(1, 12), st.integers(1, 6), st.integers(0, 10**6), st.integers(-150, 150))
def test_a_bundle_does_not_depend_on_the_scale_of_features(k: int, d: int, seed: int, exponent: int) -> None:
    random = np.random.default_rng(seed)
    planes, offsets, scale = random.standard_normal((k, d)), random.random(k), 2.0**exponent
    plain, scaled = Bundle(d), Bundle(d)
    for plane, offset in zip(planes, offsets, strict=True):
        plain.add(plane, offset)
        scaled.add(plane * scale, offset)
        w, dual = plain.optimise(3.0)
        same_w, same_dual = scaled.optimise(3.0 / scale**2)
        np.testing.assert_allclose(same_w * scale, w, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(same_dual * scale**2, dual, rtol=1e-9)


def test_a_span_drops_unused_planes() -> None:
    random = np.random.default_rng(0)
    span = Span.from_vectors(list(random.standard_normal((20, 50))), 50)
    which = np.arange(20) >= 15
    span.keep(which)
    assert span.basis.shape == (5, 50)
    np.testing.assert_allclose(span.coordinates @ span.basis, span.vectors, atol=1e-14)
