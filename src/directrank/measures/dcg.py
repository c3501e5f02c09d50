"""Discounted cumulative gain, plain and normalised."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from .base import SMALLEST_RELEVANT, Floats, Ints, Measure, MeasureError, Violation
from .interleaving import most_violated_places, pair_coefficients, split_by_relevance
from .ties import falling_order, group_end, ranked, ranked_end

GAINS = ("exp", "linear")
DISCOUNTS = ("log2", "jarvelin")


class DCG(Measure):
    r"""Discounted cumulative gain.

    .. math:: DCG = \sum_{r \le k} G(l_r) \, D(r)

    Parameters
    ----------
    gain : {"exp", "linear"}
        :math:`G(l) = 2^l - 1` (Burges et al. 2005), or :math:`G(l) = l`, as in trec_eval.
    discount : {"log2", "jarvelin"}
        :math:`D(r) = 1/\log_2(1 + r)`, or the older :math:`D(1) = 1, D(r) = 1/\log_2 r`, which gives ranks 1 and 2 the same
        weight (Järvelin & Kekäläinen 2002, and the evaluation scripts of LETOR 3.0).
    k : int, optional
        Ranks beyond k earn nothing.
    """

    gain: str = "exp"
    discount: str = "log2"
    k: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(self.gain in GAINS, "gain", self.gain, " or ".join(GAINS))
        self._check(self.discount in DISCOUNTS, "discount", self.discount, " or ".join(DISCOUNTS))

    def evaluate(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats:
        scores, grades = ranked(scores, grades, offsets)
        return _dcg(scores, self._gains(grades), offsets, self._discounts(offsets))

    def _gains(self, grades: Floats) -> Floats:
        if self.gain == "linear":
            return grades
        if grades.size and grades.max() > 1000:
            raise MeasureError(f"{self.name}: the gain 2^{grades.max():g} is beyond what a float holds; use gain=linear")
        gains = np.exp2(grades)
        gains -= 1
        return gains

    def _discounts(self, offsets: Ints) -> Floats:
        """The discount of each rank, up to the cut-off or the longest query."""
        longest = int(np.diff(offsets).max(initial=0))
        ranks = np.arange(1, min(self._depth, longest) + 1, dtype=np.float64)
        return 1 / np.log2(ranks + 1) if self.discount == "log2" else 1 / np.log2(np.maximum(ranks, 2))


class nDCG(DCG):
    """DCG divided by that of the best ranking of the query's documents (to the same cut-off).

    Parameters are those of `DCG`. ``nDCG(gain=linear)`` is trec_eval's ``ndcg``.
    """

    def evaluate(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats:
        scores, grades = ranked(scores, grades, offsets)
        gains, discounts = self._gains(grades), self._discounts(offsets)
        ideal = _ideal_dcg(gains, offsets, discounts)
        value = _dcg(scores, gains, offsets, discounts)
        return np.minimum(np.divide(value, ideal, out=np.zeros_like(value), where=ideal > 0), 1.0)

    def most_violated(self, scores: Floats, grades: Floats, offsets: Ints) -> Violation:
        """The most violated ranking, by one of two Psi.

        With one grade above 0 and the discount 1/log2(1 + r), which is convex, the interleaving of Yue's Algorithm 2 serves
        (see `interleaving`). Otherwise Psi(y) = sum_i D(rank_i) x_i: then loss and score add up to
        sum_i D(rank_i) (s_i - g_i/IDCG), and one sort by s_i - g_i/IDCG finds the ranking.
        """
        gains, discounts = self._gains(grades), self._discounts(offsets)
        highest = gains.max(initial=0.0)
        if self.k is None and self.discount == "log2" and np.all((gains == 0) | (gains == highest)):
            return Violation(*_most_violated_interleaving(scores, gains, offsets, np.append(discounts, 0.0)))
        return Violation(*_most_violated_assignment(scores, gains, offsets, discounts))


@njit(cache=True, parallel=True)
def _dcg(scores, gains, offsets, discounts):  # type: ignore[no-untyped-def]
    values = np.empty(offsets.size - 1)
    for q in prange(values.size):
        lo, hi = offsets[q], offsets[q + 1]
        values[q] = _of_query(scores[lo:hi], gains[lo:hi], discounts)
    return values


@njit(cache=True)
def _of_query(scores, gains, discounts):  # type: ignore[no-untyped-def]
    """Mean over the orders of ties: every place of a tie group earns the group's mean gain."""
    last = min(ranked_end(scores), discounts.size)
    total, start = 0.0, 0
    while start < last:
        end = group_end(scores, start)
        if end == start + 1:
            total += gains[start] * discounts[start]
        else:
            total += gains[start:end].mean() * discounts[start : min(end, last)].sum()
        start = end
    return total


