"""Means over the orders of ties, for measures that are defined on rankings."""

from __future__ import annotations

import numpy as np
import plain
import pytest

from directrank.measures import Measure, parse
from directrank.measures.parts import average_over_ties, mean_gains_of_ties, ranked
from directrank.measures.testing import check_evaluate, small_queries

DEFINITIONS = {"AP": plain.ap(), "nDCG@3": plain.ndcg(k=3), "RR(rel=2)": plain.rr(rel=2), "RBP": plain.rbp()}


@pytest.mark.parametrize("name", DEFINITIONS)
def test_equals_the_closed_form(name: str) -> None:
    queries = small_queries(unranked=True)
    offsets = np.cumsum([0, *(query.grades.size for query in queries)])
    scores, grades = (np.concatenate(part) for part in zip(*queries, strict=True))
    values = average_over_ties(DEFINITIONS[name], scores, grades, offsets)
    np.testing.assert_allclose(values, parse(name).evaluate(scores, grades, offsets), rtol=0, atol=1e-12)


def test_a_measure_of_one_line_passes_the_checks() -> None:
    class Slow(Measure):
        def evaluate(self, scores, grades, offsets):
            return average_over_ties(plain.ap(), scores, grades, offsets)

    check_evaluate(Slow(), plain.ap())


def test_of_many_orders_a_sample_is_near_and_does_not_depend_on_the_rows() -> None:
    random = np.random.default_rng(1)
    scores, grades = np.repeat([2.0, 1.0, 0.0], 20), random.integers(0, 4, 60).astype(float)
    offsets, shuffled = np.array([0, 60]), random.permutation(60)
    (value,) = average_over_ties(plain.ndcg(), scores, grades, offsets)
    assert value == pytest.approx(parse("nDCG").evaluate(scores, grades, offsets)[0], abs=5e-3)
    assert value == average_over_ties(plain.ndcg(), scores[shuffled], grades[shuffled], offsets)[0]


def test_fewer_orders_than_the_limit_are_all_taken() -> None:
    scores, grades, offsets = np.zeros(12), np.array([1.0] + [0.0] * 11), np.array([0, 12])
    (value,) = average_over_ties(plain.rr(), scores, grades, offsets, max_orders=12)
    assert value == pytest.approx(np.mean(1 / np.arange(1, 13)), rel=1e-14)


def test_an_empty_query_counts_0() -> None:
    assert average_over_ties(plain.ap(), np.empty(0), np.empty(0), np.array([0, 0])).tolist() == [0.0]


@pytest.mark.parametrize("weights", [[1.0, 0.5, 0.25, 0.1, 0.0, 0.0], [0.0, 1.0, 0.0, 3.0, 0.0, 0.5]])
def test_mean_gains_average_a_weighted_sum_over_all_orders(weights: list[float]) -> None:
    queries = small_queries(unranked=True)
    offsets = np.cumsum([0, *(query.grades.size for query in queries)])
    scores, grades = (np.concatenate(part) for part in zip(*queries, strict=True))
    gains = mean_gains_of_ties(*reversed(ranked(scores, 2.0**grades, offsets)), offsets)
    values = [np.dot(weights[: hi - lo], gains[lo:hi]) for lo, hi in zip(offsets, offsets[1:], strict=False)]

    def weighted_sum(by_rank: list[float], _: list[float]) -> float:
        return sum(weight * 2.0**grade for weight, grade in zip(weights, by_rank, strict=False))

    np.testing.assert_allclose(values, average_over_ties(weighted_sum, scores, grades, offsets), rtol=0, atol=1e-12)


def test_equal_scores_of_different_queries_are_not_ties() -> None:
    gains, offsets = np.array([True, False, True]), np.array([0, 1, 1, 3])
    assert mean_gains_of_ties(gains, np.zeros(3), offsets).tolist() == [1.0, 0.5, 0.5]
    assert mean_gains_of_ties(np.empty(0), np.empty(0), np.array([0, 0])).tolist() == []
