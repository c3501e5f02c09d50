"""Nonempty columns of sparse matrices, which may have billions of columns and use a handful."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ..arrays import Ints


def nonempty_columns(X: Any) -> tuple[Ints, Any]:
    """Indices of the nonempty columns, ascending, and the matrix of these columns, which shares the values of X.

    In O(nnz log nnz), independent of width; SciPy's column slicing allocates an array as long as X is wide.

    Examples
    --------
    >>> X = sparse.csr_array(([5.0, 7.0], ([0, 1], [3, 2_000_000_000])), shape=(2, 2_000_000_001))
    >>> columns, table = nonempty_columns(X)
    >>> columns.tolist(), table.toarray().tolist()
    ([3, 2000000000], [[5.0, 0.0], [0.0, 7.0]])
    """
    columns, places = np.unique(X.indices, return_inverse=True)
    table = sparse.csr_array((X.data, places.astype(X.indices.dtype), X.indptr), shape=(X.shape[0], columns.size))
    return columns.astype(np.int64), table
