"""What is found in the first k ranks: precision, recall, success, R-precision, and precision over several grades."""

from __future__ import annotations

import re

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from .base import Measure, MeasureError, Violation
from .pairs.first_relevant import first_relevant_lambdas
from .pairs.pairwise import Lambdas, discounted_swaps, pairwise_lambdas
from .ranking.ties import count_relevant, descending_order, group_end, ranked, ranked_end
from .violations.interleaving import most_violated_gains


class _AtDepth(Measure):
    """Counts of relevant documents in the first ranks."""

    rel: float | None = None

    def _found(self, scores: Floats, grades: Floats, offsets: Ints, depths: Ints) -> Floats:
        return _relevant_in_first(*ranked(scores, grades, offsets), offsets, self._threshold, depths)

    def lambdas(self, scores: Floats, grades: Floats, offsets: Ints) -> Lambdas:
        """See `lambdas`: a relevant document earns as much at each of the first ranks."""
        depths, worth = self._at_each_rank(self._relevant_of_each(grades, offsets))
        relevant = self.relevant(grades).astype(np.float64)
        gains = relevant * np.repeat(worth, np.diff(offsets))
        swaps = discounted_swaps(scores, gains, offsets, np.ones(int(depths.max())), depths)
        return pairwise_lambdas(scores, relevant, offsets, swaps)

    def _at_each_rank(self, n_relevant: Ints) -> tuple[Ints, Floats]:
        """How many ranks of a query count, and what a relevant document in one of them is worth."""
        raise NotImplementedError

    def _relevant_of_each(self, grades: Floats, offsets: Ints) -> Ints:
        return np.add.reduceat(self.relevant(grades), offsets[:-1], dtype=np.int64)


class _AtK(_AtDepth):
    """The same, in the first k ranks: a number, or a multiple of the query's relevant documents such as ``2p``."""

    k: int | str | None = None

    def __post_init__(self) -> None:
        if self.k is None:
            raise MeasureError(f"{type(self).__name__} needs a cut-off: write {type(self).__name__}@10, for example")
        if self._multiple is None:
            super().__post_init__()

    @property
    def _multiple(self) -> float | None:
        match = re.fullmatch(r"(\d+(?:\.\d+)?)p", self.k) if isinstance(self.k, str) else None
        return float(match[1]) if match is not None and float(match[1]) > 0 else None

    def labelled(self, n_relevant: Ints) -> Ints:
        """How many documents are labelled relevant where so many are."""
        if self._multiple is None:
            return np.full(n_relevant.size, int(self.k))  # type: ignore[arg-type]
        return np.maximum(np.round(self._multiple * n_relevant), 1).astype(np.int64)

    def joachims_scale(self, n_documents: int, n_relevant: int) -> tuple[float, float]:
        """See `Measure`: losses in percent, and a relevant document that changes sides altogether counts 2."""
        return 100.0, n_relevant

    def _depths(self, grades: Floats, offsets: Ints) -> Ints:
        return self.labelled(self._relevant_of_each(grades, offsets))

    def most_violated(self, scores: Floats, grades: Floats, offsets: Ints) -> Violation:
        """See `most_violated_gains`: a relevant document earns as much at each of the first k ranks. Exact for k = 1.

        Not Joachims' Psi = sum_i y_i x_i with exactly k labelled relevant: where other than k are, the right labellings are
        many, the best labelling by score beats the mean of them, and with a little noise w = 0 is the optimum.
        """
        n_relevant = self._relevant_of_each(grades, offsets)
        depths = self.labelled(n_relevant)
        coefficients, losses = np.zeros(scores.size), np.zeros(offsets.size - 1)
        for depth in np.unique(depths):  # all the same, unless they depend on the number of relevant documents
            same = np.flatnonzero(depths == depth)
            rows = _rows_of(same, offsets)
            gains, mine = self.relevant(grades[rows]).astype(float), _offsets_of(same, offsets)
            found = most_violated_gains(scores[rows], gains, mine, np.ones(depth), True)
            coefficients[rows], losses[same] = found
        best = self._best(np.minimum(depths, n_relevant), n_relevant)
        return Violation(coefficients * np.repeat(best, np.diff(offsets)), losses * best)

    def _best(self, found: Ints, n_relevant: Ints) -> Floats:
        """The best value of each query, in which so many are found."""
        raise NotImplementedError


