"""Lambdas: every swap evaluated, every pair summed, all orders of ties taken; and the bound for long queries."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

import directrank
from directrank import Measure, MeasureError
from directrank.measures import Lambdas, MeasureSum, bind, parse
from directrank.measures.pairs import pairwise
from directrank.measures.pairs.evaluated_swaps import EvaluatedSwaps, lambda_function

#: Measures whose lambdas are the mean over all orders of ties.
AVERAGED = [
    "nDCG", "nDCG@2", "nDCG(gain=linear)", "nDCG(discount=jarvelin)@3", "DCG@3",
    "DCG(gain=linear, discount=none)@2", "RBP(gain=linear)@3", "ARP", "AP", "AP@2", "AP(rel=2)", "RR", "RR@2",
    "P@2", "R@3", "P@2p", "Rprec", "Success@1", "Success@3", "AUC", "AUC(rel=2)", "AUC(grade=1)", "MAUC", "microP@2",
    "AUPRC", "AUPRC(rel=2)", "RBP", "RBP(p=0.5, rel=2)@3",
    "PairAccuracy(high=2, low=0)", "PairAccuracy(high=3, low=1)",
]  # fmt: skip
#: Measures that take ties in the worst order.
WORST = ["ERR", "ERR@2"]

documents = st.lists(
    st.tuples(st.sampled_from([-1.5, 0.0, 0.25, 2.0]) | st.floats(-3, 3), st.sampled_from([0.0, 1.0, 1.5, 2.0, 3.0])),
    min_size=1,
    max_size=6,
)


def lambdas(
    measure: Measure, scores, grades: np.ndarray, offsets: np.ndarray | None = None, by_distance: bool = False
) -> Lambdas:
    """The lambdas of a measure, of one query unless there are offsets."""
    offsets = np.array([0, len(grades)]) if offsets is None else offsets
    return measure.bind(grades, offsets).lambdas(np.array(scores), by_distance)


def orders(scores: list[float]) -> list[list[int]]:
    """All rankings that the scores allow."""
    groups = [[i for i, s in enumerate(scores) if s == value] for value in sorted(set(scores), reverse=True)]
    choices = itertools.product(*(itertools.permutations(group) for group in groups))
    return [list(itertools.chain(*choice)) for choice in choices]


def changes(measure: Measure, ranking: list[int], grades: np.ndarray) -> np.ndarray:
    """|Delta| of each two documents: the measure evaluated again after they have swapped ranks."""
    n, offsets = len(ranking), np.array([0, len(ranking)])
    rank = np.empty(n)
    rank[ranking] = np.arange(n)
    before = measure.evaluate(-rank, grades, offsets)[0]
    table = np.zeros((n, n))
    for i, j in itertools.combinations(range(n), 2):
        swapped = rank.copy()
        swapped[i], swapped[j] = rank[j], rank[i]
        table[i, j] = table[j, i] = abs(measure.evaluate(-swapped, grades, offsets)[0] - before)
    return table


def summed(scores: list[float], grades: np.ndarray, better, table: np.ndarray, by_distance: bool = False) -> Lambdas:
    """The sum over pairs written out; by distance, unless all scores are equal."""
    weigh = by_distance and len(set(scores)) > 1
    gradient, hessian = np.zeros(len(scores)), np.zeros(len(scores))
    for i, j in itertools.permutations(range(len(scores)), 2):
        if better[i] > better[j]:
            p = 1 / (1 + math.exp(scores[i] - scores[j]))
            change = table[i, j] / (0.01 + abs(scores[i] - scores[j])) if weigh else table[i, j]
            gradient[i] -= change * p
            gradient[j] += change * p
            hessian[i] += change * p * (1 - p)
            hessian[j] += change * p * (1 - p)
    return Lambdas(gradient, hessian)


def assert_same(found: Lambdas, wanted: Lambdas, atol: float = 1e-12) -> None:
    np.testing.assert_allclose(found.gradient, wanted.gradient, atol=atol)
    np.testing.assert_allclose(found.hessian, wanted.hessian, atol=atol)


def classes(measure: Measure, grades: np.ndarray) -> np.ndarray:
    """By what one document is better than another: AUC(grade=1) puts grade 1 above all others. NaN is not compared."""
    if hasattr(measure, "high"):
        return np.where(grades == measure.high, 1.0, np.where(grades == measure.low, 0.0, np.nan))
    return measure._classes(grades) if hasattr(measure, "_classes") else grades


@pytest.mark.parametrize("name", AVERAGED)
@given(query=documents)
def test_swaps_evaluated_and_pairs_summed(name: str, query: list[tuple[float, float]]) -> None:
    measure, scores, grades = parse(name), [s for s, _ in query], np.array([g for _, g in query])
    table = np.mean([changes(measure, ranking, grades) for ranking in orders(scores)], axis=0)
    for by_distance in (False, True):
        found = lambdas(measure, scores, grades, by_distance=by_distance)
        assert_same(found, summed(scores, grades, classes(measure, grades), table, by_distance), 1e-10)


@pytest.mark.parametrize("name", WORST)
@given(query=documents)
def test_swaps_of_the_worst_order(name: str, query: list[tuple[float, float]]) -> None:
    measure, scores, grades = parse(name), [s for s, _ in query], np.array([g for _, g in query])
    worst = sorted(range(len(query)), key=lambda i: (-scores[i], grades[i]))
    swapped = EvaluatedSwaps(bind(measure, grades, np.array([0, len(query)])))
    for by_distance in (False, True):
        wanted = summed(scores, grades, grades, changes(measure, worst, grades), by_distance)
        for values in wanted:
            for same in set(query):
                mine = [i for i, document in enumerate(query) if document == same]
                values[mine] = values[mine].mean()
        assert_same(lambdas(measure, scores, grades, by_distance=by_distance), wanted, 1e-10)
        assert_same(swapped.lambdas(np.array(scores), by_distance), wanted, 1e-10)


@given(st.lists(st.integers(0, 1), min_size=2, max_size=12).filter(lambda g: 0 < sum(g) < len(g)))
def test_theorem_1_of_welleck(grades: list[int]) -> None:
    """A swap changes AUC by (l_i - l_j)(j - i)/(m n)."""
    n, m = len(grades), sum(grades)
    table = changes(parse("AUC"), list(range(n)), np.array(grades, float))
    for i, j in itertools.combinations(range(n), 2):
        assert table[i, j] == pytest.approx(abs((grades[i] - grades[j]) * (j - i)) / (m * (n - m)), abs=1e-12)


@given(st.lists(st.integers(0, 3), min_size=2, max_size=10).filter(lambda g: len(set(g) - {0}) > 0 and len(set(g)) > 1))
def test_equation_18_of_welleck(grades: list[int]) -> None:
    """A swap changes MAUC by (j - i)(p_a/(m_a n_a) - p_b/(m_b n_b)), grade 0 having p = 0."""
    n, y = len(grades), np.array(grades, float)
    p = {c: np.sum(y == c) / np.sum(y > 0) if c > 0 else 0.0 for c in set(grades)}
    weight = {c: p[c] / (np.sum(y == c) * np.sum(y != c)) for c in set(grades)}
    table = changes(parse("MAUC"), list(range(n)), y)
    for i, j in itertools.combinations(range(n), 2):
        assert table[i, j] == pytest.approx((j - i) * abs(weight[grades[i]] - weight[grades[j]]), abs=1e-12)


@pytest.mark.parametrize("by_distance", [False, True])
@pytest.mark.parametrize("name", [*AVERAGED, *WORST, "0.7*nDCG@10 + 0.3*AUC"])
def test_many_queries_any_order_of_rows_and_one_thread(name: str, by_distance: bool) -> None:
    random, measure = np.random.default_rng(0), parse(name)
    sizes = random.integers(1, 60, 200)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    scores, grades = np.round(random.normal(size=offsets[-1]), 1), random.integers(0, 4, offsets[-1]).astype(float)
    together = lambdas(measure, scores, grades, offsets, by_distance)
    before = directrank.get_num_threads()
    directrank.set_num_threads(1)
    try:
        alone = lambdas(measure, scores, grades, offsets, by_distance)
    finally:
        directrank.set_num_threads(before)
    np.testing.assert_array_equal(alone.gradient, together.gradient)
    np.testing.assert_array_equal(alone.hessian, together.hessian)
    order = np.concatenate([random.permutation(np.arange(lo, hi)) for lo, hi in itertools.pairwise(offsets)])
    shuffled = lambdas(measure, scores[order], grades[order], offsets, by_distance)
    assert_same(shuffled, Lambdas(together.gradient[order], together.hessian[order]), 1e-11 if by_distance else 1e-13)


@pytest.mark.parametrize("name", ["AUC", "MAUC", "nDCG", "nDCG@50", "P@100", "Rprec"])
@pytest.mark.parametrize(("spread", "decimals"), [(0.05, 3), (1.0, 12), (1.0, 1), (30.0, 12), (2000.0, 12)])
def test_a_long_query_is_summed_within_the_bound(monkeypatch, name: str, spread: float, decimals: int) -> None:
    """Against the sum over all pairs: 1e-6 of the sum of |Delta| over a document's pairs."""
    random, measure, n = np.random.default_rng(1), parse(name), 2500
    scores = np.round(spread * random.normal(size=n), decimals)
    grades = np.searchsorted([0.6, 0.9], random.random(n)).astype(float)
    offsets = np.array([0, n])
    monkeypatch.setattr(pairwise, "MAX_SHORT_QUERY", 10**9)
    exact = lambdas(measure, scores, grades, offsets)
    monkeypatch.setattr(pairwise, "MAX_SHORT_QUERY", 1000)
    assert_same(lambdas(measure, scores, grades, offsets), exact, 1e-12 * np.abs(exact.gradient).max())  # in parts, exact
    monkeypatch.setattr(pairwise, "MAX_EXACT_PAIRS", 0)
    quick = lambdas(measure, scores, grades, offsets)
    at_most = sum_of_changes(measure, scores, grades)
    assert np.all(np.abs(quick.gradient - exact.gradient) <= 1e-6 * at_most + 1e-15)
    assert np.all(np.abs(quick.hessian - exact.hessian) <= 1e-6 * at_most + 1e-15)


