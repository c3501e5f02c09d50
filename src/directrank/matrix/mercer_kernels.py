"""Mercer kernels: inner products of rows in an implicit feature space."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from ..arrays import Floats
from ..core import mercer_kernels
from ..data import InputError
from .linear_operator import arrays_of

#: Names of the kernels that can be saved.
KINDS = ("linear", "rbf", "poly")

#: Number of rows checked at a time.
BLOCK = 64


@dataclass(frozen=True)
class Kernel:
    r"""A kernel function k(x, y), the inner product of x and y in some feature space, with scikit-learn's names.

    .. math:: x^T y, \qquad \exp(-\gamma |x - y|^2), \qquad (\gamma\, x^T y + c_0)^{degree}

    Attributes
    ----------
    kind : "linear", "rbf", "poly", or a function
        A function takes two sets of rows, dense or CSR, and returns the matrix of kernel values between them.
    gamma, coef0 : float
    degree : int
    constant : float
        Added to every value; 1 corresponds to a constant feature.
    """

    kind: str | Callable[[Any, Any], Any]
    gamma: float = 1.0
    degree: int = 3
    coef0: float = 0.0
    constant: float = 0.0

    def __call__(self, X: Any, Y: Any) -> Floats:
        """Matrix of k(x, y) for rows as `as_float64` returns them."""
        X = _like(Y, X)
        with np.errstate(over="ignore", invalid="ignore"):
            values = self._called(X, Y) if callable(self.kind) else self._computed(X, Y)
            values += self.constant
        if not np.all(np.isfinite(values)):
            raise InputError(f"the kernel {self.name} is not finite for some rows; scale the features")
        return values

    @property
    def name(self) -> str:
        return getattr(self.kind, "__name__", repr(self.kind)) if callable(self.kind) else self.kind

    def diagonal(self, X: Any) -> Floats:
        """k(x, x) of each row; checks that blocks on the diagonal are symmetric and positive semi-definite."""
        parts = []
        for start in range(0, X.shape[0], BLOCK):
            some = X[start : start + BLOCK]
            block = self(some, some)
            size = float(np.abs(np.diagonal(block)).sum())
            if not np.all(np.abs(block - block.T) <= 1e-8 * size):
                raise InputError(f"the kernel {self.name} is not symmetric: k(x, y) and k(y, x) differ")
            if np.linalg.eigvalsh(block)[0] < -1e-8 * size:
                self.raise_indefinite()
            parts.append(np.maximum(np.diagonal(block), 0.0))
        return np.concatenate(parts)

    def raise_indefinite(self) -> None:
        """Raise the `InputError` for a kernel that is not positive semi-definite."""
        raise InputError(
            f"the kernel {self.name} is not positive semi-definite on these rows, so it is no product in a feature space; "
            "use another one, such as 'rbf', or other parameters"
        )

    def _computed(self, X: Any, Y: Any) -> Floats:
        arrays = (*arrays_of(X), *arrays_of(Y))
        if self.kind == "rbf":
            values: Floats = mercer_kernels.distances(*arrays)
            mercer_kernels.to_rbf(values, self.gamma)
            return values
        values = mercer_kernels.products(*arrays)
        if self.kind == "poly":
            mercer_kernels.to_poly(values, self.gamma, self.coef0, self.degree)
        return values

    def _called(self, X: Any, Y: Any) -> Floats:
        values = self.kind(X, Y)  # type: ignore[operator]
        values = np.array(values.toarray() if sparse.issparse(values) else values, np.float64)
        if values.shape != (X.shape[0], Y.shape[0]):
            raise InputError(
                f"the kernel {self.name} gave an array of shape {values.shape} for {X.shape[0]} and {Y.shape[0]} rows; "
                f"it must be {(X.shape[0], Y.shape[0])}"
            )
        return values


def as_float64(X: Any) -> Any:
    """Rows in double precision, as kernels take them."""
    return sparse.csr_array(X, dtype=np.float64) if sparse.issparse(X) else np.ascontiguousarray(X, np.float64)


def resolve_gamma(gamma: float | str, X: Any, width: int) -> float:
    """Value of gamma, as in scikit-learn's SVC: "scale" is 1/(width var(X)), "auto" 1/width."""
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
    """X in double precision, sparse if Y is."""
    if sparse.issparse(X) and not sparse.issparse(Y):
        X = X.toarray()
    return as_float64(sparse.csr_array(X) if sparse.issparse(Y) else X)
