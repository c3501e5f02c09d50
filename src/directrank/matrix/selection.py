"""Some columns of a wide matrix: what is done with them costs as much as they have entries, not as X is wide."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ..arrays import Ints
from ..data.sparse_columns import occurring_columns

#: Below this width empty columns cost too little to care about.
WIDE = 2**12


def columns_of_wide(X: Any) -> Ints | None:
    """The columns of a wide sparse X that have entries, ascending, if they are few of all; else None."""
    if not sparse.issparse(X) or X.shape[1] < WIDE:
        return None
    columns, _ = occurring_columns(X)
    if columns.size == 0:
        columns = np.zeros(1, np.int64)  # a matrix has at least one column
    return columns if 8 * columns.size <= X.shape[1] else None


def select_columns(X: Any, columns: Ints) -> Any:
    """These columns of X, which are given ascending.

    SciPy's own selection from a CSR matrix takes memory for all columns there are.
    """
    if not sparse.issparse(X):
        return X[:, columns]
    X = X.tocsr()
    place = np.minimum(np.searchsorted(columns, X.indices), columns.size - 1)
    kept = columns[place] == X.indices
    kept_before = np.concatenate(([0], np.cumsum(kept)))
    parts = (X.data[kept], place[kept].astype(X.indices.dtype), kept_before[X.indptr])
    return sparse.csr_array(parts, shape=(X.shape[0], columns.size))