class P(_AtK):
    """Precision: the share of relevant documents in the first k ranks.

    Divided by k also where fewer than k documents are ranked, as in trec_eval.

    Parameters
    ----------
    rel : number, optional
        The smallest grade that is relevant; by default any above 0.
    k : int or str
        How many ranks, or a multiple of the number of relevant documents: ``2p`` is twice as many.
    """

    def evaluate(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats:
        depths = self._depths(grades, offsets)
        return self._found(scores, grades, offsets, depths) / depths

    def _best(self, found: Ints, n_relevant: Ints) -> Floats:
        return found / self.labelled(n_relevant)

    def _at_each_rank(self, n_relevant: Ints) -> tuple[Ints, Floats]:
        depths = self.labelled(n_relevant)
        return depths, 1 / depths


class R(_AtK):
    """Recall: the share of the query's relevant documents that is in the first k ranks. Parameters as in `P`."""

    def evaluate(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats:
        found = self._found(scores, grades, offsets, self._depths(grades, offsets))
        return found / np.maximum(self._relevant_of_each(grades, offsets), 1)

    def _best(self, found: Ints, n_relevant: Ints) -> Floats:
        return found / np.maximum(n_relevant, 1)

    def _at_each_rank(self, n_relevant: Ints) -> tuple[Ints, Floats]:
        return self.labelled(n_relevant), 1 / np.maximum(n_relevant, 1)


class Rprec(_AtDepth):
    """Precision at R, the number of the query's relevant documents. Over one set it is the break-even point `PRBEP`."""

    def labelled(self, n_relevant: Ints) -> Ints:
        """How many documents are labelled relevant where so many are."""
        return n_relevant

    def evaluate(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats:
        relevant = self._relevant_of_each(grades, offsets)
        return self._found(scores, grades, offsets, relevant) / np.maximum(relevant, 1)

    def most_violated(self, scores: Floats, grades: Floats, offsets: Ints) -> Violation:
        """The most violated labelling of exactly R as relevant.

        Psi(y) = 1/n sum_i y_i x_i over the n documents of the query, y_i = +1 or -1 (Joachims 2005). Loss and score are both
        sums over what is labelled relevant: the documents of highest 2 s_i/n - 1[relevant]/R are.
        """
        return Violation(*_most_violated_labels(scores, self.relevant(grades), offsets))

    def _at_each_rank(self, n_relevant: Ints) -> tuple[Ints, Floats]:
        return n_relevant, 1 / np.maximum(n_relevant, 1)

    def joachims_scale(self, n_documents: int, n_relevant: int) -> tuple[float, float]:
        """See `Measure`: losses in percent, and Psi not divided by the number of documents."""
        return 100.0, n_documents


class Success(_AtK):
    """1 where a relevant document is in the first k ranks, else 0. ``Success@1`` is "winner takes all" (WTA)."""

    def evaluate(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats:
        depths = self._depths(grades, offsets)
        return _any_in_first(*ranked(scores, grades, offsets), offsets, self._threshold, depths)

    def most_violated(self, scores: Floats, grades: Floats, offsets: Ints) -> Violation:
        """That of ``P@1``, which is the same measure; for larger k it is not known."""
        if self.k != 1:
            raise MeasureError(f"{self.name}: the most violated ranking is known for Success@1 only; use P@{self.k}")
        return P(rel=self.rel, k=1).most_violated(scores, grades, offsets)

    def lambdas(self, scores: Floats, grades: Floats, offsets: Ints) -> Lambdas:
        """See `first_relevant`."""
        if self._multiple is not None:
            raise MeasureError(f"{self.name}: the lambdas of Success are known for a k that is a number; use Success@10")
        return first_relevant_lambdas(scores, self.relevant(grades), offsets, np.ones(int(self.k)))  # type: ignore[arg-type]


class microP(P):
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
        return super().evaluate(scores, grades, offsets) / self._n_classes(grades)

    def most_violated(self, scores: Floats, grades: Floats, offsets: Ints) -> Violation:
        """That of `P`, divided by C."""
        return Violation(*(values / self._n_classes(grades) for values in super().most_violated(scores, grades, offsets)))

    def lambdas(self, scores: Floats, grades: Floats, offsets: Ints) -> Lambdas:
        """Those of `P`, divided by C."""
        return Lambdas(*(values / self._n_classes(grades) for values in super().lambdas(scores, grades, offsets)))

    def _n_classes(self, grades: Floats) -> int:
        return max(np.unique(grades[self.relevant(grades)]).size, 1)


class macroP(microP):
    """Precision over several grades, macro-averaged (Welleck 2015, eq. 4, with the 1/n that it lacks).

    It is the mean over the grades of TP/(TP + FP). In the first k ranks every class has TP + FP = k, so this equals
    `microP`: the two equations differ only in the order of their sums. Both names are here because the paper reports both.
    """


def _rows_of(queries: Ints, offsets: Ints) -> slice | NDArray[np.bool_]:
    """The documents of these queries; all of them without copying."""
    if queries.size == offsets.size - 1:
        return slice(None)
    chosen = np.zeros(offsets.size - 1, bool)
    chosen[queries] = True
    return np.repeat(chosen, np.diff(offsets))


def _offsets_of(queries: Ints, offsets: Ints) -> Ints:
    return np.concatenate(([0], np.cumsum(np.diff(offsets)[queries])))


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
def _any_in_first(scores, grades, offsets, threshold, depths):  # type: ignore[no-untyped-def]
    """The chance of a relevant document in the first `depths[q]` ranks, over the orders of ties."""
    values = np.zeros(offsets.size - 1)
    for q in prange(values.size):
        mine, my_grades = scores[offsets[q] : offsets[q + 1]], grades[offsets[q] : offsets[q + 1]]
        last = min(ranked_end(mine), depths[q])
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
def _most_violated_labels(scores, relevant, offsets):  # type: ignore[no-untyped-def]
    coefficients, losses = np.zeros(scores.size), np.zeros(offsets.size - 1)
    for q in prange(losses.size):
        lo, hi = offsets[q], offsets[q + 1]
        losses[q] = _label_query(scores[lo:hi], relevant[lo:hi], coefficients[lo:hi])
    return coefficients, losses


@njit(cache=True)
def _label_query(scores, relevant, coefficients):  # type: ignore[no-untyped-def]
    n, n_relevant = scores.size, relevant.sum()
    if n_relevant == 0 or n_relevant == n:
        return 0.0
    found = 0
    for i in descending_order(2 * scores / n - relevant / n_relevant)[:n_relevant]:
        coefficients[i] -= 2.0 / n
        found += relevant[i]
    for i in range(n):
        coefficients[i] += 2.0 / n * relevant[i]
    return (n_relevant - found) / n_relevant
