"""The distinct grades of a query, and what is counted query by query."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Bools, Floats, Ints
from ...core import levels as kernels
from ...kernel_compiler import njit
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
    return Levels(*kernels.number(grades, offsets))


def count_by_query(flags: Bools, offsets: Ints) -> Ints:
    """How many documents of each query are flagged; 0 for an empty query."""
    return kernels.count(flags, offsets)


def longest_first(offsets: Ints) -> Ints:
    """The queries by descending length."""
    return np.argsort(-np.diff(offsets), kind="stable")


def values_differ(values: Floats, offsets: Ints) -> Bools:
    """Which queries have documents of distinct values; not an empty one."""
    return kernels.values_differ(values, offsets)


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
