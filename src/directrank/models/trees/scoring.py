"""Scoring rows with trees, dense or sparse, with LightGBM's decisions and sums to the last bit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from ...arrays import Floats, Ints
from ...core import scoring as kernels
from .tree import Tree


class Forest:
    """Trees prepared for scoring."""

    def __init__(self, trees: Sequence[Tree]) -> None:
        none = np.empty(0, np.int64)
        by_split = [tree.categories.get(split, none) for tree in trees for split in range(tree.n_splits)]
        integers, numbers = ("feature", "left", "right", "missing"), ("threshold", "leaf_value")
        self._compiled = kernels.Forest(
            first_split=np.cumsum([0, *(tree.n_splits for tree in trees)], dtype=np.int64),
            **{name: _joined((getattr(tree, name) for tree in trees), np.int64) for name in integers},
            **{name: _joined((getattr(tree, name) for tree in trees), np.float64) for name in numbers},
            default_left=_joined((tree.default_left for tree in trees), bool),
            first_category=_starts(by_split),
            category=_joined(by_split, np.int64),
            **_linear_parts(trees),
        )

    def scores(self, X: Any) -> Floats:
        """Sum of the trees for each row of a dense array or canonical CSR matrix."""
        return self._compiled.scores(*_parts(X))  # type: ignore[no-any-return]

    def leaves(self, X: Any) -> Ints:
        """Leaf of each row in each tree, as an array of shape (n_rows, n_trees)."""
        return self._compiled.leaves(*_parts(X))  # type: ignore[no-any-return]


def leaf_values(trees: Sequence[Tree]) -> Floats:
    """Leaf values of all trees; the constants of linear leaves."""
    return _joined((t.leaf_value if t.linear is None else t.linear.constant for t in trees), np.float64)  # type: ignore[no-any-return]


def _parts(X: Any) -> tuple[Any, ...]:
    return (X.data, X.indices, X.indptr) if sparse.issparse(X) else (np.ascontiguousarray(X),)


def _linear_parts(trees: Sequence[Tree]) -> dict[str, Any]:
    if all(tree.linear is None for tree in trees):
        empty = np.empty(0)
        return {
            "constant": empty,
            "first_coefficient": np.zeros(1, np.int64),
            "coefficient_feature": np.empty(0, np.int64),
            "coefficient": empty,
        }
    features: list[Ints] = []
    coefficients: list[Floats] = []
    for tree in trees:
        features += [np.empty(0, np.int64)] * tree.n_leaves if tree.linear is None else tree.linear.features
        coefficients += [np.empty(0)] * tree.n_leaves if tree.linear is None else tree.linear.coefficients
    return {
        "constant": leaf_values(trees),
        "first_coefficient": _starts(features),
        "coefficient_feature": _joined(features, np.int64),
        "coefficient": _joined(coefficients, np.float64),
    }


def _starts(parts: Sequence[Any]) -> Ints:
    return np.cumsum([0, *(part.size for part in parts)], dtype=np.int64)


def _joined(parts: Iterable[Any], dtype: type) -> Any:
    return np.concatenate((np.empty(0, dtype), *parts), dtype=dtype)
