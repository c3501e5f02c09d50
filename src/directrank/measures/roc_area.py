"""The area under the ROC curve, for two grades or many."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..kernel_compiler import njit, prange
from .base import Bound, Lambdas, Measure, MeasureError, Smoothed, Violation
from .pairs.pairwise import PairGroups, pair_groups, pairwise_lambdas
from .pairs.roc_area import roc_area_lambdas
from .pairs.swaps import DiscountTable, discount_table, discounted_swaps
from .ranking.fenwick import add, count_to
from .ranking.levels import Levels, count_by_query, levels_of, values_differ
from .ranking.sorting import descending_order, ranked
from .ranking.ties import group_end
from .smoothing.soft_pairs import smoothed_pairs
from .smoothing.soft_ranking import SoftRanking
from .smoothing.values import smoothed_gains


class BoundAUC(Bound):
    """ROC area on queries of some grades."""

    measure: AUC

    def evaluate(self, scores: Floats) -> Floats:
        ranking = ranked(scores, self.levels.level, self.offsets)
        return _ordered_fraction(*ranking, self.offsets, self.levels.n_levels, self.pairs)

    def lambdas(self, scores: Floats) -> Lambdas:
        """See `pairs.roc_area`."""
        return roc_area_lambdas(scores, self._pair_groups, 1 / np.maximum(self.pairs, 1))

    def most_violated(self, scores: Floats) -> Violation:
        """Each pair on its own (Joachims 2005, Algorithm 3): swapped where the scores differ by less than 1/2.

        Psi(y) = 1/m sum y_ij (x_i - x_j) over the m pairs of unequal grade, l_i > l_j. With two grades the swaps make a
        ranking; with more they need not, and y ranges over all labellings of the pairs, as in the Ranking SVM.
        """
        return Violation(*_most_violated(scores, *self.levels, self.offsets, self.pairs))

    def smooth(self, scores: Floats, sigma: float) -> Smoothed:
        """See `soft_pairs`."""
        return smoothed_pairs(scores, self.levels, self.offsets, self.pairs, sigma)

    @cached_property
    def informative(self) -> Bools:
        """The queries with a pair of unequal grade."""
        return self.pairs > 0

    @cached_property
    def pairs(self) -> Ints:
        """The number of pairs of unequal grade of each query."""
        return _count_pairs(*self.levels, self.offsets)

    @cached_property
    def levels(self) -> Levels:
        """The grades of each query, numbered from the lowest."""
        return levels_of(self.measure._classes(self.grades), self.offsets)

    @cached_property
    def _pair_groups(self) -> PairGroups:
        return pair_groups(self.levels, self.offsets)


class AUC(Measure):
    r"""ROC area: the fraction of document pairs of unequal grade that stand in the right order; ties count half.

    .. math:: AUC = \frac{|\{(i, j) : l_i > l_j,\ s_i > s_j\}| + \tfrac12 |\{(i, j) : l_i > l_j,\ s_i = s_j\}|}
                         {|\{(i, j) : l_i > l_j\}|}

    With grades 0 and 1 this is the Wilcoxon-Mann-Whitney statistic. With more grades every pair of unequal grade counts
    the same, unless one of the parameters makes two classes of them. A query without such a pair counts 0. Documents that
    were not ranked stand below all others, tied.

    Parameters
    ----------
    rel : number, optional
        Grades of at least this against the rest.
    grade : number, optional
        This grade against all others: the class-reference AUC of Welleck (2015).
    """

    bound: ClassVar[type[Bound]] = BoundAUC
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

    def relevant(self, grades: Floats) -> Bools:
        return super().relevant(grades) if self.grade is None else grades == self.grade

    def joachims_scale(self, n_documents: int, n_relevant: int) -> tuple[float, float]:
        """See `Measure`: the loss of the paper counts swapped pairs, and its Psi is not divided by their number."""
        pairs = n_relevant * (n_documents - n_relevant)
        return pairs, pairs

    def _classes(self, grades: Floats) -> Floats:
        return grades if self.rel is None and self.grade is None else self.relevant(grades).astype(np.float64)


class BoundMAUC(Bound):
    """Multi-class ROC area on queries of some grades."""

    def evaluate(self, scores: Floats) -> Floats:
        ranking = ranked(scores, self.levels.level, self.offsets)
        return _multi_class(*ranking, self.offsets, self.levels.n_levels, self._has_grade_0)

    def lambdas(self, scores: Floats) -> Lambdas:
        """See `pairwise`: gain p(c)/(m_c n_c) times rank, for the m_c documents of grade c and the n_c others (eq. 18)."""
        swaps = discounted_swaps(scores, self._class_gains, self.offsets, self._minus_ranks)
        return pairwise_lambdas(scores, self._pair_groups, swaps)

    def smooth(self, scores: Floats, sigma: float) -> Smoothed:
        """See `soft_ranking`: gain times rank, and what makes the value 1/2 where all are tied."""
        soft = SoftRanking(scores, self._class_gains, self.offsets, sigma, self.sizes, unranked=True)
        found = smoothed_gains(soft, self._minus_ranks.at_rank)
        return Smoothed(np.where(self.levels.n_levels > 1, 0.5 + self._of_ties + found.values, 0.0), found.gradient)

    @cached_property
    def informative(self) -> Bools:
        """The queries whose documents have distinct gains. Grades above 0 that are equally frequent have the same."""
        return values_differ(self._class_gains, self.offsets)

    @cached_property
    def levels(self) -> Levels:
        return levels_of(self.grades, self.offsets)

    @cached_property
    def _has_grade_0(self) -> Bools:
        return count_by_query(self.grades == 0, self.offsets) > 0

    @cached_property
    def _class_gains(self) -> Floats:
        gains = np.zeros(self.grades.size)
        _find_class_gains(*self.levels, self.offsets, self._has_grade_0, gains)
        return gains

    @cached_property
    def _of_ties(self) -> Floats:
        """Gain times rank of each query, were all its documents tied."""
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
    query's documents of such a grade. A query all of whose grades are equal counts 0. Over one set, ``qid=None``, this is
    the figure of the paper.
    """

    bound: ClassVar[type[Bound]] = BoundMAUC
    setwise: ClassVar[bool] = True


