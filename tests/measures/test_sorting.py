"""Radix sort, against NumPy's stable sort."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from directrank.measures.ranking.sorting import order_by_query, ranked

#: Queries of more documents are sorted by digits.
BLOCK = 256

N = 3 * BLOCK
NOISE = np.random.default_rng(0).standard_normal(N)

#: Scores that are hard for a sort by digits.
HARD = {
    "normal": NOISE,
    "all equal": np.zeros(N),
    "few distinct": np.round(NOISE),
    "0 and -0": np.where(NOISE > 0, 0.0, -0.0),
    "of all sizes": NOISE * 10.0 ** np.random.default_rng(1).integers(-300, 300, N),
    "equal but for the last bits": 1 + 2.0**-52 * np.round(3 * NOISE),
    "one far from all others": np.append(NOISE[1:], 1e12),
    "some not ranked": np.where(NOISE > 1, -np.inf, NOISE),
    "none ranked": np.full(N, -np.inf),
    "both infinities": np.where(NOISE > 1, np.inf, np.where(NOISE < -1, -np.inf, NOISE)),
    "the largest numbers": NOISE / np.abs(NOISE).max() * np.finfo(float).max,
    "the smallest numbers": np.round(NOISE * 100) * 5e-324,
    "ascending": np.sort(NOISE),
    "descending": -np.sort(NOISE),
}


def descending_order(scores: np.ndarray) -> np.ndarray:
    return order_by_query(scores, np.array([0, scores.size]))


@pytest.mark.parametrize("kind", HARD)
@pytest.mark.parametrize("n", [0, 1, BLOCK, BLOCK + 1, N])
def test_the_order_is_that_of_a_stable_sort(kind: str, n: int) -> None:
    scores = HARD[kind][:n]
    assert np.array_equal(descending_order(scores), np.argsort(-scores, kind="stable"))


def test_more_documents_than_22_bits_tell_apart() -> None:
    scores = np.random.default_rng(2).random(2**20 + 5)
    assert np.array_equal(descending_order(scores), np.argsort(-scores, kind="stable"))


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=8), st.integers(0, 2**32 - 1))
def test_any_doubles_repeated_in_any_order(few: list[float], seed: int) -> None:
    scores = np.random.default_rng(seed).choice(few, size=BLOCK + 50)
    assert np.array_equal(descending_order(scores), np.argsort(-scores, kind="stable"))


def test_each_query_is_sorted_for_itself_with_its_values() -> None:
    offsets = np.array([0, 0, 5, 5 + BLOCK, N])
    order = order_by_query(NOISE, offsets)
    ranked_scores, values = ranked(NOISE, np.arange(N), offsets)
    for lo, hi in zip(offsets[:-1], offsets[1:], strict=True):
        expected = np.argsort(-NOISE[lo:hi], kind="stable")
        assert np.array_equal(order[lo:hi], expected)
        assert np.array_equal(values[lo:hi], lo + expected)
        assert np.array_equal(ranked_scores[lo:hi], NOISE[lo:hi][expected])
