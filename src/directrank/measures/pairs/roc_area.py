r"""Lambdas of the ROC area over all pairs of unequal grade.

With two grades, a swap changes as many pairs as it goes ranks (Theorem 1 of Welleck 2015). With more, let i of grade a stand
above j of grade b < a. Their swap changes the order of their own pair; of one pair for each document of grade a or b that
stands between them; and of two for each of a grade between a and b. Let

.. math:: M_c(r) = \sum_{d \text{ above rank } r} 2 \cdot [l_d < c] + [l_d = c]

Then the number of pairs changed is :math:`(M_a - M_b)(r_j) - (M_a - M_b)(r_i)`: a discount for every two grades. In a tie
group each M is the mean over its orders, half of the group's documents being above. Of two documents in one group, the
number is a third of 1 more than :math:`M_a - M_b` grows over the whole group.

A query of few grades is summed two grades at a time, as in `pairwise`; one of many as in `many_grades` or, where it has too
many pairs to visit, as in `continuous_grades`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...kernel_compiler import njit, prange
from ..base import Lambdas
from ..ranking.sorting import descending_order, order_by_query
from ..ranking.ties import group_end
from .continuous_grades import sum_continuous_grades
from .many_grades import sum_many_grades, sum_query_of_many_grades
from .pairwise import (
    MAX_EXACT_PAIRS,
    MAX_GRADES_BY_TWO,
    N_PARTS,
    PairGroups,
    SortedPairs,
    add_pairs,
    by_level_and_rank,
    documents_by_level,
    exponentials,
    sum_two_grades,
)
from .swaps import Swaps


def roc_area_lambdas(scores: Floats, groups: PairGroups, weights: Floats) -> Lambdas:
    """The sums over all pairs of unequal grade.

    Parameters
    ----------
    weights : float64 array
        For each query, what one pair in the right order is worth.
    """
    found = Lambdas(np.zeros(scores.size), np.zeros(scores.size))
    _sum_short(scores, groups, weights, *found)
    for q in groups.long:
        documents = slice(groups.offsets[q], groups.offsets[q + 1])
        of_query = Lambdas(found.gradient[documents], found.hessian[documents])
        _sum_long(scores[documents], groups.level[documents], int(groups.n_levels[q]), weights[q], of_query)
    return found


def _sum_long(scores: Floats, level: NDArray[np.int32], n_levels: int, weight: float, found: Lambdas) -> None:
    """The sums of a long query, two grades at a time if they are few."""
    order = order_by_query(scores, np.array([0, scores.size]))
    if n_levels > MAX_GRADES_BY_TWO and scores.size * (scores.size - 1) // 2 > MAX_EXACT_PAIRS:
        sum_continuous_grades(scores, level, order, weight, found)
        return
    if n_levels > MAX_GRADES_BY_TWO:
        sum_many_grades(scores, level, n_levels, order, weight, found)
        return
    starts = np.flatnonzero(np.diff(scores[order], prepend=np.inf))
    group, sizes = np.empty(scores.size, np.int32), np.diff(starts, append=scores.size)
    group[order] = np.repeat(np.arange(starts.size, dtype=np.int32), sizes)
    of_level, ranked_level = documents_by_level(order, level, n_levels), level[order]
    for a in range(n_levels):
        for b in range(a):
            passed = _passed(ranked_level, a) - _passed(ranked_level, b)
            of_group = np.add.reduceat(passed, starts)
            upper = -(np.cumsum(of_group) - of_group + (of_group + 1) / 2)[group]
            swaps = Swaps(order, group, upper, upper, -upper, ((of_group + 1) / 3)[group], True)
            sum_two_grades(scores, of_level[a], of_level[b], weight, swaps, found)


def _passed(level: NDArray[np.int32], grade: int) -> Ints:
    """2 for each document below a grade, 1 for each of it."""
    return (level < grade).astype(np.int64) + (level <= grade)


@njit(cache=True, parallel=True)
def _sum_short(scores, groups, weights, gradient, hessian):  # type: ignore[no-untyped-def]
    for part in prange(N_PARTS):
        for number in range(part, groups.short.size, N_PARTS):
            q = groups.short[number]
            lo, hi, n_levels = groups.offsets[q], groups.offsets[q + 1], groups.n_levels[q]
            s, level = scores[lo:hi], groups.level[lo:hi]
            if n_levels > MAX_GRADES_BY_TWO:
                sum_query_of_many_grades(s, level, n_levels, weights[q], gradient[lo:hi], hessian[lo:hi])
            elif n_levels > 1:
                _sum_query(s, level, n_levels, weights[q], gradient[lo:hi], hessian[lo:hi])


@njit(cache=True)
def _sum_query(scores, level, n_levels, weight, gradient, hessian):  # type: ignore[no-untyped-def]
    """Two grades at a time."""
    by_rank = descending_order(scores)
    order, starts = by_level_and_rank(level, n_levels, by_rank)
    group_start, group_end_, group = _ranks(scores, by_rank)
    passed = _passed_to_rank(level, n_levels, by_rank)
    e, is_spread = exponentials(scores[order])
    n = scores.size
    upper, lower, tied = np.zeros(n), np.zeros(n), np.zeros(n)
    pairs = SortedPairs(e, is_spread, group[order], upper, lower, tied, True, group[by_rank[-1]] < n - 1)
    sorted_gradient, sorted_hessian = np.zeros(n), np.zeros(n)
    for a in range(n_levels - 1):
        for b in range(a + 1, n_levels):
            difference = passed[n_levels - 1 - a] - passed[n_levels - 1 - b]
            for level_start, level_end in ((starts[a], starts[a + 1]), (starts[b], starts[b + 1])):
                for place in range(level_start, level_end):
                    before = difference[group_start[order[place]]]
                    of_group = difference[group_end_[order[place]]] - before
                    upper[place], tied[place] = -(before + (of_group + 1) / 2), (of_group + 1) / 3
                    lower[place] = -upper[place]
            better, worse = (starts[a], starts[a + 1]), (starts[b], starts[b + 1])
            add_pairs(better, worse, weight, pairs, sorted_gradient, sorted_hessian)
    for place in range(n):
        gradient[order[place]], hessian[order[place]] = sorted_gradient[place], sorted_hessian[place]


@njit(cache=True)
def _ranks(scores, order):  # type: ignore[no-untyped-def]
    """Of each document, where its tie group starts and ends in the ranking, and the group's number."""
    ranked_scores, n = scores[order], order.size
    starts, ends, group = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int32)
    start, number = 0, 0
    while start < n:
        end = group_end(ranked_scores, start)
        for document in order[start:end]:
            starts[document], ends[document], group[document] = start, end, number
        start = end
        number += 1
    return starts, ends, group


@njit(cache=True)
def _passed_to_rank(level, n_levels, order):  # type: ignore[no-untyped-def]
    """For each grade, the sum over the documents down to each rank of 2 if they are below it and 1 if they are of it."""
    passed = np.zeros((n_levels, order.size + 1))
    for c in range(n_levels):
        for rank in range(order.size):
            other = level[order[rank]]
            passed[c, rank + 1] = passed[c, rank] + (2 if other < c else 1 if other == c else 0)
    return passed
