r"""A soft ranking: at each rank the mean over the documents of near score, in place of the one document that stands there.

With the documents d(r) by descending score s, the gain at rank r is smoothed (Chapelle & Wu 2010) to

.. math:: p_r = \sum_i g_i h_{ir}, \qquad h_{ir} = \frac{e^{-u_{ir}^2/2}}{\sum_k e^{-u_{kr}^2/2}}, \qquad
          u_{ir} = \frac{s_i - s_{d(r)}}{\sigma}

so sigma is a width in units of the scores (the paper writes sigma for twice its square). The derivative of a value that
depends on p is

.. math:: \frac{\partial V}{\partial s_j} = \frac1\sigma \sum_r \frac{\partial V}{\partial p_r}
          \left(- u_{jr} h_{jr} (g_j - p_r) + [j = d(r)] \sum_i u_{ir} h_{ir} (g_i - p_r)\right)

as the rank's own score moves with its document. Documents of equal score have the same mean: as sigma goes to 0, p_r becomes
the mean gain of the tie group at rank r.

The value is continuous, and smooth but for kinks where two documents swap ranks.

Only documents within `REACH` times sigma of a rank's score are visited. A document beyond has h below exp(-18), as the
rank's own document has the largest weight: with n documents p_r is off by less than n exp(-18) times the largest difference
of gains.
"""

from __future__ import annotations

import math

import numpy as np

from ...arrays import Floats, Ints
from ...kernel_compiler import njit, prange
from ..ranking.sorting import order_by_query

#: Documents whose scores differ by more than so many times sigma are taken as infinitely far apart.
REACH = 6.0


class SoftRanking:
    """The smoothed gain at each rank of some queries, and how it moves with the scores.

    Parameters
    ----------
    scores, gains : float64 arrays, laid out by query
    offsets : int64 array
    sigma : float
    depths : int64 array
        How many ranks of each query count.
    unranked : bool
        Whether documents of score -inf have ranks too, tied below all others.

    Attributes
    ----------
    expected : float64 array, laid out by query
        The smoothed gain at each rank, 0 at ranks that do not count.
    depths : int64 array
        How many ranks of each query count and have a document.
    """

    def __init__(
        self, scores: Floats, gains: Floats, offsets: Ints, sigma: float, depths: Ints, *, unranked: bool = False
    ) -> None:
        self.scores, self.gains, self.offsets, self.sigma = scores, gains, offsets, sigma
        self.order = order_by_query(scores, offsets)
        self.expected, self._totals, self.depths = np.zeros(scores.size), np.zeros(scores.size), np.empty_like(depths)
        _smooth(scores, gains, self.order, offsets, sigma, depths, unranked, self.expected, self._totals, self.depths)

    def gradient(self, slopes: Floats) -> Floats:
        """The derivative by the score of each document of a value whose derivative by `expected` is `slopes`."""
        gradient = np.zeros(self.scores.size)
        arguments = self.scores, self.gains, self.order, self.offsets, self.sigma, self.depths
        _differentiate(*arguments, self.expected, self._totals, slopes, gradient)
        return gradient


@njit(cache=True, parallel=True)
def _smooth(scores, gains, order, offsets, sigma, depths, unranked, expected, totals, counting):  # type: ignore[no-untyped-def]
    for q in prange(offsets.size - 1):
        lo, hi = offsets[q], offsets[q + 1]
        ranked_scores, ranked_gains = scores[lo:hi][order[lo:hi]], gains[lo:hi][order[lo:hi]]
        n_ranked = hi - lo
        while not unranked and n_ranked > 0 and ranked_scores[n_ranked - 1] == -np.inf:
            n_ranked -= 1
        counting[q] = min(depths[q], n_ranked)
        _smooth_query(ranked_scores, ranked_gains, sigma, counting[q], expected[lo:hi], totals[lo:hi])


@njit(cache=True)
def _smooth_query(scores, gains, sigma, depth, expected, totals):  # type: ignore[no-untyped-def]
    first, end = 0, 0
    for rank in range(depth):
        first, end = _window(scores, rank, sigma, first, end)
        total, weighted = 0.0, 0.0
        for i in range(first, end):
            weight = _weight(_distance(scores[i], scores[rank], sigma))
            total += weight
            weighted += weight * gains[i]
        expected[rank], totals[rank] = weighted / total, total


@njit(cache=True, parallel=True)
def _differentiate(scores, gains, order, offsets, sigma, depths, expected, totals, slopes, gradient):  # type: ignore[no-untyped-def]
    for q in prange(offsets.size - 1):
        lo, hi = offsets[q], offsets[q + 1]
        by_rank = np.zeros(hi - lo)
        ranked_scores, ranked_gains = scores[lo:hi][order[lo:hi]], gains[lo:hi][order[lo:hi]]
        _differentiate_query(
            ranked_scores, ranked_gains, sigma, depths[q], expected[lo:hi], totals[lo:hi], slopes[lo:hi], by_rank
        )
        gradient[lo:hi][order[lo:hi]] = by_rank


@njit(cache=True)
def _differentiate_query(scores, gains, sigma, depth, expected, totals, slopes, gradient):  # type: ignore[no-untyped-def]
    first, end = 0, 0
    for rank in range(depth):
        first, end = _window(scores, rank, sigma, first, end)
        if slopes[rank] == 0:
            continue
        factor, of_rank = slopes[rank] / (totals[rank] * sigma), 0.0
        for i in range(first, end):
            u = _distance(scores[i], scores[rank], sigma)
            change = factor * u * _weight(u) * (gains[i] - expected[rank])
            gradient[i] -= change
            of_rank += change
        gradient[rank] += of_rank


@njit(cache=True)
def _window(scores, rank, sigma, first, end):  # type: ignore[no-untyped-def]
    """The documents within reach of a rank; those of the rank above were from `first` to `end`.

    Written so that infinite scores, whose difference is no number, are within reach of each other.
    """
    reach = REACH * sigma
    while scores[first] - scores[rank] > reach:
        first += 1
    while end < scores.size and not scores[rank] - scores[end] > reach:
        end += 1
    return first, end


@njit(cache=True)
def _distance(score, other, sigma):  # type: ignore[no-untyped-def]
    return (score - other) / sigma if score != other else 0.0


@njit(cache=True)
def _weight(u):  # type: ignore[no-untyped-def]
    return math.exp(-0.5 * u * u)
