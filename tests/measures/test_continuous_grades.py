"""AUC of a query with many grades in O(n log n): against every pair visited, within the stated bound."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from directrank.measures import Lambdas, parse
from directrank.measures.pairs import halved_ranking, roc_area
from directrank.measures.pairs.continuous_grades import sum_continuous_grades
from directrank.measures.pairs.evaluated_swaps import EvaluatedSwaps
from directrank.measures.pairs.many_grades import RankedQuery, _ranked_query, sum_many_grades
from directrank.measures.ranking.sorting import order_by_query

#: How far a document's sums may be off, relative to its sum of |Delta|.
BOUND = 1e-7


def quick(scores: np.ndarray, grades: np.ndarray, weight: float = 1.0) -> Lambdas:
    level, found = np.unique(grades, return_inverse=True)[1].astype(np.int32), Lambdas(*np.zeros((2, scores.size)))
    sum_continuous_grades(scores, level, order_by_query(scores, np.array([0, scores.size])), weight, found)
    return found


def every_pair(scores: np.ndarray, grades: np.ndarray, weight: float = 1.0) -> Lambdas:
    level, found = np.unique(grades, return_inverse=True)[1].astype(np.int32), Lambdas(*np.zeros((2, scores.size)))
    order = order_by_query(scores, np.array([0, scores.size]))
    sum_many_grades(scores, level, int(level.max()) + 1, order, weight, found)
    return found


def assert_within_the_bound(scores: np.ndarray, grades: np.ndarray) -> None:
    found, exact = quick(scores, grades), every_pair(scores, grades)
    tiny = 1e-12 * np.unique(scores, return_inverse=True)[1]  # the same ranking; all phi (1 - phi) are 1/4
    at_most = BOUND * 4 * every_pair(tiny, grades).hessian
    assert np.all(np.abs(found.gradient - exact.gradient) <= at_most)
    assert np.all(np.abs(found.hessian - exact.hessian) <= at_most)


documents = st.lists(
    st.tuples(st.sampled_from([-1.5, 0.0, 0.25, 2.0]) | st.floats(-3, 3), st.integers(0, 3) | st.floats(0, 3)),
    min_size=1,
    max_size=40,
)


@settings(max_examples=300)
@given(documents, st.sampled_from([0.0, 0.01, 1.0, 20.0, 3000.0]))
@example([(0.0, 0.0)], 1.0)
@example([(0.0, 1.0), (0.0, 0.0), (0.0, 1.0), (0.0, 2.0)], 1.0)
def test_any_query_is_summed_within_the_bound(query: list[tuple[float, float]], spread: float) -> None:
    assert_within_the_bound(spread * np.array([s for s, _ in query]), np.array([g for _, g in query], float))


@pytest.mark.parametrize("spread", [0.05, 1.0, 30.0, 2000.0])
@pytest.mark.parametrize("decimals", [0, 1, 12])
@pytest.mark.parametrize("n_grades", [2, 20, 10**9])
def test_a_long_query_is_summed_within_the_bound(spread: float, decimals: int, n_grades: int) -> None:
    """More tie groups than one core's part of the recursion has, at 12 decimals."""
    random, n = np.random.default_rng(1), 2500
    scores, grades = spread * np.round(random.normal(size=n), decimals), random.integers(0, n_grades, n).astype(float)
    assert_within_the_bound(scores, grades)
    assert_within_the_bound(scores, scores + random.normal(size=n))  # the scores follow the grades
    assert_within_the_bound(scores, -scores)


def test_almost_all_of_one_grade() -> None:
    """Sums of |Delta| that are small beside the sums they are differences of."""
    random, n = np.random.default_rng(2), 3000
    scores, grades = random.normal(size=n), np.zeros(n)
    grades[np.argsort(scores)[:20]] = np.arange(20)
    assert_within_the_bound(scores, grades)


