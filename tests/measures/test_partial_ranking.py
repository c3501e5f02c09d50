"""Partial rankings, against sorting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from directrank.measures import parse
from directrank.measures.ranking.sorting import ranked

#: Scores of many documents: far apart, with ties, with documents that have no rank, and equal in single precision only.
KINDS = ("distinct", "tied", "unranked", "close", "ranked")


def scores_of(kind: str, n: int, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    scores = random.integers(0, n // 4 + 1, n).astype(float) if kind == "tied" else random.permutation(n).astype(float)
    if kind == "unranked":
        scores[random.random(n) < 0.5] = -np.inf
    return np.sort(scores)[::-1].copy() if kind == "ranked" else 1 + scores * 1e-12 if kind == "close" else scores


cases = (st.sampled_from(KINDS), st.integers(1, 300), st.integers(0, 2**16))


@given(*cases, st.integers(1, 40), st.floats(0.0, 0.6))
def test_values_equal_those_of_the_sorted_query(kind: str, n: int, seed: int, k: int, share: float) -> None:
    """The top k, and the ranks of few relevant documents, without sorting the rest."""
    scores, offsets = scores_of(kind, n, seed), np.array([0, n])
    grades = np.where(np.random.default_rng(seed + 1).random(n) < share, 1.0, 0.0)
    order = np.argsort(-scores, kind="stable")
    for name in (f"nDCG@{k}", "AP", f"AP@{k}"):
        found, wanted = (parse(name).evaluate(scores[o], grades[o], offsets) for o in (np.arange(n), order))
        assert found == wanted


@pytest.mark.parametrize("name", ["AP", "AP@7", "nDCG@10", "nDCG", "DCG@3"])
@pytest.mark.parametrize("kind", KINDS)
def test_values_are_the_same_bit_for_bit_as_of_the_sorted_ranking(name: str, kind: str) -> None:
    sizes = np.array([1, 3, 40, 120, 300, 0, 900])
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    scores = np.concatenate([scores_of(kind, int(n), i) for i, n in enumerate(sizes)])
    grades = np.random.default_rng(5).choice([0.0, 1.0, 2.0], scores.size, p=[0.8, 0.15, 0.05])
    ranked_scores, ranked_grades = ranked(scores, grades, offsets)
    found, sorted_first = parse(name).bind(grades, offsets), parse(name).bind(ranked_grades, offsets)
    np.testing.assert_array_equal(found.evaluate(scores), sorted_first.evaluate(ranked_scores))
