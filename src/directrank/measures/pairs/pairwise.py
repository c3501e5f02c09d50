r"""Lambda gradients: the sums over pairs of documents that LambdaMART follows (Burges 2010).

.. math:: \lambda_{ij} = \frac{|\Delta_{ij}|}{1 + e^{s_i - s_j}}, \qquad
          g_i = \sum_{l_j > l_i} \lambda_{ji} - \sum_{l_j < l_i} \lambda_{ij}

over the pairs of a query with l_i > l_j, where Delta is the change of the measure when the two swap ranks. Of documents of
equal score the mean of \|Delta\| over all their orders is taken, so that the order of the rows leaves no trace.

For most measures \|Delta\| is \|gain_i - gain_j\| (upper_i + lower_j), where i stands above j: a measure describes its
swaps by `Swaps`, and one kernel here sums over the pairs. Short queries are spread over the cores; a long one has all cores
to itself, and where it has too many pairs to visit, `long_queries` sums them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ..ranking.ties import descending_order, group_end, order_by_query
from .long_queries import sum_many_pairs

#: Queries of more documents have all cores to themselves.
LONG = 2048

#: Above so many pairs of documents of two grades, sums are approximate; see `long_queries`.
MANY_PAIRS = 2**22

#: With more grades than this, the pairs of a long query are visited one by one.
MANY_GRADES = 16

#: Into how many parts the short queries are dealt, longest first, so that no core is left idle.
PARTS = 64

#: Scores of a query further apart than this need an exponential for each pair: that of one score would underflow.
WIDE = 600.0


class Lambdas(NamedTuple):
    """What LambdaMART follows, for each document, laid out by query.

    Attributes
    ----------
    gradient : float64 array
        Of the cost: below 0 where the score is to rise.
    hessian : float64 array
        The second derivative, never below 0.
    """

    gradient: Floats
    hessian: Floats


class Swaps(NamedTuple):
    """How much it changes the measure when two documents of a query swap ranks; arrays are laid out by query.

    It is ``|gains[i] - gains[j]| * (upper[i] + lower[j])`` where i stands above j, and ``|gains[i] - gains[j]| * tied[i]``
    where they have the same score.

    Attributes
    ----------
    gains, upper, lower, tied : float64 arrays
    group : int32 array
        The number of each document's tie group in its query, from the top.
    discounted : bool
        Whether ``lower`` is ``-upper``: gain times discount.
    """

    gains: Floats
    upper: Floats
    lower: Floats
    group: NDArray[np.int32]
    tied: Floats
    discounted: bool

    def of(self, documents: slice | Ints) -> Swaps:
        """Those of some documents."""
        gains, upper, lower, group, tied, discounted = self
        return Swaps(gains[documents], upper[documents], lower[documents], group[documents], tied[documents], discounted)


def pairwise_lambdas(scores: Floats, grades: Floats, offsets: Ints, swaps: Swaps) -> Lambdas:
    """The sums over all pairs of unequal grade."""
    found = Lambdas(np.zeros(scores.size), np.zeros(scores.size))
    short, long = by_length(offsets)
    _sum_short(scores, grades, offsets, short, *swaps[:5], *found)
    for q in long:
        mine = slice(offsets[q], offsets[q + 1])
        _sum_long(scores[mine], grades[mine], swaps.of(mine), found.gradient[mine], found.hessian[mine])
    return found


def discounted_swaps(scores: Floats, gains: Floats, offsets: Ints, discounts: Floats, depths: Ints | None = None) -> Swaps:
    """Swaps of a measure that sums gain times discount.

    Parameters
    ----------
    gains : array
        For each document, divided by what normalises its query.
    discounts : array
        For each rank, never rising; ranks beyond have 0.
    depths : int64 array, optional
        For each query, how many ranks have a discount.
    """
    upper, tied, group = np.empty(scores.size), np.zeros(scores.size), np.empty(scores.size, np.int32)
    if depths is None:
        depths = np.full(offsets.size - 1, discounts.size)
    order = order_by_query(scores, offsets)
    _prepare(scores, order, offsets, discounts, np.minimum(depths, discounts.size), upper, tied, group)
    return Swaps(gains, upper, -upper, group, tied, True)


def by_length(offsets: Ints) -> tuple[Ints, Ints]:
    """The short queries that have a pair, longest first, and the long ones."""
    sizes = np.diff(offsets)
    order = np.argsort(-sizes, kind="stable")
    return order[(sizes[order] <= LONG) & (sizes[order] > 1)], np.flatnonzero(sizes > LONG)


def _sum_long(scores: Floats, grades: Floats, swaps: Swaps, gradient: Floats, hessian: Floats) -> None:
    """The sums of one query, two grades at a time."""
    levels = np.unique(grades)
    if levels.size > MANY_GRADES:
        sum_query(scores, grades, *swaps[:5], gradient, hessian)
        return
    of_level = [np.flatnonzero(grades == level) for level in levels]
    for a in range(levels.size):
        for b in range(a):
            weight = abs(swaps.gains[of_level[a][0]] - swaps.gains[of_level[b][0]])
            if weight > 0:
                sum_two_grades(scores, of_level[a], of_level[b], weight, swaps, gradient, hessian)


def sum_two_grades(
    scores: Floats, better: Ints, worse: Ints, weight: float, swaps: Swaps, gradient: Floats, hessian: Floats
) -> None:
    """Add the sums over all pairs of two sets of documents of a query, in which all gains differ by `weight`."""
    rows = np.concatenate([set_[np.argsort(swaps.group[set_], kind="stable")] for set_ in (better, worse)])  # by rank
    s = scores[rows]
    _, upper, lower, group, tied, discounted = swaps.of(rows)
    if discounted and better.size * worse.size > MANY_PAIRS:
        sums = sum_many_pairs(s, upper, group, tied, better.size)
    else:
        parts = _sum_in_parts(s, s.max() - s.min() > WIDE, better.size, upper, lower, group, tied)
        sums = parts[0].sum(axis=0), parts[1].sum(axis=0)
    gradient[rows] += weight * sums[0]
    hessian[rows] += weight * sums[1]


@njit(cache=True, parallel=True)
def _prepare(scores, order, offsets, discounts, depths, upper, tied, group):  # type: ignore[no-untyped-def]
    to_rank = np.zeros(discounts.size + 1)
    to_rank[1:] = np.cumsum(discounts)
    for q in prange(offsets.size - 1):
        lo, hi = offsets[q], offsets[q + 1]
        _prepare_query(scores[lo:hi], order[lo:hi], discounts, to_rank, depths[q], upper[lo:hi], tied[lo:hi], group[lo:hi])


@njit(cache=True)
def _prepare_query(scores, order, discounts, to_rank, depth, upper, tied, group):  # type: ignore[no-untyped-def]
    """A document's discount is the mean over the ranks of its tie group; within the group the mean difference counts."""
    ranked_scores = scores[order]
    start, number = 0, 0
    while start < order.size:
        end = group_end(ranked_scores, start)
        m, last = end - start, min(end, depth)
        mean = (to_rank[last] - to_rank[start]) / m if start < depth else 0.0
        spread = 0.0
        if m > 1:
            for i in range(start, last):
                spread += (m - 1 - 2 * (i - start)) * discounts[i]
            spread *= 2 / (m * (m - 1.0))
        for i in order[start:end]:
            upper[i], tied[i], group[i] = mean, spread, number
        start = end
        number += 1


