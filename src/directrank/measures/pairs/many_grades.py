r"""Lambdas of the ROC area of a query with many distinct grades; see `roc_area`.

For i above j, of whatever grades a and b, the number of pairs that their swap changes is the absolute value of

.. math:: X_{ij} = M_a(j) - M_a(i) - M_b(j) + M_b(i)

so that each pair is visited once, in O(1), by going down the ranking with i and, from each i, with j. The four terms are a
count that runs with j, one number for each document (twice), and a count for each document that runs with i: O(n^2) time
and O(n) memory, however many grades there are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...kernel_compiler import njit, prange
from ..base import Lambdas
from ..ranking.fenwick import add, count_to
from ..ranking.sorting import descending_order
from ..ranking.ties import group_end
from .pairwise import exponentials, sigmoid_of_minus

#: Into how many parts the pairs of a long query are cut.
N_RUNS = 16


class RankedQuery(NamedTuple):
    """A query by rank.

    Attributes
    ----------
    e, is_spread
        As in `SortedPairs`.
    level : int32 array
        The number of each document's grade, 0 for the lowest.
    n_levels : int
    start, end : int64 arrays
        Where each document's tie group starts and ends.
    own : float64 array
        M at each document, for its own grade.
    """

    e: Floats
    is_spread: bool
    level: NDArray[np.int32]
    n_levels: int
    start: Ints
    end: Ints
    own: Floats


def sum_many_grades(
    scores: Floats, level: NDArray[np.int32], n_levels: int, order: Ints, weight: float, found: Lambdas
) -> None:
    """Write the sums of one query, on all cores; `order` ranks its documents."""
    query = _ranked_query(scores[order], level[order], n_levels)
    # Equal numbers of pairs in each part: a document at fraction x of the ranking has 1 - x of the others below it.
    bounds = np.round(order.size * (1 - np.sqrt(1 - np.arange(N_RUNS + 1) / N_RUNS))).astype(np.int64)
    gradients, hessians = _sum_in_runs(query, bounds)
    found.gradient[order] = weight * gradients.sum(axis=0)
    found.hessian[order] = weight * hessians.sum(axis=0)


@njit(cache=True)
def sum_query_of_many_grades(scores, level, n_levels, weight, gradient, hessian):  # type: ignore[no-untyped-def]
    """Write the sums of one query, on one core."""
    order = descending_order(scores)
    query = _ranked_query(scores[order], level[order], n_levels)
    ranked_gradient, ranked_hessian = np.zeros(order.size), np.zeros(order.size)
    _add_run(query, 0, order.size, ranked_gradient, ranked_hessian)
    for rank in range(order.size):
        gradient[order[rank]] = weight * ranked_gradient[rank]
        hessian[order[rank]] = weight * ranked_hessian[rank]


@njit(cache=True)
def _ranked_query(scores, level, n_levels):  # type: ignore[no-untyped-def]
    n = scores.size
    start, end, own = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n)
    seen = np.zeros(n_levels + 1, np.int64)  # a Fenwick tree of the levels above
    first = 0
    while first < n:
        last = group_end(scores, first)
        start[first:last], end[first:last] = first, last
        for rank in range(first, last):
            own[rank] = count_to(seen, level[rank]) + count_to(seen, level[rank] + 1)
        for rank in range(first, last):
            add(seen, level[rank] + 1)
        for rank in range(first, last):
            own[rank] = (own[rank] + count_to(seen, level[rank]) + count_to(seen, level[rank] + 1)) / 2
        first = last
    e, is_spread = exponentials(scores)
    return RankedQuery(e, is_spread, level, n_levels, start, end, own)


@njit(cache=True, parallel=True)
def _sum_in_runs(query, bounds):  # type: ignore[no-untyped-def]
    """The pairs of each run of upper documents; every run has its own sums."""
    gradients, hessians = np.zeros((bounds.size - 1, query.e.size)), np.zeros((bounds.size - 1, query.e.size))
    for run in prange(bounds.size - 1):
        _add_run(query, bounds[run], bounds[run + 1], gradients[run], hessians[run])
    return gradients, hessians


@njit(cache=True)
def _add_run(query, first, last, gradient, hessian):  # type: ignore[no-untyped-def]
    """Add all pairs whose upper document is at ranks first to last - 1, and of each tie group the pairs of those ranks."""
    if first == last:
        return
    n = query.e.size
    above = _passed_above(query, query.start[first])
    of_group, passed = np.zeros(n), np.zeros(n)
    group = -1
    for upper in range(first, last):
        if query.start[upper] != group:
            above += of_group
            group = query.start[upper]
            of_group[:] = 0
            for rank in range(group, query.end[upper]):
                _count(query.level[rank], query.level, of_group)
        _add_ties(query, upper, of_group, gradient, hessian)
        _pass_down(query, upper, of_group[upper], passed)
        if query.is_spread:
            _add_spread_pairs(query, upper, above, of_group, passed, gradient, hessian)
        else:
            ranks = (upper, query.end[upper])
            _add_pairs(ranks, query.e, query.own, above, of_group, passed, gradient, hessian)


@njit(cache=True)
def _passed_above(query, end):  # type: ignore[no-untyped-def]
    """M of each document's grade at the top of the tie group that starts at rank `end`."""
    counts = np.zeros(query.n_levels + 1)
    for rank in range(end):
        counts[query.level[rank] + 1] += 1
    to_level = np.cumsum(counts)
    above = np.empty(query.level.size)
    for rank in range(above.size):
        above[rank] = to_level[query.level[rank]] + to_level[query.level[rank] + 1]
    return above


