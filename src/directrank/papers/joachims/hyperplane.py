"""What both kinds of SVM learn."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...arrays import Floats


class Hyperplane(NamedTuple):
    """A linear classifier.

    Attributes
    ----------
    w : array
    intercept : float
    solved : bool
        Whether the optimum was reached, up to the tolerance.
    """

    w: Floats
    intercept: float
    solved: bool

    def scores(self, X: Any) -> Floats:
        """Positive for rows on the side of the class."""
        return np.asarray(X @ self.w) + self.intercept