@pytest.mark.parametrize("name", ["AP", "AUPRC", "RR", "Success@5"])
@pytest.mark.parametrize("tied", [False, True])
def test_long_queries_of_other_measures_are_those_of_many_short_ones(monkeypatch, name: str, tied: bool) -> None:
    """AP and AUPRC in parts against at once; RR and Success against their pairs written out."""
    random, measure, n = np.random.default_rng(2), parse(name), 1500
    scores = np.zeros(n) if tied else random.normal(size=n)
    grades = (random.random(n) < (0.3 if name in ("AP", "AUPRC") else 0.05)).astype(float)
    offsets = np.array([0, n])
    found = lambdas(measure, scores, grades, offsets)
    if name in ("AP", "AUPRC"):
        monkeypatch.setattr(pairwise, "MAX_SHORT_QUERY", 1000)
        assert_same(lambdas(measure, scores, grades, offsets), found, 1e-12 * np.abs(found.gradient).max())
    elif not tied:
        assert_same(EvaluatedSwaps(bind(measure, grades, offsets)).lambdas(scores), found)
    assert abs(found.gradient.sum()) < 1e-9 * np.abs(found.gradient).sum()
    assert np.all(found.gradient[grades > 0] <= 0) and np.all(found.gradient[grades == 0] >= 0)


