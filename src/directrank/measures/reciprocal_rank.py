"""Reciprocal rank, and the expected reciprocal rank of a user who may stop at any document."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np

from ..arrays import Bools, Floats
from ..kernel_compiler import njit, prange
from .average_precision import AP
from .base import Bound, Lambdas, Measure, MeasureError, RelevanceBound, Smoothed, Violation
from .pairs.cascade import cascade_lambdas
from .pairs.first_relevant import first_relevant_lambdas
from .ranking.levels import values_differ
from .ranking.sorting import descending_order, ranked
from .ranking.ties import count_relevant, group_end, ranked_end
from .smoothing.soft_ranking import SoftRanking
from .smoothing.values import smoothed_cascade
from .violations.interleaving import pair_coefficients, split_by_relevance


class BoundRR(RelevanceBound):
    """Reciprocal rank on queries of some grades."""

    measure: RR

    def evaluate(self, scores: Floats) -> Floats:
        ranking = ranked(scores, self.grades, self.offsets)
        return _reciprocal_rank(*ranking, self.offsets, self.measure._threshold, self.measure._depth)

    def lambdas(self, scores: Floats) -> Lambdas:
        """See `first_relevant`."""
        return first_relevant_lambdas(scores, self.relevant, self.offsets, self._values)

    def most_violated(self, scores: Floats) -> Violation:
        """The best number of others above all relevant documents, the rest by score; Psi as in `interleaving`."""
        return Violation(*_most_violated(scores, self.relevant, self.offsets, self.measure._depth))

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
    """One over the rank of the first relevant document; 0 where there is none up to rank k. The mean is MRR.

    Parameters
    ----------
    rel : number, optional
        The smallest grade that is relevant; by default any above 0.
    k : int, optional
        Ranks beyond k earn nothing.
    """

    bound: ClassVar[type[Bound]] = BoundRR

    rel: float | None = None
    k: int | None = None

    @property
    def guide(self) -> Measure:
        """Average precision: of most pairs of documents the first relevant one tells nothing."""
        return AP(rel=self.rel)


class BoundERR(Bound):
    """Expected reciprocal rank on queries of some grades."""

    measure: ERR

    def evaluate(self, scores: Floats) -> Floats:
        ranking = ranked(scores, self.stops, self.offsets)
        return _expected_reciprocal_rank(*ranking, self.offsets, self.measure._depth)

    def lambdas(self, scores: Floats) -> Lambdas:
        """See `cascade`; documents of equal score are taken in the worst order, those of equal grade share their sums."""
        return cascade_lambdas(scores, self.grades, self.stops, self.offsets, self.measure._depth)

    def smooth(self, scores: Floats, sigma: float) -> Smoothed:
        """See `smoothed_cascade`."""
        values = _reciprocals(min(self.longest, self.measure._depth))
        soft = SoftRanking(scores, self.stops, self.offsets, sigma, np.full(self.sizes.size, values.size))
        return smoothed_cascade(soft, values)

    @cached_property
    def informative(self) -> Bools:
        """The queries with documents of distinct probabilities to stop."""
        return values_differ(self.stops, self.offsets)

    @cached_property
    def stops(self) -> Floats:
        """The probability that the user stops at each document."""
        highest = self.grades.max(initial=0)
        if highest > self.measure.max_grade:
            advice = f"use ERR(max_grade={highest:g})" if highest <= 1000 else "make the grades smaller"
            raise MeasureError(f"{self.measure.name}: the data has grade {highest:g}; {advice}")
        return (np.exp2(self.grades) - 1) / np.exp2(self.measure.max_grade)


class ERR(Measure):
    r"""Expected reciprocal rank (Chapelle et al. 2009).

    A user reads down the ranking and stops at a document of grade l with probability
    :math:`s(l) = (2^l - 1) / 2^{l_{max}}`:

    .. math:: ERR = \sum_{r \le k} \frac{1}{r} \, s(l_r) \prod_{i<r} (1 - s(l_i))

    Parameters
    ----------
    max_grade : number
        The highest grade of the judgment scale. It belongs to the scale and not to the sample at hand, so that values of
        different samples can be compared; 4, as in the web tracks' gdeval and in RankLib.
    k : int, optional
        Ranks beyond k earn nothing.
    """

    bound: ClassVar[type[Bound]] = BoundERR

    max_grade: float = 4
    k: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_number("max_grade", self.max_grade, 1000)


def _reciprocals(n_ranks: int) -> Floats:
    """1/r for the ranks r from 1."""
    return 1 / np.arange(1.0, n_ranks + 1)


@njit(cache=True, parallel=True)
def _reciprocal_rank(scores, grades, offsets, threshold, k):  # type: ignore[no-untyped-def]
    values = np.empty(offsets.size - 1)
    for q in prange(values.size):
        lo, hi = offsets[q], offsets[q + 1]
        values[q] = _rr_of_query(scores[lo:hi], grades[lo:hi], threshold, k)
    return values


@njit(cache=True)
def _rr_of_query(scores, grades, threshold, k):  # type: ignore[no-untyped-def]
    """Mean over the orders of the tie group of the first relevant document, place by place."""
    last = min(ranked_end(scores), k)
    start = 0
    while start < last:
        end = group_end(scores, start)
        relevant = count_relevant(grades, start, end, threshold)
        if relevant > 0:
            total, none_yet = 0.0, 1.0
            for i in range(min(end, last) - start):
                left = end - start - i
                total += none_yet * relevant / left / (start + i + 1)
                none_yet *= (left - relevant) / left
            return total
        start = end
    return 0.0


@njit(cache=True, parallel=True)
def _most_violated(scores, relevant, offsets, k):  # type: ignore[no-untyped-def]
    coefficients, losses = np.zeros(scores.size), np.zeros(offsets.size - 1)
    for q in prange(losses.size):
        lo, hi = offsets[q], offsets[q + 1]
        losses[q] = _most_violated_of_query(scores[lo:hi], relevant[lo:hi], k, coefficients[lo:hi])
    return coefficients, losses


@njit(cache=True)
def _most_violated_of_query(scores, is_relevant, k, coefficients):  # type: ignore[no-untyped-def]
    """Let m others stand above all relevant documents: the loss is 1 - 1/(m + 1), and the m of highest score go there.

    The others stand below the first relevant document and, among the rest, where their score puts them. Other document j
    earns sum_i (s_j - s_i) above all, and sum_{i > 1} max(0, s_j - s_i) otherwise; the difference grows with s_j.
    """
    relevant, others = split_by_relevance(descending_order(scores), is_relevant)
    if relevant.size == 0 or others.size == 0:
        return 0.0
    pairs = 2.0 / (relevant.size * others.size)
    places = np.empty(others.size, np.int64)
    best, best_value, value, loss = 0, 0.0, 0.0, 0.0
    place, above_sum = 1, scores[relevant[0]]  # the relevant ones that stand above by score, the first always among them
    for j in range(others.size):
        score = scores[others[j]]
        while place < relevant.size and scores[relevant[place]] >= score:
            above_sum += scores[relevant[place]]
            place += 1
        places[j] = place
        # Above all instead: the relevant ones that stood above change sides.
        value += pairs * (place * score - above_sum)
        loss_here = 1 - (1 / (j + 2) if j + 2 <= k else 0.0)
        if loss_here + value > best_value:
            best, best_value, loss = j + 1, loss_here + value, loss_here
    places[:best] = 0
    pair_coefficients(relevant, others, places, coefficients)
    return loss


@njit(cache=True, parallel=True)
def _expected_reciprocal_rank(scores, stop, offsets, k):  # type: ignore[no-untyped-def]
    values = np.empty(offsets.size - 1)
    for q in prange(values.size):
        lo, hi = offsets[q], offsets[q + 1]
        values[q] = _err_of_query(scores[lo:hi], stop[lo:hi], k)
    return values


@njit(cache=True)
def _err_of_query(scores, stop, k):  # type: ignore[no-untyped-def]
    last = min(ranked_end(scores), k)
    total, reading, start = 0.0, 1.0, 0
    while start < last and reading > 0:
        end = group_end(scores, start)
        if end == start + 1:
            total += reading * stop[start] / (start + 1)
            reading *= 1 - stop[start]
        else:
            going_on = _mean_going_on(stop[start:end], min(end, last) - start)
            for i in range(going_on.size - 1):
                total += reading * (going_on[i] - going_on[i + 1]) / (start + i + 1)
            for i in range(start, end):
                reading *= 1 - stop[i]
        start = end
    return total


@njit(cache=True)
def _mean_going_on(stop, places):  # type: ignore[no-untyped-def]
    """The probability to read on past the first 0, 1, ... places of a tie group, over all its orders.

    It is the mean product of (1 - stop) over all subsets of i documents: elementary symmetric means, built up document by
    document. Those with stop = 0 leave every mean at 1. By Maclaurin's inequality the i-th mean is at most the first one
    to the power of i: places where that is below 1e-18 are left out, which leaves few of a huge tie group.
    """
    gone = stop.mean()
    if gone > 0:
        places = min(places, int(42 / gone) + 1)
    means = np.ones(places + 1)
    m = np.sum(stop == 0)
    for document_stop in stop[stop > 0]:
        m += 1
        for i in range(min(places, m), 0, -1):
            means[i] = ((m - i) * means[i] + i * (1 - document_stop) * means[i - 1]) / m
    return means