@njit(cache=True, parallel=True)
def _sum_short(scores, grades, offsets, queries, gains, upper, lower, group, tied, gradient, hessian):  # type: ignore[no-untyped-def]
    for part in prange(PARTS):
        for k in range(part, queries.size, PARTS):
            lo, hi = offsets[queries[k]], offsets[queries[k] + 1]
            sum_query(
                scores[lo:hi],
                grades[lo:hi],
                gains[lo:hi],
                upper[lo:hi],
                lower[lo:hi],
                group[lo:hi],
                tied[lo:hi],
                gradient[lo:hi],
                hessian[lo:hi],
            )


@njit(cache=True)
def sum_query(scores, grades, gains, upper, lower, group, tied, gradient, hessian):  # type: ignore[no-untyped-def]
    """The sums of one query, two grades at a time, its documents taken by descending grade and, of one grade, by rank."""
    by_rank = np.argsort(group)
    order = by_rank[descending_order(grades[by_rank])]
    ranked_grades, s = grades[order], scores[order]
    wide = s.max() - s.min() > WIDE
    e = s if wide else np.exp(s - s.max())
    u, w, place, t = upper[order], lower[order], group[order], tied[order]
    down, bend = np.zeros(s.size), np.zeros(s.size)
    first = 0
    while first < s.size:
        last = group_end(ranked_grades, first)
        start = last
        while start < s.size:
            end = group_end(ranked_grades, start)
            weight = abs(gains[order[first]] - gains[order[start]])
            if weight > 0:
                add_pairs(first, last, start, end, weight, wide, e, u, w, place, t, down, bend)
            start = end
        first = last
    for k in range(s.size):
        gradient[order[k]], hessian[order[k]] = down[k], bend[k]