@pytest.mark.parametrize("name", ["nDCG", "nDCG@10", "AP", "AUC"])
def test_a_long_query_by_distance(monkeypatch, name: str) -> None:
    """In parts, with as few exact pairs as can be, against every pair at once."""
    random, measure, n = np.random.default_rng(1), parse(name), 2500
    scores, grades = random.normal(size=n), np.searchsorted([0.6, 0.9], random.random(n)).astype(float)
    monkeypatch.setattr(pairwise, "MAX_SHORT_QUERY", 10**9)
    exact = lambdas(measure, scores, grades, by_distance=True)
    monkeypatch.setattr(pairwise, "MAX_SHORT_QUERY", 1000)
    monkeypatch.setattr(pairwise, "MAX_EXACT_PAIRS", 0)
    assert_same(lambdas(measure, scores, grades, by_distance=True), exact, 1e-12 * np.abs(exact.gradient).max())


@pytest.mark.parametrize("name", ["nDCG", "AUC"])
@pytest.mark.parametrize("decimals", [2, 12])
def test_a_long_query_of_many_grades(monkeypatch, name: str, decimals: int) -> None:
    """In parts against at once."""
    random, n, measure = np.random.default_rng(2), 1200, parse(name)
    scores, grades = np.round(random.normal(size=n), decimals), np.round(random.random(n), decimals)
    found = lambdas(measure, scores, grades)
    monkeypatch.setattr(pairwise, "MAX_SHORT_QUERY", 100)
    assert_same(lambdas(measure, scores, grades), found, 1e-12 * np.abs(found.gradient).max())


