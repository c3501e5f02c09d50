"""Reciprocal rank and expected reciprocal rank."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..arrays import Bools, Floats
from ..caching import cached_property
from ..core import elementary, reciprocal_rank as kernels
from .bound import Bound, RelevanceBound
from .capabilities import Lambdas, Smoothed, Violation
from .errors import MeasureError
from .measure import Measure
from .pairs.first_relevant import first_relevant_lambdas
from .ranking.levels import values_differ
from .smoothing.smoothed_values import smoothed_cascade
from .smoothing.soft_ranking import SoftRanking
from .violations.interleaving import most_violated_first_relevant


class BoundRR(RelevanceBound):
    """Reciprocal rank, bound to grades."""

    measure: RR

    def evaluate(self, scores: Floats) -> Floats:
        return kernels.evaluate(scores, self.relevant, self.offsets, self.measure._depth)

    def lambdas(self, scores: Floats, by_distance: bool = False) -> Lambdas:
        """See `first_relevant`."""
        return first_relevant_lambdas(scores, self.relevant, self.offsets, self._values, by_distance)

    def most_violated(self, scores: Floats) -> Violation:
        """The optimal number of other documents above all relevant ones, the rest by score; Psi as in `interleaving`."""
        return most_violated_first_relevant(scores, self.relevant, self.offsets, self.measure._depth)

    def smooth(self, scores: Floats, sigma: float) -> Smoothed:
        """See `smoothed_cascade`: the user stops at the first relevant document."""
        depths = np.full(self.sizes.size, self._values.size)
        soft = SoftRanking(scores, self.relevant.astype(np.float64), self.offsets, sigma, depths)
        return smoothed_cascade(soft, self._values)

    @cached_property
    def _values(self) -> Floats:
        """1/r for each rank r up to the cut-off."""
        return _reciprocals(min(self.longest, self.measure._depth))


class RR(Measure):
    """Reciprocal rank of the first relevant document; 0 if no relevant document is ranked up to k. The mean is MRR.

    Parameters
    ----------
    rel : number, optional
        Smallest relevant grade; by default any grade above 0.
    k : int, optional
        Cut-off: ranks beyond k contribute nothing.
    """

    bound: ClassVar[type[Bound]] = BoundRR
    nearest_additive: ClassVar[str | None] = "DCG(gain=linear)@10"
    first_relevant_only: ClassVar[bool] = True

    rel: float | None = None
    k: int | None = None

    @property
    def truncated(self) -> bool:
        return True


class BoundERR(Bound):
    """Expected reciprocal rank, bound to grades."""

    measure: ERR

    def evaluate(self, scores: Floats) -> Floats:
        return kernels.expected(scores, self.stops, self.offsets, self.measure._depth)

    def lambdas(self, scores: Floats, by_distance: bool = False) -> Lambdas:
        """See `pairwise`; tied documents are taken in the worst order, and share their sums if of equal grade."""
        depth = self.measure._depth
        return Lambdas(*kernels.expected_lambdas(scores, self.grades, self.stops, self.offsets, depth, by_distance))

    def smooth(self, scores: Floats, sigma: float) -> Smoothed:
        """See `smoothed_cascade`."""
        values = _reciprocals(min(self.longest, self.measure._depth))
        soft = SoftRanking(scores, self.stops, self.offsets, sigma, np.full(self.sizes.size, values.size))
        return smoothed_cascade(soft, values)

    @cached_property
    def informative(self) -> Bools:
        """Queries with documents of distinct stopping probabilities."""
        return values_differ(self.stops, self.offsets)

    @cached_property
    def stops(self) -> Floats:
        """Probability that the user stops at each document."""
        highest = self.grades.max(initial=0)
        if highest > self.measure.max_grade:
            advice = f"use ERR(max_grade={highest:g})" if highest <= 1000 else "make the grades smaller"
            raise MeasureError(f"{self.measure.name}: the data has grade {highest:g}; {advice}")
        powers = elementary.exp2(np.append(self.grades, float(self.measure.max_grade)))
        return (powers[:-1] - 1) / powers[-1]  # type: ignore[no-any-return]


class ERR(Measure):
    r"""Expected reciprocal rank (Chapelle et al. 2009).

    A user reads down the ranking and stops at a document of grade l with probability
    :math:`s(l) = (2^l - 1) / 2^{l_{max}}`:

    .. math:: ERR = \sum_{r \le k} \frac{1}{r} \, s(l_r) \prod_{i<r} (1 - s(l_i))

    Parameters
    ----------
    max_grade : number
        Highest grade of the judgment scale, not of the data at hand, so that values of different samples are comparable;
        4 by default, as in the web tracks' gdeval and in RankLib.
    k : int, optional
        Cut-off: ranks beyond k contribute nothing.
    """

    bound: ClassVar[type[Bound]] = BoundERR
    nearest_additive: ClassVar[str | None] = "DCG(gain=linear)@10"
    cutoff_is_optional: ClassVar[bool] = True

    max_grade: float = 4
    k: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_number("max_grade", self.max_grade, 1000)

    @property
    def truncated(self) -> bool:
        return True


def _reciprocals(n_ranks: int) -> Floats:
    """1/r for the ranks r from 1."""
    return 1 / np.arange(1.0, n_ranks + 1)
