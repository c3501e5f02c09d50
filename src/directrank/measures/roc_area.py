"""The area under the ROC curve, for two grades or many."""

from __future__ import annotations

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from .base import Floats, Ints, Measure, MeasureError
from .ties import group_end, ranked


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
        if self.rel is not None and self.grade is not None:
            raise MeasureError("AUC takes rel or grade, not both")

    def relevant(self, grades: Floats) -> NDArray[np.bool_]:
        return super().relevant(grades) if self.grade is None else grades == self.grade

    def evaluate(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats:
        if self.rel is not None or self.grade is not None:
            grades = self.relevant(grades).astype(np.float64)
        return _ordered_share(*ranked(scores, grades, offsets), offsets)


class MAUC(Measure):
    r"""Multi-class ROC area (Welleck 2015, eq. 5).

    .. math:: MAUC = \sum_c p(c) \, AUC(c)

    with the class-reference areas ``AUC(grade=c)`` of the grades c above 0, and p(c) the share of grade c among the
    documents of such a grade in the whole data. In a query that lacks a grade, or has no other, its AUC(c) does not exist;
    the p(c) of the rest are scaled to sum to 1 there.
    """

    def evaluate(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats:
        scores, grades = ranked(scores, grades, offsets)
        weighted = np.zeros(offsets.size - 1)
        weights = np.zeros(offsets.size - 1)
        for grade, count in zip(*np.unique(grades[self.relevant(grades)], return_counts=True), strict=True):
            in_class = np.add.reduceat(grades == grade, offsets[:-1], dtype=np.int64)
            defined = (in_class > 0) & (in_class < np.diff(offsets))
            weighted += count * AUC(grade=float(grade)).evaluate(scores, grades, offsets) * defined
            weights += count * defined
        return np.divide(weighted, weights, out=weighted, where=weights > 0)


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
    levels = np.unique(grades)
    level = np.searchsorted(levels, grades) + 1
    above = np.zeros(levels.size + 1, np.int64)
    right, start = 0, 0
    while start < scores.size:
        end = group_end(scores, start)
        for i in range(start, end):
            right += 2 * (start - _count_to(above, level[i]))
        for i in range(start, end):
            _add(above, level[i])
        right += _unequal_pairs(level[start:end])
        start = end
    pairs = _unequal_pairs(level)
    return right / (2 * pairs) if pairs > 0 else 0.0


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
