"""Trees with plain splits for export: one comparison per split, and a branch for missing values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...caching import cached_property
from ..errors import ModelError
from ..portable import TreeSum
from ..trees.tree import NAN, ZERO, Tree
from .threshold_rounding import Rule, around_zero

T = TypeVar("T")

#: Maximum depth of trees in nested formats, whose readers, Python's JSON included, are recursive.
MAX_NESTED = 200


@dataclass(frozen=True, eq=False)
class PlainTree:
    """A tree with one comparison per split.

    Attributes
    ----------
    feature, threshold, left, right : arrays, one for each split
        As in `Tree`, with thresholds for the target's comparison.
    missing_left, zero_left : bool arrays, one for each split
        Whether missing values and 0 go left.
    leaf_value : array
    source : Tree
        The original tree, with training figures.
    """

    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    missing_left: Bools
    zero_left: Bools
    leaf_value: Floats
    source: Tree

    @property
    def n_splits(self) -> int:
        return int(self.feature.size)

    @property
    def n_leaves(self) -> int:
        return int(self.leaf_value.size)

    @cached_property
    def depth(self) -> list[int]:
        """Depth of each split, then of each leaf."""
        depths = [0] * (self.n_splits + self.n_leaves)
        for split, children in enumerate(zip(self.left.tolist(), self.right.tolist(), strict=True)):
            for child in children:
                depths[child if child >= 0 else self.n_splits + ~child] = depths[split] + 1
        return depths

    def nodes(self) -> list[tuple[int, float, int, int, bool]]:
        """Feature, threshold, left, right and missing_left of each split, as Python numbers."""
        parts = (self.feature, self.threshold, self.left, self.right, self.missing_left)
        return list(zip(*(part.tolist() for part in parts), strict=True))

    def nested(self, split: Callable[[int, T, T], T], leaf: Callable[[int], T]) -> T:
        """Fold the tree bottom-up: `leaf` converts leaves, and `split` a split and its two converted children.

        It is not recursive, so that no tree is too deep.
        """
        made: dict[int, T] = {}
        left, right = self.left.tolist(), self.right.tolist()
        for i in reversed(range(self.n_splits)):
            below = (made.pop(child) if child >= 0 else leaf(~child) for child in (left[i], right[i]))
            made[i] = split(i, *below)
        return made[0] if self.n_splits else leaf(0)


def plain_trees(
    model: TreeSum, rule: Rule, *, leaf_type: type = np.float64, max_depth: int | None = None, shift: bool = False
) -> list[PlainTree]:
    """Convert the trees of a model for a target.

    Parameters
    ----------
    model : TreeSum
    rule : function
        Converts thresholds for the target's comparison.
    leaf_type : float64 or float32
        Precision of the target's leaf values and sums.
    max_depth : int, optional
        Maximum depth that the target supports.
    shift : bool
        Whether to add a constant to the first tree so that no score is negative.

    Raises
    ------
    ModelError
        If the target does not support the trees.
    """
    trees = [_plain(number, tree, model, rule, leaf_type) for number, tree in enumerate(model.trees)]
    if max_depth is not None:
        check_depth(trees, max_depth)
    return shifted(trees, leaf_type) if shift else trees


def check_depth(trees: list[PlainTree], max_depth: int) -> None:
    """Raise a `ModelError` if a tree is deeper than the target supports."""
    deepest, number = max((max(tree.depth), number) for number, tree in enumerate(trees))
    if deepest > max_depth:
        raise ModelError(f"tree {number} is {deepest} levels deep, and the target takes {max_depth}; train with max_depth")


def n_missing_unlike_zero(trees: list[PlainTree]) -> int:
    """Number of splits at which missing values and 0 go different ways."""
    return sum(int(np.sum(tree.missing_left != tree.zero_left)) for tree in trees)


def lowest_score(trees: list[PlainTree], leaf_type: type) -> float:
    """Lower bound on scores: the sum of the lowest leaves. Rounding is monotone, so it also bounds rounded sums."""
    total = leaf_type(0)
    with np.errstate(over="ignore"):
        for tree in trees:
            total = leaf_type(total + leaf_type(tree.leaf_value.min()))
    if not np.isfinite(total):
        raise ModelError("the sum of the trees can be beyond 3.4e38, which is all that single precision holds")
    return float(total)


def shifted(trees: list[PlainTree], leaf_type: type) -> list[PlainTree]:
    """Add the smallest constant to the first tree that makes `lowest_score` at least 0."""
    first, *others = trees
    constant = -lowest_score(trees, leaf_type)
    step = abs(constant)
    while True:
        moved = [replace(first, leaf_value=_rounded(first.leaf_value + constant, leaf_type)), *others]
        if lowest_score(moved, leaf_type) >= 0:
            return moved
        constant += step * float(np.finfo(leaf_type).eps)  # doubling steps compensate for rounding
        step *= 2


def _plain(number: int, tree: Tree, model: TreeSum, rule: Rule, leaf_type: type) -> PlainTree:
    _check(number, tree, model.features)
    threshold = around_zero(tree.threshold) if model.tiny_is_zero else tree.threshold
    zero_left = threshold >= 0
    return PlainTree(
        feature=tree.feature,
        threshold=rule(threshold),
        left=tree.left,
        right=tree.right,
        missing_left=np.where(tree.missing == NAN, tree.default_left, zero_left),
        zero_left=zero_left,
        leaf_value=_rounded(tree.leaf_value, leaf_type),
        source=tree,
    )


def _rounded(values: Floats, leaf_type: type) -> Floats:
    with np.errstate(over="ignore"):
        rounded = values.astype(leaf_type).astype(np.float64)
    if not np.all(np.isfinite(rounded)):
        raise ModelError("a leaf has a value beyond single precision, 3.4e38, which is all that the target has")
    return rounded


def _check(number: int, tree: Tree, names: Mapping[int, str]) -> None:
    if tree.categories:
        name = names[int(tree.feature[min(tree.categories)])]
        raise ModelError(
            f"tree {number} splits on the categories of {name!r}, which other engines read otherwise than LightGBM; "
            "train with a feature of 0 and 1 for each category (only --to lightgbm takes categories)"
        )
    if np.any(tree.missing == ZERO):
        name = names[int(tree.feature[np.argmax(tree.missing == ZERO)])]
        raise ModelError(
            f"tree {number} takes a {name!r} of 0 for missing (zero_as_missing), which other engines cannot say; "
            "train without it (only --to lightgbm takes it)"
        )
    if tree.linear is not None:
        raise ModelError(
            f"tree {number} has linear functions in its leaves (linear_tree), which other engines cannot say; "
            "train without them (only --to lightgbm takes them)"
        )