@njit(cache=True)
def _count(level, levels, passed):  # type: ignore[no-untyped-def]
    """Count a document of some level in M of every document's grade."""
    for rank in range(levels.size):
        passed[rank] += np.float64(level < levels[rank]) + np.float64(level <= levels[rank])


@njit(cache=True)
def _pass_down(query, upper, of_group, passed):  # type: ignore[no-untyped-def]
    """By how much M of the upper document's grade grows from it down to each document below its tie group."""
    level, start, grown = query.level[upper], query.end[upper], of_group / 2
    while start < passed.size:
        end, at_start = query.end[start], grown
        for rank in range(start, end):
            grown += np.float64(query.level[rank] < level) + np.float64(query.level[rank] <= level)
        for rank in range(start, end):
            passed[rank] = (at_start + grown) / 2
        start = end


@njit(cache=True, fastmath={"reassoc", "contract", "nsz", "nnan"})
def _add_pairs(ranks, e, own, above, of_group, passed, gradient, hessian):  # type: ignore[no-untyped-def]
    """The pairs of an upper document and all below its tie group.

    X is above 0 where the upper one is the better, below 0 where it is the worse, and 0 where they are of one grade.
    """
    upper, start = ranks
    e_upper, gradient_sum, hessian_sum = e[upper], 0.0, 0.0
    for lower in range(start, e.size):
        change = passed[lower] - own[lower] + above[lower] + of_group[lower] / 2
        inverse = 1 / (e_upper + e[lower])
        pair_gradient = change * (e[lower] if change > 0 else e_upper) * inverse
        pair_hessian = abs(change) * (e[lower] * inverse) * (e_upper * inverse)
        gradient_sum += pair_gradient
        hessian_sum += pair_hessian
        gradient[lower] += pair_gradient
        hessian[lower] += pair_hessian
    gradient[upper] -= gradient_sum
    hessian[upper] += hessian_sum


@njit(cache=True)
def _add_spread_pairs(query, upper, above, of_group, passed, gradient, hessian):  # type: ignore[no-untyped-def]
    """The same from scores so far apart that their exponentials cannot be told from 0."""
    for lower in range(query.end[upper], query.e.size):
        change = passed[lower] - query.own[lower] + above[lower] + of_group[lower] / 2
        p = sigmoid_of_minus((query.e[upper] - query.e[lower]) * np.sign(change))
        gradient[upper] -= change * p
        gradient[lower] += change * p
        hessian[upper] += abs(change) * p * (1 - p)
        hessian[lower] += abs(change) * p * (1 - p)


@njit(cache=True)
def _add_ties(query, upper, of_group, gradient, hessian):  # type: ignore[no-untyped-def]
    """The pairs of a document and those after it in its tie group: p = 1/2."""
    for lower in range(upper + 1, query.end[upper]):
        sign = np.sign(query.level[upper] - query.level[lower])
        change = sign * (abs(of_group[upper] - of_group[lower]) + 1) / 3
        gradient[upper] -= change / 2
        gradient[lower] += change / 2
        hessian[upper] += abs(change) / 4
        hessian[lower] += abs(change) / 4