def auc_lambdas(scores: np.ndarray, grades: np.ndarray, by_distance: bool) -> Lambdas:
    """The sum over pairs written out, from the number of pairs that each swap changes as `pairs.roc_area` has it."""
    n, gradient, hessian = scores.size, np.zeros(scores.size), np.zeros(scores.size)
    above = (scores[:, None] > scores) + 0.5 * (scores[:, None] == scores)  # [k, i]: k stands above i
    passed = (grades[:, None] < grades) * 1.0 + (grades[:, None] <= grades)  # [k, i]: what k counts in M of the grade of i
    for i, j in itertools.permutations(range(n), 2):
        if grades[i] > grades[j]:
            counted = passed[:, i] - passed[:, j]
            if scores[i] == scores[j]:
                changed = (counted[scores == scores[i]].sum() + 1) / 3
            else:
                changed = abs(np.dot(counted, above[:, j] - above[:, i]))
            if by_distance:
                changed /= 0.01 + abs(scores[i] - scores[j])
            p = 1 / (1 + math.exp(min(scores[i] - scores[j], 700)))
            gradient[[i, j]] += changed * p * np.array([-1, 1])
            hessian[[i, j]] += changed * p * (1 - p)
    pairs = np.sum(grades[:, None] > grades)
    return Lambdas(gradient / pairs, hessian / pairs)


@pytest.mark.parametrize("spread", [1.0, 500.0])
@pytest.mark.parametrize("decimals", [0, 1, 9])
@pytest.mark.parametrize("n_grades", [2, 3, 30, 10**9])
@pytest.mark.parametrize("by_distance", [False, True])
def test_auc_of_any_number_of_grades_against_its_pairs(
    monkeypatch, spread: float, decimals: int, n_grades: int, by_distance: bool
) -> None:
    random, n = np.random.default_rng(4), 130
    scores, grades = spread * np.round(random.normal(size=n), decimals), random.integers(0, n_grades, n).astype(float)
    wanted = auc_lambdas(scores, grades, by_distance)
    for max_exact_pairs in (2**22, 0) if by_distance else (2**22,):  # by distance, pairs of long queries are visited too
        monkeypatch.setattr(pairwise, "MAX_EXACT_PAIRS", max_exact_pairs)
        assert_same(lambdas(parse("AUC"), scores, grades, by_distance=by_distance), wanted, 1e-14)


