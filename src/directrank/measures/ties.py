"""Ranking by score, and the tie groups in a ranking.

Documents of equal score form a tie group. Every measure takes the mean over all orders of each group, in closed form, so
the order of the rows never changes a value. A document of score -inf has no rank.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from .base import Floats, Ints


def ranked(scores: Floats, grades: Floats, offsets: Ints) -> tuple[Floats, Floats]:
    """Scores and grades with each query's documents by falling score.

    Arrays that are so already come back as they are, so that ranking once serves many measures.
    """
    scores = np.ascontiguousarray(scores, dtype=np.float64)
    grades = np.ascontiguousarray(grades, dtype=np.float64)
    if _is_ranked(scores, offsets):
        return scores, grades
    scores, grades = scores.copy(), grades.copy()
    _rank(scores, grades, offsets)
    return scores, grades


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
def _rank(scores, grades, offsets):  # type: ignore[no-untyped-def]
    for q in prange(offsets.size - 1):
        sort_falling(scores[offsets[q] : offsets[q + 1]], grades[offsets[q] : offsets[q + 1]])


@njit(cache=True)
def sort_falling(keys, values):  # type: ignore[no-untyped-def]
    """Sort both arrays in place by falling key, stably: insertion sort in blocks, then merging."""
    n, block = keys.size, 24
    for lo in range(0, n, block):
        _insertion_sort(keys, values, lo, min(lo + block, n))
    if n <= block:
        return
    keys_from, values_from, keys_to, values_to = keys, values, np.empty_like(keys), np.empty_like(values)
    in_place = True
    while block < n:
        for lo in range(0, n, 2 * block):
            _merge(keys_from, values_from, keys_to, values_to, lo, min(lo + block, n), min(lo + 2 * block, n))
        keys_from, values_from, keys_to, values_to = keys_to, values_to, keys_from, values_from
        in_place = not in_place
        block *= 2
    if not in_place:
        keys[:] = keys_from
        values[:] = values_from


@njit(cache=True)
def _insertion_sort(keys, values, lo, hi):  # type: ignore[no-untyped-def]
    for i in range(lo + 1, hi):
        key, value, j = keys[i], values[i], i
        while j > lo and keys[j - 1] < key:
            keys[j], values[j] = keys[j - 1], values[j - 1]
            j -= 1
        keys[j], values[j] = key, value


@njit(cache=True)
def _merge(keys, values, keys_to, values_to, lo, middle, hi):  # type: ignore[no-untyped-def]
    left, right = lo, middle
    for i in range(lo, hi):
        if left < middle and (right >= hi or keys[left] >= keys[right]):
            keys_to[i], values_to[i] = keys[left], values[left]
            left += 1
        else:
            keys_to[i], values_to[i] = keys[right], values[right]
            right += 1
