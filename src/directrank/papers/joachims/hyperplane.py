"""The linear classifier that both kinds of SVM learn."""

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
        Whether the solver converged.
    """

    w: Floats
    intercept: float
    solved: bool

    def scores(self, X: Any) -> Floats:
        """Decision values; positive for predicted members of the class."""
        return np.asarray(X @ self.w) + self.intercept