@njit(cache=True, parallel=True)
def _ordered_fraction(scores, level, offsets, n_levels, pairs):  # type: ignore[no-untyped-def]
    values = np.zeros(offsets.size - 1)
    for q in prange(values.size):
        lo, hi = offsets[q], offsets[q + 1]
        if pairs[q] > 0:
            values[q] = _half_pairs_in_order(scores[lo:hi], level[lo:hi], n_levels[q]) / (2 * pairs[q])
    return values


@njit(cache=True)
def _half_pairs_in_order(scores, level, n_levels):  # type: ignore[no-untyped-def]
    """Go down the ranking, keeping in a Fenwick tree how many documents of each grade stand above.

    Counts are of half pairs, so that they stay integers and the order of the documents in a tie leaves no trace.
    """
    above = np.zeros(n_levels + 1, np.int64)
    in_order, start = 0, 0
    while start < scores.size:
        end = group_end(scores, start)
        for i in range(start, end):
            in_order += 2 * (start - count_to(above, level[i] + 1))
        for i in range(start, end):
            add(above, level[i] + 1)
        in_order += _unequal_pairs(level[start:end])
        start = end
    return in_order


@njit(cache=True)
def _unequal_pairs(level):  # type: ignore[no-untyped-def]
    if level.size == 1:
        return 0
    equal, start, ordered = 0, 0, np.sort(level)
    while start < ordered.size:
        end = group_end(ordered, start)
        equal += (end - start) ** 2
        start = end
    return (ordered.size**2 - equal) // 2


@njit(cache=True, parallel=True)
def _count_pairs(level, n_levels, offsets):  # type: ignore[no-untyped-def]
    pairs = np.empty(offsets.size - 1, np.int64)
    for q in prange(pairs.size):
        lo, hi = offsets[q], offsets[q + 1]
        sizes = _sizes(level[lo:hi], n_levels[q])
        pairs[q] = ((hi - lo) ** 2 - np.sum(sizes**2)) // 2
    return pairs


@njit(cache=True)
def _sizes(level, n_levels):  # type: ignore[no-untyped-def]
    """How many documents have each grade."""
    sizes = np.zeros(n_levels, np.int64)
    for document_level in level:
        sizes[document_level] += 1
    return sizes


@njit(cache=True, parallel=True)
def _most_violated(scores, level, n_levels, offsets, pairs):  # type: ignore[no-untyped-def]
    coefficients, losses = np.zeros(scores.size), np.zeros(offsets.size - 1)
    for q in prange(losses.size):
        lo, hi = offsets[q], offsets[q + 1]
        if pairs[q] > 0:
            swapped = _most_violated_of_query(scores[lo:hi], level[lo:hi], n_levels[q], pairs[q], coefficients[lo:hi])
            losses[q] = swapped / pairs[q]
    return coefficients, losses


