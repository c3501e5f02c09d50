"""Changes of a measure when two documents of a query swap ranks, and tables of discounts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...core import swaps as kernels


class Swaps(NamedTuple):
    """Changes of the measure when two documents of a query swap ranks; arrays are laid out by query.

    The change is ``|gains[i] - gains[j]| * (upper[i] + lower[j])`` where i ranks above j, and
    ``|gains[i] - gains[j]| * tied[i]`` where they are tied.

    Attributes
    ----------
    group : int32 array
        Number of each document's tie group in its query, from the top.
    gains, upper, tied : float64 arrays
    lower : float64 array, or None
        None is ``-upper``: gain times discount.
    """

    group: NDArray[np.int32]
    gains: Floats
    upper: Floats
    lower: Floats | None
    tied: Floats


class DiscountTable(NamedTuple):
    """Discounts by rank, non-increasing; 0 beyond the table.

    Attributes
    ----------
    at_rank : float64 array
        Discount of each rank.
    to_rank : float64 array, one longer
        Sums of the discounts of the first 0, 1, 2, ... ranks.
    """

    at_rank: Floats
    to_rank: Floats


def discount_table(discounts: Floats) -> DiscountTable:
    """Table of the discounts of ranks 1, 2, ..."""
    at_rank: Floats = np.ascontiguousarray(discounts, dtype=np.float64)
    return DiscountTable(at_rank, np.concatenate(([0.0], np.cumsum(at_rank))))


def discounted_swaps(
    scores: Floats, gains: Floats, offsets: Ints, discounts: DiscountTable, depths: Ints | None = None
) -> Swaps:
    """Swaps of a measure that sums gain times discount.

    Parameters
    ----------
    gains : array
        Gain of each document, divided by the normaliser of its query.
    depths : int64 array, optional
        Number of ranks of each query that have a discount; by default the length of the table.
    """
    depths = np.full(offsets.size - 1, discounts.at_rank.size) if depths is None else depths
    group, upper, tied = kernels.mean_discounts(scores, offsets, *discounts, depths)
    return Swaps(group, np.ascontiguousarray(gains, dtype=np.float64), upper, None, tied)