@pytest.mark.parametrize("spread", [1.0, 500.0])
@pytest.mark.parametrize("n_grades", [3, 17, 1000])
def test_auc_of_many_grades_against_every_swap_evaluated(spread: float, n_grades: int) -> None:
    random, n = np.random.default_rng(4), 40
    scores, grades = spread * random.normal(size=n), random.integers(0, n_grades, n).astype(float)
    bound = parse("AUC").bind(grades, np.array([0, n]))
    assert_same(bound.lambdas(scores), EvaluatedSwaps(bound).lambdas(scores), 1e-14)


@pytest.mark.parametrize("name", ["AUC", "nDCG", "AP", "ERR", "RR"])
@pytest.mark.parametrize("n", [1, 30, 3000])
def test_equal_grades_have_no_lambdas(name: str, n: int) -> None:
    random = np.random.default_rng(5)
    for grade in (0.0, 1.0):
        found = lambdas(parse(name), random.normal(size=n), np.full(n, grade))
        assert not found.gradient.any() and not found.hessian.any()


@pytest.mark.parametrize("name", ["AUC", "nDCG", "P@100", "AP"])
@pytest.mark.parametrize("spread", [0.01, 1.0, 100.0, 1e4])
def test_hessians_are_never_below_0(monkeypatch, name: str, spread: float) -> None:
    """Nor where they are approximated."""
    random, n = np.random.default_rng(6), 2500
    scores, grades = spread * random.normal(size=n), random.integers(0, 3, n).astype(float)
    for max_exact_pairs in (2**22, 0):
        monkeypatch.setattr(pairwise, "MAX_EXACT_PAIRS", max_exact_pairs)
        assert lambdas(parse(name), scores, grades).hessian.min() >= 0


@pytest.mark.parametrize("name", [*AVERAGED, *WORST])
@pytest.mark.parametrize("n", [50, 2500])
def test_documents_without_a_rank_are_tied_below_all_others(monkeypatch, name: str, n: int) -> None:
    random = np.random.default_rng(7)
    scores, grades = np.round(random.normal(size=n), 2), random.integers(0, 4, n).astype(float)
    monkeypatch.setattr(pairwise, "MAX_EXACT_PAIRS", 0)
    for unranked in (random.random(n) < 0.2, np.full(n, True)):
        found = lambdas(parse(name), np.where(unranked, -np.inf, scores), grades)
        wanted = lambdas(parse(name), np.where(unranked, -1e10, scores), grades)
        assert_same(found, wanted, 1e-12 * np.abs(wanted.gradient).max())


@pytest.mark.parametrize("name", ["AUC", "nDCG", "nDCG@10", "AP", "RR"])
@pytest.mark.parametrize("n_grades", [2, 5, 10**9])
def test_long_queries_on_any_number_of_threads(name: str, n_grades: int) -> None:
    random, n, before = np.random.default_rng(8), 3000, directrank.get_num_threads()
    scores, grades = np.round(random.normal(size=n), 3), random.integers(0, n_grades, n) / n_grades
    found = []
    try:
        for n_threads in (1, 2, 3):
            directrank.set_num_threads(n_threads)
            found.append(np.concatenate(lambdas(parse(name), scores, grades)))
    finally:
        directrank.set_num_threads(before)
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def sum_of_changes(measure: Measure, scores: np.ndarray, grades: np.ndarray) -> np.ndarray:
    """The sum of |Delta| over each document's pairs: 4 times the hessian where all scores are alike, but in this order."""
    tiny = 1e-12 * np.unique(scores, return_inverse=True)[1]
    return 4 * lambdas(measure, tiny, grades).hessian


