r"""Features as a linear model takes them: on comparable scales, with missing values filled in.

A column x becomes g(x) / divisor, where g is the identity or the signed logarithm
:math:`\operatorname{sign}(x) \log(1 + |x|)`. There is no centring, which changes no ranking, so a sparse X stays sparse.
"""

from __future__ import annotations

import tempfile
from dataclasses import astuple, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..arrays import Bools, Floats, Ints
from ..core import feature_scaling as kernels
from ..data.checked_arrays import row_blocks


def signed_log(values: Floats) -> Floats:
    """sign(x) log(1 + |x|) of an array of finite values, with the same bits on any machine; precise for tiny values too."""
    return kernels.signed_log(np.ascontiguousarray(values))  # type: ignore[no-any-return]


@dataclass(frozen=True, eq=False)
class FeatureScaling:
    """A map of the columns of X, and indicator columns of missing values after them.

    Attributes
    ----------
    log_features : int64 array
        Columns whose signed logarithm is taken, ascending.
    divisor : array, one entry for each column
    fill : array, one entry for each column
        What a missing value becomes.
    indicators : int64 array
        Columns with an indicator column, which is 1 where the value is missing; ascending.
    """

    log_features: Ints
    divisor: Floats
    fill: Floats
    indicators: Ints

    @classmethod
    def identity(cls, n_features: int) -> Self:
        """Columns as they are, missing values as 0."""
        none = np.empty(0, np.int64)
        return cls(none, np.ones(n_features), np.zeros(n_features), none)

    @property
    def n_features(self) -> int:
        return int(self.divisor.size)

    @property
    def n_features_out(self) -> int:
        return self.n_features + int(self.indicators.size)

    @property
    def keeps_values(self) -> bool:
        """Whether X without missing values stays as it is."""
        return not self.log_features.size and not self.indicators.size and bool(np.all(self.divisor == 1))

    @property
    def is_identity(self) -> bool:
        """Whether values stay as they are, and missing ones become 0."""
        return self.keeps_values and not np.any(self.fill)

    def is_same(self, other: FeatureScaling) -> bool:
        parts = zip(astuple(self), astuple(other), strict=True)
        return all(np.array_equal(own, theirs) for own, theirs in parts)

    def apply(self, X: Any) -> Any:
        """The features of X: X itself if they are the same, else in memory, or in a temporary file if X is memory-mapped."""
        if self.keeps_values and not has_missing(X):
            return X
        return self._apply_to_sparse(X) if sparse.issparse(X) else self._apply_to_dense(np.asarray(X))

    def unfolded(self, w: Floats) -> tuple[Floats, Floats]:
        """Weights of g(x), and the contribution of each column where it is missing, for weights of the features."""
        coef = w[: self.n_features] / self.divisor
        if_missing = w[: self.n_features] * self.fill
        if_missing[self.indicators] += w[self.n_features :]
        return coef, if_missing

    def _apply_to_dense(self, X: NDArray[Any]) -> NDArray[Any]:
        scaled = empty_beside(X, (X.shape[0], self.n_features_out), X.dtype)
        kernels.apply(X, self.log_features, self.divisor, self.fill, self.indicators, np.asarray(scaled))
        return scaled

    def _apply_to_sparse(self, X: Any) -> sparse.csr_array:
        values, missing = np.array(X.data, np.float64), np.isnan(X.data)
        values[missing] = 0.0
        is_log = np.isin(X.indices, self.log_features)
        values[is_log] = signed_log(values[is_log])
        values /= self.divisor[X.indices]
        values[missing] = self.fill[X.indices[missing]]
        scaled = sparse.csr_array((values.astype(X.dtype), X.indices, X.indptr), shape=X.shape)
        if not self.indicators.size:
            return scaled
        return sparse.csr_array(sparse.hstack([scaled, self._indicators_of(X, missing)], format="csr"))

    def _indicators_of(self, X: Any, missing: Bools) -> sparse.csr_array:
        """Indicator columns of a sparse X."""
        kept = missing & np.isin(X.indices, self.indicators)
        kept_before = np.concatenate(([0], np.cumsum(kept)))
        indices = np.searchsorted(self.indicators, X.indices[kept]).astype(X.indices.dtype)
        parts = (np.ones(indices.size, X.dtype), indices, kept_before[X.indptr].astype(X.indptr.dtype))
        return sparse.csr_array(parts, shape=(X.shape[0], self.indicators.size))


def has_missing(X: Any) -> bool:
    """Whether X has missing values (NaN)."""
    blocks = row_blocks(X.data if sparse.issparse(X) else np.asarray(X))
    return any(bool(np.isnan(block.min(initial=0.0))) for block in blocks)


def is_mapped(X: Any) -> bool:
    """Whether an array is memory-mapped, or a view of one that is."""
    while X is not None:
        if isinstance(X, np.memmap):
            return True
        X = getattr(X, "base", None)
    return False


def empty_beside(X: NDArray[Any], shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """An array to fill, where X is: in memory, or in a temporary file that goes with the array."""
    if not is_mapped(X):
        return np.empty(shape, dtype)
    with tempfile.TemporaryFile() as file:
        return np.memmap(file, dtype, "w+", shape=shape)
