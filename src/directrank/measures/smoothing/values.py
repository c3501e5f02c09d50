"""Values of a soft ranking, and their gradients: what several families share."""

from __future__ import annotations

import numpy as np

from ...arrays import Floats, Ints
from ...kernel_compiler import njit, prange
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


def smoothed_precisions(soft: SoftRanking, alone: Floats, each_above: Floats, n_relevant: Ints) -> Smoothed:
    """What relevant documents earn by how many are above them: 1/R sum_r p_r (g(r) + h(r) sum_{r' < r} p_r').

    Parameters
    ----------
    alone, each_above : arrays
        g and h of each rank; see `Earnings`.
    n_relevant : array
        R of each query.
    """
    values, slopes = _precisions(soft.expected, soft.offsets, soft.depths, alone, each_above, n_relevant)
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
def _precisions(expected, offsets, depths, alone, each_above, n_relevant):  # type: ignore[no-untyped-def]
    """Values, and their derivatives by the expected relevance at each rank: by what it earns, and by those below it."""
    values, slopes = np.zeros(offsets.size - 1), np.zeros(expected.size)
    for q in prange(values.size):
        above, first = 0.0, offsets[q]
        for r in range(depths[q]):
            earned = alone[r] + above * each_above[r]
            values[q] += expected[first + r] * earned / max(n_relevant[q], 1)
            slopes[first + r] = earned / max(n_relevant[q], 1)
            above += expected[first + r]
        below = 0.0
        for r in range(depths[q] - 1, -1, -1):
            slopes[first + r] += below / max(n_relevant[q], 1)
            below += expected[first + r] * each_above[r]
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
