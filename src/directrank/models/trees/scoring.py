"""The sum of trees at rows, dense or sparse: LightGBM's decisions and its sums, bit by bit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ...arrays import Floats, Ints
from ...kernel_compiler import njit, prange
from ...matrix.selection import select_columns
from .tree import NAN, ZERO, ZERO_THRESHOLD, Tree

#: Rows that are scored together: each tree's arrays are read once for all of them.
BLOCK = 64


class Forest(NamedTuple):
    """All trees as one set of arrays; splits and leaves are numbered through, a leaf as ``~leaf``.

    Attributes
    ----------
    roots : one for each tree
    feature, threshold, left, right, missing, default_left : one for each split
    first_category : one for each split, and the end
        Where in `category` the categories of each split start; a split without any is numeric.
    category
    leaf_value : one for each leaf
    constant : one for each leaf, or empty if no tree has linear leaves
    first_coefficient : one for each leaf, and the end
        Where in `coefficient` and `coefficient_feature` those of each leaf start.
    coefficient_feature, coefficient
    """

    roots: Ints
    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    missing: Ints
    default_left: Any
    first_category: Ints
    category: Ints
    leaf_value: Floats
    constant: Floats
    first_coefficient: Ints
    coefficient_feature: Ints
    coefficient: Floats


def forest_of(trees: Sequence[Tree]) -> Forest:
    """The arrays of trees, one after another."""
    n_splits, n_leaves = (np.array([getattr(tree, name) for tree in trees], np.int64) for name in ("n_splits", "n_leaves"))
    first_split, first_leaf = np.cumsum(n_splits) - n_splits, np.cumsum(n_leaves) - n_leaves

    def children(name: str) -> Ints:
        nodes = _joined((getattr(tree, name) for tree in trees), np.int64)
        return np.where(nodes >= 0, nodes + np.repeat(first_split, n_splits), nodes - np.repeat(first_leaf, n_splits))

    none = np.empty(0, np.int64)
    by_split = [tree.categories.get(split, none) for tree in trees for split in range(tree.n_splits)]
    return Forest(
        roots=np.where(n_splits > 0, first_split, ~first_leaf),
        left=children("left"),
        right=children("right"),
        **{name: _joined((getattr(tree, name) for tree in trees), np.int64) for name in ("feature", "missing")},
        **{name: _joined((getattr(tree, name) for tree in trees), np.float64) for name in ("threshold", "leaf_value")},
        default_left=_joined((tree.default_left for tree in trees), bool),
        first_category=_starts(by_split),
        category=_joined(by_split, np.int64),
        **_linear_parts(trees),
    )


def scores_of(forest: Forest, X: Any) -> Floats:
    """The sum of the trees at each row of a dense array or canonical CSR matrix."""
    if not sparse.issparse(X):
        return _sum_dense(np.asarray(X), forest)
    used, compact = _compact(forest)
    return _sum_sparse(X.data, X.indices, X.indptr, used, compact)


def leaves_of(forest: Forest, X: Any) -> Ints:
    """The leaf of each tree that each row comes to: an array of shape (n_rows, n_trees)."""
    if not sparse.issparse(X):
        return _leaves(np.asarray(X), forest)  # type: ignore[no-any-return]
    used, compact = _compact(forest)
    starts = range(0, X.shape[0], 16 * BLOCK)
    return np.concatenate([_leaves(select_columns(X[i : i + 16 * BLOCK], used).toarray(), compact) for i in starts])


def values_of_leaves(forest: Forest) -> Floats:
    """Those of all trees; of linear leaves, the constants."""
    return forest.constant if forest.constant.size else forest.leaf_value


def _compact(forest: Forest) -> tuple[Ints, Forest]:
    """The columns that trees use, and the trees on these alone."""
    used = np.unique(np.concatenate((forest.feature, forest.coefficient_feature)))
    return used, forest._replace(
        feature=np.searchsorted(used, forest.feature),
        coefficient_feature=np.searchsorted(used, forest.coefficient_feature),
    )


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
        "constant": _joined((t.leaf_value if t.linear is None else t.linear.constant for t in trees), np.float64),
        "first_coefficient": _starts(features),
        "coefficient_feature": _joined(features, np.int64),
        "coefficient": _joined(coefficients, np.float64),
    }


def _starts(parts: Sequence[Any]) -> Ints:
    return np.cumsum([0, *(part.size for part in parts)])


def _joined(parts: Iterable[Any], dtype: type) -> Any:
    return np.concatenate((np.empty(0, dtype), *parts))


@njit(cache=True, parallel=True)
def _sum_dense(X, forest):  # type: ignore[no-untyped-def]
    scores = np.zeros(X.shape[0])
    for block in prange(-(-scores.size // BLOCK)):
        first = block * BLOCK
        _add_trees(X[first : first + BLOCK], forest, scores[first : first + BLOCK])
    return scores


@njit(cache=True, parallel=True)
def _sum_sparse(values, columns, starts, used, forest):  # type: ignore[no-untyped-def]
    """Of CSR rows, of which a block at a time is made dense in the columns that the trees use."""
    scores = np.zeros(starts.size - 1)
    for block in prange(-(-scores.size // BLOCK)):
        first = block * BLOCK
        rows = np.zeros((min(BLOCK, scores.size - first), used.size), values.dtype)
        for i in range(rows.shape[0]):
            for entry in range(starts[first + i], starts[first + i + 1]):
                place = np.searchsorted(used, columns[entry])
                if place < used.size and used[place] == columns[entry]:
                    rows[i, place] = values[entry]
        _add_trees(rows, forest, scores[first : first + BLOCK])
    return scores


@njit(cache=True)
def _add_trees(rows, forest, scores):  # type: ignore[no-untyped-def]
    """Tree after tree, as LightGBM adds them."""
    for root in forest.roots:
        for i in range(rows.shape[0]):
            leaf = _leaf_of(rows[i], root, forest)
            if forest.constant.size:
                scores[i] += _linear_value(rows[i], leaf, forest)
            else:
                scores[i] += forest.leaf_value[leaf]


@njit(cache=True, parallel=True)
def _leaves(X, forest):  # type: ignore[no-untyped-def]
    leaves = np.empty((X.shape[0], forest.roots.size), np.int64)
    for i in prange(X.shape[0]):
        for tree in range(forest.roots.size):
            leaves[i, tree] = _leaf_of(X[i], forest.roots[tree], forest)
    return leaves


@njit(cache=True)
def _leaf_of(row, root, forest):  # type: ignore[no-untyped-def]
    node = root
    while node >= 0:
        x = _value(row[forest.feature[node]])
        missing = forest.missing[node]
        first, end = forest.first_category[node], forest.first_category[node + 1]
        if first < end:
            goes_left = _is_among(x, forest.category[first:end])
        elif (missing == NAN and np.isnan(x)) or (missing == ZERO and (x == 0.0 or np.isnan(x))):
            goes_left = forest.default_left[node]
        else:
            goes_left = (0.0 if np.isnan(x) else x) <= forest.threshold[node]
        node = forest.left[node] if goes_left else forest.right[node]
    return ~node


@njit(cache=True)
def _linear_value(row, leaf, forest):  # type: ignore[no-untyped-def]
    total = forest.constant[leaf]
    for i in range(forest.first_coefficient[leaf], forest.first_coefficient[leaf + 1]):
        x = _value(row[forest.coefficient_feature[i]])
        if np.isnan(x):
            return forest.leaf_value[leaf]
        total += forest.coefficient[i] * x
    return total


@njit(cache=True)
def _is_among(x, categories):  # type: ignore[no-untyped-def]
    """Whether a value, without its fraction, is one of these ascending categories."""
    if not -1.0 < x < 2.0**31:  # also of NaN
        return False
    category = np.int64(x)
    place = np.searchsorted(categories, category)
    return place < categories.size and categories[place] == category


@njit(cache=True)
def _value(x):  # type: ignore[no-untyped-def]
    """In double precision, and 0 where LightGBM takes it for 0."""
    x = np.float64(x)
    return 0.0 if abs(x) <= ZERO_THRESHOLD else x
