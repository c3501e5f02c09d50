r"""Lambdas of the ROC area over all pairs of unequal grade.

With two grades, a swap changes as many pairs as it spans ranks (Theorem 1 of Welleck 2015). With more, let i of grade a rank
above j of grade b < a. Their swap changes the order of their own pair; of one pair for each document of grade a or b between
them; and of two pairs for each document of a grade between a and b. Let

.. math:: M_c(r) = \sum_{d \text{ above rank } r} 2 \cdot [l_d < c] + [l_d = c]

Then the number of pairs changed is :math:`(M_a - M_b)(r_j) - (M_a - M_b)(r_i)`: a discount for every two grades. In a tie
group each M is the mean over its orders, with half of the group's documents above. For two documents in one group, the
number is a third of one plus the increase of :math:`M_a - M_b` over the whole group.

A query of two grades is gain times discount, as in `pairwise`, and so is a query of up to 16 grades with too many pairs to
visit, two grades at a time. In all others each pair is visited, in O(1): for i above j, of any grades, the number of pairs
changed is the absolute value of

.. math:: X_{ij} = M_a(j) - M_a(i) - M_b(j) + M_b(i)

With up to 64 grades, M is tabulated at every rank. With more it is counted on the way up the ranking: the part of M_a is a
running count over j, and the part of M_b a running count over i for each document: O(n^2) time and O(n) memory, for any
number of grades. With more pairs than `pairwise.MAX_VISITED_PAIRS` lambdas are estimated: each stratum of the documents gets
the lambdas of its own ROC area.
"""

from __future__ import annotations

from ...arrays import Floats
from ...core import roc_area_pairs as kernels
from ..capabilities import Lambdas
from . import pairwise
from .pairwise import PairGroups


def roc_area_lambdas(scores: Floats, groups: PairGroups, weights: Floats, by_distance: bool) -> Lambdas:
    """Sums over all pairs of unequal grade.

    Parameters
    ----------
    weights : float64 array
        Value of one pair in the right order, for each query.
    by_distance : bool
        See `SupportsLambdas`.
    """
    offsets, by_level, level, _ = groups
    return Lambdas(*kernels.lambdas(scores, offsets, by_level, level, weights, *pairwise.limits(), by_distance))
