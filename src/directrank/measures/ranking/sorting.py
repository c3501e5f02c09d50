"""Ranking by score: the documents of each query by descending score.

The sort is stable, so documents of equal score keep the order of the rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...core import sorting as kernels
from ...kernel_compiler import njit
from ...radix_sort import stable_descending_order

#: Queries of up to so many documents are sorted by comparing each two.
BLOCK = 256


def ranked(scores: Floats, values: NDArray[Any], offsets: Ints) -> tuple[Floats, NDArray[Any]]:
    """Scores, and a value of each document such as its grade, with each query's documents by descending score.

    Arrays that are ranked already come back as they are, so that ranking once serves many measures.
    """
    scores = np.ascontiguousarray(scores, dtype=np.float64)
    if kernels.is_ranked(scores, offsets):
        return scores, values
    return kernels.rank(scores, np.ascontiguousarray(values), offsets)


def order_by_query(scores: Floats, offsets: Ints) -> Ints:
    """The documents of each query by descending score, numbered within it."""
    return kernels.order(np.ascontiguousarray(scores, dtype=np.float64), offsets)


@njit(cache=True)
def descending_order(scores):  # type: ignore[no-untyped-def]
    """The documents of one query by descending score, stably."""
    if scores.size > BLOCK:
        return stable_descending_order(scores)
    order, scratch = np.empty(scores.size, np.int64), np.empty(scores.size)
    _sort_block(scores, np.arange(scores.size), scratch, order)
    return order


@njit(cache=True)
def worst_order(scores, grades):  # type: ignore[no-untyped-def]
    """The documents of one query by descending score, those of equal score by ascending grade."""
    by_grade = descending_order(-grades)
    return by_grade[descending_order(scores[by_grade])]


@njit(cache=True)
def sort_descending(keys, values, sorted_keys, sorted_values):  # type: ignore[no-untyped-def]
    """Sort keys and the values that go with them by descending key, stably."""
    if keys.size <= BLOCK:
        _sort_block(keys, values, sorted_keys, sorted_values)
        return
    order = stable_descending_order(keys)
    for i in range(keys.size):
        sorted_keys[i], sorted_values[i] = keys[order[i]], values[order[i]]


@njit(cache=True)
def _sort_block(keys, values, sorted_keys, sorted_values):  # type: ignore[no-untyped-def]
    """Put each key where as many stand above it as beat it: n^2 comparisons, but no branches, and they vectorise.

    They are made in single precision, of which a vector holds twice as many; a last pass puts right what that confused.
    """
    n = keys.size
    place, taken = _beaten_by(keys), np.zeros(n, np.int32)
    for j in range(n):
        at = place[j] + taken[place[j]]
        taken[place[j]] += np.int32(1)
        sorted_keys[at], sorted_values[at] = keys[j], values[j]
    for i in range(1, n):
        key, value, at = sorted_keys[i], sorted_values[i], i
        while at > 0 and sorted_keys[at - 1] < key:
            sorted_keys[at], sorted_values[at] = sorted_keys[at - 1], sorted_values[at - 1]
            at -= 1
        sorted_keys[at], sorted_values[at] = key, value


@njit(cache=True)
def _beaten_by(keys):  # type: ignore[no-untyped-def]
    """How many keys are larger than each, in single precision; four are compared with all others at a time."""
    rough, beaten = np.full(-(-keys.size // 4) * 4, np.float32(-np.inf)), np.zeros(keys.size, np.int32)
    for i in range(keys.size):
        rough[i] = keys[i]
    for j in range(0, rough.size, 4):
        a, b, c, d = rough[j], rough[j + 1], rough[j + 2], rough[j + 3]
        for i in range(keys.size):
            key = rough[i]
            beaten[i] += np.int32(key < a) + np.int32(key < b) + np.int32(key < c) + np.int32(key < d)
    return beaten
