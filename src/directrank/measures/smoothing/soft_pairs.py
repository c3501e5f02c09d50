r"""Soft pairs: the fraction of pairs in the right order, with a step function smoothed over a width sigma.

.. math:: \frac1m \sum_{l_i > l_j} \Phi\!\left(\frac{s_i - s_j}{\sigma}\right)

over the m pairs of unequal grade, with the normal distribution function :math:`\Phi`: a tied pair counts half. Pairs further
apart than `REACH` times sigma are counted rather than visited, with an error of at most :math:`\Phi(-6) < 10^{-9}` each.
"""

from __future__ import annotations

from ...arrays import Floats, Ints
from ...core import soft_pairs as kernels
from ..capabilities import Smoothed
from ..ranking.levels import Levels
from .soft_ranking import REACH


def smoothed_pairs(scores: Floats, levels: Levels, offsets: Ints, pairs: Ints, sigma: float) -> Smoothed:
    """The smoothed ROC area.

    Parameters
    ----------
    pairs : int64 array
        Number of pairs of unequal grade of each query.
    """
    return Smoothed(*kernels.smooth(scores, *levels, offsets, pairs, sigma, REACH * sigma))
