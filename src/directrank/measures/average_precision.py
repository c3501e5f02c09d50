"""Average precision."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from .base import Floats, Ints, Measure, MeasureError, Violation
from .interleaving import most_violated_places, pair_coefficients, split_by_relevance
from .ties import count_relevant, falling_order, group_end, ranked, ranked_end


class AP(Measure):
    r"""Average precision.

    .. math:: AP = \frac{1}{R} \sum_{r \le k,\ d_r\ \text{relevant}} P@r

    over the ranks r of the query's R relevant documents. The mean over queries is MAP. With a cut-off it is still divided
    by all R, as trec_eval's ``map_cut`` is.

    Parameters
    ----------
    rel : number, optional
        The smallest grade that is relevant; by default any above 0.
    k : int, optional
        Ranks beyond k earn nothing.
    """

    rel: float | None = None
    k: int | None = None

    def evaluate(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats:
        return _average_precision(*ranked(scores, grades, offsets), offsets, self._threshold, self._depth)

    def most_violated(self, scores: Floats, grades: Floats, offsets: Ints) -> Violation:
        """The interleaving of Yue's Algorithm 2; see `interleaving`."""
        if self.k is not None:
            raise MeasureError(f"{self.name}: the most violated ranking is known for AP without a cut-off only; use AP")
        longest = int(np.diff(offsets).max())
        harmonic = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, longest + 1))))
        return Violation(*_most_violated(scores, grades, offsets, self._threshold, -harmonic))


@njit(cache=True, parallel=True)
def _average_precision(scores, grades, offsets, threshold, k):  # type: ignore[no-untyped-def]
    values = np.empty(offsets.size - 1)
    for q in prange(values.size):
        lo, hi = offsets[q], offsets[q + 1]
        values[q] = _of_query(scores[lo:hi], grades[lo:hi], threshold, k)
    return values


@njit(cache=True)
def _of_query(scores, grades, threshold, k):  # type: ignore[no-untyped-def]
    """Mean over the orders of ties.

    In a group of m documents, r of them relevant, place i holds a relevant one with probability r/m, and then (i - 1)
    (r - 1)/(m - 1) relevant ones are expected in the group's places before it.
    """
    relevant = count_relevant(grades, 0, grades.size, threshold)
    last = min(ranked_end(scores), k)
    total, before, start = 0.0, 0, 0
    while start < last and before < relevant:
        if start + 1 == scores.size or scores[start + 1] != scores[start]:  # no tie, and no branch on what is relevant
            found = grades[start] >= threshold
            before += found
            start += 1
            total += found * (before / start)
            continue
        end = group_end(scores, start)
        m, r = end - start, count_relevant(grades, start, end, threshold)
        slope = (r - 1) / (m - 1)
        for i in range(min(end, last) - start):
            total += r / m * (before + 1 + i * slope) / (start + i + 1)
        before += r
        start = end
    return total / relevant if relevant > 0 else 0.0


@njit(cache=True, parallel=True)
def _most_violated(scores, grades, offsets, threshold, table):  # type: ignore[no-untyped-def]
    coefficients, losses = np.zeros(scores.size), np.zeros(offsets.size - 1)
    for q in prange(losses.size):
        lo, hi = offsets[q], offsets[q + 1]
        losses[q] = _most_violated_of_query(scores[lo:hi], grades[lo:hi], threshold, table, coefficients[lo:hi])
    return coefficients, losses


@njit(cache=True)
def _most_violated_of_query(scores, grades, threshold, table, coefficients):  # type: ignore[no-untyped-def]
    """Relevant document i below j others instead of j - 1 loses i (1/(i + j - 1) - 1/(i + j))/R.

    Summed over i > k this is ((k + 1)/(j + k) - H_{j + k})/R and a part without k, with harmonic numbers H.
    """
    relevant, others = split_by_relevance(falling_order(scores), grades, threshold)
    if relevant.size == 0 or others.size == 0:
        return 0.0
    places = most_violated_places(scores[relevant], scores[others], table, 1.0, 1.0 / relevant.size)
    above = pair_coefficients(relevant, others, places, coefficients)
    precision = 0.0
    for i in range(relevant.size):
        precision += (i + 1) / (i + 1 + above[i])
    return 1 - precision / relevant.size
