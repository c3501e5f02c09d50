"""Kernels: products of rows in a feature space that is never written down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from ..arrays import Floats
from ..data import InputError
from ..kernel_compiler import njit, prange

#: The names of those that can be saved.
KINDS = ("linear", "rbf", "poly")

#: How many rows at a time are checked.
BLOCK = 64


@dataclass(frozen=True)
class Kernel:
    r"""A function k(x, y) that is the product of x and y in some feature space, with scikit-learn's names.

    .. math:: x^T y, \qquad \exp(-\gamma |x - y|^2), \qquad (\gamma\, x^T y + c_0)^{degree}

    Attributes
    ----------
    kind : "linear", "rbf", "poly", or a function
        A function gets two sets of rows, dense or CSR, and gives a matrix: one row for each of the first, one column for
        each of the second.
    gamma, coef0 : float
    degree : int
    constant : float
        What is added to it: 1 is a constant feature.
    """

    kind: str | Callable[[Any, Any], Any]
    gamma: float = 1.0
    degree: int = 3
    coef0: float = 0.0
    constant: float = 0.0

    def __call__(self, X: Any, Y: Any) -> Floats:
        """The matrix of k(x, y), for rows as `doubles` gives them."""
        X = _like(Y, X)
        with np.errstate(over="ignore", invalid="ignore"):
            values = self._of_ones_own(X, Y) if callable(self.kind) else self._of_kind(X, Y)
            values += self.constant
        if not np.all(np.isfinite(values)):
            raise InputError(f"the kernel {self.name} is not finite for some rows; scale the features")
        return values

    @property
    def name(self) -> str:
        return getattr(self.kind, "__name__", repr(self.kind)) if callable(self.kind) else self.kind

    def diagonal(self, X: Any) -> Floats:
        """k(x, x) of each row. Blocks on the diagonal must be products in some space: symmetric, and never negative."""
        parts = []
        for start in range(0, X.shape[0], BLOCK):
            some = X[start : start + BLOCK]
            block = self(some, some)
            size = float(np.abs(np.diagonal(block)).sum())
            if not np.all(np.abs(block - block.T) <= 1e-8 * size):
                raise InputError(f"the kernel {self.name} is not symmetric: k(x, y) and k(y, x) differ")
            if np.linalg.eigvalsh(block)[0] < -1e-8 * size:
                self.refuse()
            parts.append(np.maximum(np.diagonal(block), 0.0))
        return np.concatenate(parts)

    def refuse(self) -> None:
        """Raise an `InputError`: there is no feature space."""
        raise InputError(
            f"the kernel {self.name} is not positive semi-definite on these rows, so it is no product in a feature space; "
            "use another one, such as 'rbf', or other parameters"
        )

    def _of_kind(self, X: Any, Y: Any) -> Floats:
        if self.kind == "rbf":
            distances = _sparse_distances(*_parts(X), *_parts(Y)) if sparse.issparse(Y) else _distances(X, Y)
            return np.exp(-self.gamma * distances)  # type: ignore[no-any-return]
        products = _sparse_products(*_parts(X), *_parts(Y), Y.shape[1]) if sparse.issparse(Y) else _products(X, Y)
        return products if self.kind == "linear" else (self.gamma * products + self.coef0) ** self.degree

    def _of_ones_own(self, X: Any, Y: Any) -> Floats:
        values = self.kind(X, Y)  # type: ignore[operator]
        values = np.array(values.toarray() if sparse.issparse(values) else values, np.float64)
        if values.shape != (X.shape[0], Y.shape[0]):
            raise InputError(
                f"the kernel {self.name} gave an array of shape {values.shape} for {X.shape[0]} and {Y.shape[0]} rows; "
                f"it must be {(X.shape[0], Y.shape[0])}"
            )
        return values


def doubles(X: Any) -> Any:
    """Rows in double precision, as kernels take them."""
    return sparse.csr_array(X, dtype=np.float64) if sparse.issparse(X) else np.ascontiguousarray(X, np.float64)


def scale_of(gamma: float | str, X: Any, width: int) -> float:
    """The number that gamma is, as in scikit-learn's SVC: "scale" is 1/(width var(X)), "auto" 1/width."""
    if gamma == "auto":
        return 1.0 / width
    if gamma != "scale":
        return float(gamma)
    entries = X.data if sparse.issparse(X) else X
    n_zeros = X.shape[0] * width - entries.size
    size = float(np.max(np.abs(entries), initial=0.0)) or 1.0
    mean = np.sum(entries / size) / (entries.size + n_zeros)
    variance = (np.sum((entries / size - mean) ** 2) + n_zeros * mean**2) / (entries.size + n_zeros)
    with np.errstate(over="ignore", divide="ignore"):
        value = float(1.0 / (width * variance) / size / size) if variance > 0 else 1.0
    if not 0 < value < np.inf:
        raise InputError("the features are so large or small that gamma='scale' is no number; scale them, or give a gamma")
    return value


