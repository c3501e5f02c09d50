"""A ranking halved recursively, the documents of every part sorted by grade; see `halved_ranking`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...kernel_compiler import njit


class Ranking(NamedTuple):
    """A query by rank.

    Attributes
    ----------
    scores : float64 array
        Descending.
    level : int32 array
        The number of each document's grade, 0 for the lowest.
    group_starts : int64 array
        Where each tie group starts, and n.
    orders : int32 array of shape (depth + 1, n)
        The ranks of each part, by level, at each depth of the recursion. Part q at depth d has the tie groups
        whose number, shifted right by (depth - d) bits, is q.
    """

    scores: Floats
    level: NDArray[np.int32]
    group_starts: Ints
    orders: NDArray[np.int32]


def ranking_of(scores: Floats, level: NDArray[np.int32]) -> Ranking:
    starts = np.flatnonzero(np.diff(scores, prepend=np.inf))
    orders = np.empty((int(starts.size - 1).bit_length() + 1, scores.size), np.int32)
    orders[0] = np.argsort(level, kind="stable")
    return Ranking(np.ascontiguousarray(scores), np.ascontiguousarray(level), np.append(starts, scores.size), orders)


@njit(cache=True)
def bounds(ranking, depth, part):  # type: ignore[no-untyped-def]
    """The ranks where a part starts, where its lower half does, and where it ends."""
    starts, shift = ranking.group_starts, ranking.orders.shape[0] - 1 - depth
    last, first = starts.size - 1, np.int64(part) << shift
    half, end = first + (1 << (shift - 1)), first + (1 << shift)
    return starts[min(first, last)], starts[min(half, last)], starts[min(end, last)]


@njit(cache=True)
def split(order, start, middle, end, halves):  # type: ignore[no-untyped-def]
    """Write the ranks of both halves of a part, each by level."""
    upper, lower = start, middle
    for position in range(start, end):
        rank = order[position]
        if rank < middle:
            halves[upper] = rank
            upper += 1
        else:
            halves[lower] = rank
            lower += 1


@njit(cache=True)
def level_end(level, order, start, end):  # type: ignore[no-untyped-def]
    """Where the documents of one level end that start at `start`."""
    of_level = level[order[start]]
    start += 1
    while start < end and level[order[start]] == of_level:
        start += 1
    return start


@njit(cache=True)
def count_lower(order, first, last, middle):  # type: ignore[no-untyped-def]
    n_lower = 0
    for position in range(first, last):
        n_lower += order[position] >= middle
    return n_lower
