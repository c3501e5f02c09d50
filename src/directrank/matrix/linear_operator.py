"""X as a linear operator: the products X w and X^T c, all that a linear learner needs of it.

X is dense or CSR, float32 or float64, in memory or mapped, and is never copied. Sums are in double precision, in an order
that depends neither on the number of threads nor on the layout of X; given an order of the rows, nor on where they are in X.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from scipy import sparse

from ..arrays import Floats, Ints
from ..core import linear_operator as kernels


class LinearOperator(ABC):
    """A matrix that is known by its products alone.

    Attributes
    ----------
    n_weights : int
    """

    n_weights: int

    @abstractmethod
    def matvec(self, w: Floats) -> Floats:
        """X w."""

    @abstractmethod
    def rmatvec(self, coefficients: Floats) -> Floats:
        """X^T c."""


def as_operator(X: Any, intercept: bool = False, order: Ints | None = None) -> LinearOperator:
    """The operator of a matrix; X itself if it is an operator."""
    return X if isinstance(X, LinearOperator) else MatrixOperator(X, intercept, order)


class MatrixOperator(LinearOperator):
    """The operator of a dense or sparse matrix, with or without a constant feature of 1 as its last column.

    Parameters
    ----------
    X : dense array or CSR matrix
    intercept : bool
        Whether to add the constant feature.
    order : array of integers, optional
        Permutation of the rows, in which products X w are returned and sums X^T c go over the rows; row order by default.
    """

    def __init__(self, X: Any, intercept: bool = False, order: Ints | None = None) -> None:
        self.X = X
        self.intercept = intercept
        self.order = order
        self.n_weights = X.shape[1] + intercept

    def matvec(self, w: Floats) -> Floats:
        if w.size != self.n_weights:
            raise ValueError(f"there are {w.size} weights for {self.n_weights} features")
        w = np.ascontiguousarray(w, np.float64)
        values: Floats = kernels.matvec(*arrays_of(self.X), w[: self.X.shape[1]])
        if self.order is not None:
            values = values[self.order]
        return values + w[-1] if self.intercept else values

    def rmatvec(self, coefficients: Floats) -> Floats:
        coefficients = np.ascontiguousarray(coefficients, np.float64)
        total: Floats = kernels.rmatvec(*arrays_of(self.X), as_permutation(self.order), coefficients, self._n_parts())
        return np.append(total, coefficients.sum()) if self.intercept else total

    def _n_parts(self) -> int:
        """Number of partial sums: enough for every core, few enough that they stay small beside X."""
        return int(np.clip(2**22 // self.X.shape[1], 1, 32))


def as_permutation(order: Ints | None) -> Ints:
    """Order of rows as a kernel takes it: empty for row order."""
    return np.empty(0, np.int64) if order is None else order


def arrays_of(X: Any) -> tuple[Any, ...]:
    """Arguments of a kernel for a matrix: a dense array, or data, indices, indptr and width of a CSR matrix."""
    return (X.data, X.indices, X.indptr, X.shape[1]) if sparse.issparse(X) else (np.asarray(X),)
