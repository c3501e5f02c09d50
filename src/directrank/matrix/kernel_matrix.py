"""The matrix of a kernel between two sets of rows, of which no more is kept than fits."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Floats
from .linear_operator import MatrixOperator
from .mercer_kernels import Kernel

#: How many bytes of a matrix are kept: all of it for 8,192 rows.
LIMIT = 2**29

#: The number of entries of a block.
BLOCK = 2**21


class KernelMatrix:
    """K, with k(x_i, y_j) in row i and column j, as a matrix to multiply by.

    It is made of blocks of rows. Those that fit into the limit are kept, the others are computed for each product.

    Parameters
    ----------
    kernel : Kernel
    X, Y : arrays or CSR matrices
        As `doubles` gives them.
    limit : int
        The bytes that may be kept.
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
