"""Wins, losses, sizes of differences and their significance."""

from __future__ import annotations

from dataclasses import asdict
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import ttest_rel, wilcoxon

from directrank import InputError, evaluate
from directrank.evaluation import compare, compare_values
from directrank.evaluation.correction import corrected
from directrank.evaluation.paired_tests import TESTS, p_values
from directrank.evaluation.significance import compare_pairs


def test_wins_losses_ties_and_p() -> None:
    random = np.random.default_rng(0)
    a, b = random.random(40), random.random(40)
    b[:5] = a[:5]
    found = compare_values(a, b, "wilcoxon")
    assert (found.wins, found.losses, found.ties) == (int(np.sum(a > b)), int(np.sum(a < b)), 5)
    assert found.p == pytest.approx(wilcoxon(a[5:], b[5:]).pvalue)
    assert found.difference == pytest.approx(np.mean(a - b))


def test_stars_mean_p_below_5_percent() -> None:
    better = compare_values(np.linspace(0.5, 1, 30), np.linspace(0.4, 0.8, 30))
    assert better.p < 0.05 and better.stars == "**" and str(better) == "30/0 **"
    same = compare_values([0.5, 0.5], [0.5, 0.5 + 1e-15])
    assert (same.wins, same.losses, same.p, same.stars) == (0, 0, 1.0, "")


def test_queries_are_matched_by_name() -> None:
    first = evaluate([1, 0, 0, 1], [2, 1, 2, 1], ["a", "a", "b", "b"], ["AP"])
    second = evaluate([0, 1, 1, 0], [2, 1, 2, 1], ["b", "b", "a", "a"], ["AP"])
    assert compare(first, second, "AP").ties == 2
    assert compare(first, second, "MAP").ties == 2
    with pytest.raises(InputError, match="not of the same queries"):
        compare(first, evaluate([1, 0], [2, 1], ["c", "c"], ["AP"]), "AP")
    with pytest.raises(InputError, match=r"^RR was not evaluated"):
        compare(first, second, "RR")
    with pytest.raises(InputError, match="every ranking needs a finite value"):
        compare_values([], [])
    with pytest.raises(InputError, match="every ranking needs a finite value"):
        compare_values([1, 2, 3], [1])
    with pytest.raises(InputError, match="every ranking needs a finite value"):
        compare_values([1, np.nan], [1, 2])
    with pytest.raises(InputError, match="there are randomisation, t, wilcoxon"):
        compare(first, second, "AP", "sign")


def test_tests_by_name() -> None:
    random = np.random.default_rng(1)
    a, b = random.random(60), random.random(60)
    qid = np.arange(10, 70)  # in the order of their texts
    first, second = (evaluate(np.ones(60), value, qid, [Given(value)]) for value in (a, b))
    for test in TESTS:
        found = compare(first, second, "given", test)
        assert found == compare_values(a, b, test)
        assert found.p == found.corrected_p == p_values(np.stack([a, b]), np.array([[0, 1]]), test)[0]
    assert compare_values(a, b, "t").p == pytest.approx(ttest_rel(a, b).pvalue)


class Given:
    """A measure whose values are given."""

    name = "given"

    def __init__(self, values: np.ndarray) -> None:
        self.values = values

    def evaluate(self, scores: np.ndarray, grades: np.ndarray, offsets: np.ndarray) -> np.ndarray:
        return self.values


def test_effect_size_is_in_standard_deviations() -> None:
    assert compare_values([0.5, 0.7, 0.9], [0.4, 0.4, 0.4]).effect_size == pytest.approx(0.3 / 0.2)
    assert compare_values([0.4, 0.4, 0.4], [0.5, 0.7, 0.9]).effect_size == pytest.approx(-0.3 / 0.2)
    assert compare_values([0.5, 0.7], [0.5, 0.7 + 1e-15]).effect_size == 0
    assert compare_values([0.3, 0.4], [0.2, 0.3]).effect_size == np.inf
    assert compare_values([0.2], [0.3]).effect_size == -np.inf
    assert compare_values([0.2], [0.2]).effect_size == 0


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("correction", ["holm", "bh", "none"])
def test_pairs_are_one_family(test: str, correction: str) -> None:
    values = np.random.default_rng(2).random((5, 30)) + np.linspace(0, 0.5, 5)[:, None]
    pairs = np.array(list(combinations(range(5), 2)))
    found = compare_pairs(values, pairs, test=test, correction=correction, random_state=3)
    raw = p_values(values, pairs, test, random_state=3)
    assert [c.p for c in found] == raw.tolist()
    assert [c.corrected_p for c in found] == corrected(raw, correction).tolist()
    for c, (a, b) in zip(found, pairs, strict=True):
        alone = compare_values(values[a], values[b], test)
        assert {**asdict(c), "p": 0, "corrected_p": 0} == {**asdict(alone), "p": 0, "corrected_p": 0}


def test_stars_are_of_the_corrected_p() -> None:
    random = np.random.default_rng(4)
    values = random.random((20, 50))
    pairs = [(i, j) for i in range(20) for j in range(i)]
    raw, holm = (compare_pairs(values, pairs, test="t", correction=c) for c in ("none", "holm"))
    assert sum(c.p < 0.05 for c in holm) > 0
    assert [c.stars for c in holm] == [""] * len(pairs)
    assert [c.stars for c in raw] == ["**" if c.p < 0.05 else "" for c in raw]
    assert compare_pairs(values, []) == []


def test_queries_that_do_not_differ_are_no_evidence() -> None:
    """Five wins of five: 2 of 32 ways to sign them, however many queries are equal."""
    better = np.zeros(100)
    better[:5] = [0.1, 0.2, 0.3, 0.4, 0.5]
    assert compare_values(better, np.zeros(100)).p == pytest.approx(2 / 32)
    assert compare_values(better, np.zeros(100), "randomisation").p == pytest.approx(2 / 32)


def test_a_few_large_wins_and_many_small_losses() -> None:
    """The mean is higher, and Wilcoxon's test says significantly that the other is better: neither is called so."""
    difference = np.concatenate([np.full(4, 0.9) + np.arange(4) / 100, -0.01 - np.arange(30) / 10_000])
    assert compare_values(difference, np.zeros(difference.size)).favours == 1
    found = compare_values(difference, np.zeros(difference.size), "wilcoxon")
    assert found.difference > 0 and found.p < 0.05 and found.favours == -1
    assert not found.is_better() and not found.reversed().is_better()
    assert found.reversed().favours == 1


def test_rounding_errors_of_large_values_are_ties() -> None:
    large = np.array([1e9, 2e9, 3e9])
    assert compare_values(large, large * (1 + 1e-15)).ties == 3


def test_queries_are_matched_as_text() -> None:
    first, second = evaluate([1, 0], [2, 1], [7, 7], ["AP"]), evaluate([1, 0], [2, 1], ["7", "7"], ["AP"])
    assert compare(first, second, "AP").ties == 1
