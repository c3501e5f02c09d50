"""What is found in the first k ranks: precision, recall, success, R-precision, and precision over several grades."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from .base import Floats, Ints, Measure, MeasureError, Violation
from .ties import count_relevant, falling_order, group_end, ranked, ranked_end


class _AtDepth(Measure):
    """Counts of relevant documents in the first ranks."""

    rel: float | None = None

    def _found(self, scores: Floats, grades: Floats, offsets: Ints, depths: Ints) -> Floats:
        return _relevant_in_first(*ranked(scores, grades, offsets), offsets, self._threshold, depths)

    def _most_violated(self, scores: Floats, grades: Floats, offsets: Ints, depths: Ints, earned: Floats) -> Violation:
        """The most violated labelling with exactly `depths[q]` labelled relevant, each right one of which earns `earned[q]`.

        Psi(y) = 1/n sum_i y_i x_i over the n documents of the query, y_i = +1 or -1 (Joachims 2005). Loss and score are both
        sums over what is labelled relevant: the documents of highest 2 s_i/n - earned 1[relevant] are.
        """
        depths = np.minimum(depths, np.diff(offsets))
        return Violation(*_most_violated_labels(scores, self.relevant(grades), offsets, depths, earned))

    def _relevant_of_each(self, grades: Floats, offsets: Ints) -> Ints:
        return np.add.reduceat(self.relevant(grades), offsets[:-1], dtype=np.int64)


class _AtK(_AtDepth):
    """The same, in as many ranks of every query."""

    k: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.k is None:
            raise MeasureError(f"{type(self).__name__} needs a cut-off: write {type(self).__name__}@10, for example")

    def _found_at_k(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats:
        return self._found(scores, grades, offsets, np.full(offsets.size - 1, self._depth))


class P(_AtK):
    """Precision: the share of relevant documents in the first k ranks.

    Divided by k also where fewer than k documents are ranked, as in trec_eval.

    Parameters
    ----------
    rel : number, optional
        The smallest grade that is relevant; by default any above 0.
    k : int
        How many ranks.
    """

    def evaluate(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats:
        return self._found_at_k(scores, grades, offsets) / self._depth

    def most_violated(self, scores: Floats, grades: Floats, offsets: Ints) -> Violation:
        """The most violated labelling of exactly k as relevant."""
        n_queries = offsets.size - 1
        depths, earned = np.full(n_queries, self._depth), np.full(n_queries, 1 / self._depth)
        return self._most_violated(scores, grades, offsets, depths, earned)


class R(_AtK):
    """Recall: the share of the query's relevant documents that is in the first k ranks. Parameters as in `P`."""

    def evaluate(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats:
        found = self._found_at_k(scores, grades, offsets)
        return found / np.maximum(self._relevant_of_each(grades, offsets), 1)

    def most_violated(self, scores: Floats, grades: Floats, offsets: Ints) -> Violation:
        """The most violated labelling of exactly k as relevant."""
        earned = 1 / np.maximum(self._relevant_of_each(grades, offsets), 1)
        return self._most_violated(scores, grades, offsets, np.full(offsets.size - 1, self._depth), earned)


class Rprec(_AtDepth):
    """Precision at R, the number of the query's relevant documents. Over one set it is the break-even point `PRBEP`."""

    def evaluate(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats:
        relevant = self._relevant_of_each(grades, offsets)
        return self._found(scores, grades, offsets, relevant) / np.maximum(relevant, 1)

    def most_violated(self, scores: Floats, grades: Floats, offsets: Ints) -> Violation:
        """The most violated labelling of exactly R as relevant."""
        relevant = self._relevant_of_each(grades, offsets)
        return self._most_violated(scores, grades, offsets, relevant, 1 / np.maximum(relevant, 1))


class Success(_AtK):
    """1 where a relevant document is in the first k ranks, else 0. ``Success@1`` is "winner takes all" (WTA)."""

    def evaluate(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats:
        return _any_in_first(*ranked(scores, grades, offsets), offsets, self._threshold, self._depth)

    def most_violated(self, scores: Floats, grades: Floats, offsets: Ints) -> Violation:
        """That of ``P@1``, which is the same measure; for larger k it is not known."""
        if self.k != 1:
            raise MeasureError(f"{self.name}: the most violated labelling is known for Success@1 only; use P@{self.k}")
        return P(rel=self.rel, k=1).most_violated(scores, grades, offsets)


class microP(_AtK):
    r"""Precision over several grades, micro-averaged (Welleck 2015, eq. 2).

    .. math:: \frac{\sum_{c=1}^C |\{d_r : l_r = c,\ r \le k\}|}{C \, k}

    The classes c are the C different grades above 0 that the data has: with grade 0 among them the value would be 1/C for
    every ranking.

    Parameters
    ----------
    k : int
        How many ranks.
    """

    def evaluate(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats:
        classes = np.unique(grades[self.relevant(grades)]).size
        return self._found_at_k(scores, grades, offsets) / (self._depth * max(classes, 1))


class macroP(microP):
    """Precision over several grades, macro-averaged (Welleck 2015, eq. 4, with the 1/n that it lacks).

    It is the mean over the grades of TP/(TP + FP). In the first k ranks every class has TP + FP = k, so this equals
    `microP`: the two equations differ only in the order of their sums. Both names are here because the paper reports both.
    """


@njit(cache=True, parallel=True)
def _relevant_in_first(scores, grades, offsets, threshold, depths):  # type: ignore[no-untyped-def]
    """How many relevant documents the first `depths[q]` ranks of query q hold, in the mean over the orders of ties."""
    values = np.zeros(offsets.size - 1)
    for q in prange(values.size):
        mine, my_grades = scores[offsets[q] : offsets[q + 1]], grades[offsets[q] : offsets[q + 1]]
        last = min(ranked_end(mine), depths[q])
        start = 0
        while start < last:
            end = group_end(mine, start)
            share = (min(end, last) - start) / (end - start)
            values[q] += share * count_relevant(my_grades, start, end, threshold)
            start = end
    return values


@njit(cache=True, parallel=True)
def _any_in_first(scores, grades, offsets, threshold, k):  # type: ignore[no-untyped-def]
    """The chance of a relevant document in the first k ranks, over the orders of ties."""
    values = np.zeros(offsets.size - 1)
    for q in prange(values.size):
        mine, my_grades = scores[offsets[q] : offsets[q + 1]], grades[offsets[q] : offsets[q + 1]]
        last = min(ranked_end(mine), k)
        none, start = 1.0, 0
        while start < last:
            end = group_end(mine, start)
            relevant = count_relevant(my_grades, start, end, threshold)
            for left in range(end - start, end - min(end, last), -1):
                none *= max(left - relevant, 0) / left
            start = end
        values[q] = 1 - none
    return values


@njit(cache=True, parallel=True)
def _most_violated_labels(scores, relevant, offsets, depths, earned):  # type: ignore[no-untyped-def]
    coefficients, losses = np.zeros(scores.size), np.zeros(offsets.size - 1)
    for q in prange(losses.size):
        lo, hi = offsets[q], offsets[q + 1]
        losses[q] = _label_query(scores[lo:hi], relevant[lo:hi], depths[q], earned[q], coefficients[lo:hi])
    return coefficients, losses


@njit(cache=True)
def _label_query(scores, relevant, depth, earned, coefficients):  # type: ignore[no-untyped-def]
    """Where fewer or more are relevant than are labelled so, the right labellings are many: y* is their mean."""
    n, n_relevant = scores.size, relevant.sum()
    if n_relevant == 0 or n_relevant == n or depth == n:
        return 0.0
    right = min(depth, n_relevant)
    for i in range(n):
        share = right / n_relevant if relevant[i] else (depth - right) / (n - n_relevant)
        coefficients[i] = 2 * share / n
    found = 0
    for i in falling_order(2 * scores / n - earned * relevant)[:depth]:
        coefficients[i] -= 2.0 / n
        found += relevant[i]
    return earned * (right - found)
