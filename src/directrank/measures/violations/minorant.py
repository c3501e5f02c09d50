"""Convex minorant of a discount: the largest convex function of the rank that is nowhere above it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...arrays import Floats

Discount = Callable[[Floats], Floats]


def convex_minorant(discount: Discount, first: int, k: int | None, n_ranks: int) -> Floats:
    """Minorant, at ranks 1 to `n_ranks`, of a discount that is 0 beyond rank k.

    With a cut-off, the minorant follows the discount up to a corner and continues in a straight line to 0 at rank k + 1.

    Parameters
    ----------
    discount : callable
        D, as a function of an array of ranks from 1.
    first : int
        D is convex over the ranks 1, `first`, ``first + 1``, ... and nowhere below its chord from 1 to `first`.
    k : int, optional
        Cut-off.
    """
    ranks = np.concatenate(([1.0], np.arange(first, max(n_ranks, first) + 1)))
    values = discount(ranks)
    if k is not None:
        kept = ranks <= _corner(discount, first, k)
        ranks, values = np.append(ranks[kept], k + 1), np.append(values[kept], 0.0)
    return np.interp(np.arange(1, n_ranks + 1), ranks, values)


def _corner(discount: Discount, first: int, k: int) -> int:
    """The last rank at which a convex D falls more steeply than the line from the rank before it, a, to 0 at rank k + 1.

    Up to the tangent point D falls more steeply than the line, and beyond it less steeply: bisection finds it without a
    table of k discounts.
    """
    corner, beyond = first - 1, k + 1  # `first` - 1 stands for rank 1
    while beyond - corner > 1:
        b = (corner + beyond) // 2
        a = 1 if b == first else b - 1
        at_a, at_b = discount(np.array([a, b], dtype=np.float64))
        if (at_b - at_a) * (k + 1 - a) < -at_a * (b - a):
            corner = b
        else:
            beyond = b
    return max(corner, 1)
