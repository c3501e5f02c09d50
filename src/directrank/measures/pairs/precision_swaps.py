r"""Swaps of measures that sum precisions: average precision and the area under the precision-recall curve.

A relevant document at rank r with A relevant ones above it contributes

.. math:: \frac{1}{R} (g(r) + A\, h(r))

where R is the number of the query's relevant documents. AP has g(r) = h(r) = 1/r.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...core import precision_swaps as kernels
from .swaps import Swaps


class Earnings(NamedTuple):
    """Contribution of a relevant document at each rank.

    Attributes
    ----------
    alone : float64 array
        g, without relevant documents above it.
    each_above : float64 array
        h, added for each relevant document above it.
    """

    alone: Floats
    each_above: Floats


def precision_swaps(scores: Floats, relevant: Bools, gains: Floats, offsets: Ints, earnings: Earnings) -> Swaps:
    """Swaps of a relevant and a non-relevant document.

    Parameters
    ----------
    gains : float64 array
        1/R for relevant documents, 0 for others.
    earnings : Earnings
        For the ranks of the longest query.
    """
    group, upper, lower, tied = kernels.split_changes(scores, relevant, offsets, *earnings)
    return Swaps(group, np.ascontiguousarray(gains, dtype=np.float64), upper, lower, tied)
