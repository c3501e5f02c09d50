"""p-values of pairs of rankings, against an enumeration of all swaps."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import kstest

from directrank import InputError
from directrank.core import paired_tests as kernels
from directrank.core.num_threads import limit_num_threads
from directrank.evaluation.paired_tests import TESTS, _centred_by_query, p_values
from directrank.evaluation.random_words import seed_of

PAIR = np.array([[0, 1]])


def plain_randomisation(pairs: list[tuple[int, int]]) -> float:
    """The share of all ways to swap the values of queries for which the sums differ at least as much as they do."""
    observed = abs(sum(a - b for a, b in pairs))
    ways = list(product([1, -1], repeat=len(pairs)))
    return sum(abs(sum(s * (a - b) for s, (a, b) in zip(signs, pairs, strict=True))) >= observed for signs in ways) / len(
        ways
    )


@given(
    st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10)), min_size=1, max_size=10),
    st.sampled_from([3, 7, 10]),
    st.sampled_from([0, 1, 1000]),
)
def test_all_swaps_are_gone_through_exactly(whole: list[tuple[int, int]], part: int, added: int) -> None:
    values = np.array(whole, float).T / part + added  # sums that are equal differ by rounding errors
    assert p_values(values, PAIR, "randomisation", n_permutations=1024)[0] == plain_randomisation(whole)


def test_drawn_swaps_agree_with_all_swaps() -> None:
    random = np.random.default_rng(1)
    values = random.integers(0, 6, (30, 15)) / 10  # many sums are equal but for rounding
    pairs = np.array(list(combinations(range(30), 2)))
    exact = p_values(values, pairs, "randomisation", n_permutations=2**15)
    drawn = p_values(values, pairs, "randomisation", n_permutations=2**8)
    close = 5 * np.sqrt(exact * (1 - exact) / 2**8) + 1 / 2**8
    is_drawn = np.array([np.sum(values[a] != values[b]) > 8 for a, b in pairs])
    assert is_drawn.sum() > 400
    assert np.all(np.abs(exact - drawn) <= np.where(is_drawn, close, 0))


def test_sums_are_those_of_the_signs() -> None:
    random = np.random.default_rng(2)
    seed = seed_of(3)
    signs = kernels.signed_sums(np.eye(128), 7, 57, seed).T
    assert set(np.unique(signs)) == {-1.0, 1.0}
    assert abs(signs.mean()) < 0.05 and np.abs(np.corrcoef(signs.T) - np.eye(128)).max() < 0.8
    values = random.random((5, 100))
    centred = _centred_by_query(values)
    assert centred.shape == (128, 8) and not centred[100:].any() and not centred[:, 5:].any()
    np.testing.assert_allclose(centred[:100, :5], (values - values.mean(axis=0)).T, atol=1e-15)
    np.testing.assert_allclose(kernels.signed_sums(centred, 7, 57, seed).T, signs @ centred, atol=1e-12)


def test_p_is_the_share_of_drawn_swaps_that_count() -> None:
    values = np.random.default_rng(4).random((2, 70))
    signs = kernels.signed_sums(np.eye(128), 0, 5000, seed_of(9)).T[:, :70]
    difference = values[0] - values[1]
    count = np.sum(np.abs(signs @ difference) >= abs(difference.sum()))
    found = p_values(values, PAIR, "randomisation", n_permutations=5000, random_state=9)
    assert found[0] == (count + 1) / 5001


def test_the_seed_is_all_that_swaps_depend_on() -> None:
    values = np.random.default_rng(5).random((6, 90))
    pairs = np.array(list(combinations(range(6), 2)))

    def found(pairs: np.ndarray = pairs, seed: int = 0) -> list[float]:
        return p_values(values, pairs, "randomisation", n_permutations=5001, random_state=seed).tolist()

    family = found()
    assert found() == family and found(seed=1) != family
    assert found(pairs[:, ::-1]) == family
    assert found(pairs[::-1]) == family[::-1]
    assert [found(pairs[i : i + 1])[0] for i in range(len(pairs))] == family
    for n_threads in (1, 3):
        with limit_num_threads(n_threads):
            assert found() == family


@pytest.mark.parametrize("test", TESTS)
def test_p_is_uniform_where_rankings_are_alike(test: str) -> None:
    random = np.random.default_rng(6)
    values = random.random((1000, 60)) ** 2 * random.random(60)  # queries differ in how hard they are
    pairs = np.arange(1000).reshape(500, 2)
    p = p_values(values, pairs, test, n_permutations=2000)
    assert kstest(p, "uniform").pvalue > 0.01
    assert 0.02 < np.mean(p < 0.05) < 0.08


@pytest.mark.parametrize("test", TESTS)
def test_order_of_a_pair_makes_no_difference(test: str) -> None:
    values = np.random.default_rng(7).integers(0, 5, (8, 12)) / 10
    pairs = np.array(list(combinations(range(8), 2)))
    np.testing.assert_allclose(p_values(values, pairs, test), p_values(values, pairs[:, ::-1], test), rtol=1e-12)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("n_queries", [1, 2, 40])
def test_no_query_differs(test: str, n_queries: int) -> None:
    value = np.random.default_rng(8).random(n_queries)
    values = np.array([value, value, value + 5e-13 * np.sign(value - 0.5)])
    assert p_values(values, np.array([[0, 1], [1, 2], [2, 2]]), test).tolist() == [1, 1, 1]
    assert p_values(values, np.empty((0, 2), int), test).shape == (0,)


def test_rounding_errors_break_no_ties_of_sums() -> None:
    random = np.random.default_rng(9)
    values = np.round(random.random((2, 100)), 1)
    rounded = values.copy()
    rounded[0] += np.where(values[0] == values[1], 9e-13 * random.choice([-1, 1], 100), 0)
    assert np.any(rounded != values)
    same = p_values(values, PAIR, "randomisation")
    assert 0 < same[0] < 1 and p_values(rounded, PAIR, "randomisation") == same
    np.testing.assert_allclose(p_values(values + 1000, PAIR, "randomisation"), same)


def test_degenerate_t() -> None:
    values = np.array([[0.2, 0.3, 0.4], [0.1, 0.2, 0.3]])  # differences of 0.1 with different rounding errors
    assert p_values(values, PAIR, "t")[0] == 0
    assert p_values(values[:, :1], PAIR, "t")[0] == 1


def test_a_clear_difference_of_many_queries() -> None:
    values = np.array([np.linspace(0.5, 1, 200), np.linspace(0.1, 0.7, 200)])
    assert p_values(values, PAIR, "randomisation", n_permutations=999)[0] == 1 / 1000
    assert max(p_values(values, PAIR, test)[0] for test in TESTS) < 1e-4


def test_invalid_arguments() -> None:
    with pytest.raises(InputError, match="there is no test 'z'; there are randomisation, t, wilcoxon"):
        p_values(np.ones((2, 3)), PAIR, "z")
    with pytest.raises(InputError, match="n_permutations must be at least 1, not 0"):
        p_values(np.ones((2, 3)), PAIR, "randomisation", n_permutations=0)
