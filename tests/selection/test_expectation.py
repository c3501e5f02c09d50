"""What to expect of the best of several rankings on new queries."""

from __future__ import annotations

import numpy as np
import pytest

from directrank.evaluation.bootstrap import mean_intervals
from directrank.selection.expectation import expected_value


def test_one_ranking_has_no_optimism() -> None:
    values = np.random.default_rng(0).random((1, 40))
    found = expected_value(values, 0)
    assert (found.value, found.optimism, found.n_queries, found.n_candidates) == (values.mean(), 0.0, 40, 1)
    assert [found.low, found.high] == mean_intervals(values)[0].tolist()


@pytest.mark.parametrize("n_rankings", [2, 10, 50])
def test_the_best_of_equal_rankings(n_rankings: int) -> None:
    """All have the mean 0.5 on new queries; the highest mean of 30 is above it, the estimate on average is not."""
    highest, estimates = [], []
    for seed in range(40):
        values = np.random.default_rng(seed).random((n_rankings, 30))
        found = expected_value(values, int(values.mean(axis=1).argmax()))
        highest.append(found.value + found.optimism)
        estimates.append(found.value)
        assert found.low < found.value < found.high and found.n_candidates == n_rankings
    error = np.std(estimates) / np.sqrt(len(estimates))
    assert np.mean(highest) > 0.5 + 3 * error and abs(np.mean(estimates) - 0.5) < 3 * error


def test_a_clear_winner_has_hardly_any_optimism() -> None:
    values = np.random.default_rng(0).random((5, 50))
    values[3] += 1
    assert expected_value(values, 3).optimism < 0.005


def test_the_interval_ends_at_the_lowest_value() -> None:
    values = np.zeros((3, 4))
    values[0, 0] = 1.0
    assert expected_value(values, 0).low == 0.0


def test_a_single_query() -> None:
    found = expected_value(np.array([[0.2], [0.7]]), 1)
    assert (found.value, found.low, found.high, found.optimism) == (0.7, 0.7, 0.7, 0.0)
