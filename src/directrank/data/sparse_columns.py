"""The columns of a sparse matrix that have entries: one that is billions of columns wide may use a handful."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ..arrays import Ints


def occurring_columns(X: Any) -> tuple[Ints, Any]:
    """The numbers of the columns that have an entry, ascending, and the matrix of these columns alone.

    The cost follows the entries: slicing columns with SciPy would allocate an array as long as X is wide. The matrix that is
    returned shares the values of X.

    Examples
    --------
    >>> X = sparse.csr_array(([5.0, 7.0], ([0, 1], [3, 2_000_000_000])), shape=(2, 2_000_000_001))
    >>> columns, table = occurring_columns(X)
    >>> columns.tolist(), table.toarray().tolist()
    ([3, 2000000000], [[5.0, 0.0], [0.0, 7.0]])
    """
    columns, places = np.unique(X.indices, return_inverse=True)
    table = sparse.csr_array((X.data, places.astype(X.indices.dtype), X.indptr), shape=(X.shape[0], columns.size))
    return columns.astype(np.int64), table
