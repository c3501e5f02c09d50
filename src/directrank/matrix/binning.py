"""Binning of scores by thresholds, and binary features of bins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..arrays import Floats


def bin_columns(X: NDArray[Any], thresholds: Sequence[Floats]) -> NDArray[np.int32]:
    """Number of its column's ascending thresholds below each score; 0 for NaN."""
    columns = zip(X.T, thresholds, strict=True)
    return np.column_stack([np.where(np.isnan(c), 0, np.searchsorted(t, c)).astype(np.int32) for c, t in columns])


def binary_features(bins: NDArray[np.int32], thresholds: Sequence[Floats]) -> sparse.csr_array:
    """Binary features for each threshold, column by column: 1 if the score is above it, else 0."""
    starts = np.concatenate(([0], np.cumsum([t.size for t in thresholds])))
    above = bins.ravel().astype(np.int64)
    first = np.repeat(np.tile(starts[:-1], len(bins)), above)
    within = np.arange(first.size) - np.repeat(np.cumsum(above) - above, above)
    indptr = np.concatenate(([0], np.cumsum(bins.sum(axis=1, dtype=np.int64))))
    fits = np.int32 if first.size <= np.iinfo(np.int32).max else np.int64  # scikit-learn's SVMs accept only int32
    indices = ((first + within).astype(fits), indptr.astype(fits))
    return sparse.csr_array((np.ones(first.size), *indices), shape=(len(bins), int(starts[-1])))
