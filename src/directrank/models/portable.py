"""Portable forms of models, which exporters take: a weighted sum of features, or a sum of trees.

A sum of trees may contain a weighted sum, the linear start of LambdaMART, as trees of one linear leaf; `Parts` separates
the two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..caching import cached_property
from ..data.strings import is_text
from .errors import ModelError

if TYPE_CHECKING:
    from .trees.tree import Tree


#: Maximum number of features without names for which definitions are written.
MAX_UNNAMED_FEATURES = 100_000


@dataclass(frozen=True, eq=False)
class Portable:
    """A model in portable form.

    Attributes
    ----------
    columns : int64 array
        Columns of X that scores depend on, ascending.
    width : int
        Number of columns of X.
    feature_names : tuple of str, or None
        Names of all columns.
    """

    columns: Ints
    width: int
    feature_names: tuple[str, ...] | None

    def check(self) -> None:
        """Raise a `ModelError` unless the model uses features and their names are unique and valid Unicode."""
        if self.columns.size == 0:
            raise ModelError("the model uses no feature: it gives every document the same score")
        if self.feature_names is not None and len(set(self.feature_names)) < len(self.feature_names):
            repeated = next(name for name, count in Counter(self.feature_names).items() if count > 1)
            raise ModelError(f"two features have the name {repeated!r}, and features are known by their names elsewhere")
        for name in self.feature_names or ():
            if not is_text(name):
                raise ModelError(f"the name of a feature, {name!a}, is not Unicode and cannot be written; rename it")

    @cached_property
    def features(self) -> dict[int, str]:
        """Names of the used columns; f1, f2 and so on for models without names, as LETOR numbers features from 1."""
        names = self.feature_names
        return {j: _letor_name(j) if names is None else names[j] for j in self.columns.tolist()}

    def all_names(self) -> list[str]:
        """Names of all columns."""
        if self.feature_names is not None:
            return list(self.feature_names)
        if self.width > MAX_UNNAMED_FEATURES:
            raise ModelError(
                f"the model has {self.width:,} features without names; at most {MAX_UNNAMED_FEATURES:,} can be defined"
            )
        return [_letor_name(j) for j in range(self.width)]

    def at(self, columns: Ints, width: int, feature_names: tuple[str, ...] | None) -> Self:
        """The model with its columns mapped to `columns` of a wider X."""
        return replace(self, columns=columns[self.columns], width=width, feature_names=feature_names)


@dataclass(frozen=True, eq=False)
class WeightedSum(Portable):
    """The sum of weighted features and an intercept; a missing feature counts 0.

    Attributes
    ----------
    weights : array, one for each of `columns`
    intercept : float
    """

    weights: Floats
    intercept: float = 0.0
    is_log: Bools = field(default_factory=lambda: np.empty(0, bool))
    if_missing: Floats = field(default_factory=lambda: np.empty(0))

    def check(self) -> None:
        """Raise a `ModelError` also if a number overflowed."""
        super().check()
        _check_finite("weight", self.weights, self.intercept)

    @classmethod
    def from_weights(
        cls,
        coef: Floats,
        intercept: float,
        feature_names: tuple[str, ...] | None,
        log_features: Ints | Sequence[int] = (),
        if_missing: Floats | None = None,
    ) -> Self:
        """A weighted sum from the weights of all columns."""
        missing = np.zeros(coef.size) if if_missing is None else if_missing
        columns = np.flatnonzero((coef != 0) | (missing != 0))
        weights = np.asarray(coef[columns], np.float64)
        is_log = np.isin(columns, log_features) & (weights != 0)
        return cls(columns, coef.size, feature_names, weights, float(intercept), is_log, missing[columns].astype(np.float64))

    @classmethod
    def from_terms(
        cls, columns: Ints, weights: Floats, intercept: float, width: int, feature_names: tuple[str, ...] | None
    ) -> Self:
        """A weighted sum from terms of which several may have the same column."""
        unique, place = np.unique(columns, return_inverse=True)
        summed = np.bincount(place, weights, minlength=unique.size).astype(np.float64)
        return cls(unique, width, feature_names, summed, float(intercept))


@dataclass(frozen=True, eq=False)
class TreeSum(Portable):
    """The sum of trees.

    Attributes
    ----------
    trees : tuple of Tree
    categories : list of lists
        Categories of the training frame's categorical columns, as in LightGBM's text.
    tiny_is_zero : bool
        Whether values up to 1e-35 are treated as 0, as in LightGBM.
    """

    trees: tuple[Tree, ...]
    categories: list[list[Any]] = field(default_factory=list)
    tiny_is_zero: bool = True

    @classmethod
    def from_trees(cls, trees: tuple[Tree, ...], width: int, feature_names: tuple[str, ...] | None, **others: Any) -> Self:
        used = np.unique(np.concatenate([np.empty(0, np.int64), *(tree.features_used for tree in trees)]))
        return cls(used, width, feature_names, trees, **others)

    def check(self) -> None:
        """Raise a `ModelError` also if a number overflowed, or a threshold is not finite."""
        super().check()
        for tree in self.trees:
            if not np.all(np.isfinite(tree.threshold)):
                raise ModelError("a threshold of the model is not a finite number, which exports need")
            _check_finite("leaf", tree.leaf_value)
            if tree.linear is not None:
                _check_finite("linear leaf", tree.linear.constant, *tree.linear.coefficients)

    def at(self, columns: Ints, width: int, feature_names: tuple[str, ...] | None) -> Self:
        wider = super().at(columns, width, feature_names)
        return replace(wider, trees=tuple(_tree_at(tree, columns) for tree in self.trees))


class Parts(NamedTuple):
    """A model as the sum of a weighted sum and of trees, each of which may be absent.

    Attributes
    ----------
    linear : WeightedSum, or None
    trees : TreeSum, or None
        Trees without the linear leaves of `linear`, and without the single leaves that its intercept includes.
    """

    linear: WeightedSum | None
    trees: TreeSum | None


def split_parts(model: Portable) -> Parts:
    """Separate the weighted sum of a model from its trees."""
    if isinstance(model, WeightedSum):
        return Parts(model, None)
    assert isinstance(model, TreeSum)
    given = {"categories": model.categories, "tiny_is_zero": model.tiny_is_zero}
    trees = tuple(_without_empty_leaf(tree) for tree in model.trees)
    terms = [tree.linear for tree in trees if tree.linear is not None and _is_linear_term(tree)]
    if not terms:
        return Parts(None, replace(model, trees=trees))
    grown = tuple(tree for tree in trees if tree.n_splits or not (_is_linear_term(tree) or tree.linear is None))
    constants = [tree.leaf_value[0] for tree in trees if tree.n_splits == 0 and tree.linear is None]
    columns = np.concatenate([term.features[0] for term in terms])
    weights = np.concatenate([term.coefficients[0] for term in terms])
    intercept = float(sum([term.constant[0] for term in terms] + constants))
    return Parts(
        WeightedSum.from_terms(columns, weights, intercept, model.width, model.feature_names),
        TreeSum.from_trees(grown, model.width, model.feature_names, **given) if grown else None,
    )


def _is_linear_term(tree: Tree) -> bool:
    """Whether a tree is a constant plus a weighted feature that counts 0 if it is missing."""
    leaves = tree.linear
    return (
        leaves is not None
        and tree.n_splits == 0
        and leaves.features[0].size == 1
        and leaves.constant[0] == tree.leaf_value[0]
    )


def _without_empty_leaf(tree: Tree) -> Tree:
    """A single linear leaf without features as a plain leaf."""
    if tree.linear is None or tree.n_splits or tree.linear.features[0].size:
        return tree
    return replace(tree, leaf_value=tree.linear.constant, linear=None)


def _check_finite(what: str, *numbers: Floats | float) -> None:
    """Raise a `ModelError` for numbers that overflowed when models were multiplied and added."""
    if not all(np.all(np.isfinite(values)) for values in numbers):
        raise ModelError(f"a {what} of the model is too large for double precision once its parts are multiplied and added")


def _letor_name(column: int) -> str:
    return f"f{column + 1}"


def _tree_at(tree: Tree, columns: Ints) -> Tree:
    leaves = tree.linear
    if leaves is not None:
        leaves = replace(leaves, features=tuple(columns[part] for part in leaves.features))
    return replace(tree, feature=columns[tree.feature], linear=leaves)
