"""Area under the ROC curve, for two or more grades."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..caching import cached_property
from ..core import roc_area as kernels
from .bound import Bound
from .capabilities import Lambdas, Smoothed, Violation, ViolationUnits
from .errors import MeasureError
from .measure import Measure
from .pairs.pairwise import PairGroups, pair_groups, pairwise_lambdas
from .pairs.roc_area_pairs import roc_area_lambdas
from .pairs.swaps import DiscountTable, discount_table, discounted_swaps
from .ranking.levels import Levels, count_by_query, count_pairs, levels_of, values_differ
from .smoothing.smoothed_values import smoothed_gains
from .smoothing.soft_pairs import smoothed_pairs
from .smoothing.soft_ranking import SoftRanking


class BoundAUC(Bound):
    """ROC area, bound to grades."""

    measure: AUC

    def evaluate(self, scores: Floats) -> Floats:
        return kernels.evaluate(scores, *self.levels, self.offsets, self.pairs)

    def lambdas(self, scores: Floats, by_distance: bool = False) -> Lambdas:
        """See `roc_area_pairs`."""
        return roc_area_lambdas(scores, self._pair_groups, 1 / np.maximum(self.pairs, 1), by_distance)

    def most_violated(self, scores: Floats) -> Violation:
        """Each pair on its own (Joachims 2005, Algorithm 3): swapped where the scores differ by less than 1/2.

        Psi(y) = 1/m sum y_ij (x_i - x_j) over the m pairs of unequal grade, l_i > l_j. With two grades the swaps form a
        ranking; with more they need not, and y ranges over all labellings of the pairs, as in the Ranking SVM.
        """
        return Violation(*kernels.most_violated(scores, *self.levels, self.offsets, self.pairs))

    def smooth(self, scores: Floats, sigma: float) -> Smoothed:
        """See `soft_pairs`."""
        return smoothed_pairs(scores, self.levels, self.offsets, self.pairs, sigma)

    @cached_property
    def informative(self) -> Bools:
        """Queries with a pair of unequal grade."""
        return self.pairs > 0

    @cached_property
    def pairs(self) -> Ints:
        """Number of pairs of unequal grade of each query."""
        return count_pairs(self.levels, self.offsets)

    @cached_property
    def levels(self) -> Levels:
        """The grades of each query, numbered from the lowest."""
        return levels_of(self.measure._classes(self.grades), self.offsets)

    @cached_property
    def _pair_groups(self) -> PairGroups:
        return pair_groups(self.levels, self.offsets)


class AUC(Measure):
    r"""ROC area: the fraction of document pairs of unequal grade that are in the right order; ties count half.

    .. math:: AUC = \frac{|\{(i, j) : l_i > l_j,\ s_i > s_j\}| + \tfrac12 |\{(i, j) : l_i > l_j,\ s_i = s_j\}|}
                         {|\{(i, j) : l_i > l_j\}|}

    With grades 0 and 1 this is the Wilcoxon-Mann-Whitney statistic. With more grades every pair of unequal grade counts
    the same, unless a parameter splits them into two classes. A query without such a pair counts 0. Unranked documents are
    tied below all others.

    Parameters
    ----------
    rel : number, optional
        Grades from this one up against the rest.
    grade : number, optional
        This grade against all others: the class-reference AUC of Welleck (2015).
    """

    bound: ClassVar[type[Bound]] = BoundAUC
    nearest_additive: ClassVar[str | None] = "ARP"
    setwise: ClassVar[bool] = True

    rel: float | None = None
    grade: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.grade is not None:
            number = isinstance(self.grade, (int, float, np.number)) and bool(0 <= self.grade < np.inf)
            self._check(number, "grade", self.grade, "a number of at least 0")
        if self.rel is not None and self.grade is not None:
            raise MeasureError("AUC takes rel or grade, not both")

    @property
    def takes_negative_grades(self) -> bool:
        """Whether grades are only compared with each other."""
        return self.rel is None and self.grade is None

    def relevant(self, grades: Floats) -> Bools:
        return super().relevant(grades) if self.grade is None else grades == self.grade

    def violation_units(self, n_documents: int, n_relevant: int) -> ViolationUnits:
        """The loss of the paper counts swapped pairs, and its Psi is not divided by their number."""
        pairs = n_relevant * (n_documents - n_relevant)
        return ViolationUnits(loss=pairs, psi=pairs)

    def _classes(self, grades: Floats) -> Floats:
        return grades if self.rel is None and self.grade is None else self.relevant(grades).astype(np.float64)


class BoundMAUC(Bound):
    """Multi-class ROC area, bound to grades."""

    def evaluate(self, scores: Floats) -> Floats:
        return kernels.multi_class(scores, *self.levels, self.offsets, self._has_grade_0)

    def lambdas(self, scores: Floats, by_distance: bool = False) -> Lambdas:
        """See `pairwise`: gain p(c)/(m_c n_c) times rank, for the m_c documents of grade c and the n_c others (eq. 18)."""
        swaps = discounted_swaps(scores, self._class_gains, self.offsets, self._minus_ranks)
        return pairwise_lambdas(scores, self._pair_groups, swaps, by_distance)

    def smooth(self, scores: Floats, sigma: float) -> Smoothed:
        """See `soft_ranking`: gain times rank, plus a constant that makes the value 1/2 where all are tied."""
        soft = SoftRanking(scores, self._class_gains, self.offsets, sigma, self.sizes, unranked=True)
        found = smoothed_gains(soft, self._minus_ranks.at_rank)
        return Smoothed(np.where(self.levels.n_levels > 1, 0.5 + self._value_of_ties + found.values, 0.0), found.gradient)

    @cached_property
    def informative(self) -> Bools:
        """Queries whose documents have distinct gains. Grades above 0 that are equally frequent have equal gains."""
        return values_differ(self._class_gains, self.offsets)

    @cached_property
    def levels(self) -> Levels:
        return levels_of(self.grades, self.offsets)

    @cached_property
    def _has_grade_0(self) -> Bools:
        return count_by_query(self.grades == 0, self.offsets) > 0

    @cached_property
    def _class_gains(self) -> Floats:
        return kernels.class_gains(*self.levels, self.offsets, self._has_grade_0)

    @cached_property
    def _value_of_ties(self) -> Floats:
        """Gain times rank of each query if all its documents were tied."""
        query = np.repeat(np.arange(self.sizes.size), self.sizes)
        return np.bincount(query, self._class_gains, self.sizes.size) * (self.sizes - 1) / 2

    @cached_property
    def _minus_ranks(self) -> DiscountTable:
        return discount_table(-np.arange(self.longest, dtype=np.float64))

    @cached_property
    def _pair_groups(self) -> PairGroups:
        return pair_groups(self.levels, self.offsets)


class MAUC(Measure):
    r"""Multi-class ROC area (Welleck 2015, eq. 5).

    .. math:: MAUC = \sum_c p(c) \, AUC(c)

    with the class-reference areas ``AUC(grade=c)`` of the grades c above 0, and p(c) the fraction of grade c among the
    query's documents with a grade above 0. A query whose grades are all equal counts 0. Over one set, ``qid=None``, this is
    the measure of the paper.
    """

    bound: ClassVar[type[Bound]] = BoundMAUC
    nearest_additive: ClassVar[str | None] = "ARP"
    setwise: ClassVar[bool] = True
