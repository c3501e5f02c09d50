"""Average precision."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numba import njit, prange

from ..arrays import Floats
from .base import Bound, Lambdas, Measure, MeasureError, RelevanceBound, Smoothed, Violation
from .pairs.pairwise import PairGroups, pair_groups, pairwise_lambdas
from .pairs.swaps import Swaps
from .ranking.sorting import descending_order, order_by_query, ranked
from .ranking.ties import count_relevant, group_end, ranked_end
from .smoothing.soft_ranking import SoftRanking
from .violations.interleaving import most_violated_places, pair_coefficients, split_by_relevance


class BoundAP(RelevanceBound):
    """Average precision on queries of some grades."""

    measure: AP

    def evaluate(self, scores: Floats) -> Floats:
        ranking = ranked(scores, self.grades, self.offsets)
        return _average_precision(*ranking, self.offsets, self.measure._threshold, self.measure._depth)

    def lambdas(self, scores: Floats) -> Lambdas:
        """See `pairwise`: a swap of ranks a < b earns its precision at a instead of b, and 1/r for those between."""
        order = order_by_query(scores, self.offsets)
        group = np.empty(scores.size, np.int32)
        upper, lower, tied = np.empty(scores.size), np.empty(scores.size), np.empty(scores.size)
        _find_swaps(scores, self.relevant, order, self.offsets, self._rank_weights, group, upper, lower, tied)
        return pairwise_lambdas(scores, self._pairs, Swaps(order, group, self._gains, upper, lower, tied, False))

    def most_violated(self, scores: Floats) -> Violation:
        """The interleaving of Yue's Algorithm 2; see `interleaving`."""
        if self.measure.k is not None:
            name = self.measure.name
            raise MeasureError(f"{name}: the most violated ranking is known for AP without a cut-off only; use AP")
        return Violation(*_most_violated(scores, self.relevant, self.offsets, self._minus_harmonic))

    def smooth(self, scores: Floats, sigma: float) -> Smoothed:
        """See `soft_ranking`: 1/R sum_r p_r/r (1 + sum_{r' < r} p_r')."""
        depths = np.full(self.sizes.size, self.measure._depth)
        soft = SoftRanking(scores, self.relevant.astype(np.float64), self.offsets, sigma, depths)
        values, slopes = _of_soft_ranking(soft.expected, self.offsets, soft.depths, self.n_relevant)
        return Smoothed(values, soft.gradient(slopes))

    @cached_property
    def _rank_weights(self) -> Floats:
        """1/r for each rank r up to the cut-off, 0 beyond."""
        ranks = np.arange(self.longest)
        return np.where(ranks < self.measure._depth, 1 / (ranks + 1.0), 0.0)

    @cached_property
    def _minus_harmonic(self) -> Floats:
        return -np.concatenate(([0.0], np.cumsum(1 / np.arange(1, self.longest + 1))))

    @cached_property
    def _gains(self) -> Floats:
        return self.relevant / np.repeat(np.maximum(self.n_relevant, 1), self.sizes)

    @cached_property
    def _pairs(self) -> PairGroups:
        return pair_groups(self.levels, self.offsets)


class AP(Measure):
    r"""Average precision.

    .. math:: AP = \frac{1}{R} \sum_{r \le k,\ d_r\ \text{relevant}} P@r

    over the ranks r of the query's R relevant documents. The mean over queries is MAP. With a cut-off it is still divided
    by all R, as trec_eval's ``map_cut`` is.

    Parameters
    ----------
    rel : number, optional
        The smallest grade that is relevant; by default any above 0.
    k : int, optional
        Ranks beyond k earn nothing.
    """

    bound: ClassVar[type[Bound]] = BoundAP

    rel: float | None = None
    k: int | None = None


@njit(cache=True, parallel=True)
def _average_precision(scores, grades, offsets, threshold, k):  # type: ignore[no-untyped-def]
    values = np.empty(offsets.size - 1)
    for q in prange(values.size):
        lo, hi = offsets[q], offsets[q + 1]
        values[q] = _of_query(scores[lo:hi], grades[lo:hi], threshold, k)
    return values


