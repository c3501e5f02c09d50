"""The two passes over X that a linear learner makes: a score for each row, and a weighted sum of rows.

X is dense or CSR, float32 or float64, in memory or mapped, and is never copied. Sums are in double precision, in an order
that does not depend on the number of threads.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from scipy import sparse

from ..arrays import Floats
from ..kernel_compiler import njit, prange


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
    """Those over a matrix; or X itself, where it is not one but stands for the rows of another space."""
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
        weights = w[: self.X.shape[1]]
        if sparse.issparse(self.X):
            values = _scores_sparse(self.X.data, self.X.indices, self.X.indptr, weights)
        else:
            values = _scores(np.asarray(self.X), weights)
        return values + w[-1] if self.intercept else values

    def combine(self, coefficients: Floats) -> Floats:
        n_features = self.X.shape[1]
        if sparse.issparse(self.X):
            parts = _combine_sparse(self.X.data, self.X.indices, self.X.indptr, n_features, coefficients, self._n_parts())
        else:
            parts = _combine(np.asarray(self.X), coefficients, self._n_parts())
        with np.errstate(over="ignore", invalid="ignore"):  # callers check for overflow
            total = parts.sum(axis=0)
        return np.append(total, coefficients.sum()) if self.intercept else total

    def _n_parts(self) -> int:
        """How many partial sums: enough for every core, few enough that they stay small beside X."""
        return int(np.clip(2**22 // self.X.shape[1], 1, 32))


@njit(cache=True, parallel=True, fastmath={"reassoc", "contract"})
def _scores(X, w):  # type: ignore[no-untyped-def]
    values = np.empty(X.shape[0])
    for i in prange(X.shape[0]):
        total = 0.0
        for j in range(X.shape[1]):
            total += X[i, j] * w[j]
        values[i] = total
    return values


@njit(cache=True, parallel=True)
def _combine(X, coefficients, n_parts):  # type: ignore[no-untyped-def]
    parts = np.zeros((n_parts, X.shape[1]))
    for part in prange(n_parts):
        for i in range(part * X.shape[0] // n_parts, (part + 1) * X.shape[0] // n_parts):
            if coefficients[i] != 0:
                for j in range(X.shape[1]):
                    parts[part, j] += coefficients[i] * X[i, j]
    return parts


@njit(cache=True, parallel=True)
def _scores_sparse(data, indices, indptr, w):  # type: ignore[no-untyped-def]
    values = np.empty(indptr.size - 1)
    for i in prange(values.size):
        total = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            total += data[k] * w[indices[k]]
        values[i] = total
    return values


@njit(cache=True, parallel=True)
def _combine_sparse(data, indices, indptr, n_features, coefficients, n_parts):  # type: ignore[no-untyped-def]
    parts, n = np.zeros((n_parts, n_features)), indptr.size - 1
    for part in prange(n_parts):
        for i in range(part * n // n_parts, (part + 1) * n // n_parts):
            if coefficients[i] != 0:
                for k in range(indptr[i], indptr[i + 1]):
                    parts[part, indices[k]] += coefficients[i] * data[k]
    return parts
