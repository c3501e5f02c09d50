"""Kernel matrices between two sets of rows, cached up to a memory limit."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Floats
from .linear_operator import MatrixOperator
from .mercer_kernels import Kernel

#: Default cache size in bytes: the whole matrix for 8,192 rows.
LIMIT = 2**29

#: Number of entries of a block.
BLOCK = 2**21


class KernelMatrix:
    """The matrix K with entries k(x_i, y_j), for products.

    It is computed in blocks of rows, which are cached up to the limit and recomputed for each product otherwise.

    Parameters
    ----------
    kernel : Kernel
    X, Y : arrays or CSR matrices
        Rows as `as_float64` returns them.
    limit : int
        Cache size in bytes.
    """

    def __init__(self, kernel: Kernel, X: Any, Y: Any, limit: int = LIMIT) -> None:
        self.kernel, self.X, self.Y, self.limit = kernel, X, Y, limit
        self._kept: dict[int, Floats] = {}
        self._n_rows = max(BLOCK // max(Y.shape[0], 1), 1)

    def times(self, coefficients: Floats) -> Floats:
        """K c."""
        starts = range(0, self.X.shape[0], self._n_rows)
        return np.concatenate([MatrixOperator(self._block(start)).matvec(coefficients) for start in starts])

    def _block(self, start: int) -> Floats:
        block = self._kept.get(start)
        if block is None:
            block = self.kernel(self.X[start : start + self._n_rows], self.Y)
            if block.nbytes <= self.limit:
                self._kept[start] = block
                self.limit -= block.nbytes
        return block
