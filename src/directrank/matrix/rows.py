"""The two passes over X that a linear learner makes: a score for each row, and a weighted sum of rows.

X is dense or CSR, float32 or float64, in memory or mapped, and is never copied. Sums are in double precision, in an order
that depends neither on the number of threads nor on the layout of X.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from scipy import sparse

from ..arrays import Floats
from ..core import rows as kernels


class Passes(ABC):
    """Rows of features as a linear learner sees them.

    Attributes
    ----------
    n_weights : int
    """

    n_weights: int

    @abstractmethod
    def scores(self, w: Floats) -> Floats:
        """X w."""

    @abstractmethod
    def combine(self, coefficients: Floats) -> Floats:
        """X^T c."""


def passes_over(X: Any, intercept: bool = False) -> Passes:
    """Passes over a matrix; or X itself, where it stands for rows of another space."""
    return X if isinstance(X, Passes) else Rows(X, intercept)


class Rows(Passes):
    """X, with or without a constant feature of 1 as its last column.

    Parameters
    ----------
    X : dense array or CSR matrix
    intercept : bool
        Whether there is a constant feature.
    """

    def __init__(self, X: Any, intercept: bool = False) -> None:
        self.X = X
        self.intercept = intercept
        self.n_weights = X.shape[1] + intercept

    def scores(self, w: Floats) -> Floats:
        if w.size != self.n_weights:
            raise ValueError(f"there are {w.size} weights for {self.n_weights} features")
        w = np.ascontiguousarray(w, np.float64)
        values: Floats = kernels.scores(*arrays_of(self.X), w[: self.X.shape[1]])
        return values + w[-1] if self.intercept else values

    def combine(self, coefficients: Floats) -> Floats:
        coefficients = np.ascontiguousarray(coefficients, np.float64)
        total: Floats = kernels.combine(*arrays_of(self.X), coefficients, self._n_parts())
        return np.append(total, coefficients.sum()) if self.intercept else total

    def _n_parts(self) -> int:
        """How many partial sums: enough for every core, few enough that they stay small beside X."""
        return int(np.clip(2**22 // self.X.shape[1], 1, 32))


def arrays_of(X: Any) -> tuple[Any, ...]:
    """A matrix as kernels take it: one array if it is dense, or the three of a CSR matrix and its number of columns."""
    return (X.data, X.indices, X.indptr, X.shape[1]) if sparse.issparse(X) else (np.asarray(X),)
