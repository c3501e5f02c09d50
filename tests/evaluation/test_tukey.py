"""Tukey's HSD, against all permutations one by one, simulated ranges, and the tests of two rankings that it extends."""

from __future__ import annotations

from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import kstest, ttest_rel, tukey_hsd

from directrank import InputError, compare_all, evaluate
from directrank.core import tukey as kernels
from directrank.core.num_threads import limit_num_threads
from directrank.evaluation.paired_tests import p_values
from directrank.evaluation.random_words import seed_of
from directrank.evaluation.significance import compare_pairs
from directrank.evaluation.tukey import tukey_p_values


def found(values: np.ndarray, test: str, n_permutations: int = 100_000, random_state: int = 0) -> np.ndarray:
    pairs = np.array(list(combinations(range(len(values)), 2)))
    return tukey_p_values(values, pairs, test, n_permutations=n_permutations, random_state=random_state)


def plain_randomised(values: np.ndarray) -> list[float]:
    """The share of all permutations within queries whose largest difference of sums reaches that of each pair."""
    sums = values.sum(axis=1)
    ranges = []
    for orders in product(permutations(range(len(values))), repeat=values.shape[1]):
        permuted = [sum(values[order[i], q] for q, order in enumerate(orders)) for i in range(len(values))]
        ranges.append(max(permuted) - min(permuted))
    return [np.mean(np.array(ranges) >= abs(sums[i] - sums[j])) for i, j in combinations(range(len(values)), 2)]


@given(st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=1, max_size=4), st.sampled_from([1, 2, 8]))
def test_all_permutations_are_enumerated_exactly(table: list[list[int]], part: int) -> None:
    whole = np.array(table, float).T
    np.testing.assert_allclose(found(whole / part, "randomisation"), plain_randomised(whole), atol=1e-12)


def test_drawn_permutations_agree_with_all() -> None:
    values = np.random.default_rng(0).integers(0, 8, (3, 5)) / 7
    exact, drawn = found(values, "randomisation", 6**5), found(values, "randomisation", 5000)
    assert np.all(np.abs(exact - drawn) <= 5 * np.sqrt(exact * (1 - exact) / 5000) + 1 / 5000)


def test_permutations_are_uniform() -> None:
    """Each value of a query goes to each ranking equally often; queries are shuffled on their own."""
    n = 60_000
    ranges = kernels.permuted_ranges(np.array([[0.0, 1.0, 3.0], [0.0, 10.0, 30.0]]), n, seed_of(1))
    rows = [np.array(row) for row in permutations([0.0, 1.0, 3.0])]
    others = [np.array(row) for row in permutations([0.0, 10.0, 30.0])]
    wanted, counts = np.unique([np.ptp(a + b) for a in rows for b in others], return_counts=True)
    values, seen = np.unique(ranges, return_counts=True)
    np.testing.assert_array_equal(values, wanted)
    np.testing.assert_allclose(seen / n, counts / 36, atol=5 * np.sqrt(0.25 / n))


def test_results_depend_on_the_seed_alone() -> None:
    values = np.random.default_rng(2).random((5, 40))
    first = found(values, "randomisation", 3000)
    for n_threads in (1, 3):
        with limit_num_threads(n_threads):
            np.testing.assert_array_equal(found(values, "randomisation", 3000), first)
    assert np.any(found(values, "randomisation", 3000, random_state=1) != first)


@pytest.mark.parametrize("n_queries", [3, 10, 50])
def test_two_rankings_are_the_paired_t_test(n_queries: int) -> None:
    values = np.random.default_rng(n_queries).random((2, n_queries)) + np.array([[0.1], [0.0]])
    assert found(values, "t")[0] == pytest.approx(ttest_rel(*values).pvalue, rel=1e-6)


def test_two_rankings_are_the_randomisation_test() -> None:
    values = np.random.default_rng(3).random((2, 12))
    assert found(values, "randomisation")[0] == pytest.approx(p_values(values, np.array([[0, 1]]), "randomisation")[0])


