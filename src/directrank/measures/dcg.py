"""Discounted cumulative gain, plain and normalised."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..arrays import Bools, Floats
from ..caching import cached_property
from ..core import dcg as kernels, elementary
from .bound import Bound
from .capabilities import Lambdas, Smoothed, Violation
from .errors import MeasureError
from .measure import Measure
from .pairs.pairwise import PairGroups, pair_groups, pairwise_lambdas
from .pairs.swaps import DiscountTable, discount_table, discounted_swaps
from .ranking.levels import levels_of, values_differ
from .smoothing.smoothed_values import smoothed_gains
from .smoothing.soft_ranking import SoftRanking
from .violations.interleaving import most_violated_gains
from .violations.minorant import convex_minorant

GAINS = ("exp", "linear")
DISCOUNTS = ("log2", "jarvelin")


class BoundDCG(Bound):
    """DCG, bound to grades."""

    measure: DCG

    def evaluate(self, scores: Floats) -> Floats:
        return kernels.evaluate(scores, self.gains, self.offsets, self._discounts.at_rank)

    def lambdas(self, scores: Floats, by_distance: bool = False) -> Lambdas:
        """See `pairwise`: gain times discount."""
        swaps = discounted_swaps(scores, self._normalised_gains, self.offsets, self._discounts)
        return pairwise_lambdas(scores, self._pairs, swaps, by_distance)

    def smooth(self, scores: Floats, sigma: float) -> Smoothed:
        """See `soft_ranking`."""
        depths = np.full(self.sizes.size, self._discounts.at_rank.size)
        soft = SoftRanking(scores, self._normalised_gains, self.offsets, sigma, depths)
        return smoothed_gains(soft, self._discounts.at_rank)

    @cached_property
    def informative(self) -> Bools:
        """Queries whose gains differ, and whose first and last rank have distinct discounts."""
        at_rank = np.append(self._discounts.at_rank, 0.0)
        at_last = at_rank[np.clip(self.sizes, 1, at_rank.size) - 1]
        return values_differ(self.gains, self.offsets) & (at_last != at_rank[0])

    @cached_property
    def gains(self) -> Floats:
        """Gain of each document."""
        return self.measure._gains(self.grades)

    @property
    def _normalised_gains(self) -> Floats:
        """Gains divided by the normaliser of each query."""
        return self.gains

    @cached_property
    def _discounts(self) -> DiscountTable:
        """Discounts up to the cut-off or the longest query."""
        n_ranks = min(self.measure._depth, self.longest)
        return discount_table(self.measure._discount(np.arange(1, n_ranks + 1, dtype=np.float64)))

    @cached_property
    def _pairs(self) -> PairGroups:
        return pair_groups(levels_of(self.grades, self.offsets), self.offsets)


class BoundnDCG(BoundDCG):
    """nDCG, bound to grades."""

    def evaluate(self, scores: Floats) -> Floats:
        value = super().evaluate(scores)
        return np.minimum(np.divide(value, self.ideals, out=np.zeros_like(value), where=self.ideals > 0), 1.0)

    def most_violated(self, scores: Floats) -> Violation:
        """See `most_violated_gains`: exact with one grade above 0 and no cut-off, otherwise a bound."""
        n_equal_ranks = self.measure._first_convex_rank - 1 if self.measure.k is None else 1
        return most_violated_gains(scores, self.gains, self.offsets, self._to_rank, self._minorant, n_equal_ranks)

    @cached_property
    def ideals(self) -> Floats:
        """DCG of the best ranking of each query."""
        return kernels.ideal(self.gains, self.offsets, self._discounts.to_rank)

    @cached_property
    def _normalised_gains(self) -> Floats:  # type: ignore[override]
        return self.gains / np.repeat(np.where(self.ideals > 0, self.ideals, 1.0), self.sizes)

    @cached_property
    def _to_rank(self) -> Floats:
        """Sums of the discounts down to each rank of the longest query."""
        to_rank = self._discounts.to_rank
        return np.pad(to_rank, (0, self.longest + 1 - to_rank.size), mode="edge")

    @cached_property
    def _minorant(self) -> Floats:
        measure = self.measure
        n_ranks = max(self.longest, 1)
        minorant = convex_minorant(measure._discount, measure._first_convex_rank, measure.k, n_ranks)
        return np.concatenate(([0.0], minorant))


class DCG(Measure):
    r"""Discounted cumulative gain.

    .. math:: DCG = \sum_{r \le k} G(l_r) \, D(r)

    Parameters
    ----------
    gain : {"exp", "linear"}
        :math:`G(l) = 2^l - 1` (Burges et al. 2005), or :math:`G(l) = l`, as in trec_eval.
    discount : {"log2", "jarvelin"}
        :math:`D(r) = 1/\log_2(1 + r)`, or the older :math:`D(1) = 1, D(r) = 1/\log_2 r`, which gives ranks 1 and 2 the same
        weight (Järvelin & Kekäläinen 2002, and the evaluation scripts of LETOR 3.0).
    k : int, optional
        Cut-off: ranks beyond k contribute nothing.
    """

    bound: ClassVar[type[Bound]] = BoundDCG
    cutoff_is_optional: ClassVar[bool] = True

    gain: str = "exp"
    discount: str = "log2"
    k: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(self.gain in GAINS, "gain", self.gain, " or ".join(GAINS))
        self._check(self.discount in DISCOUNTS, "discount", self.discount, " or ".join(DISCOUNTS))

    @property
    def gain_formula(self) -> str:
        return "linear" if self.gain == "linear" else "2^g - 1"

    def _gains(self, grades: Floats) -> Floats:
        highest = grades.max(initial=0.0)
        if self.gain == "linear":
            if highest > 2.0**1000:
                raise MeasureError(f"{self.name}: gains up to {highest:g} are too large to be summed; scale the grades")
            return grades
        if highest > 1000:
            raise MeasureError(f"{self.name}: the gain 2^{highest:g} is beyond what a float holds; use gain=linear")
        gains = elementary.exp2(grades)
        gains -= 1
        return gains

    def _discount(self, ranks: Floats) -> Floats:
        """D, without the cut-off."""
        return 1 / elementary.log2(ranks + 1 if self.discount == "log2" else np.maximum(ranks, 2.0))

    @property
    def _first_convex_rank(self) -> int:
        """D is convex over rank 1 and the ranks from here on."""
        return 2 if self.discount == "log2" else 3


class nDCG(DCG):
    """DCG divided by the DCG of the best ranking of the query's documents, at the same cut-off.

    Parameters as in `DCG`. The gain matters wherever there are grades above 1: it is 2^grade - 1 by default, as in LightGBM
    and LETOR; ``nDCG(gain=linear)`` is the ``ndcg`` of trec_eval, ranx and ir_measures.
    """

    bound: ClassVar[type[Bound]] = BoundnDCG
