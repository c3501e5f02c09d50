"""Ranking by score: the documents of each query by descending score.

The sort is stable, so documents of equal score keep the order of the rows.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...kernel_compiler import njit, prange

#: Queries of at least this many documents are sorted by NumPy, whose sort of one array is the faster one.
MIN_LONG_SORT = 10_000


def ranked(scores: Floats, values: NDArray[Any], offsets: Ints) -> tuple[Floats, NDArray[Any]]:
    """Scores, and a value of each document such as its grade, with each query's documents by descending score.

    Arrays that are ranked already come back as they are, so that ranking once serves many measures.
    """
    scores = np.ascontiguousarray(scores, dtype=np.float64)
    if _is_ranked(scores, offsets):
        return scores, values
    ranked_scores, ranked_values = np.empty_like(scores), np.empty_like(values)
    _rank(scores, values, offsets, ranked_scores, ranked_values)
    return ranked_scores, ranked_values


def order_by_query(scores: Floats, offsets: Ints) -> Ints:
    """The documents of each query by descending score, numbered within it.

    Short queries are spread over the cores; each long one is sorted by all of them, and not stably.
    """
    order = np.empty(scores.size, np.int64)
    _order_short(scores, offsets, MIN_LONG_SORT, order)
    for q in np.flatnonzero(np.diff(offsets) >= MIN_LONG_SORT):
        order[offsets[q] : offsets[q + 1]] = _order_of_long(scores[offsets[q] : offsets[q + 1]])
    return order


def _order_of_long(scores: Floats) -> Ints:
    """Two halves, each sorted in its own thread, and merged."""
    middle = scores.size // 2
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(np.argsort, (-scores[:middle], -scores[middle:]))
    order = np.concatenate((first, second + middle))
    keys, merged = scores[order], np.empty_like(order)
    _merge(keys, order, np.empty_like(keys), merged, 0, middle, scores.size)
    return merged


@njit(cache=True, parallel=True)
def _order_short(scores, offsets, min_long, order):  # type: ignore[no-untyped-def]
    for q in prange(offsets.size - 1):
        if offsets[q + 1] - offsets[q] < min_long:
            order[offsets[q] : offsets[q + 1]] = descending_order(scores[offsets[q] : offsets[q + 1]])


@njit(cache=True)
def descending_order(scores):  # type: ignore[no-untyped-def]
    """The documents of one query by descending score, stably."""
    order, scratch = np.empty(scores.size, np.int64), np.empty(scores.size)
    sort_descending(scores, np.arange(scores.size), scratch, order)
    return order


@njit(cache=True)
def worst_order(scores, grades):  # type: ignore[no-untyped-def]
    """The documents of one query by descending score, those of equal score by ascending grade."""
    by_grade = descending_order(-grades)
    return by_grade[descending_order(scores[by_grade])]


@njit(cache=True, parallel=True)
def _is_ranked(scores, offsets):  # type: ignore[no-untyped-def]
    unordered = 0
    for q in prange(offsets.size - 1):
        for i in range(offsets[q] + 1, offsets[q + 1]):
            if scores[i] > scores[i - 1]:
                unordered += 1
                break
    return unordered == 0


@njit(cache=True, parallel=True)
def _rank(scores, values, offsets, ranked_scores, ranked_values):  # type: ignore[no-untyped-def]
    for q in prange(offsets.size - 1):
        lo, hi = offsets[q], offsets[q + 1]
        sort_descending(scores[lo:hi], values[lo:hi], ranked_scores[lo:hi], ranked_values[lo:hi])


@njit(cache=True)
def sort_descending(keys, values, sorted_keys, sorted_values):  # type: ignore[no-untyped-def]
    """Sort keys and the values that go with them by descending key, stably: blocks by counting, then merging."""
    n, block = keys.size, 256
    for lo in range(0, n, block):
        hi = min(lo + block, n)
        _sort_block(keys[lo:hi], values[lo:hi], sorted_keys[lo:hi], sorted_values[lo:hi])
    if n <= block:
        return
    keys_from, values_from, keys_to, values_to = sorted_keys, sorted_values, np.empty_like(keys), np.empty_like(values)
    swapped = False
    while block < n:
        for lo in range(0, n, 2 * block):
            _merge(keys_from, values_from, keys_to, values_to, lo, min(lo + block, n), min(lo + 2 * block, n))
        keys_from, values_from, keys_to, values_to = keys_to, values_to, keys_from, values_from
        swapped = not swapped
        block *= 2
    if swapped:
        for i in range(n):
            sorted_keys[i], sorted_values[i] = keys_from[i], values_from[i]


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


@njit(cache=True)
def _merge(keys, values, keys_to, values_to, lo, middle, hi):  # type: ignore[no-untyped-def]
    left, right, to = lo, middle, lo
    while left < middle and right < hi:
        from_left = keys[left] >= keys[right]
        taken = left if from_left else right
        keys_to[to], values_to[to] = keys[taken], values[taken]
        left += from_left
        right += not from_left
        to += 1
    if left < middle:
        right, hi = left, middle
    for i in range(hi - right):  # not as slices: their checks take ten times as long to compile
        keys_to[to + i], values_to[to + i] = keys[right + i], values[right + i]
