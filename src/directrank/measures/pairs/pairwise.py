r"""Sums over pairs of documents: the lambdas that LambdaMART follows (Burges 2010).

.. math:: \lambda_{ij} = \frac{|\Delta_{ij}|}{1 + e^{s_i - s_j}}, \qquad
          g_i = \sum_{l_j > l_i} \lambda_{ji} - \sum_{l_j < l_i} \lambda_{ij}

over the pairs of a query with l_i > l_j, where Delta is the change of the measure when the two swap ranks. The hessian is
the sum of :math:`|\Delta_{ij}|\, p (1 - p)` with :math:`p = 1/(1 + e^{s_i - s_j})`, over all pairs that a document is in.
Of documents of equal score the mean of \|Delta\| over all their orders is taken, so that the order of the rows leaves no
trace.

For most measures \|Delta\| is \|gain_i - gain_j\| (upper_i + lower_j), where i stands above j: a measure describes its
swaps by `Swaps`, and one kernel here sums over the pairs. Short queries are spread over the cores; a long one has all cores
to itself, and where it has too many pairs to visit, `long_queries` sums them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...kernel_compiler import njit, prange
from ..base import Lambdas
from ..ranking.levels import Levels, longest_first
from .long_queries import sum_many_pairs
from .swaps import Swaps

#: Queries of more documents have all cores to themselves.
MAX_SHORT_QUERY = 2048

#: Above this many pairs of documents of two grades, sums are approximate; see `long_queries` and `halved_ranking`.
MAX_EXACT_PAIRS = 2**22

#: With more grades than this, the pairs of a long query are not taken two grades at a time.
MAX_GRADES_BY_TWO = 16

#: Into how many parts the short queries are dealt, longest first, so that no core is left idle.
N_PARTS = 64

#: Scores of a query further apart than this need an exponential for each pair: that of one score would underflow.
MAX_SCORE_SPREAD = 600.0


class PairGroups(NamedTuple):
    """What sums over the pairs of unequal grade need to know of the grades.

    Attributes
    ----------
    offsets : int64 array
    short : int64 array
        The short queries that have a pair of documents, longest first.
    long : int64 array
        The long queries.
    level, n_levels : arrays
        As in `Levels`.
    """

    offsets: Ints
    short: Ints
    long: Ints
    level: NDArray[np.int32]
    n_levels: Ints


def pair_groups(levels: Levels, offsets: Ints) -> PairGroups:
    """What `pairwise_lambdas` needs to know of the grades; it does not depend on scores, so compute it once."""
    sizes = np.diff(offsets)
    order = longest_first(offsets)
    short = order[(sizes[order] <= MAX_SHORT_QUERY) & (sizes[order] > 1)]
    return PairGroups(offsets, short, np.flatnonzero(sizes > MAX_SHORT_QUERY), *levels)


def pairwise_lambdas(scores: Floats, groups: PairGroups, swaps: Swaps) -> Lambdas:
    """The sums over all pairs of unequal grade."""
    found = Lambdas(np.zeros(scores.size), np.zeros(scores.size))
    _sum_short(scores, groups, swaps, *found)
    for q in groups.long:
        documents = slice(groups.offsets[q], groups.offsets[q + 1])
        of_query = Lambdas(found.gradient[documents], found.hessian[documents])
        swaps_of_query = swaps.of(documents)._replace(order=swaps.order[documents])
        _sum_long(scores[documents], groups.level[documents], int(groups.n_levels[q]), swaps_of_query, of_query)
    return found


def _sum_long(scores: Floats, level: NDArray[np.int32], n_levels: int, swaps: Swaps, found: Lambdas) -> None:
    """The sums of one query, two grades at a time."""
    if n_levels > MAX_GRADES_BY_TWO:
        sum_query(scores, level, n_levels, swaps, *found)
        return
    of_level = documents_by_level(swaps.order, level, n_levels)
    for a in range(n_levels):
        for b in range(a):
            weight = abs(swaps.gains[of_level[a][0]] - swaps.gains[of_level[b][0]])
            if weight > 0:
                sum_two_grades(scores, of_level[a], of_level[b], weight, swaps, found)


def documents_by_level(order: Ints, level: NDArray[np.int32], n_levels: int) -> list[Ints]:
    """The documents of each grade of a query, by rank."""
    ranked_level = level[order]
    return [order[ranked_level == a] for a in range(n_levels)]


def sum_two_grades(scores: Floats, better: Ints, worse: Ints, weight: float, swaps: Swaps, found: Lambdas) -> None:
    """Add the sums over all pairs of two sets of documents of a query, both by rank, whose gains differ by `weight`."""
    documents = np.concatenate((better, worse))
    s = scores[documents]
    _, group, _, upper, lower, tied, discounted = swaps.of(documents)
    if discounted and better.size * worse.size > MAX_EXACT_PAIRS:
        gradient, hessian = sum_many_pairs(s, upper, group, tied, better.size)
    else:
        spread = s.max() - s.min()
        parts = _sum_in_parts(s, spread > MAX_SCORE_SPREAD, better.size, group, upper, lower, tied, discounted)
        gradient, hessian = parts[0].sum(axis=0), parts[1].sum(axis=0)
    found.gradient[documents] += weight * gradient
    found.hessian[documents] += weight * hessian


class SortedPairs(NamedTuple):
    """A query for `add_pairs`, its documents by descending grade and, within a grade, by rank.

    Attributes
    ----------
    e : float64 array
        The exponential of each score, or the score itself if they are too far apart for that.
    is_spread : bool
        Whether they are.
    group, upper, lower, tied, discounted
        As in `Swaps`.
    has_ties : bool
        Whether any documents of the query are tied.
    """

    e: Floats
    is_spread: bool
    group: NDArray[np.int32]
    upper: Floats
    lower: Floats
    tied: Floats
    discounted: bool
    has_ties: bool


@njit(cache=True, parallel=True)
def _sum_short(scores, groups, swaps, gradient, hessian):  # type: ignore[no-untyped-def]
    for part in prange(N_PARTS):
        for number in range(part, groups.short.size, N_PARTS):
            q = groups.short[number]
            lo, hi = groups.offsets[q], groups.offsets[q + 1]
            swaps_of_query = Swaps(
                swaps.order[lo:hi],
                swaps.group[lo:hi],
                swaps.gains[lo:hi],
                swaps.upper[lo:hi],
                swaps.lower[lo:hi],
                swaps.tied[lo:hi],
                swaps.discounted,
            )
            level, n_levels = groups.level[lo:hi], groups.n_levels[q]
            sum_query(scores[lo:hi], level, n_levels, swaps_of_query, gradient[lo:hi], hessian[lo:hi])


@njit(cache=True)
def sum_query(scores, level, n_levels, swaps, gradient, hessian):  # type: ignore[no-untyped-def]
    """The sums of one query, two grades at a time."""
    order, starts = by_level_and_rank(level, n_levels, swaps.order)
    e, is_spread = exponentials(scores[order])
    group, upper, lower, tied = swaps.group[order], swaps.upper[order], swaps.lower[order], swaps.tied[order]
    has_ties = swaps.group[swaps.order[-1]] < order.size - 1
    pairs = SortedPairs(e, is_spread, group, upper, lower, tied, swaps.discounted, has_ties)
    sorted_gradient, sorted_hessian = np.zeros(order.size), np.zeros(order.size)
    for a in range(n_levels - 1):
        for b in range(a + 1, n_levels):
            weight = abs(swaps.gains[order[starts[a]]] - swaps.gains[order[starts[b]]])
            if weight > 0:
                better, worse = (starts[a], starts[a + 1]), (starts[b], starts[b + 1])
                add_pairs(better, worse, weight, pairs, sorted_gradient, sorted_hessian)
    for place in range(order.size):
        gradient[order[place]], hessian[order[place]] = sorted_gradient[place], sorted_hessian[place]


@njit(cache=True)
def by_level_and_rank(level, n_levels, order):  # type: ignore[no-untyped-def]
    """The documents by descending grade and, within a grade, by rank; and where each grade starts, and the end.

    Parameters
    ----------
    order : array
        The documents by rank.
    """
    starts = np.zeros(n_levels + 1, np.int64)
    for document_level in level:
        starts[n_levels - document_level] += 1
    for a in range(n_levels):
        starts[a + 1] += starts[a]
    free, by_level = starts[:-1].copy(), np.empty_like(order)
    for document in order:
        a = n_levels - 1 - level[document]
        by_level[free[a]] = document
        free[a] += 1
    return by_level, starts


@njit(cache=True)
def exponentials(scores):  # type: ignore[no-untyped-def]
    """Of the scores less the highest; or the scores themselves, and True, if they are too far apart."""
    highest, lowest = -np.inf, np.inf
    for score in scores:
        highest, lowest = score if score > highest else highest, score if score < lowest else lowest
    is_spread = highest - lowest > MAX_SCORE_SPREAD
    return scores if is_spread else np.exp(scores - highest), is_spread


@njit(cache=True)
def add_pairs(better, worse, weight, pairs, gradient, hessian):  # type: ignore[no-untyped-def]
    """Add the pairs of two runs of documents of `SortedPairs`, the better and the worse, whose gains differ by `weight`."""
    one_run = pairs.discounted and not pairs.is_spread
    if one_run:
        _add_discounted_pairs(better, worse, weight, pairs, gradient, hessian)
    if one_run and not pairs.has_ties:
        return
    start, end = worse
    above = not_below = start  # worse documents up to here stand above the better one, and up to there not below it
    for i in range(better[0], better[1]):
        while above < end and pairs.group[above] < pairs.group[i]:
            above += 1
        not_below = max(not_below, above)
        while not_below < end and pairs.group[not_below] == pairs.group[i]:
            not_below += 1
        if pairs.is_spread:
            _add_spread_run(i, start, above, weight, pairs.lower[i], pairs.e, pairs.upper, gradient, hessian)
            _add_spread_run(i, not_below, end, weight, pairs.upper[i], pairs.e, pairs.lower, gradient, hessian)
        elif not one_run:
            _add_run(i, start, above, weight, pairs.lower[i], pairs.e, pairs.upper, gradient, hessian)
            _add_run(i, not_below, end, weight, pairs.upper[i], pairs.e, pairs.lower, gradient, hessian)
        tied_gradient = 0.5 * weight * pairs.tied[i]  # p = 1/2
        for j in range(above, not_below):
            gradient[j] += tied_gradient
            hessian[j] += 0.5 * tied_gradient
        gradient[i] -= (not_below - above) * tied_gradient
        hessian[i] += (not_below - above) * 0.5 * tied_gradient


@njit(cache=True)
def _add_discounted_pairs(better, worse, weight, pairs, gradient, hessian):  # type: ignore[no-untyped-def]
    r"""All of them but those that are tied, whose discounts are equal: whichever stands above, \|Delta\| is the same.

    Two documents beyond the last discount change nothing.
    """
    start, end = worse
    last = _end_of_discounts(pairs.upper, start, end)
    for i in range(better[0], better[1]):
        run_end = end if pairs.upper[i] != 0 else last
        _add_run(i, start, run_end, weight, pairs.lower[i], pairs.e, pairs.upper, gradient, hessian)


@njit(cache=True)
def _end_of_discounts(upper, start, end):  # type: ignore[no-untyped-def]
    """Where the documents of a run, which are by rank, are beyond the last discount."""
    if start == end or upper[end - 1] != 0:
        return end
    while upper[start] != 0:
        start += 1
    return start


@njit(cache=True)
def _add_run(i, start, end, weight, mine, e, theirs, gradient, hessian):  # type: ignore[no-untyped-def]
    r"""The pairs of one better document and a run of worse ones, each changing the measure by weight \|mine + theirs\|."""
    run = slice(start, end)
    sums = _add_to_run(e[i], weight, mine, e[run], theirs[run], gradient[run], hessian[run])
    gradient[i] -= sums[0]
    hessian[i] += sums[1]


# Few arrays, indices from 0 and no check for divisions by 0: else it does not vectorise.
@njit(cache=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz", "nnan"})
def _add_to_run(e_i, weight, mine, e, theirs, gradient, hessian):  # type: ignore[no-untyped-def]
    """Add to a run of worse documents, and give the sums over it; p = e_j/(e_i + e_j) and 1 - p = e_i/(e_i + e_j)."""
    gradient_sum, hessian_sum = 0.0, 0.0
    for j in range(e.size):
        inverse = 1 / (e_i + e[j])
        pair_gradient = weight * abs(mine + theirs[j]) * (e[j] * inverse)
        pair_hessian = pair_gradient * (e_i * inverse)
        gradient_sum += pair_gradient
        hessian_sum += pair_hessian
        gradient[j] += pair_gradient
        hessian[j] += pair_hessian
    return gradient_sum, hessian_sum


@njit(cache=True)
def _add_spread_run(i, start, end, weight, mine, scores, theirs, gradient, hessian):  # type: ignore[no-untyped-def]
    """The same from scores so far apart that their exponentials cannot be told from 0."""
    for j in range(start, end):
        p = sigmoid_of_minus(scores[i] - scores[j])
        pair_gradient = weight * (mine + theirs[j]) * p
        gradient[i] -= pair_gradient
        gradient[j] += pair_gradient
        hessian[i] += pair_gradient * (1 - p)
        hessian[j] += pair_gradient * (1 - p)


@njit(cache=True)
def sigmoid_of_minus(y):  # type: ignore[no-untyped-def]
    """1/(1 + e^y)."""
    return 1 / (1 + np.exp(y)) if y <= 0 else np.exp(-y) / (1 + np.exp(-y))


@njit(cache=True, parallel=True)
def _sum_in_parts(s, is_spread, n_better, group, upper, lower, tied, discounted):  # type: ignore[no-untyped-def]
    """All pairs of the first `n_better` documents and the rest, in parts that each have their own sums."""
    n, n_parts = s.size, 8
    pairs = SortedPairs(s if is_spread else np.exp(s - s.max()), is_spread, group, upper, lower, tied, discounted, True)
    gradients, hessians = np.zeros((n_parts, n)), np.zeros((n_parts, n))
    for part in prange(n_parts):
        better = (part * n_better // n_parts, (part + 1) * n_better // n_parts)
        add_pairs(better, (n_better, n), 1.0, pairs, gradients[part], hessians[part])
    return gradients, hessians