@njit(cache=True)
def _most_violated_of_query(scores, level, n_levels, pairs, coefficients):  # type: ignore[no-untyped-def]
    """Count for each document the pairs in which it is the better one, or the worse one, and that are swapped.

    A pair is unless the better score is above the other by 1/2. Going down the ranking, more and more documents are near
    enough to be swapped with a better one, and more and more are far enough above not to be swapped with a worse one.
    """
    if n_levels == 2:
        return _most_violated_of_two_classes(scores, level, pairs, coefficients)
    order = descending_order(scores)
    ranked_scores, ranked_level = scores[order], level[order]
    near, far_above, n_near, n_far_above = np.zeros(n_levels + 1, np.int64), np.zeros(n_levels + 1, np.int64), 0, 0
    n_not_better, swapped = np.cumsum(_sizes(level, n_levels)), 0
    for place in range(order.size):
        score, own = ranked_scores[place], ranked_level[place]
        while n_near < order.size and ranked_scores[n_near] > score - 0.5:
            add(near, ranked_level[n_near] + 1)
            n_near += 1
        while n_far_above < order.size and ranked_scores[n_far_above] - 0.5 >= score:
            add(far_above, ranked_level[n_far_above] + 1)
            n_far_above += 1
        worse = count_to(near, own)
        better = order.size - n_not_better[own] - (n_far_above - count_to(far_above, own + 1))
        coefficients[order[place]] = 2.0 * (worse - better) / pairs
        swapped += worse
    return swapped


@njit(cache=True)
def _most_violated_of_two_classes(scores, level, pairs, coefficients):  # type: ignore[no-untyped-def]
    """The same for two levels: one sort of the scores, those of the better documents less 1/2.

    A pair is swapped where the worse one then stands above. The better ones come first, and so they do where both are equal.
    """
    n = scores.size
    n_better, of_a_pair = level.sum(), 2.0 / pairs
    keys, better, worse = np.empty(n), 0, n_better
    for document in range(n):
        keys[better if level[document] == 1 else worse] = scores[document] - 0.5 * level[document]
        better += level[document]
        worse += 1 - level[document]
    better, worse, swapped = 0, 0, 0
    for place in descending_order(keys):
        is_better = place < n_better
        keys[place] = of_a_pair * (worse if is_better else better - n_better)
        swapped += worse * is_better
        better += is_better
        worse += not is_better
    better, worse = 0, n_better
    for document in range(n):
        coefficients[document] = keys[better if level[document] == 1 else worse]
        better += level[document]
        worse += 1 - level[document]
    return swapped


@njit(cache=True, parallel=True)
def _multi_class(scores, level, offsets, n_levels, has_grade_0):  # type: ignore[no-untyped-def]
    values = np.zeros(offsets.size - 1)
    for q in prange(values.size):
        lo, hi = offsets[q], offsets[q + 1]
        if n_levels[q] > 1:
            values[q] = _multi_class_of_query(scores[lo:hi], level[lo:hi], n_levels[q], has_grade_0[q])
    return values


@njit(cache=True)
def _multi_class_of_query(scores, level, n_levels, has_grade_0):  # type: ignore[no-untyped-def]
    """All class-reference areas at once.

    m n AUC(c) is the sum of the ranks of the m documents of class c, from below and with ties averaged, less m (m + 1)/2.
    """
    rank_sums, sizes = np.zeros(n_levels), _sizes(level, n_levels)
    start = 0
    while start < scores.size:
        end = group_end(scores, start)
        for i in range(start, end):
            rank_sums[level[i]] += scores.size - (start + end - 1) / 2
        start = end
    weighted, n_weighted = 0.0, 0
    for c in range(1 if has_grade_0 else 0, n_levels):
        area = (rank_sums[c] - sizes[c] * (sizes[c] + 1) / 2) / (sizes[c] * (scores.size - sizes[c]))
        weighted += sizes[c] * area
        n_weighted += sizes[c]
    return weighted / n_weighted


@njit(cache=True, parallel=True)
def _find_class_gains(level, n_levels, offsets, has_grade_0, gains):  # type: ignore[no-untyped-def]
    """With p(c) = m_c/m, the gain p(c)/(m_c n_c) is 1/(m n_c); that of grade 0 is 0."""
    for q in prange(offsets.size - 1):
        lo, hi = offsets[q], offsets[q + 1]
        if n_levels[q] > 1:
            sizes = _sizes(level[lo:hi], n_levels[q])
            n_above_0 = hi - lo - sizes[0] * has_grade_0[q]
            for i in range(lo, hi):
                if level[i] > 0 or not has_grade_0[q]:
                    gains[i] = 1 / (n_above_0 * (hi - lo - sizes[level[i]]))