@pytest.mark.parametrize("decimals", [1, 12])
def test_against_every_swap_evaluated(decimals: int) -> None:
    random, n = np.random.default_rng(4), 40
    scores, grades = random.normal(size=n), np.round(random.random(n), decimals)
    bound = parse("AUC").bind(grades, np.array([0, n]))
    found, wanted = quick(scores, grades, 1 / bound.pairs[0]), EvaluatedSwaps(bound).lambdas(scores)
    np.testing.assert_allclose(found.gradient, wanted.gradient, rtol=0, atol=BOUND)
    np.testing.assert_allclose(found.hessian, wanted.hessian, rtol=0, atol=BOUND)


def test_the_polynomials_are_as_close_as_stated() -> None:
    x = np.linspace(0, 1, 10_001)
    powers = x[:, None] ** np.arange(halved_ranking.N_TERMS + 1)
    gradient = np.abs(powers @ halved_ranking._GRADIENT - (0.5 - x / (1 + x))).max()
    chebyshev = np.cosh(halved_ranking.N_TERMS * np.arccosh(3))
    assert 0.9 / (2 * chebyshev) < gradient < 1.001 / (2 * chebyshev) < 4e-9
    assert 1e-9 < np.abs(powers @ halved_ranking._HESSIAN - x / (1 + x) ** 2).max() < 4e-8


def test_only_long_queries_use_it_and_any_number_of_threads_gives_the_same(monkeypatch) -> None:
    random, n = np.random.default_rng(0), 5000
    scores, grades = np.round(random.normal(size=n), 4), random.random(n)
    bound = parse("AUC").bind(grades, np.array([0, n]))
    found = bound.lambdas(scores)
    wanted = quick(scores, grades, 1 / bound.pairs[0])
    np.testing.assert_array_equal(found.gradient, wanted.gradient)
    np.testing.assert_array_equal(found.hessian, wanted.hessian)
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        alone = bound.lambdas(scores)
    finally:
        numba.set_num_threads(before)
    np.testing.assert_array_equal(alone.gradient, found.gradient)
    np.testing.assert_array_equal(alone.hessian, found.hessian)
    monkeypatch.setattr(roc_area, "MAX_EXACT_PAIRS", n * n)
    np.testing.assert_array_equal(bound.lambdas(scores).gradient, every_pair(scores, grades, 1 / bound.pairs[0]).gradient)


@pytest.mark.parametrize("decimals", [0, 12])
def test_a_hundred_thousand_documents(decimals: int) -> None:
    """Some of them against their pairs written out."""
    random, n = np.random.default_rng(0), 100_000
    scores, grades = np.round(3 * random.normal(size=n), decimals), random.permutation(n).astype(float)
    found = quick(scores, grades)
    order = order_by_query(scores, np.array([0, n]))
    query, s = _ranked_query(scores[order], grades[order].astype(np.int32), n), scores[order]
    for rank in (0, 17, n // 2, n - 5000, n - 1):
        change, sign = changes(query, rank), np.sign(query.level[rank] - query.level)
        p = 1 / (1 + np.exp(sign * (s[rank] - s)))
        at_most = BOUND * change.sum()
        assert found.gradient[order[rank]] == pytest.approx(-np.sum(sign * change * p), abs=at_most)
        assert found.hessian[order[rank]] == pytest.approx(np.sum(change * p * (1 - p)), abs=at_most)
    assert abs(found.gradient.sum()) < 1e-6 * np.abs(found.gradient).sum()


def changes(query: RankedQuery, rank: int) -> np.ndarray:
    """|Delta| of one document's pairs, by the definition in `roc_area`; each document has a grade of its own."""
    n, a, start, end = query.level.size, query.level[rank], query.start[rank], query.end[rank]
    passed = np.append(0, np.cumsum((query.level < a) * 1 + (query.level <= a)))
    at_start, at_end = ((lambda k: 2 * np.cumsum(k) - k)(np.bincount(query.level[:to], minlength=n)) for to in (start, end))
    mine = (at_start + at_end)[query.level] / 2
    X = (passed[query.start] + passed[query.end]) / 2 - mine[rank] - query.own + mine
    grown = (at_end - at_start)[query.level]
    tied = (np.abs(grown[rank] - grown) + (query.level != a)) / 3
    return np.where(query.start == start, tied, np.abs(X))
