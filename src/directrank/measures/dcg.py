"""Discounted cumulative gain, plain and normalised."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from ..arrays import Floats, Ints
from .base import Measure, MeasureError, Violation
from .pairs.pairwise import Lambdas, discounted_swaps, pairwise_lambdas
from .ranking.ties import group_end, ranked, ranked_end
from .violations.interleaving import most_violated_gains

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

    def lambdas(self, scores: Floats, grades: Floats, offsets: Ints) -> Lambdas:
        """See `lambdas`: gain times discount."""
        swaps = discounted_swaps(scores, self._normalised(grades, offsets), offsets, self._discounts(offsets))
        return pairwise_lambdas(scores, grades, offsets, swaps)

    def _normalised(self, grades: Floats, offsets: Ints) -> Floats:
        """The gains, divided by what normalises each query."""
        return self._gains(grades)

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

    def _normalised(self, grades: Floats, offsets: Ints) -> Floats:
        gains = self._gains(grades)
        ideal = _ideal_dcg(gains, offsets, self._discounts(offsets))
        return gains / np.repeat(np.where(ideal > 0, ideal, 1.0), np.diff(offsets))

    def most_violated(self, scores: Floats, grades: Floats, offsets: Ints) -> Violation:
        """See `most_violated_gains`: exact with one grade above 0 and no cut-off, else a bound."""
        to_rank = np.array([0, self._depth]) if self.k is not None else offsets
        return most_violated_gains(scores, self._gains(grades), offsets, self._discounts(to_rank), self.k is not None)


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
