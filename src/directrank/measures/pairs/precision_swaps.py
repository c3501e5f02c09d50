r"""Swaps of measures that sum precisions: average precision and the area under the precision-recall curve.

A relevant document at rank r with A relevant ones above it earns

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
    """Earnings of a relevant document at each rank.

    Attributes
    ----------
    alone : float64 array
        g, if there is no relevant document above it.
    each_above : float64 array
        h, for each relevant document above it.
    """

    alone: Floats
    each_above: Floats


def precision_swaps(scores: Floats, relevant: Bools, gains: Floats, offsets: Ints, earnings: Earnings) -> Swaps:
    """The swaps of a relevant document and a non-relevant one.

    Parameters
    ----------
    gains : float64 array
        1/R for a relevant document, 0 for another.
    earnings : Earnings
        For as many ranks as the longest query has.
    """
    group, upper, lower, tied = kernels.split_changes(scores, relevant, offsets, *earnings)
    return Swaps(group, np.ascontiguousarray(gains, dtype=np.float64), upper, lower, tied)