@njit(cache=True)
def _of_query(scores, grades, threshold, k):  # type: ignore[no-untyped-def]
    """Mean over the orders of ties.

    In a group of m documents, r of them relevant, place i holds a relevant one with probability r/m, and then (i - 1)
    (r - 1)/(m - 1) relevant ones are expected in the group's places before it.
    """
    relevant = count_relevant(grades, 0, grades.size, threshold)
    last = min(ranked_end(scores), k)
    total, before, start = 0.0, 0, 0
    while start < last and before < relevant:
        if start + 1 == scores.size or scores[start + 1] != scores[start]:  # no tie, and no branch on what is relevant
            found = grades[start] >= threshold
            before += found
            start += 1
            total += found * (before / start)
            continue
        end = group_end(scores, start)
        m, r = end - start, count_relevant(grades, start, end, threshold)
        slope = (r - 1) / (m - 1)
        for i in range(min(end, last) - start):
            total += r / m * (before + 1 + i * slope) / (start + i + 1)
        before += r
        start = end
    return total / relevant if relevant > 0 else 0.0


@njit(cache=True, parallel=True)
def _of_soft_ranking(expected, offsets, depths, n_relevant):  # type: ignore[no-untyped-def]
    """Values, and their derivatives by the expected relevance at each rank: by its own precision, and those below it."""
    values, slopes = np.zeros(offsets.size - 1), np.zeros(expected.size)
    for q in prange(values.size):
        above, first = 0.0, offsets[q]
        for r in range(depths[q]):
            precision = (1 + above) / (r + 1)
            values[q] += expected[first + r] * precision / max(n_relevant[q], 1)
            slopes[first + r] = precision / max(n_relevant[q], 1)
            above += expected[first + r]
        below = 0.0
        for r in range(depths[q] - 1, -1, -1):
            slopes[first + r] += below / max(n_relevant[q], 1)
            below += expected[first + r] / (r + 1)
    return values, slopes


@njit(cache=True, parallel=True)
def _most_violated(scores, relevant, offsets, table):  # type: ignore[no-untyped-def]
    coefficients, losses = np.zeros(scores.size), np.zeros(offsets.size - 1)
    for q in prange(losses.size):
        lo, hi = offsets[q], offsets[q + 1]
        losses[q] = _most_violated_of_query(scores[lo:hi], relevant[lo:hi], table, coefficients[lo:hi])
    return coefficients, losses


@njit(cache=True)
def _most_violated_of_query(scores, is_relevant, table, coefficients):  # type: ignore[no-untyped-def]
    """Relevant document i below j others instead of j - 1 loses i (1/(i + j - 1) - 1/(i + j))/R.

    Summed over i > k this is ((k + 1)/(j + k) - H_{j + k})/R and a part without k, with harmonic numbers H.
    """
    relevant, others = split_by_relevance(descending_order(scores), is_relevant)
    if relevant.size == 0 or others.size == 0:
        return 0.0
    places = most_violated_places(scores[relevant], scores[others], table, 1.0, 1.0 / relevant.size)
    above = pair_coefficients(relevant, others, places, coefficients)
    precision = 0.0
    for i in range(relevant.size):
        precision += (i + 1) / (i + 1 + above[i])
    return 1 - precision / relevant.size


class _TieGroup(NamedTuple):
    """A tie group of a ranking, as far as AP is concerned.

    Attributes
    ----------
    h : float64 array
        1/r for each of its ranks r, 0 beyond the cut-off.
    n_relevant : int
        How many of its documents are relevant.
    n_above : int
        How many relevant documents stand above the group.
    h_above : float
        The sum of h over the ranks of those.
    """

    h: Floats
    n_relevant: int
    n_above: int
    h_above: float


