"""Columns of X, for learners that use single features as rankings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from ..arrays import Floats
from ..core import columns as kernels
from ..data.ranking_data import Queries
from .linear_operator import as_permutation


class Columns:
    """The columns of a dense or CSR matrix, in double precision.

    Parameters
    ----------
    X : dense array or CSR matrix
    queries : Queries, optional
        Queries, for columns in query order; without them, columns are in row order.
    """

    BLOCK = 16  #: Number of columns read at a time: a cache line of float32.

    def __init__(self, X: Any, queries: Queries | None = None) -> None:
        self.X = X.tocsc() if sparse.issparse(X) else X
        self.permutation = None if queries is None else queries.permutation

    def __getitem__(self, j: int) -> Floats:
        return next(iter(self._block(j, j + 1)))

    def __iter__(self) -> Iterator[Floats]:
        n_features = self.X.shape[1]
        for start in range(0, n_features, self.BLOCK):
            yield from self.block(start)

    def block(self, start: int) -> Floats:
        """A block of columns from `start` on, transposed: one column per row."""
        return self._block(start, min(start + self.BLOCK, self.X.shape[1]))

    def _block(self, start: int, end: int) -> Floats:
        if sparse.issparse(self.X):
            part = np.ascontiguousarray(self.X[:, start:end].toarray().T, dtype=np.float64)
            return part if self.permutation is None else part[:, self.permutation]
        return kernels.transposed(np.asarray(self.X), start, end, as_permutation(self.permutation))  # type: ignore[no-any-return]
