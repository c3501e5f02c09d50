"""Column selection in O(nnz), independent of width."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ..arrays import Ints
from ..data.sparse_columns import nonempty_columns

#: Width below which empty columns do not matter.
WIDE = 2**12


def used_columns(X: Any) -> Ints | None:
    """Nonempty columns of a wide sparse X, ascending, if at most an eighth of all columns are; else None."""
    if not sparse.issparse(X) or X.shape[1] < WIDE:
        return None
    columns, _ = nonempty_columns(X)
    if columns.size == 0:
        columns = np.zeros(1, np.int64)  # a matrix has at least one column
    return columns if 8 * columns.size <= X.shape[1] else None


def select_columns(X: Any, columns: Ints) -> Any:
    """Select columns, given in ascending order.

    SciPy's own selection from a CSR matrix allocates memory for all columns of X.
    """
    if not sparse.issparse(X):
        return X[:, columns]
    X = X.tocsr()
    place = np.minimum(np.searchsorted(columns, X.indices), columns.size - 1)
    kept = columns[place] == X.indices
    kept_before = np.concatenate(([0], np.cumsum(kept)))
    parts = (X.data[kept], place[kept].astype(X.indices.dtype), kept_before[X.indptr])
    return sparse.csr_array(parts, shape=(X.shape[0], columns.size))
