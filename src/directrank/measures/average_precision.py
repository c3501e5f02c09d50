"""Average precision."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..arrays import Floats
from ..caching import cached_property
from ..core import average_precision as kernels
from .bound import Bound, RelevanceBound
from .capabilities import Capability, Lambdas, Smoothed, Violation
from .measure import Measure
from .pairs.pairwise import PairGroups, pair_groups, pairwise_lambdas
from .pairs.precision_swaps import Earnings, precision_swaps
from .smoothing.smoothed_values import smoothed_precisions
from .smoothing.soft_ranking import SoftRanking
from .violations.interleaving import most_violated_precisions


class PrecisionsBound(RelevanceBound):
    """A bound measure that is the mean of g(r) + A h(r) over the relevant documents.

    r is the rank of a relevant document, and A the number of relevant documents above it.
    """

    def lambdas(self, scores: Floats, by_distance: bool = False) -> Lambdas:
        """See `precision_swaps`: the documents between the two have one relevant document more, or less, above them."""
        swaps = precision_swaps(scores, self.relevant, self._gains, self.offsets, self.earnings)
        return pairwise_lambdas(scores, self._pairs, swaps, by_distance)

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
        """Table for `most_violated_precisions`."""
        raise NotImplementedError

    @cached_property
    def _gains(self) -> Floats:
        return self.relevant / np.repeat(np.maximum(self.n_relevant, 1), self.sizes)

    @cached_property
    def _pairs(self) -> PairGroups:
        return pair_groups(self.levels, self.offsets)


class BoundAP(PrecisionsBound):
    """Average precision, bound to grades."""

    measure: AP

    def evaluate(self, scores: Floats) -> Floats:
        return kernels.evaluate(scores, self.relevant, self.n_relevant, self.offsets, self.measure._depth)

    @classmethod
    def limitation(cls, measure: AP, capability: Capability) -> str | None:
        if capability == "most_violated" and measure.k is not None:
            return "the most violated ranking is known for AP without a cut-off only: use AP"
        return super().limitation(measure, capability)

    @cached_property
    def earnings(self) -> Earnings:
        """1/r for each rank r up to the cut-off, 0 beyond."""
        ranks = np.arange(self.longest)
        weights = np.where(ranks < self.measure._depth, 1 / (ranks + 1.0), 0.0)
        return Earnings(weights, weights)

    @cached_property
    def _losses_below(self) -> Floats:
        """Relevant document i below j others instead of j - 1 loses i (1/(i + j - 1) - 1/(i + j))/R.

        Summed over i > k this is ((k + 1)/(j + k) - H_{j + k})/R plus a term without k, with harmonic numbers H.
        """
        return -np.concatenate(([0.0], np.cumsum(1 / np.arange(1, self.longest + 1))))


class AP(Measure):
    r"""Average precision.

    .. math:: AP = \frac{1}{R} \sum_{r \le k,\ d_r\ \text{relevant}} P@r

    over the ranks r of the query's R relevant documents. The mean over queries is MAP. With a cut-off it is still divided
    by R, as in trec_eval's ``map_cut``.

    Parameters
    ----------
    rel : number, optional
        Smallest relevant grade; by default any grade above 0.
    k : int, optional
        Cut-off: ranks beyond k contribute nothing.
    """

    bound: ClassVar[type[Bound]] = BoundAP
    nearest_additive: ClassVar[str | None] = "DCG(gain=linear)"
    cutoff_is_optional: ClassVar[bool] = True

    rel: float | None = None
    k: int | None = None
