"""Smoothed measures: their definitions, gradients by finite differences, and their limit, the measure itself."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import plain
import pytest
from hypothesis import given, strategies as st

import directrank
from directrank import MeasureError
from directrank.measures import Bound, parse, require
from directrank.measures.smoothing.soft_ranking import REACH

#: Gain times discount, which is exact also where scores are equal, as AUC is.
LINEAR = [
    "nDCG",
    "nDCG@3",
    "DCG@2",
    "DCG(gain=linear, discount=jarvelin)",
    "P@3",
    "R@2",
    "P@2p",
    "Rprec",
    "microP@2",
    "RBP",
    "RBP(p=0.5)@3",
    "RBP(gain=linear)@3",
    "DCG(gain=linear, discount=none)@2",
    "ARP",
    "MAUC",
]
OTHERS = ["AP", "AP(rel=2)@3", "AUPRC", "RR", "RR@2", "ERR", "ERR@3", "Success@1", "Success@3", "Success@2p"]
PAIRS = ["AUC", "AUC(rel=2)", "AUC(grade=1)", "PairAccuracy(high=2, low=0)"]
ALL = [*LINEAR, *OTHERS, *PAIRS, "0.7*nDCG@3 + 0.3*AUC"]

documents = st.lists(st.tuples(st.integers(-30, 30), st.sampled_from([0.0, 0.0, 1.0, 2.0, 3.0])), max_size=7)
apart = st.lists(
    st.tuples(st.integers(-30, 30), st.sampled_from([0.0, 0.0, 1.0, 2.0, 3.0])), max_size=7, unique_by=lambda pair: pair[0]
)
widths = st.sampled_from([0.05, 0.3, 1.0, 10.0])


def bound_to(name: str, query: list[tuple[int, float]]) -> tuple[Bound, np.ndarray]:
    scores, grades = np.array([s / 10 for s, _ in query]), np.array([g for _, g in query])
    return parse(name).bind(grades, np.array([0, len(query)])), scores


def relevance(grades: list[float]) -> list[float]:
    return [float(grade > 0) for grade in grades]


def discounted(expected: list[float], k: int = 999) -> float:
    return sum(p / math.log2(r + 1) for r, p in enumerate(expected[:k], 1))


def ndcg(scores: list[float], grades: list[float], sigma: float, k: int) -> float:
    gains = [2**grade - 1 for grade in grades]
    ideal = discounted(sorted(gains, reverse=True), k)
    return discounted(plain.softened(scores, gains, sigma), k) / ideal if ideal else 0.0


DEFINITIONS: dict[str, Callable[[list[float], list[float], float], float]] = {
    "nDCG": lambda s, g, sigma: ndcg(s, g, sigma, 999),
    "nDCG@3": lambda s, g, sigma: ndcg(s, g, sigma, 3),
    "P@3": lambda s, g, sigma: sum(plain.softened(s, relevance(g), sigma)[:3]) / 3,
    "Rprec": lambda s, g, sigma: (
        sum(plain.softened(s, relevance(g), sigma)[: int(sum(relevance(g)))]) / max(sum(relevance(g)), 1)
    ),
    "AP": lambda s, g, sigma: plain.soft_ap(plain.softened(s, relevance(g), sigma), int(sum(relevance(g)))),
    "AP@3": lambda s, g, sigma: plain.soft_ap(plain.softened(s, relevance(g), sigma)[:3], int(sum(relevance(g)))),
    "AUPRC": lambda s, g, sigma: plain.soft_auprc(plain.softened(s, relevance(g), sigma), int(sum(relevance(g)))),
    "RR": lambda s, g, sigma: plain.soft_cascade(plain.softened(s, relevance(g), sigma), lambda r: 1 / r),
    "Success@2": lambda s, g, sigma: plain.soft_cascade(plain.softened(s, relevance(g), sigma)[:2], lambda r: 1),
    "ERR": lambda s, g, sigma: plain.soft_cascade(
        plain.softened(s, [(2**grade - 1) / 16 for grade in g], sigma), lambda r: 1 / r
    ),
    "AUC": plain.soft_auc,
}


@pytest.mark.parametrize("name", DEFINITIONS)
@given(query=documents, sigma=widths, n_unranked=st.integers(0, 2))
def test_values_follow_the_definition(name: str, query: list, sigma: float, n_unranked: int) -> None:
    bound, scores = bound_to(name, query)
    scores[:n_unranked] = -np.inf
    wanted = DEFINITIONS[name](scores.tolist(), bound.grades.tolist(), sigma) if query else 0.0
    found = bound.smooth(scores, sigma)
    np.testing.assert_allclose(found.values, [wanted], atol=1e-6)
    if name != "AUC":
        assert not found.gradient[:n_unranked].any()


@pytest.mark.parametrize("name", ALL)
@given(query=apart, sigma=st.sampled_from([0.137, 0.311, 1.017, 5.07]))
def test_gradients_equal_finite_differences(name: str, query: list, sigma: float) -> None:
    bound, scores = bound_to(name, query)
    step = 1e-5 * sigma
    for i, found in enumerate(bound.smooth(scores, sigma).gradient):
        steps = step * (np.arange(len(query)) == i)
        rise = bound.smooth(scores + steps, sigma).values - bound.smooth(scores - steps, sigma).values
        assert found * sigma == pytest.approx(rise.sum() / 2e-5, abs=2e-6)


@pytest.mark.parametrize("name", ALL)
@given(query=apart)
def test_the_limit_is_the_measure(name: str, query: list) -> None:
    bound, scores = bound_to(name, query)
    np.testing.assert_allclose(bound.smooth(scores, 1e-3).values, bound.evaluate(scores), atol=1e-12)


@pytest.mark.parametrize("name", [*LINEAR, *PAIRS])
@given(query=documents, n_unranked=st.integers(0, 2))
def test_the_limit_is_the_mean_over_the_orders_of_ties(name: str, query: list, n_unranked: int) -> None:
    bound, scores = bound_to(name, query)
    scores[:n_unranked] = -np.inf
    np.testing.assert_allclose(bound.smooth(scores, 1e-3).values, bound.evaluate(scores), atol=1e-12)


@pytest.mark.parametrize("name", ALL)
@given(query=documents, sigma=widths)
def test_scores_and_sigma_times_the_same_change_no_value(name: str, query: list, sigma: float) -> None:
    bound, scores = bound_to(name, query)
    found, scaled = bound.smooth(scores, sigma), bound.smooth(scores * 2.0**60, sigma * 2.0**60)
    np.testing.assert_array_equal(scaled.values, found.values)
    np.testing.assert_array_equal(scaled.gradient * 2.0**60, found.gradient)


@pytest.mark.parametrize("name", ALL)
def test_a_common_shift_changes_nothing(name: str) -> None:
    """So the gradients of a query add up to 0."""
    random = np.random.default_rng(0)
    bound = parse(name).bind(random.integers(0, 4, 40).astype(float), np.array([0, 40]))
    assert bound.smooth(random.normal(size=40), 0.3).gradient.sum() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("name", ["nDCG", "AP", "RR", "AUC"])
def test_documents_out_of_reach_contribute_less_than_the_bound(name: str) -> None:
    """Against the sums over all documents."""
    random, n, sigma = np.random.default_rng(1), 150, 0.25
    scores, grades = random.normal(size=n).tolist(), random.integers(0, 3, n).astype(float).tolist()
    assert max(scores) - min(scores) > 2 * REACH * sigma
    wanted = DEFINITIONS[name](scores, grades, sigma)
    found = parse(name).bind(np.array(grades), np.array([0, n])).smooth(np.array(scores), sigma).values[0]
    assert 0 < abs(found - wanted) < n * math.exp(-(REACH**2) / 2)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("scale", [1e300, 1e-300])
def test_huge_and_tiny_scores(name: str, scale: float) -> None:
    scores, grades = np.array([1.5, -1.0, 0.5, -1.5, 0.0, -np.inf, np.inf]), np.array([1.0, 0.0, 2.0, 0.0, 3.0, 1.0, 0.0])
    bound = parse(name).bind(grades, np.array([0, 7]))
    for sigma in (1e-3, 1.0, 1e3):
        found = bound.smooth(scores * scale, sigma * scale)
        assert np.isfinite(found.values).all() and np.isfinite(found.gradient * scale).all()
    for sigma in (1e-290, 1.0):  # scores that are far apart, or all but equal
        assert np.isfinite(bound.smooth(scores * scale, sigma).gradient).all()


@pytest.mark.parametrize("name", ALL)
def test_one_thread_gives_the_same_bits(name: str) -> None:
    random = np.random.default_rng(2)
    offsets = np.concatenate(([0], np.cumsum(random.integers(0, 40, 50))))
    bound = parse(name).bind(random.integers(0, 4, offsets[-1]).astype(float), offsets)
    scores, before = random.normal(size=offsets[-1]), directrank.get_num_threads()
    many = bound.smooth(scores, 0.2)
    directrank.set_num_threads(1)
    try:
        one = bound.smooth(scores, 0.2)
    finally:
        directrank.set_num_threads(before)
    np.testing.assert_array_equal(one.values, many.values)
    np.testing.assert_array_equal(one.gradient, many.gradient)


def test_invalid_arguments() -> None:
    bound = parse("AP").bind(np.array([1.0, 0.0]), np.array([0, 2]))
    for sigma in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(MeasureError, match="sigma must be a number above 0, not"):
            bound.smooth(np.zeros(2), sigma)
    with pytest.raises(MeasureError, match="there are 2 documents, and the scores are of the shape"):
        bound.smooth(np.zeros(3), 1.0)
    with pytest.raises(
        MeasureError, match=r"SmoothRank needs smooth, which F1 does not have; measures that do: AP, ARP, AUC, AUPRC, DCG"
    ):
        require("F1", "smooth", "SmoothRank")
    mixed = parse("0.5*AP + 0.5*F1").bind(bound.grades, bound.offsets)
    with pytest.raises(MeasureError, match=r"0.5\*AP \+ 0.5\*F1 has no smooth; its term F1 has none"):
        mixed.smooth(np.zeros(2), 1.0)


def test_sigma_by_keyword_and_invalid_sigma() -> None:
    bound = parse("AP").bind(np.array([1.0, 0.0, 1.0]), np.array([0, 3]))
    scores = np.array([0.1, 0.3, 0.2])
    np.testing.assert_array_equal(bound.smooth(scores, sigma=0.1).gradient, bound.smooth(scores, 0.1).gradient)
    for sigma in ("a", 0, -1.0, np.inf, None):
        with pytest.raises(MeasureError, match="sigma must be a number above 0, not"):
            bound.smooth(scores, sigma=sigma)


def test_a_weighted_sum_is_smoothed_if_its_terms_are() -> None:
    assert require("0.5*AP + 0.5*RR", "smooth", "x") == parse("0.5*AP + 0.5*RR")
    with pytest.raises(MeasureError, match=r"x needs smooth, which 0.5\*AP \+ 0.5\*F1 does not have; its term F1 has none"):
        require("0.5*AP + 0.5*F1", "smooth", "x")