@njit(cache=True, parallel=True)
def _find_swaps(scores, relevant, order, offsets, h, group, upper, lower, tied):  # type: ignore[no-untyped-def]
    for q in prange(offsets.size - 1):
        lo, hi = offsets[q], offsets[q + 1]
        _find_swaps_of_query(
            scores[lo:hi], relevant[lo:hi], order[lo:hi], h, group[lo:hi], upper[lo:hi], lower[lo:hi], tied[lo:hi]
        )


@njit(cache=True)
def _find_swaps_of_query(scores, relevant, order, h, group, upper, lower, tied):  # type: ignore[no-untyped-def]
    """Split the change of each swap into a part of the upper document and one of the lower.

    Let h(r) = 1/r up to the cut-off. Move a relevant document from rank b up to rank a < b, for a non-relevant one. With
    A_a and A_b counting the other relevant documents above each rank, R times AP changes by

        (A_a + 1) h(a) + sum of h(r) over the other relevant documents at ranks r between a and b - (A_b + 1) h(b)

    as those between have one more relevant document above them. Their sum is H_b - H_a, the sum of h above b less that
    above and at a: so the change is upper_a + lower_b with upper_a = (A_a + 1) h(a) - H_a, lower_b = H_b - (A_b + 1) h(b).
    It is the same where the relevant document moves down. Of documents of equal score, each part is the mean over the
    orders of their group; for two of one group it is the mean of the whole.
    """
    ranked_scores = scores[order]
    start, number, n_above, h_above = 0, 0, 0, 0.0
    while start < order.size:
        end = group_end(ranked_scores, start)
        n_relevant = 0
        for document in order[start:end]:
            n_relevant += relevant[document]
        ties = _TieGroup(h[start:end], n_relevant, n_above, h_above)
        h_of_group = n_relevant / (end - start) * ties.h.sum()
        change = _mean_change_in_group(ties) if 0 < n_relevant < end - start else 0.0
        of_relevant, of_others = _parts(ties, True, h_of_group), _parts(ties, False, h_of_group)
        for document in order[start:end]:
            upper[document], lower[document] = of_relevant if relevant[document] else of_others
            group[document], tied[document] = number, change
        start, n_above, h_above = end, n_above + n_relevant, h_above + h_of_group
        number += 1


@njit(cache=True)
def _parts(ties, is_relevant, h_of_group):  # type: ignore[no-untyped-def]
    """`upper` and `lower` of a document of a tie group: means over its place x in it.

    Each of the other documents is relevant with the same probability, wherever they stand. The document moves as the
    relevant one of a swap or as the other: as the lower one it has the relevant one of the pair above it, unless it is
    that one itself, and A does not count that.
    """
    m = ties.h.size
    if ties.n_relevant == (0 if is_relevant else m):
        return 0.0, 0.0  # there is no such document
    n_others = ties.n_relevant - is_relevant
    probability = n_others / (m - 1) if m > 1 else 0.0
    earned, h_before, h_after = 0.0, 0.0, 0.0
    earned_below, n_above_below = 0.0, ties.n_above - (not is_relevant)
    for x in range(m):
        earned += (ties.n_above + 1 + x * probability) * ties.h[x]
        earned_below += (n_above_below + 1 + x * probability) * ties.h[x]
        h_before += (m - 1 - x) * probability * ties.h[x]
        h_after += x * probability * ties.h[x]
    return earned / m + h_after / m - ties.h_above - h_of_group, h_before / m + ties.h_above - earned_below / m


@njit(cache=True)
def _mean_change_in_group(ties):  # type: ignore[no-untyped-def]
    """The mean change over all places a < b of two documents of one tie group, one relevant and one non-relevant."""
    m = ties.h.size
    probability = (ties.n_relevant - 1) / (m - 2) if m > 2 else 0.0
    total = 0.0
    for x in range(m):
        after = m - 1 - x
        total += after * (ties.n_above + 1 + x * probability) * ties.h[x] + probability * x * after * ties.h[x]
        total -= x * (ties.n_above + 1 + (x - 1) * probability) * ties.h[x]
    return total * 2 / (m * (m - 1.0))
