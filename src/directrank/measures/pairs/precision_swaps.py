r"""Swaps of measures that sum precisions: average precision and the area under the precision-recall curve.

A relevant document at rank r with A relevant ones above it earns

.. math:: \frac{1}{R} (g(r) + A\, h(r))

where R is the number of the query's relevant documents. AP has g(r) = h(r) = 1/r.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...kernel_compiler import njit, prange
from ..ranking.sorting import order_by_query
from ..ranking.ties import group_end
from .swaps import Swaps


class Earnings(NamedTuple):
    """What a relevant document earns at each rank.

    Attributes
    ----------
    alone : float64 array
        g, if there is no relevant document above it.
    each_above : float64 array
        h, for each relevant document above it.
    """

    alone: Floats
    each_above: Floats


def precision_swaps(scores: Floats, relevant: Bools, gains: Floats, offsets: Ints, earnings: Earnings) -> Swaps:
    """The swaps of a relevant document and a non-relevant one.

    Parameters
    ----------
    gains : float64 array
        1/R for a relevant document, 0 for another.
    earnings : Earnings
        For as many ranks as the longest query has.
    """
    order = order_by_query(scores, offsets)
    group = np.empty(scores.size, np.int32)
    upper, lower, tied = np.empty(scores.size), np.empty(scores.size), np.empty(scores.size)
    _find_swaps(scores, relevant, order, offsets, earnings, group, upper, lower, tied)
    return Swaps(order, group, gains, upper, lower, tied, False)


class _TieGroup(NamedTuple):
    """A tie group of a ranking.

    Attributes
    ----------
    g, h : float64 arrays
        Those of its ranks.
    n_relevant : int
        How many of its documents are relevant.
    n_above : int
        How many relevant documents stand above the group.
    h_above : float
        The sum of h over the ranks of those.
    """

    g: Floats
    h: Floats
    n_relevant: int
    n_above: int
    h_above: float


@njit(cache=True, parallel=True)
def _find_swaps(scores, relevant, order, offsets, earnings, group, upper, lower, tied):  # type: ignore[no-untyped-def]
    for q in prange(offsets.size - 1):
        lo, hi = offsets[q], offsets[q + 1]
        _find_swaps_of_query(
            scores[lo:hi], relevant[lo:hi], order[lo:hi], earnings, group[lo:hi], upper[lo:hi], lower[lo:hi], tied[lo:hi]
        )


@njit(cache=True)
def _find_swaps_of_query(scores, relevant, order, earnings, group, upper, lower, tied):  # type: ignore[no-untyped-def]
    """Split the change of each swap into a part of the upper document and one of the lower.

    Move a relevant document from rank b up to rank a < b, for a non-relevant one. With A_a and A_b counting the other
    relevant documents above each rank, R times the value changes by

        g(a) + A_a h(a) + sum of h(r) over the other relevant documents at ranks r between a and b - g(b) - A_b h(b)

    as those between have one more relevant document above them. Their sum is H_b - H_a, the sum of h above b less that
    above and at a: so the change is upper_a + lower_b with upper_a = g(a) + A_a h(a) - H_a, lower_b = H_b - g(b) - A_b h(b).
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
        ties = _TieGroup(earnings.alone[start:end], earnings.each_above[start:end], n_relevant, n_above, h_above)
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
        earned += ties.g[x] + (ties.n_above + x * probability) * ties.h[x]
        earned_below += ties.g[x] + (n_above_below + x * probability) * ties.h[x]
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
        total += after * (ties.g[x] + (ties.n_above + 2 * x * probability) * ties.h[x])
        total -= x * (ties.g[x] + (ties.n_above + (x - 1) * probability) * ties.h[x])
    return total * 2 / (m * (m - 1.0))