def test_known_values() -> None:
    """Box, Hunter & Hunter's penicillin yields: five blends (blocks) of four treatments, s^2 = 226/12.

    The differences of the means 84, 85, 89, 86 are compared with the studentized range of 4 means and 12 degrees of freedom,
    whose upper 5 % point is 4.20: a difference of 4.20 * sqrt(18.83/5) = 8.15 would have p = 0.05.
    """
    yields = np.array([[89, 84, 81, 87, 79], [88, 77, 87, 92, 81], [97, 92, 87, 89, 80], [94, 79, 85, 84, 88]], float)
    assert yields.mean(axis=1).tolist() == [84, 85, 89, 86]
    p = found(yields, "t")
    assert np.all(p > 0.05) and p.argmin() == 1
    moved = yields + np.array([[0.0], [0.0], [8.15 - 5], [0.0]])
    assert found(moved, "t")[1] == pytest.approx(0.05, abs=0.001)


def test_the_layout_is_two_way() -> None:
    """Queries of different difficulty do not hide a difference, as they do in the one-way test."""
    random = np.random.default_rng(4)
    values = random.normal(scale=10, size=30) + random.normal(size=(3, 30)) + np.array([[0.0], [1.0], [2.0]])
    assert found(values, "t").max() < 0.01 and found(values, "randomisation").max() < 0.05
    assert tukey_hsd(*values).pvalue.min() > 0.3


@pytest.mark.parametrize("test", ["t", "randomisation"])
def test_any_false_discovery_is_as_rare_as_the_level_says(test: str) -> None:
    random = np.random.default_rng(5)
    smallest = [
        found(random.normal(size=40) + random.normal(size=(5, 40)), test, n_permutations=500).min() for _ in range(100)
    ]
    assert kstest(smallest, "uniform").pvalue > 0.01  # the largest difference has a p-value of its own


def test_degenerate_values() -> None:
    for test in ("t", "randomisation"):
        assert found(np.full((3, 4), 0.5), test).tolist() == [1, 1, 1]
    assert found(np.array([[0.1], [0.2], [0.4]]), "t").tolist() == [1, 1, 1]
    shifted = np.arange(4.0) + np.array([[0.0], [1.0], [1.0]])
    assert found(shifted, "t").tolist() == [0, 0, 1]


def test_as_a_correction() -> None:
    random = np.random.default_rng(6)
    values = random.random((4, 30)) + np.linspace(0, 0.3, 4)[:, None]
    pairs = list(combinations(range(4), 2))
    for test in ("t", "randomisation"):
        compared = compare_pairs(values, pairs, test=test, correction="tukey", n_permutations=2000)
        np.testing.assert_array_equal([each.corrected_p for each in compared], found(values, test, 2000))
        np.testing.assert_array_equal(
            [each.p for each in compared], p_values(values, np.array(pairs), test, n_permutations=2000)
        )
    with pytest.raises(InputError, match="Tukey's HSD compares means: it goes with the test 'randomisation' or 't'"):
        compare_pairs(values, pairs, test="wilcoxon", correction="tukey")
    with pytest.raises(InputError, match="Tukey's HSD is a correction"):
        compare_pairs(values, pairs, test="tukey")


def test_the_report_says_so() -> None:
    random = np.random.default_rng(7)
    y, qid = random.integers(0, 2, 120), np.repeat(np.arange(12), 10)
    evaluations = {name: evaluate(y, random.random(120), qid, "AP") for name in "abc"}
    report = compare_all(evaluations, correction="Tukey HSD", n_permutations=500)
    assert report.method.correction == "tukey"
    assert "the randomised Tukey HSD test over 3 rankings with all or 500 permutations; all pairs" in str(report)
    assert "Tukey's HSD test over 3 rankings" in str(compare_all(evaluations, test="t-test", correction="tukey_hsd"))
