r"""Lambdas of the ROC area of a long query with many distinct grades, in O(n log n); see `roc_area`.

Let y be the distance between the scores of two documents, and phi(y) = 1/(1 + e^y). The gradient of document i is

.. math:: g_i = -\tfrac12 \sum_j \operatorname{sgn}(l_i - l_j)\, |\Delta_{ij}|
                + \sum_{j \text{ below}} |\Delta_{ij}|\, \bigl(\tfrac12 - \varphi(y_{ij})\bigr)
                - \sum_{j \text{ above}} |\Delta_{ij}|\, \bigl(\tfrac12 - \varphi(y_{ij})\bigr)

over all j of another grade, and its hessian is the sum of :math:`|\Delta_{ij}|\, \varphi (1 - \varphi)`. `halved_ranking`
sums over the documents below and, in the mirrored ranking, over those above. The first sum is exact: a document k counts
W_a(k) - W_b(k) for each j of grade b such that k is between i and j, and so for a given k these are sums over all j on the
other side of k. Both lambdas of a document are within 10^-7 of its sum of \|Delta\|.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...kernel_compiler import njit
from ..base import Lambdas
from .halved_ranking import Side, sum_below
from .halves import Ranking, level_end, ranking_of


def sum_continuous_grades(scores: Floats, level: NDArray[np.int32], order: Ints, weight: float, found: Lambdas) -> None:
    """Write the sums of one query; `order` ranks its documents."""
    ranking = ranking_of(scores[order], level[order])
    below = sum_below(ranking)
    mirrored = ranking_of(-ranking.scores[::-1], ranking.level[::-1])
    above = sum_below(mirrored)
    signed = _signed_changes(ranking, below) + _signed_changes(mirrored, above)[::-1]
    hessian = below.hessian + above.hessian[::-1]
    higher = below.higher_below + above.higher_below[::-1]
    _add_ties(ranking, higher, signed, hessian)
    found.gradient[order] = weight * (below.gradient - above.gradient[::-1] - signed / 2)
    found.hessian[order] = weight * hessian


def _signed_changes(ranking: Ranking, side: Side) -> Floats:
    """The part of the sum over j of sgn(l_i - l_j) |Delta_ij| due to the documents k below i, not those tied with it.

    Each k counts W_a(k) - W_b(k) for every j below k (half that for a j tied with k), b being the grade of j.
    """
    of_group = np.add.reduceat(side.higher_below, ranking.group_starts[:-1])
    further = np.append(np.cumsum(of_group[::-1])[-2::-1], 0.0)
    return side.passed - np.repeat(further, np.diff(ranking.group_starts))


@njit(cache=True)
def _add_ties(ranking, higher, signed, hessian):  # type: ignore[no-untyped-def]
    """Add the pairs within tie groups, and to the sum of sgn(l_i - l_j) |Delta_ij| also the documents k tied with i.

    Each k counts 1/2 between a document of its tie group and one outside. `higher` is, for each document, twice the number
    of documents of a higher grade plus the number of those of its own.
    """
    level, group_starts, order, n = ranking.level, ranking.group_starts, ranking.orders[-1], ranking.level.size
    for group in range(group_starts.size - 1):
        start, end = group_starts[group], group_starts[group + 1]
        size, grown, outside = end - start, 0.0, 0.0
        first = start
        while first < end:
            last = level_end(level, order, first, end)
            grown += (last - first) * (first - start + last - start)
            for rank in order[first:last]:
                outside += higher[rank] - (2 * end - first - last)
            first = last
        first, grown_lower = start, 0.0
        while first < end:
            last = level_end(level, order, first, end)
            lower, higher_tied, own = first - start, end - last, first - start + last - start
            grown_higher = grown - grown_lower - (last - first) * own
            changes = own * (lower - higher_tied) - grown_lower + grown_higher + lower + higher_tied
            for rank in order[first:last]:
                signed[rank] += (own * (n - size) - outside) / 2 + (size * own - grown + lower - higher_tied) / 3
                hessian[rank] += changes / 12
            grown_lower += (last - first) * own
            first = last
