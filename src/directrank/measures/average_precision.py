"""Average precision."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np

from ..arrays import Floats
from ..kernel_compiler import njit, prange
from .base import Bound, Lambdas, Measure, MeasureError, RelevanceBound, Smoothed, Violation
from .pairs.pairwise import PairGroups, pair_groups, pairwise_lambdas
from .pairs.precision_swaps import Earnings, precision_swaps
from .ranking.partial import is_ranked, ranked_query, ranks_of_few
from .ranking.ties import group_end, ranked_end
from .smoothing.soft_ranking import SoftRanking
from .smoothing.values import smoothed_precisions
from .violations.interleaving import most_violated_precisions


class PrecisionsBound(RelevanceBound):
    """A bound measure that sums, over the relevant documents, something like the precision at the rank of each.

    It is the mean of g(r) + A h(r) over the relevant documents, of which A stand above that at rank r.
    """

    def lambdas(self, scores: Floats) -> Lambdas:
        """See `precision_swaps`: those that stand between the two have one relevant document more, or less, above them."""
        swaps = precision_swaps(scores, self.relevant, self._gains, self.offsets, self.earnings)
        return pairwise_lambdas(scores, self._pairs, swaps)

    def most_violated(self, scores: Floats) -> Violation:
        """The interleaving of Yue's Algorithm 2; see `interleaving`."""
        return most_violated_precisions(scores, self.relevant, self.offsets, self.earnings, self._losses_below)

    def smooth(self, scores: Floats, sigma: float) -> Smoothed:
        """See `soft_ranking`: 1/R sum_r p_r (g(r) + h(r) sum_{r' < r} p_r')."""
        depths = np.full(self.sizes.size, self.measure._depth)
        soft = SoftRanking(scores, self.relevant.astype(np.float64), self.offsets, sigma, depths)
        return smoothed_precisions(soft, *self.earnings, self.n_relevant)

    @cached_property
    def earnings(self) -> Earnings:
        """g and h of each rank."""
        raise NotImplementedError

    @cached_property
    def _losses_below(self) -> Floats:
        """The table of `most_violated_precisions`."""
        raise NotImplementedError

    @cached_property
    def _gains(self) -> Floats:
        return self.relevant / np.repeat(np.maximum(self.n_relevant, 1), self.sizes)

    @cached_property
    def _pairs(self) -> PairGroups:
        return pair_groups(self.levels, self.offsets)


class BoundAP(PrecisionsBound):
    """Average precision on queries of some grades."""

    measure: AP

    def evaluate(self, scores: Floats) -> Floats:
        scores = np.ascontiguousarray(scores, dtype=np.float64)
        return _average_precision(scores, self.relevant, self.n_relevant, self.offsets, self.measure._depth)

    def most_violated(self, scores: Floats) -> Violation:
        """The interleaving of Yue's Algorithm 2; see `interleaving`."""
        if self.measure.k is not None:
            name = self.measure.name
            raise MeasureError(f"{name}: the most violated ranking is known for AP without a cut-off only; use AP")
        return super().most_violated(scores)

    @cached_property
    def earnings(self) -> Earnings:
        """1/r for each rank r up to the cut-off, 0 beyond."""
        ranks = np.arange(self.longest)
        weights = np.where(ranks < self.measure._depth, 1 / (ranks + 1.0), 0.0)
        return Earnings(weights, weights)

    @cached_property
    def _losses_below(self) -> Floats:
        """Relevant document i below j others instead of j - 1 loses i (1/(i + j - 1) - 1/(i + j))/R.

        Summed over i > k this is ((k + 1)/(j + k) - H_{j + k})/R and a part without k, with harmonic numbers H.
        """
        return -np.concatenate(([0.0], np.cumsum(1 / np.arange(1, self.longest + 1))))


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
def _average_precision(scores, relevant, n_relevant, offsets, k):  # type: ignore[no-untyped-def]
    values = np.empty(offsets.size - 1)
    for q in prange(values.size):
        lo, hi = offsets[q], offsets[q + 1]
        values[q] = _of_query(scores[lo:hi], relevant[lo:hi], n_relevant[q], k)
    return values


@njit(cache=True)
def _of_query(scores, relevant, n_relevant, k):  # type: ignore[no-untyped-def]
    if n_relevant == 0:
        return 0.0
    if 3 * n_relevant < min(scores.size, 256) and not is_ranked(scores):  # else it is as fast to go down the ranking
        ranks = ranks_of_few(scores, relevant, n_relevant)
        if ranks.size > 0:
            return _of_ranks(ranks, k)
    return _of_ranking(*ranked_query(scores, relevant), n_relevant, k)


@njit(cache=True)
def _of_ranks(ranks, k):  # type: ignore[no-untyped-def]
    """From the ranks of all relevant documents."""
    total = 0.0
    for before in range(ranks.size):
        if ranks[before] > k:
            break
        total += (before + 1) / ranks[before]
    return total / ranks.size


@njit(cache=True)
def _of_ranking(scores, relevant, n_relevant, k):  # type: ignore[no-untyped-def]
    """Mean over the orders of ties.

    In a group of m documents, r of them relevant, place i holds a relevant one with probability r/m, and then (i - 1)
    (r - 1)/(m - 1) relevant ones are expected in the group's places before it.
    """
    last = min(ranked_end(scores), k)
    total, before, start = 0.0, 0, 0
    while start < last and before < n_relevant:
        if start + 1 == scores.size or scores[start + 1] != scores[start]:  # no tie, and no branch on what is relevant
            found = relevant[start]
            before += found
            start += 1
            total += found * (before / start)
            continue
        end = group_end(scores, start)
        m, r = end - start, np.sum(relevant[start:end])
        slope = (r - 1) / (m - 1)
        for i in range(min(end, last) - start):
            total += r / m * (before + 1 + i * slope) / (start + i + 1)
        before += r
        start = end
    return total / n_relevant
