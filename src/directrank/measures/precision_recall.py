"""What is found in the first k ranks: precision, recall, success, R-precision, and precision over several grades."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from .base import Floats, Ints, Measure, MeasureError
from .ties import count_relevant, group_end, ranked, ranked_end


class _AtDepth(Measure):
    """Counts of relevant documents in the first ranks."""

    rel: float | None = None

    def _found(self, scores: Floats, grades: Floats, offsets: Ints, depths: Ints) -> Floats:
        return _relevant_in_first(*ranked(scores, grades, offsets), offsets, self._threshold, depths)

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


class R(_AtK):
    """Recall: the share of the query's relevant documents that is in the first k ranks. Parameters as in `P`."""

    def evaluate(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats:
        found = self._found_at_k(scores, grades, offsets)
        return found / np.maximum(self._relevant_of_each(grades, offsets), 1)


class Rprec(_AtDepth):
    """Precision at R, the number of the query's relevant documents. Over one set it is the break-even point `PRBEP`."""

    def evaluate(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats:
        relevant = self._relevant_of_each(grades, offsets)
        return self._found(scores, grades, offsets, relevant) / np.maximum(relevant, 1)


class Success(_AtK):
    """1 where a relevant document is in the first k ranks, else 0. ``Success@1`` is "winner takes all" (WTA)."""

    def evaluate(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats:
        return _any_in_first(*ranked(scores, grades, offsets), offsets, self._threshold, self._depth)


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
