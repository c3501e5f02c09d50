"""Against SciPy and statsmodels: p-values, intervals, corrections."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import bootstrap, permutation_test, ttest_rel, wilcoxon
from statsmodels.stats.multitest import multipletests

from directrank.evaluation.bootstrap import mean_intervals
from directrank.evaluation.correction import corrected
from directrank.evaluation.paired_tests import p_values


def rankings(n_rankings: int, n_queries: int, seed: int) -> np.ndarray:
    """Correlated values, like those of rankings, some of them equal."""
    random = np.random.default_rng(seed)
    better = 0.03 * np.arange(n_rankings)[:, None]
    values = random.random(n_queries) + better + 0.2 * random.standard_normal((n_rankings, n_queries))
    return np.where(random.random(values.shape) < 0.1, values[0], values)


@pytest.mark.parametrize("n_queries", [2, 5, 12, 40, 300])
def test_wilcoxon_and_t(n_queries: int) -> None:
    values = rankings(6, n_queries, n_queries)
    pairs = np.array(list(combinations(range(6), 2)))
    first, second = values[pairs[:, 0]], values[pairs[:, 1]]
    differing = [(a - b)[a != b] for a, b in zip(first, second, strict=True)]
    expected = [wilcoxon(each).pvalue if each.size else 1 for each in differing]
    np.testing.assert_allclose(p_values(values, pairs, "wilcoxon"), expected, rtol=1e-12)
    expected = [ttest_rel(a, b).pvalue if np.any(a != b) else 1 for a, b in zip(first, second, strict=True)]
    np.testing.assert_allclose(p_values(values, pairs, "t"), expected, rtol=1e-9)


def their_randomisation(first: np.ndarray, second: np.ndarray, n_permutations: float) -> float:
    return permutation_test(
        (first, second),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=n_permutations,
        rng=np.random.default_rng(0),
    ).pvalue


@pytest.mark.parametrize("n_queries", [2, 3, 10, 14])
@pytest.mark.parametrize("sixteenths", [False, True])  # sums of which have no rounding errors, and are often equal
def test_exact_randomisation(n_queries: int, sixteenths: bool) -> None:
    values = rankings(4, n_queries, n_queries)
    values = np.round(16 * values) / 16 if sixteenths else values
    pairs = np.array(list(combinations(range(4), 2)))
    expected = [their_randomisation(values[a], values[b], np.inf) for a, b in pairs]
    np.testing.assert_allclose(p_values(values, pairs, "randomisation"), expected, rtol=1e-12)


def test_drawn_randomisation() -> None:
    values = rankings(5, 150, 5)
    pairs = np.array(list(combinations(range(5), 2)))
    found = p_values(values, pairs, "randomisation")
    expected = np.array([their_randomisation(values[a], values[b], 20_000) for a, b in pairs])
    assert found.min() < 0.01 and found.max() > 0.1
    assert np.all(np.abs(found - expected) < 5 * np.sqrt(expected * (1 - expected) * (1 / 20_000 + 1 / 100_000)) + 1e-4)


@pytest.mark.parametrize("confidence", [0.8, 0.95])
@pytest.mark.parametrize("power", [1, 6])  # the higher, the more skewed
def test_intervals(confidence: float, power: int) -> None:
    values = np.random.default_rng(power).random((4, 50)) ** power
    found = mean_intervals(values, confidence=confidence, n_resamples=40_000)
    expected = bootstrap(
        (values,), np.mean, axis=1, n_resamples=40_000, confidence_level=confidence, rng=np.random.default_rng(0)
    ).confidence_interval
    error = values.std(axis=1, keepdims=True) / np.sqrt(50)
    assert np.abs((found - np.transpose(expected)) / error).max() < 0.1


@pytest.mark.parametrize("n", [1, 2, 7, 500])
def test_corrections(n: int) -> None:
    random = np.random.default_rng(n)
    p = random.random(n) ** random.integers(1, 8, n)
    p[random.random(n) < 0.2] = 0.03
    for how, theirs in (("holm", "holm"), ("bh", "fdr_bh")):
        np.testing.assert_allclose(corrected(p, how), multipletests(p, method=theirs)[1], rtol=1e-12)


@pytest.mark.parametrize("n_queries", [14, 30, 50, 51, 200])
@pytest.mark.parametrize("sizes", [7, 10_000])
def test_wilcoxon_with_and_without_equal_differences(n_queries: int, sizes: int) -> None:
    random = np.random.default_rng(n_queries)
    for shift in (0.0, 0.2):
        steps = random.integers(1, sizes, n_queries) if sizes < n_queries else random.permutation(sizes)[:n_queries] + 1
        difference = steps / sizes * np.where(random.random(n_queries) < 0.5 + shift, 1, -1)
        found = p_values(np.stack([difference, np.zeros(n_queries)]), np.array([[0, 1]]), "wilcoxon")[0]
        assert found == pytest.approx(wilcoxon(difference).pvalue, rel=1e-10)
