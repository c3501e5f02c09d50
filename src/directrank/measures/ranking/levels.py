"""The distinct grades of a query, and what is counted query by query."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Bools, Floats, Ints
from ...kernel_compiler import njit, prange
from .sorting import descending_order

#: Up to this many distinct values are told apart without sorting.
MAX_LINEAR_SEARCH = 16


class Levels(NamedTuple):
    """The grades of each query, numbered from the lowest.

    Attributes
    ----------
    level : int32 array, one for each document
        0 for the lowest grade of its query, 1 for the next, and so on.
    n_levels : int64 array, one for each query
        How many distinct grades it has.
    """

    level: NDArray[np.int32]
    n_levels: Ints


def levels_of(grades: Floats, offsets: Ints) -> Levels:
    """The number of each document's grade among the distinct grades of its query, from the lowest."""
    levels = Levels(np.empty(grades.size, np.int32), np.empty(offsets.size - 1, np.int64))
    _number_levels(grades, offsets, *levels)
    return levels


def count_by_query(flags: Bools, offsets: Ints) -> Ints:
    """How many documents of each query are flagged; 0 for an empty query."""
    counts = np.empty(offsets.size - 1, np.int64)
    _count_by_query(flags, offsets, counts)
    return counts


def longest_first(offsets: Ints) -> Ints:
    """The queries by descending length."""
    return np.argsort(-np.diff(offsets), kind="stable")


def values_differ(values: Floats, offsets: Ints) -> Bools:
    """Which queries have documents of distinct values; not an empty one."""
    differ = np.empty(offsets.size - 1, np.bool_)
    _values_differ(values, offsets, differ)
    return differ


@njit(cache=True, parallel=True)
def _number_levels(grades, offsets, level, n_levels):  # type: ignore[no-untyped-def]
    for q in prange(offsets.size - 1):
        lo, hi = offsets[q], offsets[q + 1]
        n_levels[q] = _number_query(grades[lo:hi], level[lo:hi])


@njit(cache=True)
def _number_query(grades, level):  # type: ignore[no-untyped-def]
    values, _ = distinct(grades)
    for i in range(grades.size):
        level[i] = level_of(values, grades[i])
    return values.size


@njit(cache=True, parallel=True)
def _count_by_query(flags, offsets, counts):  # type: ignore[no-untyped-def]
    for q in prange(offsets.size - 1):
        count = 0
        for i in range(offsets[q], offsets[q + 1]):
            count += flags[i]
        counts[q] = count


@njit(cache=True, parallel=True)
def _values_differ(values, offsets, differ):  # type: ignore[no-untyped-def]
    for q in prange(offsets.size - 1):
        differ[q] = False
        for i in range(offsets[q] + 1, offsets[q + 1]):
            if values[i] != values[offsets[q]]:
                differ[q] = True
                break


@njit(cache=True)
def distinct(values):  # type: ignore[no-untyped-def]
    """The distinct values, ascending, and how often each occurs. Usually they are few: then without sorting."""
    levels, counts, n = np.empty(MAX_LINEAR_SEARCH), np.zeros(MAX_LINEAR_SEARCH, np.int64), 0
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
    levels, counts, n = np.empty(values.size), np.zeros(values.size, np.int64), 0
    order = descending_order(values)
    for i in range(values.size - 1, -1, -1):
        value = values[order[i]]
        if n == 0 or levels[n - 1] != value:
            levels[n] = value
            n += 1
        counts[n - 1] += 1
    return levels[:n], counts[:n]


@njit(cache=True)
def level_of(levels, value):  # type: ignore[no-untyped-def]
    """Which of the distinct values this is, from 0."""
    lo, hi = 0, levels.size
    while hi - lo > MAX_LINEAR_SEARCH:
        middle = (lo + hi) // 2
        if levels[middle] <= value:
            lo = middle
        else:
            hi = middle
    while levels[lo] != value:
        lo += 1
    return lo
