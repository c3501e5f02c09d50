"""Sums of gain times discount, the discount a function of the rank: what DCG and RBP have in common."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ..arrays import Bools, Floats
from ..caching import cached_property
from ..core import dcg as kernels
from .bound import Bound
from .capabilities import Lambdas, Smoothed, Violation
from .errors import MeasureError
from .pairs.pairwise import PairGroups, pair_groups, pairwise_lambdas
from .pairs.swaps import DiscountTable, discount_table, discounted_swaps
from .ranking.levels import levels_of, values_differ
from .smoothing.smoothed_values import smoothed_gains
from .smoothing.soft_ranking import SoftRanking
from .violations.interleaving import most_violated_gains
from .violations.minorant import convex_minorant

#: Largest absolute value of a gain: many of them can be summed.
MAX_GAIN = 2.0**1000


class DiscountedGains(Protocol):
    """A measure that sums gain times discount over the ranks down to a cut-off, if it has one."""

    @property
    def k(self) -> int | None:
        """Cut-off."""
        ...

    def _gains(self, grades: Floats) -> Floats:
        """Gain of each document."""
        ...

    def _discount(self, ranks: Floats) -> Floats:
        """D, without the cut-off."""
        ...

    @property
    def _first_convex_rank(self) -> int:
        """D is convex over rank 1 and the ranks from here on."""
        ...

    @property
    def _depth(self) -> int:
        """Number of ranks that count."""
        ...


class BoundDiscountedGains(Bound):
    """A sum of gain times discount, bound to grades. Gains may be below 0."""

    measure: DiscountedGains

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

    def most_violated(self, scores: Floats) -> Violation:
        """See `most_violated_gains`: exact with two gains and no cut-off, otherwise a bound.

        A constant that is added to all gains of a query changes every ranking's value alike, so the lowest gain counts as 0.
        """
        found = self._most_violated(scores, self._gains_above_lowest)
        best = kernels.ideal(self._gains_above_lowest, self.offsets, self._discounts.to_rank)
        return Violation(found.coefficients * np.repeat(best, self.sizes), found.losses * best)

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
    def _gains_above_lowest(self) -> Floats:
        """Gain of each document minus the lowest of its query."""
        filled = self.sizes > 0
        lowest = np.minimum.reduceat(self.gains, self.offsets[:-1][filled]) if filled.any() else np.zeros(0)
        return self.gains - np.repeat(lowest, self.sizes[filled])

    @cached_property
    def _discounts(self) -> DiscountTable:
        """Discounts up to the cut-off or the longest query."""
        n_ranks = min(self.measure._depth, self.longest)
        return discount_table(self.measure._discount(np.arange(1, n_ranks + 1, dtype=np.float64)))

    @cached_property
    def _pairs(self) -> PairGroups:
        return pair_groups(levels_of(self.gains, self.offsets), self.offsets)

    def _most_violated(self, scores: Floats, gains: Floats) -> Violation:
        """The most violated output for the normalised sum of gains of at least 0."""
        n_equal_ranks = self.measure._first_convex_rank - 1 if self.measure.k is None else 1
        return most_violated_gains(scores, gains, self.offsets, self._to_rank, self._minorant, n_equal_ranks)

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


def linear_gains(grades: Floats, name: str) -> Floats:
    """Grades as gains, checked: a measure of this name can sum them."""
    highest = max(grades.max(initial=0.0), -grades.min(initial=0.0))
    if highest > MAX_GAIN:
        raise MeasureError(f"{name}: gains up to {highest:g} are too large to be summed; scale the grades")
    return grades
