"""The area under the ROC curve, for two grades or many."""

from __future__ import annotations

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from .base import Measure, MeasureError, Violation
from .pairs.pairwise import (
    MANY_GRADES,
    PARTS,
    WIDE,
    Lambdas,
    Swaps,
    add_pairs,
    by_length,
    discounted_swaps,
    pairwise_lambdas,
    sum_two_grades,
)
from .ranking.ties import descending_order, distinct, group_end, level_of, order_by_query, ranked


class AUC(Measure):
    r"""ROC area: the share of document pairs of unequal grade that stand in the right order; ties count half.

    .. math:: AUC = \frac{|\{(i, j) : l_i > l_j,\ s_i > s_j\}| + \tfrac12 |\{(i, j) : l_i > l_j,\ s_i = s_j\}|}
                         {|\{(i, j) : l_i > l_j\}|}

    With grades 0 and 1 this is the Wilcoxon-Mann-Whitney statistic. With more grades every pair of unequal grade counts
    the same, unless one of the parameters makes two classes of them. A query without such a pair counts 0. Documents that
    were not ranked stand below all others, tied.

    Parameters
    ----------
    rel : number, optional
        Grades from this one up against the rest.
    grade : number, optional
        This grade against all others: the class-reference AUC of Welleck (2015).
    """

    rel: float | None = None
    grade: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.grade is not None:
            number = isinstance(self.grade, (int, float, np.number)) and bool(0 <= self.grade < np.inf)
            self._check(number, "grade", self.grade, "a number from 0 up")
        if self.rel is not None and self.grade is not None:
            raise MeasureError("AUC takes rel or grade, not both")

    def relevant(self, grades: Floats) -> NDArray[np.bool_]:
        return super().relevant(grades) if self.grade is None else grades == self.grade

    def evaluate(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats:
        return _ordered_share(*ranked(scores, self._classes(grades), offsets), offsets)

    def most_violated(self, scores: Floats, grades: Floats, offsets: Ints) -> Violation:
        """Each pair on its own (Joachims 2005, Algorithm 3): swapped where the scores differ by less than 1/2.

        Psi(y) = 1/m sum y_ij (x_i - x_j) over the m pairs of unequal grade, l_i > l_j. With two grades the swaps make a
        ranking; with more they need not, and y ranges over all labellings of the pairs, as in the Ranking SVM.
        """
        return Violation(*_most_violated(scores, self._classes(grades), offsets))

    def lambdas(self, scores: Floats, grades: Floats, offsets: Ints) -> Lambdas:
        """See `lambdas`; with two grades, Theorem 1 of Welleck (2015): a swap changes as many pairs as it goes ranks.

        With more, a swap of grades a > b changes one pair for each document of grade a or b that it passes, and two for
        each of a grade between: a discount of its own for every two grades.
        """
        classes = self._classes(grades)
        pairs = np.maximum(self.pairs(grades, offsets), 1)
        found = Lambdas(np.zeros(scores.size), np.zeros(scores.size))
        short, long = by_length(offsets)
        _sum_short(scores, classes, offsets, short, 1 / pairs, *found)
        for q in long:
            mine = slice(offsets[q], offsets[q + 1])
            _sum_long(scores[mine], classes[mine], 1 / pairs[q], found.gradient[mine], found.hessian[mine])
        return found

    def joachims_scale(self, n_documents: int, n_relevant: int) -> tuple[float, float]:
        """See `Measure`: the loss of the paper counts swapped pairs, and its Psi is not divided by their number."""
        pairs = n_relevant * (n_documents - n_relevant)
        return pairs, pairs

    def pairs(self, grades: Floats, offsets: Ints) -> Ints:
        """How many pairs of unequal grade each query has."""
        return _count_pairs(self._classes(grades), offsets)

    def _classes(self, grades: Floats) -> Floats:
        return grades if self.rel is None and self.grade is None else self.relevant(grades).astype(np.float64)


class MAUC(Measure):
    r"""Multi-class ROC area (Welleck 2015, eq. 5).

    .. math:: MAUC = \sum_c p(c) \, AUC(c)

    with the class-reference areas ``AUC(grade=c)`` of the grades c above 0, and p(c) the share of grade c among the
    documents of such a grade in the whole data. In a query that lacks a grade, or has no other, its AUC(c) does not exist;
    the p(c) of the rest are scaled to sum to 1 there.
    """

    def evaluate(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats:
        scores, grades = ranked(scores, grades, offsets)
        levels, counts = np.unique(grades, return_counts=True)
        return _multi_class(scores, grades, offsets, levels, np.where(levels > 0, counts, 0))

    def lambdas(self, scores: Floats, grades: Floats, offsets: Ints) -> Lambdas:
        """See `lambdas`: gain p(c)/(m_c n_c) times rank, for the m_c documents of grade c and the n_c others (eq. 18)."""
        levels, counts = np.unique(grades, return_counts=True)
        gains = np.zeros(scores.size)
        _class_gains(grades, offsets, levels, np.where(levels > 0, counts, 0), gains)
        swaps = discounted_swaps(scores, gains, offsets, -np.arange(np.diff(offsets).max(), dtype=np.float64))
        return pairwise_lambdas(scores, grades, offsets, swaps)


def _sum_long(scores: Floats, classes: Floats, weight: float, gradient: Floats, hessian: Floats) -> None:
    """The lambdas of a long query, two grades at a time."""
    level, counts = _levels(classes)
    if counts.size > MANY_GRADES:
        _sum_query(scores, classes, weight, gradient, hessian)
        return
    order = order_by_query(scores, np.array([0, scores.size]))
    starts = np.flatnonzero(np.diff(scores[order], prepend=np.inf))
    group, sizes = np.empty(scores.size, np.int32), np.diff(starts, append=scores.size)
    group[order] = np.repeat(np.arange(starts.size, dtype=np.int32), sizes)
    of_level, ranked_level = [np.flatnonzero(level == c + 1) for c in range(counts.size)], level[order] - 1
    for a in range(counts.size):
        for b in range(a):
            passed = _passed(ranked_level, a) - _passed(ranked_level, b)
            of_group = np.add.reduceat(passed, starts)
            upper = -(np.cumsum(of_group) - of_group + (of_group + 1) / 2)[group]
            swaps = Swaps(classes, upper, -upper, group, ((of_group + 1) / 3)[group], True)
            sum_two_grades(scores, of_level[a], of_level[b], weight, swaps, gradient, hessian)


def _passed(level: Ints, grade: int) -> Ints:
    """2 for each document below a grade, 1 for each of it."""
    return (level < grade).astype(np.int64) + (level <= grade)


@njit(cache=True, parallel=True)
def _ordered_share(scores, grades, offsets):  # type: ignore[no-untyped-def]
    values = np.empty(offsets.size - 1)
    for q in prange(values.size):
        lo, hi = offsets[q], offsets[q + 1]
        values[q] = _of_query(scores[lo:hi], grades[lo:hi])
    return values


@njit(cache=True)
def _of_query(scores, grades):  # type: ignore[no-untyped-def]
    """Go down the ranking, keeping in a Fenwick tree how many documents of each grade stand above.

    Counts are of half pairs, so that they stay whole numbers and the order of the documents in a tie leaves no trace.
    """
    level, counts = _levels(grades)
    above = np.zeros(counts.size + 1, np.int64)
    right, start = 0, 0
    while start < scores.size:
        end = group_end(scores, start)
        for i in range(start, end):
            right += 2 * (start - _count_to(above, level[i]))
        for i in range(start, end):
            _add(above, level[i])
        right += _unequal_pairs(level[start:end])
        start = end
    pairs = (scores.size**2 - np.sum(counts**2)) // 2
    return right / (2 * pairs) if pairs > 0 else 0.0


@njit(cache=True, parallel=True)
def _count_pairs(grades, offsets):  # type: ignore[no-untyped-def]
    pairs = np.empty(offsets.size - 1, np.int64)
    for q in prange(pairs.size):
        _, counts = _levels(grades[offsets[q] : offsets[q + 1]])
        pairs[q] = (np.sum(counts) ** 2 - np.sum(counts**2)) // 2
    return pairs


@njit(cache=True)
def _levels(grades):  # type: ignore[no-untyped-def]
    """The level of each grade among the query's different ones, from 1 up, and how many documents have each."""
    levels, counts = distinct(grades)
    level = np.empty(grades.size, np.int64)
    for i in range(grades.size):
        level[i] = level_of(levels, grades[i]) + 1
    return level, counts


@njit(cache=True, parallel=True)
def _multi_class(scores, grades, offsets, levels, counts):  # type: ignore[no-untyped-def]
    values = np.empty(offsets.size - 1)
    for q in prange(values.size):
        lo, hi = offsets[q], offsets[q + 1]
        values[q] = _multi_class_of_query(scores[lo:hi], grades[lo:hi], levels, counts)
    return values


@njit(cache=True)
def _multi_class_of_query(scores, grades, levels, counts):  # type: ignore[no-untyped-def]
    """All class-reference areas at once.

    m n AUC(c) is the sum of the ranks of the m documents of class c, from below and with ties shared, less m (m + 1)/2.
    """
    mine, _ = distinct(grades)
    rank_sums, sizes = np.zeros(mine.size), np.zeros(mine.size)
    start = 0
    while start < scores.size:
        end = group_end(scores, start)
        for i in range(start, end):
            level = level_of(mine, grades[i])
            rank_sums[level] += scores.size - (start + end - 1) / 2
            sizes[level] += 1
        start = end
    weighted, weights = 0.0, 0.0
    for c in range(mine.size if mine.size > 1 else 0):
        weight = counts[np.searchsorted(levels, mine[c])]
        area = (rank_sums[c] - sizes[c] * (sizes[c] + 1) / 2) / (sizes[c] * (scores.size - sizes[c]))
        weighted += weight * area
        weights += weight
    return weighted / weights if weights > 0 else 0.0


@njit(cache=True, parallel=True)
def _most_violated(scores, grades, offsets):  # type: ignore[no-untyped-def]
    coefficients, losses = np.zeros(scores.size), np.zeros(offsets.size - 1)
    for q in prange(losses.size):
        lo, hi = offsets[q], offsets[q + 1]
        losses[q] = _most_violated_of_query(scores[lo:hi], grades[lo:hi], coefficients[lo:hi])
    return coefficients, losses


@njit(cache=True)
def _most_violated_of_query(scores, grades, coefficients):  # type: ignore[no-untyped-def]
    """Count for each document the pairs in which it is the better one, or the worse one, and that are swapped."""
    level, counts = _levels(grades)
    pairs = (scores.size**2 - np.sum(counts**2)) // 2
    if pairs == 0:
        return 0.0
    order = descending_order(scores)
    seen = np.zeros(counts.size + 1, np.int64)  # documents of score above s_i - 1/2, for the better one i
    reach, swapped = 0, 0
    for i in order:
        while reach < order.size and scores[order[reach]] > scores[i] - 0.5:
            _add(seen, level[order[reach]])
            reach += 1
        worse = _count_to(seen, level[i] - 1)
        coefficients[i] += 2.0 * worse / pairs
        swapped += worse
    seen[:] = 0  # documents of score below s_j + 1/2, for the worse one j
    reach = order.size - 1
    for j in order[::-1]:
        while reach >= 0 and scores[order[reach]] - 0.5 < scores[j]:
            _add(seen, level[order[reach]])
            reach -= 1
        better = order.size - 1 - reach - _count_to(seen, level[j])
        coefficients[j] -= 2.0 * better / pairs
    return swapped / pairs


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


@njit(cache=True)
def _count_to(tree, level):  # type: ignore[no-untyped-def]
    """How many entries of a Fenwick tree are at `level` or lower."""
    count = 0
    while level > 0:
        count += tree[level]
        level -= level & -level
    return count


@njit(cache=True)
def _add(tree, level):  # type: ignore[no-untyped-def]
    while level < tree.size:
        tree[level] += 1
        level += level & -level


@njit(cache=True, parallel=True)
def _class_gains(grades, offsets, levels, counts, gains):  # type: ignore[no-untyped-def]
    for q in prange(offsets.size - 1):
        lo, hi = offsets[q], offsets[q + 1]
        mine, sizes = distinct(grades[lo:hi])
        if mine.size < 2:
            continue
        of_level, total = np.zeros(mine.size), 0.0
        for c in range(mine.size):
            weight = counts[np.searchsorted(levels, mine[c])]
            of_level[c] = weight / (sizes[c] * (hi - lo - sizes[c]))
            total += weight
        for i in range(lo, hi):
            gains[i] = of_level[level_of(mine, grades[i])] / total if total > 0 else 0.0


@njit(cache=True, parallel=True)
def _sum_short(scores, classes, offsets, queries, weights, gradient, hessian):  # type: ignore[no-untyped-def]
    for part in prange(PARTS):
        for k in range(part, queries.size, PARTS):
            q = queries[k]
            lo, hi = offsets[q], offsets[q + 1]
            _sum_query(scores[lo:hi], classes[lo:hi], weights[q], gradient[lo:hi], hessian[lo:hi])


@njit(cache=True)
def _sum_query(scores, classes, weight, gradient, hessian):  # type: ignore[no-untyped-def]
    level, counts = _levels(classes)
    by_score = descending_order(scores)
    order = by_score[descending_order(classes[by_score])]
    start_of, end_of, group = _ranks(scores, by_score)
    passed = _passed_to_rank(level, counts.size, by_score)
    s, n = scores[order], scores.size
    wide = s.max() - s.min() > WIDE
    e, place = s if wide else np.exp(s - s.max()), group[order]
    upper, tied, down, bend = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    first = 0
    for a in range(counts.size - 1, 0, -1):
        last = first + counts[a]
        start = last
        for b in range(a - 1, -1, -1):
            end = start + counts[b]
            for k in range(first, end):
                if k < last or k >= start:
                    st, en = start_of[order[k]], end_of[order[k]]
                    before = passed[a, st] - passed[b, st]
                    mine = passed[a, en] - passed[b, en] - before
                    upper[k], tied[k] = -(before + (mine + 1) / 2), (mine + 1) / 3
            add_pairs(first, last, start, end, weight, wide, e, upper, -upper, place, tied, down, bend)
            start = end
        first = last
    for k in range(n):
        gradient[order[k]], hessian[order[k]] = down[k], bend[k]


@njit(cache=True)
def _ranks(scores, order):  # type: ignore[no-untyped-def]
    """Of each document, where its tie group starts and ends in the ranking, and the group's number."""
    ranked_scores = scores[order]
    start_of, end_of, group = np.empty(order.size, np.int64), np.empty(order.size, np.int64), np.empty(order.size, np.int32)
    start, number = 0, 0
    while start < order.size:
        end = group_end(ranked_scores, start)
        for i in order[start:end]:
            start_of[i], end_of[i], group[i] = start, end, number
        start = end
        number += 1
    return start_of, end_of, group


@njit(cache=True)
def _passed_to_rank(level, n_levels, order):  # type: ignore[no-untyped-def]
    """For each grade, the sum over the documents down to each rank of 2 if they are below it and 1 if they are of it."""
    passed = np.zeros((n_levels, order.size + 1))
    for c in range(n_levels):
        for k in range(order.size):
            other = level[order[k]] - 1
            passed[c, k + 1] = passed[c, k] + (2 if other < c else 1 if other == c else 0)
    return passed