def test_the_approximation_is_used_and_is_one(monkeypatch) -> None:
    """The test above compares two things."""
    random, n = np.random.default_rng(1), 2500
    scores, grades = random.normal(size=n), (random.random(n) < 0.3).astype(float)
    exact = lambdas(parse("AUC"), scores, grades)
    monkeypatch.setattr(pairwise, "MAX_EXACT_PAIRS", 0)
    error = np.abs(lambdas(parse("AUC"), scores, grades).gradient - exact.gradient).max() / np.abs(exact.gradient).max()
    assert 1e-12 < error < 1e-6


@pytest.mark.parametrize(
    ("name", "n_grades", "by_distance"),
    [
        *[
            (name, n, False)
            for name, n in (("AP", 2), ("AUPRC", 2), ("nDCG", 40), ("AUC", 40), ("AUC", 10**9), ("MAUC", 40))
        ],
        *[(name, n, True) for name, n in (("AP", 2), ("nDCG", 2), ("nDCG", 40), ("AUC", 5), ("AUC", 40), ("MAUC", 5))],
    ],
)
def test_sums_over_too_many_pairs_are_estimated(monkeypatch, name: str, n_grades: int, by_distance: bool) -> None:
    """From three strata; documents of equal score and grade share their sums, so the order of rows does not matter."""
    random, n = np.random.default_rng(11), 6200
    grades = random.integers(0, n_grades, n) / n_grades * 4
    grades = np.minimum(grades, 1) if n_grades == 2 else grades
    scores, shuffled = np.round(grades + random.normal(size=n), 2), random.permutation(n)
    exact = lambdas(parse(name), scores, grades, by_distance=by_distance)
    monkeypatch.setattr(pairwise, "MAX_VISITED_PAIRS", 2**20)
    found = lambdas(parse(name), scores, grades, by_distance=by_distance)
    for wanted, estimate in zip(exact, found, strict=True):
        assert 1e-4 < np.linalg.norm(estimate - wanted) / np.linalg.norm(wanted) < 0.04
    assert abs(found.gradient.sum()) < 1e-12 * np.abs(found.gradient).sum()
    assert found.hessian.min() >= 0
    again = lambdas(parse(name), scores[shuffled], grades[shuffled], by_distance=by_distance)
    assert_same(Lambdas(*(values[shuffled] for values in found)), again, 1e-13 * np.abs(found.gradient).max())


def test_strata_of_a_query_whose_grades_are_almost_all_equal(monkeypatch) -> None:
    """A few documents of other grades: each stratum has its share of them, but lacks most grades."""
    random, n = np.random.default_rng(12), 6200
    scores, grades = random.normal(size=n), np.zeros(n)
    grades[:20] = np.arange(20) + 1.0
    exact = lambdas(parse("AUC"), scores, grades)
    monkeypatch.setattr(pairwise, "MAX_VISITED_PAIRS", 2**15)
    found = lambdas(parse("AUC"), scores, grades)
    assert np.linalg.norm(found.gradient - exact.gradient) < 0.5 * np.linalg.norm(exact.gradient)


def test_one_query_of_a_million_documents() -> None:
    random, n = np.random.default_rng(0), 1_000_000
    scores, grades = random.normal(size=n), (random.random(n) < 0.1).astype(float)
    found = lambdas(parse("AUC"), scores, grades)
    rank = np.empty(n)
    rank[np.argsort(-scores)] = np.arange(n)
    m = grades.sum()
    for i in (0, 17, int(np.argmax(grades)), int(np.argmax(scores))):
        others = grades != grades[i]
        sign = -1 if grades[i] else 1
        p = 1 / (1 + np.exp(-sign * (scores[i] - scores[others])))
        change = np.abs(rank[i] - rank[others]) / (m * (n - m))
        assert found.gradient[i] == pytest.approx(sign * np.sum(change * p), abs=1e-6 * change.sum())
        assert found.hessian[i] == pytest.approx(np.sum(change * p * (1 - p)), abs=1e-6 * change.sum())


