"""What is known of a ranking without sorting all of it, against sorting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from directrank.measures import parse
from directrank.measures.ranking.partial import ranked_query, ranked_top, ranks_of_few

#: Scores of many documents: far apart, with ties, with documents that have no rank, and equal in single precision only.
KINDS = ("distinct", "tied", "unranked", "close", "ranked")


def scores_of(kind: str, n: int, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    scores = random.integers(0, n // 4 + 1, n).astype(float) if kind == "tied" else random.permutation(n).astype(float)
    if kind == "unranked":
        scores[random.random(n) < 0.5] = -np.inf
    return np.sort(scores)[::-1].copy() if kind == "ranked" else 1 + scores * 1e-12 if kind == "close" else scores


cases = (st.sampled_from(KINDS), st.integers(1, 300), st.integers(0, 2**16))


@given(*cases, st.integers(1, 40))
def test_the_top_is_that_of_the_ranking_with_all_that_is_tied(kind: str, n: int, seed: int, depth: int) -> None:
    scores = scores_of(kind, n, seed)
    values = np.random.default_rng(seed).random(n)
    order = np.argsort(-scores, kind="stable")
    top_scores, top_values = ranked_top(scores, values, depth)
    least = n if depth > n else np.count_nonzero(scores >= scores[order[depth - 1]])
    assert least <= top_scores.size <= n
    np.testing.assert_array_equal(top_scores[:least], scores[order[:least]])
    np.testing.assert_array_equal(top_values[:least], values[order[:least]])


def test_the_top_is_much_smaller_than_the_ranking() -> None:
    scores = scores_of("distinct", 200, 0)
    assert ranked_top(scores, scores, 10)[0].size < 30


@given(*cases, st.floats(0.0, 0.6))
def test_ranks_of_few_are_counted_or_there_are_ties(kind: str, n: int, seed: int, share: float) -> None:
    scores = scores_of(kind, n, seed)
    few = np.random.default_rng(seed + 1).random(n) < share
    ranks = ranks_of_few(scores, few, int(few.sum()))
    if ranks.size:
        np.testing.assert_array_equal(ranks, np.flatnonzero(few[np.argsort(-scores, kind="stable")]) + 1)
    else:
        alone = kind in ("distinct", "ranked") or not np.any(few)
        assert not few.any() or not alone


@pytest.mark.parametrize("name", ["AP", "AP@7", "nDCG@10", "nDCG", "DCG@3"])
@pytest.mark.parametrize("kind", KINDS)
def test_values_are_the_same_bit_for_bit_as_of_the_sorted_ranking(name: str, kind: str) -> None:
    sizes = np.array([1, 3, 40, 120, 300, 0, 900])
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    scores = np.concatenate([scores_of(kind, int(n), i) for i, n in enumerate(sizes)])
    grades = np.random.default_rng(5).choice([0.0, 1.0, 2.0], scores.size, p=[0.8, 0.15, 0.05])
    parts = [ranked_query(scores[lo:hi], grades[lo:hi]) for lo, hi in zip(offsets[:-1], offsets[1:], strict=True)]
    ranked_scores, ranked_grades = (np.concatenate(part) for part in zip(*parts, strict=True))
    found, sorted_first = parse(name).bind(grades, offsets), parse(name).bind(ranked_grades, offsets)
    np.testing.assert_array_equal(found.evaluate(scores), sorted_first.evaluate(ranked_scores))
