"""Average precision."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from ..arrays import Floats, Ints
from .base import Measure, MeasureError, Violation
from .pairs.pairwise import Lambdas, Swaps, pairwise_lambdas
from .ranking.ties import count_relevant, descending_order, group_end, order_by_query, ranked, ranked_end
from .violations.interleaving import most_violated_places, pair_coefficients, split_by_relevance


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

    def lambdas(self, scores: Floats, grades: Floats, offsets: Ints) -> Lambdas:
        """See `lambdas`: a swap of ranks a < b earns its precision at a instead of b, and 1/r for those between."""
        longest = int(np.diff(offsets).max())
        weights = np.where(np.arange(longest) < self._depth, 1 / np.arange(1.0, longest + 1), 0.0)
        relevant = self.relevant(grades)
        gains, upper, lower, tied = np.zeros((4, scores.size))
        group = np.empty(scores.size, np.int32)
        order = order_by_query(scores, offsets)
        _prepare(scores, relevant, order, offsets, weights, gains, upper, lower, group, tied)
        return pairwise_lambdas(scores, relevant.astype(np.float64), offsets, Swaps(gains, upper, lower, group, tied, False))


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
    relevant, others = split_by_relevance(descending_order(scores), grades, threshold)
    if relevant.size == 0 or others.size == 0:
        return 0.0
    places = most_violated_places(scores[relevant], scores[others], table, 1.0, 1.0 / relevant.size)
    above = pair_coefficients(relevant, others, places, coefficients)
    precision = 0.0
    for i in range(relevant.size):
        precision += (i + 1) / (i + 1 + above[i])
    return 1 - precision / relevant.size


@njit(cache=True, parallel=True)
def _prepare(scores, relevant, order, offsets, weights, gains, upper, lower, group, tied):  # type: ignore[no-untyped-def]
    for q in prange(offsets.size - 1):
        lo, hi = offsets[q], offsets[q + 1]
        n_relevant = np.sum(relevant[lo:hi])
        if n_relevant > 0:
            gains[lo:hi] = relevant[lo:hi] / n_relevant
        _prepare_query(
            scores[lo:hi], relevant[lo:hi], order[lo:hi], weights, upper[lo:hi], lower[lo:hi], group[lo:hi], tied[lo:hi]
        )


@njit(cache=True)
def _prepare_query(scores, relevant, order, weights, upper, lower, group, tied):  # type: ignore[no-untyped-def]
    """Means over the orders of ties.

    With h(r) = 1/r up to the cut-off, R times the change is (A_a + 1) h(a) + sum h(r) over the other relevant r between a
    and b, less (A_b + 1) h(b), where A counts the other relevant ones above. The sum is that above b less that above a, so
    the change is a part of the upper document and one of the lower.
    """
    ranked_scores = scores[order]
    start, number, above, weight_above = 0, 0, 0, 0.0
    while start < order.size:
        end = group_end(ranked_scores, start)
        m, r, h = end - start, 0, weights[start:end]
        for i in order[start:end]:
            r += relevant[i]
        of_group = r / m * h.sum()
        spread = _mean_change(above, m, r, h) if 0 < r < m else 0.0
        for kind in range(2):  # a document that is not relevant, and one that is
            if (kind == 1 and r == 0) or (kind == 0 and r == m):
                continue
            own, before, after = _parts(above, m, r - kind, h)
            # As the lower one it has the relevant one of the pair above it, unless it is that itself.
            own_below, _, _ = _parts(above - (1 - kind), m, r - kind, h)
            for i in order[start:end]:
                if relevant[i] == kind:
                    upper[i] = own + after - weight_above - of_group
                    lower[i] = before + weight_above - own_below
        for i in order[start:end]:
            group[i], tied[i] = number, spread
        start, above, weight_above = end, above + r, weight_above + of_group
        number += 1


@njit(cache=True)
def _parts(above, m, others, h):  # type: ignore[no-untyped-def]
    """Means over the places of a document in its tie group, `others` being the relevant ones among the m - 1 others.

    Of (A + 1) h at its own place, and of the sums of h over the relevant ones before it and after it in the group.
    """
    own, before, after = 0.0, 0.0, 0.0
    share = others / (m - 1) if m > 1 else 0.0
    for x in range(m):
        own += (above + 1 + x * share) * h[x]
        before += (m - 1 - x) * share * h[x]
        after += x * share * h[x]
    return own / m, before / m, after / m


@njit(cache=True)
def _mean_change(above, m, r, h):  # type: ignore[no-untyped-def]
    """The mean change over all places a < b of two documents of one tie group, one of its r relevant ones and another."""
    share = (r - 1) / (m - 2) if m > 2 else 0.0
    total = 0.0
    for x in range(m):
        after = m - 1 - x
        total += after * (above + 1 + x * share) * h[x] + share * x * after * h[x]
        total -= x * (above + 1 + (x - 1) * share) * h[x]
    return total * 2 / (m * (m - 1.0))