def test_scores_far_apart_neither_overflow_nor_vanish() -> None:
    scores, grades = np.array([0.0, -1000.0, -1001.0, 1000.0]), np.array([1.0, 0.0, 1.0, 0.0])
    for name in ("nDCG", "AP", "AUPRC", "AUC", "RR", "ERR", "MAUC"):
        found = lambdas(parse(name), scores, grades)
        assert np.all(np.isfinite(found.gradient)) and np.all(np.isfinite(found.hessian))
    table = changes(parse("AUC"), [3, 0, 1, 2], grades)
    pair = table[2, 1] / (1 + math.exp(-1.0))
    assert lambdas(parse("AUC"), scores, grades).gradient[1] == pytest.approx(pair)


def test_swaps_of_a_custom_measure_are_evaluated() -> None:
    class Half(Measure):
        def evaluate(self, scores, grades, offsets):
            return parse("AP").evaluate(scores, grades, offsets) / 2

    try:
        random = np.random.default_rng(0)
        scores, grades, offsets = random.normal(size=30), random.integers(0, 2, 30).astype(float), np.array([0, 12, 30])
        whole = lambdas(parse("AP"), scores, grades, offsets)
        with pytest.warns(UserWarning, match="Half has no lambdas"):
            own = lambda_function(Half().bind(grades, offsets))
        assert_same(own(scores), Lambdas(*(v / 2 for v in whole)))
    finally:
        del Measure.registry["half"]


def test_weighted_sums() -> None:
    both = parse("0.7*nDCG@10 + 0.3*AUC")
    assert both == MeasureSum(terms=((0.7, parse("nDCG@10")), (0.3, parse("AUC")))) and parse(both.name) == both
    random = np.random.default_rng(0)
    at = random.normal(size=30), random.integers(0, 3, 30).astype(float), np.array([0, 12, 30])
    first, second = parse("nDCG@10"), parse("AUC")
    np.testing.assert_allclose(both.evaluate(*at), 0.7 * first.evaluate(*at) + 0.3 * second.evaluate(*at))
    for k in range(2):
        wanted = 0.7 * lambdas(first, *at)[k] + 0.3 * lambdas(second, *at)[k]
        np.testing.assert_allclose(lambdas(both, *at)[k], wanted)
    for name in ("1000000.0*AP + RR", "0.1234567*AP + RR", "1e+20*AP + 1e-20*RR"):
        assert parse(parse(name).name) == parse(name)
    assert parse("0.1234567*AP + RR") != parse("0.12345674*AP + RR")
    with pytest.raises(MeasureError, match="a weighted sum cannot have another as its term"):
        MeasureSum(terms=((1.0, both),))
    for wrong, sentence in [
        ("x*AP", "'x' is not a number; write 0.7*nDCG@10 + 0.3*AUC"),
        ("0*AP + RR", "the weight of a measure must be a number above 0, not 0"),
        ("AP +", "is not the name of a measure"),
        ("MeasureSum", "there is no measure 'MeasureSum'"),
    ]:
        with pytest.raises(MeasureError) as error:
            parse(wrong)
        assert sentence in str(error.value)


def test_success_with_a_multiple_has_no_lambdas() -> None:
    with pytest.raises(MeasureError, match="Success@2p has no lambdas; lambdas are known for a k that is a number"):
        lambdas(parse("Success@2p"), np.zeros(2), np.array([0.0, 1.0]))


@pytest.mark.parametrize("name", ["nDCG@5", "P@5", "DCG(discount=jarvelin)@2", "AP", "AUC"])
def test_long_rankings_with_and_without_a_cutoff_against_every_swap_evaluated(name: str) -> None:
    """Pairs beyond a cut-off are left out."""
    random = np.random.default_rng(3)
    grades, offsets = random.integers(0, 4, 150).astype(float), np.array([0, 60, 61, 150])
    bound = parse(name).bind(grades, offsets)
    scores = random.permutation(150) / 10
    assert_same(bound.lambdas(scores), EvaluatedSwaps(bound).lambdas(scores), 1e-13)
