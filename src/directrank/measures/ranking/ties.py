"""Ranking by score, and the tie groups in a ranking.

Documents of equal score form a tie group. Every measure takes the mean over all orders of each group, in closed form, so
the order of the rows never changes a value. A document of score -inf has no rank.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from numba import njit, prange

from ...arrays import Floats, Ints


def ranked(scores: Floats, grades: Floats, offsets: Ints) -> tuple[Floats, Floats]:
    """Scores and grades with each query's documents by descending score.

    Arrays that are so already come back as they are, so that ranking once serves many measures.
    """
    scores = np.ascontiguousarray(scores, dtype=np.float64)
    grades = np.ascontiguousarray(grades, dtype=np.float64)
    if _is_ranked(scores, offsets):
        return scores, grades
    ranked_scores, ranked_grades = np.empty_like(scores), np.empty_like(grades)
    _rank(scores, grades, offsets, ranked_scores, ranked_grades)
    return ranked_scores, ranked_grades


def order_by_query(scores: Floats, offsets: Ints) -> Ints:
    """The documents of each query by descending score, numbered within it.

    Long queries are left to NumPy, whose sort of one array is the faster one; many short ones go to all cores.
    """
    if offsets[-1] < 10_000 * (offsets.size - 1):
        return _order_by_query(scores, offsets)
    return np.concatenate([_order_of_long(scores[lo:hi]) for lo, hi in pairwise(offsets)])


def _order_of_long(scores: Floats) -> Ints:
    """Two halves, each sorted in a thread of its own, and merged."""
    middle = scores.size // 2
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(np.argsort, (-scores[:middle], -scores[middle:]))
    order = np.concatenate((first, second + middle))
    keys, merged = scores[order], np.empty_like(order)
    _merge(keys, order, np.empty_like(keys), merged, 0, middle, scores.size)
    return merged


@njit(cache=True, parallel=True)
def _order_by_query(scores, offsets):  # type: ignore[no-untyped-def]
    order = np.empty(scores.size, np.int64)
    for q in prange(offsets.size - 1):
        order[offsets[q] : offsets[q + 1]] = descending_order(scores[offsets[q] : offsets[q + 1]])
    return order


@njit(cache=True)
def descending_order(scores):  # type: ignore[no-untyped-def]
    """The documents of one query by descending score, stably."""
    order, scratch = np.empty(scores.size, np.int64), np.empty(scores.size)
    sort_descending(scores, np.arange(scores.size), scratch, order)
    return order


@njit(cache=True)
def distinct(values):  # type: ignore[no-untyped-def]
    """The different values, rising, and how often each occurs. As a rule they are few: then without sorting."""
    levels, counts, n = np.empty(16), np.zeros(16, np.int64), 0
    for value in values:
        i = 0
        while i < n and levels[i] < value:
            i += 1
        if i == n or levels[i] != value:
            if n == levels.size:
                return _distinct_by_sorting(values)
            for j in range(n, i, -1):
                levels[j], counts[j] = levels[j - 1], counts[j - 1]
            levels[i], counts[i] = value, 0
            n += 1
        counts[i] += 1
    return levels[:n], counts[:n]


@njit(cache=True)
def _distinct_by_sorting(values):  # type: ignore[no-untyped-def]
    levels = np.unique(values)
    counts = np.zeros(levels.size, np.int64)
    for value in values:
        counts[np.searchsorted(levels, value)] += 1
    return levels, counts


@njit(cache=True)
def level_of(levels, value):  # type: ignore[no-untyped-def]
    """Which of the different values this is."""
    if levels.size > 16:
        return np.searchsorted(levels, value)
    i = 0
    while levels[i] != value:
        i += 1
    return i


@njit(cache=True)
def worst_order(scores, grades):  # type: ignore[no-untyped-def]
    """The documents of one query by descending score, those of equal score by ascending grade."""
    by_grade = descending_order(-grades)
    return by_grade[descending_order(scores[by_grade])]


@njit(cache=True)
def share_among_equals(scores, grades, order, values):  # type: ignore[no-untyped-def]
    """Give documents of equal score and equal grade, which are neighbours in the order, the mean of their values."""
    start = 0
    while start < order.size:
        end, first, total = start, order[start], 0.0
        while end < order.size and scores[order[end]] == scores[first] and grades[order[end]] == grades[first]:
            total += values[order[end]]
            end += 1
        for k in range(start, end):
            values[order[k]] = total / (end - start)
        start = end


@njit(cache=True)
def group_end(scores, start):  # type: ignore[no-untyped-def]
    """One past the last document whose score equals that of document `start`."""
    end = start + 1
    while end < scores.size and scores[end] == scores[start]:
        end += 1
    return end


@njit(cache=True)
def count_relevant(grades, start, end, threshold):  # type: ignore[no-untyped-def]
    relevant = 0
    for i in range(start, end):
        relevant += grades[i] >= threshold
    return relevant


@njit(cache=True)
def ranked_end(scores):  # type: ignore[no-untyped-def]
    """How many documents of a ranked query have a rank, that is, a score above -inf."""
    end = scores.size
    while end > 0 and scores[end - 1] == -np.inf:
        end -= 1
    return end


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
def _rank(scores, grades, offsets, ranked_scores, ranked_grades):  # type: ignore[no-untyped-def]
    for q in prange(offsets.size - 1):
        lo, hi = offsets[q], offsets[q + 1]
        sort_descending(scores[lo:hi], grades[lo:hi], ranked_scores[lo:hi], ranked_grades[lo:hi])


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
        sorted_keys[:] = keys_from
        sorted_values[:] = values_from


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
    keys_to[to : to + hi - right] = keys[right:hi]
    values_to[to : to + hi - right] = values[right:hi]
