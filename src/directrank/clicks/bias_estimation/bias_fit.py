"""Result of a fit of position bias, and the interface of the methods that fit logs and their resamples."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from ...arrays import Floats


class BiasFit(NamedTuple):
    """Position bias at the ranks that have cells.

    Attributes
    ----------
    alpha, beta : arrays
        Of each rank. alpha is 0 at a rank without clicks.
    parameters : object
        Where to start with other counts of the same cells.
    """

    alpha: Floats
    beta: Floats
    parameters: Any


class BiasMethod(Protocol):
    """A method of estimation, for given cells."""

    def fit(self, shown: Floats, clicks: Floats, start: Any = None) -> BiasFit:
        """Fit to the impressions and clicks of each cell, from the parameters of an earlier fit if there was one."""
