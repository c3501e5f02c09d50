"""Average rank of the relevant documents."""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar

import numpy as np

from ..arrays import Bools, Floats
from ..caching import cached_property
from ..core import dcg as kernels
from .bound import Bound
from .capabilities import Lambdas, Smoothed, Violation
from .discounted_gains import linear_gains
from .measure import Measure
from .pairs.pairwise import PairGroups, pair_groups, pairwise_lambdas
from .pairs.swaps import DiscountTable, discount_table, discounted_swaps
from .ranking.levels import levels_of, values_differ
from .smoothing.soft_ranking import SoftRanking

#: Number of pairs of documents that are compared at a time.
MAX_PAIRS_AT_ONCE = 2**20


class BoundARP(Bound):
    """Average rank of the relevant documents, bound to grades."""

    measure: ARP

    def evaluate(self, scores: Floats) -> Floats:
        """Gains of the ranked documents, minus gain times (rank - 1)/n."""
        lost = kernels.evaluate(scores, self._gains_per_rank, self.offsets, self._ranks_above)
        return self._by_query(np.where(scores > -np.inf, self.gains, 0.0)) - lost

    def lambdas(self, scores: Floats, by_distance: bool = False) -> Lambdas:
        """See `pairwise`: a swap changes the value by the difference of the gains times that of the ranks."""
        swaps = discounted_swaps(scores, self._gains_per_rank, self.offsets, self._minus_ranks)
        return pairwise_lambdas(scores, self._pairs, swaps, by_distance)

    def most_violated(self, scores: Floats) -> Violation:
        r"""Each pair on its own, as in the ROC area: swapped where the scores differ by less than 1/2.

        .. math:: \Psi(y) = \frac1n \sum_{g_i > g_j} (g_i - g_j)\, y_{ij} (x_i - x_j)

        A swapped pair loses (g_i - g_j)/n. So the slack is the sum of (g_i - g_j)/n max(0, 1 - 2 (s_i - s_j)). Where one
        document was clicked, with the gain 1/p, it is the bound of SVM PropRank (Joachims et al. 2017), divided by n. Each
        document above the lowest gain of its query is compared with all others.
        """
        coefficients, losses = np.zeros(scores.size), np.zeros(self.sizes.size)
        for query, (lo, hi) in enumerate(pairwise(self.offsets.tolist())):
            if hi - lo > 1:
                losses[query] = _swap_pairs(scores[lo:hi], self.gains[lo:hi], coefficients[lo:hi])
        return Violation(coefficients, losses)

    def smooth(self, scores: Floats, sigma: float) -> Smoothed:
        """See `soft_ranking`."""
        soft = SoftRanking(scores, self.gains, self.offsets, sigma, self.sizes)
        position = np.arange(scores.size) - np.repeat(self.offsets[:-1], self.sizes)
        slopes = np.where(position < np.repeat(soft.depths, self.sizes), 1 - position / self._n_documents, 0.0)
        return Smoothed(self._by_query(soft.expected * slopes), soft.gradient(slopes))

    @cached_property
    def informative(self) -> Bools:
        """Queries whose gains differ."""
        return values_differ(self.gains, self.offsets)

    @cached_property
    def gains(self) -> Floats:
        """Gain of each document."""
        return linear_gains(self.grades, self.measure.name)

    @cached_property
    def _n_documents(self) -> Floats:
        """Number of documents of the query of each document."""
        return np.repeat(self.sizes, self.sizes).astype(np.float64)

    @cached_property
    def _gains_per_rank(self) -> Floats:
        """What a document loses with each rank."""
        return self.gains / self._n_documents

    @cached_property
    def _ranks_above(self) -> Floats:
        """Number of ranks above each rank."""
        return np.arange(self.longest, dtype=np.float64)

    @cached_property
    def _minus_ranks(self) -> DiscountTable:
        return discount_table(-self._ranks_above)

    @cached_property
    def _pairs(self) -> PairGroups:
        return pair_groups(levels_of(self.gains, self.offsets), self.offsets)

    def _by_query(self, values: Floats) -> Floats:
        """Sums of values of documents, for each query."""
        query = np.repeat(np.arange(self.sizes.size), self.sizes)
        return np.asarray(np.bincount(query, values, self.sizes.size), np.float64)


def _swap_pairs(scores: Floats, gains: Floats, coefficients: Floats) -> float:
    """Add the coefficients of the swapped pairs of one query, and return their loss."""
    n, lost = scores.size, 0.0
    better = np.flatnonzero(gains > gains.min())
    step = max(1, MAX_PAIRS_AT_ONCE // n)
    for start in range(0, better.size, step):
        rows = better[start : start + step]
        gaps = np.maximum(gains[rows, None] - gains, 0.0) / n
        gaps *= scores[rows, None] - scores < 0.5  # not `scores + 0.5`, whose half may be rounded off
        coefficients[rows] += 2 * gaps.sum(axis=1)
        coefficients -= 2 * gaps.sum(axis=0)
        lost += float(gaps.sum())
    return lost


class ARP(Measure):
    r"""Average rank of the relevant documents (Joachims et al. 2017), as a sum that is higher for better rankings.

    .. math:: ARP = \sum_i l_i \, \frac{n + 1 - r_i}{n}

    over the documents i of a query, of grade :math:`l_i` and rank :math:`r_i`: a document counts its grade at rank 1, and
    linearly less below, down to 1/n of it at rank n. So a query counts 0 if it has no relevant documents, as in other
    measures, or if none of them is ranked. The average rank itself is :math:`n + 1 - n\,ARP / \sum_i l_i`.

    It is additive: gains may be estimates, also below 0. Within a query with two grades it orders rankings as `AUC` does.
    """

    bound: ClassVar[type[Bound]] = BoundARP
    additive: ClassVar[bool] = True

    @property
    def gain_formula(self) -> str:
        return "linear"