@njit(cache=True)
def add_pairs(first, last, start, end, weight, wide, e, upper, lower, group, tied, gradient, hessian):  # type: ignore[no-untyped-def]
    """Add the pairs of the better documents first:last and the worse ones start:end, both by rank.

    Parameters
    ----------
    weight : float
        By how much their gains differ.
    wide : bool
        Whether `e` has the scores, because these are far apart, or their exponentials.
    """
    above = beyond = start  # worse documents up to here stand above the better one, and up to there not below it
    for i in range(first, last):
        while above < end and group[above] < group[i]:
            above += 1
        beyond = max(beyond, above)
        while beyond < end and group[beyond] == group[i]:
            beyond += 1
        if wide:
            _add_wide_run(i, start, above, weight, lower[i], e, upper, gradient, hessian)
            _add_wide_run(i, beyond, end, weight, upper[i], e, lower, gradient, hessian)
        else:
            _add_run(i, start, above, weight, lower[i], e, upper, gradient, hessian)
            _add_run(i, beyond, end, weight, upper[i], e, lower, gradient, hessian)
        push = 0.5 * weight * tied[i]
        for j in range(above, beyond):
            gradient[j] += push
            hessian[j] += 0.5 * push
        gradient[i] -= (beyond - above) * push
        hessian[i] += (beyond - above) * 0.5 * push


@njit(cache=True, fastmath={"reassoc", "contract", "nsz", "nnan"})
def _add_run(i, start, end, weight, mine, e, theirs, gradient, hessian):  # type: ignore[no-untyped-def]
    """The pairs of one better document and a run of worse ones, all above it or all below; few arrays, so it vectorises."""
    e_i, total, bend = e[i], 0.0, 0.0
    for j in range(start, end):
        share = 1 / (e_i + e[j])
        push = weight * (mine + theirs[j]) * (e[j] * share)
        turn = push * (e_i * share)
        total += push
        bend += turn
        gradient[j] += push
        hessian[j] += turn
    gradient[i] -= total
    hessian[i] += bend


@njit(cache=True)
def _add_wide_run(i, start, end, weight, mine, s, theirs, gradient, hessian):  # type: ignore[no-untyped-def]
    """The same from scores so far apart that their exponentials cannot be told from 0."""
    for j in range(start, end):
        p = chance(s[i] - s[j])
        push = weight * (mine + theirs[j]) * p
        gradient[i] -= push
        gradient[j] += push
        hessian[i] += push * (1 - p)
        hessian[j] += push * (1 - p)


@njit(cache=True)
def chance(y):  # type: ignore[no-untyped-def]
    """1/(1 + e^y)."""
    return 1 / (1 + np.exp(y)) if y <= 0 else np.exp(-y) / (1 + np.exp(-y))


@njit(cache=True, parallel=True)
def _sum_in_parts(s, wide, n_better, upper, lower, group, tied):  # type: ignore[no-untyped-def]
    """All pairs of the first `n_better` documents and the rest, in parts that each have sums of their own."""
    n, n_parts = s.size, 8
    e = s if wide else np.exp(s - s.max())
    gradients, hessians = np.zeros((n_parts, n)), np.zeros((n_parts, n))
    for part in prange(n_parts):
        lo, hi = part * n_better // n_parts, (part + 1) * n_better // n_parts
        add_pairs(lo, hi, n_better, n, 1.0, wide, e, upper, lower, group, tied, gradients[part], hessians[part])
    return gradients, hessians
