"""Values of soft rankings and their gradients, shared by several families of measures."""

from __future__ import annotations

from ...arrays import Floats, Ints
from ...core import smoothed_values as kernels
from ..capabilities import Smoothed
from .soft_ranking import SoftRanking


def smoothed_gains(soft: SoftRanking, discounts: Floats) -> Smoothed:
    """Gain times discount, sum_r p_r D(r).

    Parameters
    ----------
    discounts : array
        D of each rank, down to the deepest that counts.
    """
    values, slopes = kernels.discounted(soft.expected, soft.offsets, soft.depths, discounts)
    return Smoothed(values, soft.gradient(slopes))


def smoothed_precisions(soft: SoftRanking, alone: Floats, each_above: Floats, n_relevant: Ints) -> Smoothed:
    """Sum of precisions over the expected relevant documents: 1/R sum_r p_r (g(r) + h(r) sum_{r' < r} p_r').

    Parameters
    ----------
    alone, each_above : arrays
        g and h of each rank; see `Earnings`.
    n_relevant : array
        R of each query.
    """
    values, slopes = kernels.precisions(soft.expected, soft.offsets, soft.depths, alone, each_above, n_relevant)
    return Smoothed(values, soft.gradient(slopes))


def smoothed_cascade(soft: SoftRanking, worth: Floats) -> Smoothed:
    """Expected value of a user who stops at rank r with probability p_r: sum_r v(r) p_r prod_{i < r} (1 - p_i).

    Parameters
    ----------
    worth : array
        v of each rank, down to the deepest that counts.
    """
    values, slopes = kernels.cascade(soft.expected, soft.offsets, soft.depths, worth)
    return Smoothed(values, soft.gradient(slopes))