@njit(cache=True, parallel=True)
def _ideal_dcg(gains, offsets, discounts):  # type: ignore[no-untyped-def]
    to_rank = np.zeros(discounts.size + 1)
    to_rank[1:] = np.cumsum(discounts)
    values = np.empty(offsets.size - 1)
    for q in prange(values.size):
        values[q] = _ideal_of_query(gains[offsets[q] : offsets[q + 1]], to_rank)
    return values


@njit(cache=True)
def _ideal_of_query(gains, to_rank):  # type: ignore[no-untyped-def]
    """Go down the different gains, of which there are few as a rule; `to_rank` sums the discounts up to each rank."""
    total, rank, gain = 0.0, 0, np.inf
    for _ in range(16):
        gain = _highest_below(gains, gain)
        if gain == 0 or rank == to_rank.size - 1:
            return total
        end = min(rank + np.sum(gains == gain), to_rank.size - 1)
        total += gain * (to_rank[end] - to_rank[rank])
        rank = end
    rest = np.sort(gains[gains < gain])
    for i in range(min(rest.size, to_rank.size - 1 - rank)):
        total += rest[rest.size - 1 - i] * (to_rank[rank + i + 1] - to_rank[rank + i])
    return total


@njit(cache=True, fastmath={"nnan", "nsz"})  # without NaN a maximum vectorises
def _highest_below(gains, bound):  # type: ignore[no-untyped-def]
    """The highest gain below a bound; 0 if there is none above 0."""
    highest = 0.0
    for gain in gains:
        highest = max(highest, gain if gain < bound else 0.0)
    return highest


@njit(cache=True, parallel=True)
def _most_violated_interleaving(scores, gains, offsets, discounts):  # type: ignore[no-untyped-def]
    coefficients, losses = np.zeros(scores.size), np.zeros(offsets.size - 1)
    for q in prange(losses.size):
        lo, hi = offsets[q], offsets[q + 1]
        losses[q] = _interleave_query(scores[lo:hi], gains[lo:hi], discounts, coefficients[lo:hi])
    return coefficients, losses


@njit(cache=True)
def _interleave_query(scores, gains, discounts, coefficients):  # type: ignore[no-untyped-def]
    """Relevant document i below j others instead of j - 1 loses (D(i + j - 1) - D(i + j))/IDCG.

    Summed over i > k this is D(j + k)/IDCG and a part without k.
    """
    relevant, others = split_by_relevance(scores, gains, SMALLEST_RELEVANT)
    if relevant.size == 0 or others.size == 0:
        return 0.0
    ideal = discounts[: relevant.size].sum()
    places = most_violated_places(scores[relevant], scores[others], discounts[np.arange(-1, scores.size)], 0.0, 1 / ideal)
    above = pair_coefficients(relevant, others, places, coefficients)
    value = 0.0
    for i in range(relevant.size):
        value += discounts[i + above[i]]
    return 1 - value / ideal


@njit(cache=True, parallel=True)
def _most_violated_assignment(scores, gains, offsets, discounts):  # type: ignore[no-untyped-def]
    coefficients, losses = np.zeros(scores.size), np.zeros(offsets.size - 1)
    for q in prange(losses.size):
        lo, hi = offsets[q], offsets[q + 1]
        losses[q] = _assign_query(scores[lo:hi], gains[lo:hi], discounts, coefficients[lo:hi])
    return coefficients, losses


@njit(cache=True)
def _assign_query(scores, gains, discounts, coefficients):  # type: ignore[no-untyped-def]
    """Coefficients D(rank in y*) - D(rank in y^); documents of equal gain share the mean of their ranks in y*."""
    best, depth = falling_order(gains), min(scores.size, discounts.size)
    if gains[best[0]] == gains[best[-1]]:
        return 0.0
    ideal, start, gain = 0.0, 0, gains[best]
    while start < scores.size:
        end = group_end(gain, start)
        discount = discounts[min(start, depth) : min(end, depth)].sum()
        ideal += gain[start] * discount
        for i in range(start, end):
            coefficients[best[i]] = discount / (end - start)
        start = end
    violated, value = falling_order(scores - gains / ideal), 0.0
    for i in range(depth):
        coefficients[violated[i]] -= discounts[i]
        value += discounts[i] * gains[violated[i]]
    return 1 - value / ideal
