"""The features of X one at a time: what a learner sees that takes single features as rankings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..data.ranking_data import Queries

Floats = NDArray[np.float64]


class Columns:
    """The columns of a dense or CSR matrix, in double precision.

    Parameters
    ----------
    X : dense array or CSR matrix
    queries : Queries, optional
        The queries to lay the columns out by; without them they stay in the order of the rows.
    """

    BLOCK = 16  #: Columns read at a time when all are read: a cache line of float32.

    def __init__(self, X: Any, queries: Queries | None = None) -> None:
        self.X = X.tocsc() if sparse.issparse(X) else X
        self.queries = queries

    def __getitem__(self, j: int) -> Floats:
        return next(iter(self._block(j, j + 1)))

    def __iter__(self) -> Iterator[Floats]:
        n_features = self.X.shape[1]
        for start in range(0, n_features, self.BLOCK):
            yield from self._block(start, min(start + self.BLOCK, n_features))

    def _block(self, start: int, end: int) -> Floats:
        part = self.X[:, start:end]
        part = part.toarray() if sparse.issparse(part) else np.asarray(part)
        if self.queries is not None:
            part = self.queries.layout(part)
        return np.ascontiguousarray(part.T, dtype=np.float64)
