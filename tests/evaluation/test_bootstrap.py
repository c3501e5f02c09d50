"""Bootstrap intervals, against an enumeration of all resamples."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy.stats import norm

from directrank import InputError
from directrank.core import bootstrap as kernels
from directrank.core.num_threads import limit_num_threads
from directrank.evaluation.bootstrap import mean_intervals
from directrank.evaluation.random_words import seed_of


def plain_bca(values: np.ndarray, confidence: float) -> list[float]:
    """The interval from the means of all resamples, with the acceleration by the jackknife."""
    n, mean = values.size, values.mean()
    means = np.array(list(product(values, repeat=n))).mean(axis=1)
    equal = np.isclose(means, mean, rtol=0, atol=1e-12)
    bias = norm.ppf(np.mean((means < mean) & ~equal) + np.mean(equal) / 2)
    left_out = np.array([np.delete(values, i).mean() for i in range(n)])
    spread = left_out.mean() - left_out
    acceleration = np.sum(spread**3) / (6 * np.sum(spread**2) ** 1.5)
    ends = []
    for level in ((1 - confidence) / 2, (1 + confidence) / 2):
        shifted = bias + norm.ppf(level)
        ends.append(np.quantile(means, norm.cdf(bias + shifted / (1 - acceleration * shifted))))
    return ends


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_ends_are_those_of_all_resamples(confidence: float) -> None:
    values = np.random.default_rng(0).random((8, 6)) ** np.arange(1, 9)[:, None]
    found = mean_intervals(values, confidence=confidence, n_resamples=200_000)
    expected = np.array([plain_bca(row, confidence) for row in values])
    assert np.abs((found - expected) / values.std(axis=1, keepdims=True)).max() < 0.02


def test_half_of_the_equal_means_lies_below() -> None:
    values = np.array([[0.1] * 3 + [0.3] * 3, [0.7] * 3 + [0.3] * 3])  # symmetric, so there is no bias and no acceleration
    assert mean_intervals(values, confidence=0.6, n_resamples=200_000) == pytest.approx(
        np.array([plain_bca(row, 0.6) for row in values])
    )


def test_queries_are_drawn_uniformly_and_the_same_for_all_rows() -> None:
    n, resamples = 7, 100_000
    counts = kernels.resampled_means(np.eye(n), resamples, seed_of(1)) * n
    np.testing.assert_allclose(counts.sum(axis=1), n)
    np.testing.assert_allclose(counts.mean(axis=0), 1, atol=0.02)
    np.testing.assert_allclose(np.cov(counts.T), np.eye(n) - 1 / n, atol=0.02)  # the multinomial distribution's
    values = np.random.default_rng(1).random((n, 3))
    np.testing.assert_allclose(kernels.resampled_means(values, resamples, seed_of(1)), counts / n @ values)


def test_the_seed_is_all_that_draws_depend_on() -> None:
    values = np.random.default_rng(2).random((5, 101))
    many = mean_intervals(values)
    np.testing.assert_array_equal(mean_intervals(values), many)
    assert not np.array_equal(mean_intervals(values, random_state=1), many)
    np.testing.assert_allclose(mean_intervals(values[2:3]), many[2:3], rtol=1e-12)
    for n_threads in (1, 3):
        with limit_num_threads(n_threads):
            np.testing.assert_array_equal(mean_intervals(values), many)


@given(
    arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.floats(-1e200, 1e200)),
    st.sampled_from([0.1, 0.95, 1 - 2**-53]),
    st.sampled_from([1, 2, 100]),
)
def test_ends_are_in_order_and_among_the_values(values: np.ndarray, confidence: float, n_resamples: int) -> None:
    found = mean_intervals(values, confidence=confidence, n_resamples=n_resamples)
    lower, upper = found.T
    assert np.all((values.min(axis=1) <= lower) & (lower <= upper) & (upper <= values.max(axis=1)))


def test_interval_of_constant_values_is_the_mean() -> None:
    assert mean_intervals(np.array([[0.1] * 3, [0.0] * 3])).tolist() == [[0.1] * 2, [0.0] * 2]
    assert mean_intervals(np.array([[0.7], [-3.0]])).tolist() == [[0.7, 0.7], [-3.0, -3.0]]
    lower, upper = mean_intervals(np.array([[0.1, 0.1 + 1e-15, 0.1]]))[0]
    assert lower == upper == pytest.approx(0.1)


def test_more_confidence_is_a_wider_interval() -> None:
    values = np.array([[1.0] + [0.0] * 99, [0.0] + [1.0] * 99])  # as skewed as can be
    wider = [mean_intervals(values, confidence=c) for c in (0.5, 0.9, 0.99, 1 - 1e-6, 1 - 1e-12)]
    for inner, outer in zip(wider, wider[1:], strict=False):
        assert np.all(outer[:, 0] <= inner[:, 0]) and np.all(inner[:, 1] <= outer[:, 1])


def test_intervals_hold_the_mean_as_often_as_they_say() -> None:
    samples = np.random.default_rng(3).exponential(size=(1000, 80))
    lower, upper = mean_intervals(samples, confidence=0.9, n_resamples=2000).T
    assert 0.87 < np.mean((lower < 1) & (upper > 1)) < 0.92


@pytest.mark.parametrize("confidence", [0, 1, 95, np.nan])
def test_invalid_arguments(confidence: float) -> None:
    with pytest.raises(InputError, match="confidence must be between 0 and 1, not"):
        mean_intervals(np.ones((2, 3)), confidence=confidence)
    with pytest.raises(InputError, match="n_resamples must be at least 1, not 0"):
        mean_intervals(np.ones((2, 3)), n_resamples=0)
