r"""A basis of piecewise-linear functions of single features, with knots where the values of the feature lie.

A feature x with knots :math:`t_1 < \dots < t_m` has its rank among the training rows, :math:`F(x)`: the share of rows below
x, given at the knots, linear between them and constant beyond. A hinge at a share b is :math:`\max(0, F - b)` at the knots,
and linear between them. So any sum of these is a piecewise-linear function of x with the same knots.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from .feature_scaling import empty_beside


def values_at_knots(ranks: Floats, hinges: Floats) -> Floats:
    """Values of a feature's basis functions at its knots, one row for each: its rank, and the hinges."""
    return np.vstack((ranks, np.maximum(ranks - hinges[:, None], 0.0)))


def with_piecewise_basis(X: NDArray[Any], knots: Sequence[Floats], ranks: Sequence[Floats], hinges: Floats) -> NDArray[Any]:
    """The features of a dense X, followed by the basis functions of one feature with knots after another.

    They are in double precision; in memory, or in a temporary file if X is memory-mapped. A missing value (NaN) is missing
    in all of them.

    Parameters
    ----------
    knots, ranks : sequences of arrays, one for each feature
        Ascending knots, and F there; both empty for a feature without knots.
    hinges : array
        Shares of rows at which the hinges begin.
    """
    columns = [j for j, places in enumerate(knots) if places.size]
    width = X.shape[1]
    wide = empty_beside(X, (X.shape[0], width + len(columns) * (1 + hinges.size)), np.dtype(np.float64))
    wide[:, :width] = X
    for j in columns:
        for values in values_at_knots(ranks[j], hinges):
            wide[:, width] = np.interp(wide[:, j], knots[j], values)
            width += 1
    return wide
