"""Wins, losses and the Wilcoxon test."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import wilcoxon

from directrank import InputError, evaluate
from directrank.evaluation import compare, compare_values


def test_wins_losses_ties_and_p() -> None:
    random = np.random.default_rng(0)
    a, b = random.random(40), random.random(40)
    b[:5] = a[:5]
    found = compare_values(a, b)
    assert (found.wins, found.losses, found.ties) == (int(np.sum(a > b)), int(np.sum(a < b)), 5)
    assert found.p == pytest.approx(wilcoxon(a, b).pvalue)
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
    with pytest.raises(KeyError, match="RR was not evaluated"):
        compare(first, second, "RR")
    with pytest.raises(InputError, match="both rankings need a finite value"):
        compare_values([], [])
    with pytest.raises(InputError, match="both rankings need a finite value"):
        compare_values([1, 2, 3], [1])
