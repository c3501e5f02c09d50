"""Discounted cumulative gain, plain and normalised."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from .base import Floats, Ints, Measure, MeasureError
from .ties import group_end, ranked, ranked_end

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
        return np.exp2(grades) - 1

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
        return np.divide(value, ideal, out=np.zeros_like(value), where=ideal > 0)


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
    values = np.zeros(offsets.size - 1)
    for q in prange(values.size):
        mine = gains[offsets[q] : offsets[q + 1]]
        earning = np.sort(mine[mine > 0])
        for i in range(min(earning.size, discounts.size)):
            values[q] += earning[earning.size - 1 - i] * discounts[i]
    return values