def _like(Y: Any, X: Any) -> Any:
    """X as doubles, sparse if Y is."""
    if sparse.issparse(X) and not sparse.issparse(Y):
        X = X.toarray()
    return doubles(sparse.csr_array(X) if sparse.issparse(Y) else X)


def _parts(X: Any) -> tuple[Any, Any, Any]:
    return X.data, X.indices, X.indptr


@njit(cache=True, parallel=True, fastmath={"reassoc", "contract"})
def _products(X, Y):  # type: ignore[no-untyped-def]
    values = np.empty((X.shape[0], Y.shape[0]))
    for i in prange(X.shape[0]):
        for j in range(Y.shape[0]):
            total = 0.0
            for feature in range(X.shape[1]):
                total += X[i, feature] * Y[j, feature]
            values[i, j] = total
    return values


@njit(cache=True, parallel=True, fastmath={"reassoc", "contract"})
def _distances(X, Y):  # type: ignore[no-untyped-def]
    """Squares of the distances."""
    values = np.empty((X.shape[0], Y.shape[0]))
    for i in prange(X.shape[0]):
        for j in range(Y.shape[0]):
            total = 0.0
            for feature in range(X.shape[1]):
                difference = X[i, feature] - Y[j, feature]
                total += difference * difference
            values[i, j] = total
    return values


@njit(cache=True, parallel=True)
def _sparse_products(data, indices, indptr, other_data, other_indices, other_indptr, n_features):  # type: ignore[no-untyped-def]
    values = np.empty((indptr.size - 1, other_indptr.size - 1))
    for i in prange(indptr.size - 1):
        row = np.zeros(n_features)
        for k in range(indptr[i], indptr[i + 1]):
            row[indices[k]] = data[k]
        for j in range(other_indptr.size - 1):
            total = 0.0
            for k in range(other_indptr[j], other_indptr[j + 1]):
                total += other_data[k] * row[other_indices[k]]
            values[i, j] = total
    return values


@njit(cache=True, parallel=True)
def _sparse_distances(data, indices, indptr, other_data, other_indices, other_indptr):  # type: ignore[no-untyped-def]
    """Squares of the distances, from the differences themselves: nothing cancels where rows are close."""
    values = np.empty((indptr.size - 1, other_indptr.size - 1))
    for i in prange(indptr.size - 1):
        for j in range(other_indptr.size - 1):
            total, k, other_k = 0.0, indptr[i], other_indptr[j]
            while k < indptr[i + 1] or other_k < other_indptr[j + 1]:
                difference = 0.0
                feature = indices[k] if k < indptr[i + 1] else np.iinfo(np.int64).max
                other_feature = other_indices[other_k] if other_k < other_indptr[j + 1] else np.iinfo(np.int64).max
                if feature <= other_feature:
                    difference += data[k]
                    k += 1
                if other_feature <= feature:
                    difference -= other_data[other_k]
                    other_k += 1
                total += difference * difference
            values[i, j] = total
    return values
