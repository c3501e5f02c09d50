r"""Lambdas of the expected reciprocal rank.

With the probabilities R to stop, a swap of ranks a < b changes ERR by

.. math:: P_a\, (R_b - R_a)\, (h(a) - M - Q\, h(b))

P_a is the probability to reach a, and h(r) = 1/r up to the cut-off. For a user who goes on at a, M is what the ranks between
are worth and Q the probability to pass them all. Documents of equal score are taken in the worst order, by ascending grade,
and those of equal grade share their sums.
"""

from __future__ import annotations

from ...arrays import Floats, Ints
from ...core import cascade as kernels
from ..base import Lambdas


def cascade_lambdas(scores: Floats, grades: Floats, stops: Floats, offsets: Ints, depth: int) -> Lambdas:
    """The sums over all pairs of documents of unequal probabilities to stop.

    Parameters
    ----------
    stops : float64 array
        The probability to stop at each document; it grows with the grade.
    depth : int
        The last rank that counts.
    """
    return Lambdas(*kernels.lambdas(scores, grades, stops, offsets, depth))
