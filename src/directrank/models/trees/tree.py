"""Regression trees as arrays, validated on construction, so that traversal stays in bounds and terminates."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ...arrays import Bools, Floats, Ints
from ..errors import ModelError
from ..json_fields import as_list, check_sizes, field_of, integers, number, numbers

if TYPE_CHECKING:
    from ..portable import WeightedSum

#: Values that are missing at a split: none (NaN is treated as 0), 0 and NaN, or NaN.
NO_MISSING, ZERO, NAN = 0, 1, 2

#: Values of at most this magnitude are treated as 0, as in LightGBM.
ZERO_THRESHOLD = float(np.float32(1e-35))

#: Maximum depth of a tree: other readers of trees, such as LightGBM, are recursive.
MAX_DEPTH = 1000

#: LightGBM's limit on `num_leaves`.
MAX_LEAVES = 131_072

_MAX_INT32 = 2**31 - 1


@dataclass(frozen=True, eq=False)
class LinearLeaves:
    """Linear functions in the leaves (LightGBM's ``linear_tree=True``).

    If one of a leaf's features is NaN, the value is the leaf's `Tree.leaf_value`.

    Attributes
    ----------
    constant : float64 array, one for each leaf
    features : tuple of int64 arrays, one for each leaf
    coefficients : tuple of float64 arrays, one for each leaf
        Coefficients of its features.
    """

    constant: Floats
    features: tuple[Ints, ...]
    coefficients: tuple[Floats, ...]

    def check(self, n_leaves: int) -> None:
        """Raise a `ModelError` unless there is a linear function for each of `n_leaves` leaves."""
        check_sizes("leaf", n_leaves, constant=self.constant)
        if [part.size for part in self.features] != [part.size for part in self.coefficients]:
            raise ModelError("its linear leaves must have one coefficient for each feature")
        if len(self.features) != n_leaves:
            raise ModelError(f"its linear leaves must be {n_leaves}, and are {len(self.features)}")

    def times(self, factor: float) -> Self:
        """The functions scaled by a factor."""
        return replace(
            self, constant=factor * self.constant, coefficients=tuple(factor * part for part in self.coefficients)
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "constant": self.constant.tolist(),
            "features": [part.tolist() for part in self.features],
            "coefficients": [part.tolist() for part in self.coefficients],
        }

    @classmethod
    def from_dict(cls, content: Any) -> Self:
        features, coefficients = (as_list(name, field_of(content, name)) for name in ("features", "coefficients"))
        return cls(
            numbers("constant", field_of(content, "constant")),
            tuple(integers("features", part) for part in features),
            tuple(numbers("coefficients", part) for part in coefficients),
        )


@dataclass(frozen=True, eq=False)
class Tree:
    r"""A binary tree with a value in each leaf.

    Splits are numbered from the root, 0, so that children have higher numbers than their parent; leaves are numbered
    separately. At a split, a row goes

    - where its feature is categorical: left if its value, without the fraction, is one of the split's categories; else
      (NaN and unknown categories included) right;
    - where the value is missing (see `missing`): left if `default_left`, else right;
    - otherwise: left if :math:`x \le \text{threshold}`, else right, in double precision. NaN counts as 0 unless it is
      missing, and so does any x with \|x\| up to 1e-35.

    Attributes
    ----------
    feature : int64 array, one for each split
    threshold : float64 array, one for each split
        0 where the feature is categorical.
    left, right : int64 arrays, one for each split
        Children: a split, or ``~leaf``, which is negative.
    missing : int64 array, one for each split
        Values that are missing: `NO_MISSING`, `ZERO` or `NAN`.
    default_left : bool array, one for each split
    leaf_value : float64 array
        One for each leaf; there is one leaf more than there are splits.
    categories : dict of int64 arrays
        For each categorical split, the categories that go left, ascending.
    linear : LinearLeaves, or None
    gain, value, weight : float64 arrays, one for each split
        Gain of the split in training, its value if it were a leaf, and its sum of hessians.
    count : int64 array, one for each split
        Number of training rows at the split, which TreeSHAP uses as weights.
    leaf_weight : float64 array, one for each leaf
    leaf_count : int64 array, one for each leaf
    shrinkage : float
        Learning rate, already included in the values.
    """

    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    missing: Ints
    default_left: Bools
    leaf_value: Floats
    gain: Floats
    value: Floats
    weight: Floats
    count: Ints
    leaf_weight: Floats
    leaf_count: Ints
    shrinkage: float = 1.0
    categories: dict[int, Ints] = field(default_factory=dict)
    linear: LinearLeaves | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.n_leaves <= MAX_LEAVES:
            raise ModelError(f"it must have between 1 and {MAX_LEAVES} leaves, and has {self.n_leaves}")
        check_sizes("split", self.n_leaves - 1, **{name: getattr(self, name) for name in _SPLIT_FIELDS})
        check_sizes("leaf", self.n_leaves, **{name: getattr(self, name) for name in _LEAF_FIELDS})
        for name, highest in _HIGHEST.items():
            values = getattr(self, name)
            if values.size and not (values.min() >= 0 and values.max() <= highest):
                raise ModelError(f"its {name} must be integers from 0 to {highest}")
        self._check_children()
        self._check_categories()
        if self.linear is not None:
            self.linear.check(self.n_leaves)

    @property
    def n_splits(self) -> int:
        return int(self.feature.size)

    @property
    def n_leaves(self) -> int:
        return int(self.leaf_value.size)

    @property
    def features_used(self) -> Ints:
        """Features that the tree depends on, ascending."""
        in_leaves = () if self.linear is None else self.linear.features
        return np.unique(np.concatenate((self.feature, *in_leaves)))

    def times(self, factor: float) -> Self:
        """The tree with all values scaled by a factor."""
        return replace(
            self,
            leaf_value=factor * self.leaf_value,
            value=factor * self.value,
            shrinkage=factor * self.shrinkage,
            linear=None if self.linear is None else self.linear.times(factor),
        )

    def to_dict(self) -> dict[str, Any]:
        """The tree as JSON content, which `from_dict` reads."""
        content = {name: getattr(self, name).tolist() for name in (*_SPLIT_FIELDS, *_LEAF_FIELDS)}
        content["default_left"] = self.default_left.astype(int).tolist()
        content["shrinkage"] = self.shrinkage
        if self.categories:
            content["categories"] = [[split, values.tolist()] for split, values in self.categories.items()]
        if self.linear is not None:
            content["linear"] = self.linear.to_dict()
        return content

    @classmethod
    def from_dict(cls, content: Any) -> Self:
        """The tree of the JSON content that `to_dict` writes; raises a `ModelError` if it is invalid."""
        arrays = {
            name: (integers if name in _INTEGERS else numbers)(name, field_of(content, name))
            for name in (*_SPLIT_FIELDS, *_LEAF_FIELDS)
        }
        flags = arrays.pop("default_left")
        if flags.size and not (flags.min() >= 0 and flags.max() <= 1):
            raise ModelError("its default_left must be 0 or 1")
        linear = content.get("linear")
        return cls(
            **arrays,
            default_left=flags.astype(bool),
            shrinkage=number("shrinkage", field_of(content, "shrinkage")),
            categories=_categories_from_json(content.get("categories", [])),
            linear=None if linear is None else LinearLeaves.from_dict(linear),
        )

    def _check_children(self) -> None:
        """Check that each leaf and each split but the root is the child of one earlier split, so traversal terminates."""
        splits, children = np.arange(self.n_splits), np.concatenate((self.left, self.right))
        all_nodes = np.concatenate((np.arange(-self.n_leaves, 0), splits[1:]))
        if not np.array_equal(np.sort(children), all_nodes if self.n_splits else children):
            raise ModelError("its left and right must name every leaf, and every split but the root, once")
        for side in (self.left, self.right):
            if np.any((side >= 0) & (side <= splits)):
                raise ModelError("its left and right must name splits that come after their parent")
        depth, left, right = [0] * self.n_splits, self.left.tolist(), self.right.tolist()
        for split, below in enumerate(depth):
            for child in (left[split], right[split]):
                if child >= 0:
                    depth[child] = below + 1
        if self.n_splits and max(depth) >= MAX_DEPTH:
            raise ModelError(f"it is {max(depth) + 1} levels deep; at most {MAX_DEPTH} are allowed (LightGBM has max_depth)")

    def _check_categories(self) -> None:
        for split, values in self.categories.items():
            if not 0 <= split < self.n_splits:
                raise ModelError(f"it has categories for split {split}, but only {self.n_splits} splits")
            if not (values.size and values[0] >= 0 and values[-1] <= _MAX_INT32 and np.all(np.diff(values) > 0)):
                raise ModelError(f"its categories at split {split} must be ascending integers from 0 to {_MAX_INT32}")


def linear_trees(linear: WeightedSum) -> tuple[Tree, ...]:
    """A weighted sum without logarithms as trees of one leaf, one for each feature, whose value is that of its term.

    The intercept is in the first of them. One leaf with all features would lose all terms of a row in which one is NaN.
    """
    columns, weights = linear.columns, linear.weights
    if columns.size == 0:
        return (_single_leaf(columns, weights, linear.intercept, 0.0),)
    constants = [linear.intercept, *[0.0] * (columns.size - 1)]
    return tuple(
        _single_leaf(columns[[j]], weights[[j]], constants[j], value) for j, value in enumerate(linear.if_missing.tolist())
    )


def _single_leaf(features: Ints, coefficients: Floats, constant: float, if_missing: float) -> Tree:
    none, no_number = np.empty(0, np.int64), np.empty(0)
    return Tree(
        feature=none,
        threshold=no_number,
        left=none,
        right=none,
        missing=none,
        default_left=np.empty(0, bool),
        leaf_value=np.array([constant + if_missing], np.float64),
        gain=no_number,
        value=no_number,
        weight=no_number,
        count=none,
        leaf_weight=np.zeros(1),
        leaf_count=np.zeros(1, np.int64),
        linear=LinearLeaves(np.array([constant], np.float64), (features,), (coefficients,)),
    )


_SPLIT_FIELDS = ("feature", "threshold", "left", "right", "missing", "default_left", "gain", "value", "weight", "count")
_LEAF_FIELDS = ("leaf_value", "leaf_weight", "leaf_count")
_INTEGERS = {"feature", "left", "right", "missing", "default_left", "count", "leaf_count"}
_HIGHEST = {"feature": _MAX_INT32, "missing": NAN, "count": _MAX_INT32, "leaf_count": _MAX_INT32}


def _categories_from_json(content: Any) -> dict[int, Ints]:
    found: dict[int, Ints] = {}
    for pair in as_list("categories", content):
        if not (isinstance(pair, list) and len(pair) == 2 and type(pair[0]) is int) or pair[0] in found:
            raise ModelError("its categories must be pairs of a split and its categories, each split once")
        found[pair[0]] = integers("categories", pair[1])
    return found
