"""How much a measure changes when two documents of a query swap ranks, and the tables of discounts behind it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...kernel_compiler import njit, prange
from ..ranking.sorting import order_by_query
from ..ranking.ties import group_end


class Swaps(NamedTuple):
    """How much it changes the measure when two documents of a query swap ranks; arrays are laid out by query.

    It is ``|gains[i] - gains[j]| * (upper[i] + lower[j])`` where i stands above j, and ``|gains[i] - gains[j]| * tied[i]``
    where they have the same score.

    Attributes
    ----------
    order : int64 array
        The documents of each query by descending score, numbered within it.
    group : int32 array
        The number of each document's tie group in its query, from the top.
    gains, upper, lower, tied : float64 arrays
    discounted : bool
        Whether ``lower`` is ``-upper``: gain times discount.
    """

    order: Ints
    group: NDArray[np.int32]
    gains: Floats
    upper: Floats
    lower: Floats
    tied: Floats
    discounted: bool

    def of(self, documents: slice | Ints) -> Swaps:
        """Those of some documents, all but the order."""
        order, group, gains, upper, lower, tied, discounted = self
        at = documents
        return Swaps(order, group[at], gains[at], upper[at], lower[at], tied[at], discounted)


class DiscountTable(NamedTuple):
    """Discounts never increase with the rank; ranks beyond the table have 0.

    Attributes
    ----------
    at_rank : float64 array
        The discount of each rank.
    to_rank : float64 array, one longer
        Sums of the discounts of the first 0, 1, 2, ... ranks.
    """

    at_rank: Floats
    to_rank: Floats


def discount_table(discounts: Floats) -> DiscountTable:
    """The table of the discounts of ranks 1, 2, ..."""
    return DiscountTable(discounts, np.concatenate(([0.0], np.cumsum(discounts))))


def discounted_swaps(
    scores: Floats, gains: Floats, offsets: Ints, discounts: DiscountTable, depths: Ints | None = None
) -> Swaps:
    """Swaps of a measure that sums gain times discount.

    Parameters
    ----------
    gains : array
        For each document, divided by what normalises its query.
    depths : int64 array, optional
        For each query, how many ranks have a discount; by default as many as the table.
    """
    n_ranks = discounts.at_rank.size
    depths = np.full(offsets.size - 1, n_ranks) if depths is None else np.minimum(depths, n_ranks)
    order = order_by_query(scores, offsets)
    group, upper, tied = np.empty(scores.size, np.int32), np.empty(scores.size), np.empty(scores.size)
    _mean_discounts(scores, order, offsets, discounts, depths, group, upper, tied)
    return Swaps(order, group, gains, upper, -upper, tied, True)


@njit(cache=True, parallel=True)
def _mean_discounts(scores, order, offsets, discounts, depths, group, upper, tied):  # type: ignore[no-untyped-def]
    for q in prange(offsets.size - 1):
        lo, hi = offsets[q], offsets[q + 1]
        _mean_discounts_of_query(scores[lo:hi], order[lo:hi], discounts, depths[q], group[lo:hi], upper[lo:hi], tied[lo:hi])


@njit(cache=True)
def _mean_discounts_of_query(scores, order, discounts, depth, group, upper, tied):  # type: ignore[no-untyped-def]
    """A document's discount is the mean over the ranks of its tie group; within the group the mean difference counts.

    Of two places x < y of a group of m documents, the discounts differ by D(x) - D(y): rank x is the upper one in
    m - 1 - x of the m (m - 1)/2 pairs of places and the lower one in x of them.
    """
    ranked_scores = scores[order]
    start, number = 0, 0
    while start < order.size:
        end = group_end(ranked_scores, start)
        m, last = end - start, min(end, depth)
        mean = (discounts.to_rank[last] - discounts.to_rank[start]) / m if start < depth else 0.0
        mean_difference = 0.0
        if m > 1:
            for rank in range(start, last):
                mean_difference += (m - 1 - 2 * (rank - start)) * discounts.at_rank[rank]
            mean_difference *= 2 / (m * (m - 1.0))
        for document in order[start:end]:
            group[document], upper[document], tied[document] = number, mean, mean_difference
        start = end
        number += 1
