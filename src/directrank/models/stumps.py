"""Sums of decision stumps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..arrays import Floats, Ints
from ..core import stumps as kernels
from .base import Model
from .errors import ModelError
from .json_fields import FieldReader, check_sizes, integer, integers, positive_integer
from .portable import TreeSum
from .trees.tree import NAN, Tree


@dataclass(frozen=True, eq=False)
class StumpsModel(Model):
    """The sum of the weights of the stumps whose feature is above its threshold; a missing value (NaN) is not above it.

    Attributes
    ----------
    features : int64 array
    thresholds, weights : float64 arrays
    width : int
        Number of features of a row.
    """

    kind: ClassVar[str] = "stumps"
    readers: ClassVar[dict[str, FieldReader]] = {"features": integers, "width": positive_integer}
    allows_missing: ClassVar[bool] = True

    features: Ints
    thresholds: Floats
    weights: Floats
    width: int

    @property
    def n_features(self) -> int:
        return self.width

    def scores(self, X: Any) -> Floats:
        columns, features = self._used_columns(X)
        return kernels.sum_above(np.ascontiguousarray(columns), features, self.thresholds, self.weights)  # type: ignore[no-any-return]

    @property
    def parameters(self) -> Floats:
        return self.weights

    def _derivatives(self, X: Any) -> Floats:
        columns, features = self._used_columns(X)
        return (columns[:, features] > self.thresholds).astype(np.float64)

    def portable(self) -> TreeSum:
        parts = zip(self.features, self.thresholds, self.weights, strict=True)
        trees = tuple(_as_tree(int(feature), float(threshold), float(weight)) for feature, threshold, weight in parts)
        return TreeSum.from_trees(trees, self.width, self.feature_names, tiny_is_zero=False)

    def staged_scores(self, X: Any) -> Iterator[Floats]:
        """The scores after each stump."""
        columns, features = self._used_columns(X)
        scores = np.zeros(X.shape[0])
        for feature, threshold, weight in zip(features, self.thresholds, self.weights, strict=True):
            scores = scores + weight * (columns[:, feature] > threshold)
            yield scores

    def check(self) -> None:
        integer("width", self.width, 1)
        if not np.all((self.features >= 0) & (self.features < self.width)):
            raise ModelError(f"its features must be integers from 0 to {self.width - 1}")
        check_sizes("stump", self.features.size, thresholds=self.thresholds, weights=self.weights)

    def _used_columns(self, X: Any) -> tuple[NDArray[Any], Ints]:
        """The used columns as a dense array, and the position of each stump's column among them."""
        if not sparse.issparse(X):
            return np.asarray(X), self.features
        used, features = np.unique(self.features, return_inverse=True)
        return X[:, used].toarray(), features


def _as_tree(feature: int, threshold: float, weight: float) -> Tree:
    """A stump as a tree: 0 up to the threshold and where the feature is missing, the weight above the threshold."""
    none, no_count = np.zeros(1), np.zeros(1, np.int64)
    return Tree(
        feature=np.array([feature]),
        threshold=np.array([threshold]),
        left=np.array([~0]),
        right=np.array([~1]),
        missing=np.array([NAN]),
        default_left=np.array([True]),
        leaf_value=np.array([0.0, weight]),
        gain=none,
        value=none,
        weight=none,
        count=no_count,
        leaf_weight=np.zeros(2),
        leaf_count=np.zeros(2, np.int64),
    )
