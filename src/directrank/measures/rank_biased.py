"""Rank-biased precision."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..arrays import Bools, Floats
from ..caching import cached_property
from ..core import rank_biased as kernels
from .bound import Bound, RelevanceBound
from .capabilities import Lambdas, Smoothed
from .measure import Measure
from .pairs.pairwise import PairGroups, pair_groups, pairwise_lambdas
from .pairs.swaps import DiscountTable, discount_table, discounted_swaps
from .smoothing.smoothed_values import smoothed_gains
from .smoothing.soft_ranking import SoftRanking


class BoundRBP(RelevanceBound):
    """Rank-biased precision, bound to grades."""

    measure: RBP

    def evaluate(self, scores: Floats) -> Floats:
        return kernels.evaluate(scores, self.relevant, self.offsets, self._discounts.to_rank)

    def lambdas(self, scores: Floats, by_distance: bool = False) -> Lambdas:
        """See `pairwise`: gain times discount."""
        swaps = discounted_swaps(scores, self.relevant.astype(np.float64), self.offsets, self._discounts)
        return pairwise_lambdas(scores, self._pairs, swaps, by_distance)

    def smooth(self, scores: Floats, sigma: float) -> Smoothed:
        """See `soft_ranking`."""
        depths = np.full(self.sizes.size, self.measure._depth)
        soft = SoftRanking(scores, self.relevant.astype(np.float64), self.offsets, sigma, depths)
        return smoothed_gains(soft, self._discounts.at_rank)

    @cached_property
    def informative(self) -> Bools:
        """Queries with both relevant and non-relevant documents."""
        return self.has_both

    @cached_property
    def _discounts(self) -> DiscountTable:
        p = float(self.measure.p)
        ranks: Floats = np.arange(min(self.longest, self.measure._depth)).astype(np.float64)
        return discount_table((1 - p) * p**ranks)

    @cached_property
    def _pairs(self) -> PairGroups:
        return pair_groups(self.levels, self.offsets)


class RBP(Measure):
    r"""Rank-biased precision (Moffat & Zobel 2008), for a user who continues from each rank with probability p.

    .. math:: RBP = (1 - p) \sum_{r \le k,\ d_r\ \text{relevant}} p^{\,r - 1}

    It is the expected fraction of relevant documents among those seen. It is not normalised by the number of relevant
    documents: even the best ranking has a value below 1.

    Parameters
    ----------
    rel : number, optional
        Smallest relevant grade; by default any grade above 0.
    p : number
        Persistence of the user, between 0 and 1.
    k : int, optional
        Cut-off: ranks beyond k contribute nothing.
    """

    bound: ClassVar[type[Bound]] = BoundRBP
    cutoff_is_optional: ClassVar[bool] = True

    rel: float | None = None
    p: float = 0.8
    k: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        number = isinstance(self.p, (float, np.floating)) and bool(0 < self.p < 1)
        self._check(number, "p", self.p, "a number between 0 and 1")
