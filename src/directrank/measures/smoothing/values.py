"""Values of a soft ranking, and their gradients: what several families share."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from ...arrays import Floats
from ..base import Smoothed
from .soft_ranking import SoftRanking


def smoothed_gains(soft: SoftRanking, discounts: Floats) -> Smoothed:
    """Gain times discount, sum_r p_r D(r).

    Parameters
    ----------
    discounts : array
        D of each rank, to the deepest that counts.
    """
    values, slopes = _discounted(soft.expected, soft.offsets, soft.depths, discounts)
    return Smoothed(values, soft.gradient(slopes))


def smoothed_cascade(soft: SoftRanking, worth: Floats) -> Smoothed:
    """What a user earns who stops at rank r with probability p_r: sum_r v(r) p_r prod_{i < r} (1 - p_i).

    Parameters
    ----------
    worth : array
        v of each rank, to the deepest that counts.
    """
    values, slopes = _cascade(soft.expected, soft.offsets, soft.depths, worth)
    return Smoothed(values, soft.gradient(slopes))


@njit(cache=True, parallel=True)
def _discounted(expected, offsets, depths, discounts):  # type: ignore[no-untyped-def]
    values, slopes = np.zeros(offsets.size - 1), np.zeros(expected.size)
    for q in prange(values.size):
        for r in range(depths[q]):
            slopes[offsets[q] + r] = discounts[r]
            values[q] += discounts[r] * expected[offsets[q] + r]
    return values, slopes


@njit(cache=True, parallel=True)
def _cascade(expected, offsets, depths, worth):  # type: ignore[no-untyped-def]
    """From below, what a user earns who goes on past each rank; from above, the probability to reach it."""
    values, slopes = np.zeros(offsets.size - 1), np.zeros(expected.size)
    for q in prange(values.size):
        first = offsets[q]
        for r in range(depths[q] - 1, -1, -1):
            slopes[first + r] = worth[r] - values[q]
            values[q] += expected[first + r] * (worth[r] - values[q])
        reach = 1.0
        for r in range(depths[q]):
            slopes[first + r] *= reach
            reach *= 1 - expected[first + r]
    return values, slopes
