r"""Soft pairs: the fraction of pairs in the right order, with a step that takes the width sigma.

.. math:: \frac1m \sum_{l_i > l_j} \Phi\!\left(\frac{s_i - s_j}{\sigma}\right)

over the m pairs of unequal grade, with the normal distribution function :math:`\Phi`: a pair of equal scores counts half.
Pairs further apart than `REACH` times sigma are counted, not visited: each is off by at most :math:`\Phi(-6) < 10^{-9}`.
"""

from __future__ import annotations

import math

import numpy as np

from ...arrays import Floats, Ints
from ...kernel_compiler import njit, prange
from ..base import Smoothed
from ..ranking.fenwick import add, count_to
from ..ranking.levels import Levels
from ..ranking.sorting import order_by_query
from .soft_ranking import REACH

_ROOT_2, _ROOT_2_PI = math.sqrt(2), math.sqrt(2 * math.pi)


def smoothed_pairs(scores: Floats, levels: Levels, offsets: Ints, pairs: Ints, sigma: float) -> Smoothed:
    """The smoothed ROC area.

    Parameters
    ----------
    pairs : int64 array
        How many pairs of unequal grade each query has.
    """
    found = Smoothed(np.zeros(offsets.size - 1), np.zeros(scores.size))
    _soft_pairs(scores, *levels, order_by_query(scores, offsets), offsets, pairs, sigma, *found)
    return found


@njit(cache=True, parallel=True)
def _soft_pairs(scores, level, n_levels, order, offsets, pairs, sigma, values, gradient):  # type: ignore[no-untyped-def]
    for q in prange(offsets.size - 1):
        lo, hi = offsets[q], offsets[q + 1]
        if pairs[q] > 0:
            by_rank, ranking = np.zeros(hi - lo), order[lo:hi]
            in_order = _of_query(scores[lo:hi][ranking], level[lo:hi][ranking], n_levels[q], sigma, by_rank)
            values[q] = in_order / pairs[q]
            gradient[lo:hi][ranking] = by_rank / (pairs[q] * sigma)


@njit(cache=True)
def _of_query(scores, level, n_levels, sigma, gradient):  # type: ignore[no-untyped-def]
    """Go down the ranking; documents above and out of reach are in a Fenwick tree by grade."""
    above = np.zeros(n_levels + 1, np.int64)
    in_order, first, reach = 0.0, 0, REACH * sigma
    for j in range(scores.size):
        while scores[first] - scores[j] > reach:
            add(above, level[first] + 1)
            first += 1
        in_order += first - count_to(above, level[j] + 1)
        for i in range(first, j):
            if level[i] != level[j]:
                u = (scores[i] - scores[j]) / sigma if scores[i] != scores[j] else 0.0
                sign = 1.0 if level[i] > level[j] else -1.0
                in_order += 0.5 * math.erfc(-sign * u / _ROOT_2)
                density = sign * math.exp(-0.5 * u * u) / _ROOT_2_PI
                gradient[i] += density
                gradient[j] -= density
    return in_order
