"""Portable forms of models, which exporters take: a weighted sum, one of piecewise-linear functions, or a sum of trees.

A sum of trees may start from a weighted sum, the linear start of LambdaMART; `split_parts` separates the two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
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


#: Users of a `PiecewiseSum`, in messages.
TAKE_PIECES = "predict and the exports to python, sql, onnx and vespa"

_PER_TERM = ("columns", "weights", "is_log", "if_missing")


class Term(NamedTuple):
    """A feature's term in a weighted sum.

    Attributes
    ----------
    column : int
    name : str
    weight : float
    is_log : bool
        Whether the weight multiplies the signed logarithm of the feature.
    if_missing : float
        The term's value where the feature is missing.
    """

    column: int
    name: str
    weight: float
    is_log: bool
    if_missing: float


@dataclass(frozen=True, eq=False)
class WeightedSum(Portable):
    r"""The sum of an intercept and a term of each feature.

    The term of x is its weight times x, or times the signed logarithm :math:`\operatorname{sign}(x) \log(1 + |x|)`; it is a
    constant where x is missing.

    Attributes
    ----------
    columns : int64 array
        Ascending; a column occurs twice if both it and its logarithm have a weight.
    weights : array, one for each of `columns`
    intercept : float
    is_log : bool array, one for each of `columns`
        Whether the weight multiplies the signed logarithm.
    if_missing : array, one for each of `columns`
        The term's value where the feature is missing; of a column that occurs twice, in its first term.
    """

    weights: Floats
    intercept: float
    is_log: Bools
    if_missing: Floats

    @classmethod
    def from_weights(
        cls,
        coef: Floats,
        intercept: float,
        feature_names: tuple[str, ...] | None,
        log_features: Ints | Sequence[int] = (),
        if_missing: Floats | None = None,
    ) -> Self:
        """A weighted sum from the weights of all columns.

        Parameters
        ----------
        coef : array, one for each column
        intercept : float
        feature_names : tuple of str, or None
        log_features : int64 array
            Columns of which the weight multiplies the signed logarithm.
        if_missing : array, one for each column, or None
            Value of each column's term where it is missing; None for 0.
        """
        missing = np.zeros(coef.size) if if_missing is None else if_missing
        columns = np.flatnonzero((coef != 0) | (missing != 0))
        weights = np.asarray(coef[columns], np.float64)
        is_log = np.isin(columns, log_features) & (weights != 0)
        return cls(columns, coef.size, feature_names, weights, float(intercept), is_log, missing[columns].astype(np.float64))

    @classmethod
    def total(cls, parts: Sequence[Self]) -> Self:
        """The sum of weighted sums of the same columns."""
        joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _PER_TERM}
        terms, place = np.unique(2 * joined["columns"] + joined["is_log"], return_inverse=True)
        columns, is_log = terms // 2, terms % 2 == 1
        first_terms = np.searchsorted(columns, joined["columns"])
        weights = np.bincount(place, joined["weights"], terms.size).astype(np.float64)
        if_missing = np.bincount(first_terms, joined["if_missing"], terms.size).astype(np.float64)
        intercept, first = float(sum(part.intercept for part in parts)), parts[0]
        return cls(columns, first.width, first.feature_names, weights, intercept, is_log, if_missing)

    def times(self, factor: float) -> Self:
        """The sum scaled by a factor."""
        return replace(
            self,
            weights=factor * self.weights,
            intercept=factor * self.intercept,
            if_missing=factor * self.if_missing,
        )

    def only(self, which: Bools) -> Self:
        """The intercept and some of the terms."""
        return replace(self, **{name: getattr(self, name)[which] for name in _PER_TERM})

    @property
    def is_plain(self) -> bool:
        """Whether it has no logarithm, and missing features count 0."""
        return not (np.any(self.is_log) or np.any(self.if_missing))

    @property
    def terms(self) -> list[Term]:
        """The terms, in the order of the columns."""
        values = zip(*(getattr(self, name).tolist() for name in _PER_TERM), strict=True)
        return [Term(column, self.features[column], *others) for column, *others in values]

    def check(self) -> None:
        """Raise a `ModelError` also if a number overflowed."""
        super().check()
        self.check_finite()

    def check_finite(self) -> None:
        """Raise a `ModelError` if a number overflowed."""
        _check_finite("weight", self.weights, self.intercept, self.if_missing)


class Pieces(NamedTuple):
    """A piecewise-linear function of a feature, constant before the first knot and after the last; 0 if it is missing.

    Attributes
    ----------
    column : int
    knots, values : arrays
        Ascending knots, at least two, and the values there.
    """

    column: int
    knots: Floats
    values: Floats

    @property
    def slopes(self) -> Floats:
        """Slope between each knot and the next."""
        slopes: Floats = np.diff(self.values) / np.diff(self.knots)
        return slopes


@dataclass(frozen=True, eq=False)
class PiecewiseSum(Portable):
    """The sum of a weighted sum and of piecewise-linear functions of features.

    Attributes
    ----------
    linear : WeightedSum
        With what a missing feature adds in all.
    pieces : tuple of Pieces
    """

    linear: WeightedSum
    pieces: tuple[Pieces, ...]

    @classmethod
    def of(cls, linear: WeightedSum, pieces: Sequence[Pieces]) -> Self:
        columns = np.union1d(linear.columns, np.array([part.column for part in pieces], np.int64))
        return cls(columns, linear.width, linear.feature_names, linear, tuple(pieces))

    def check(self) -> None:
        """Raise a `ModelError` also if a number overflowed."""
        super().check()
        self.linear.check_finite()
        with np.errstate(over="ignore", invalid="ignore"):
            _check_finite(
                "value or slope at a knot", *(part.values for part in self.pieces), *(p.slopes for p in self.pieces)
            )

    def at(self, columns: Ints, width: int, feature_names: tuple[str, ...] | None) -> Self:
        linear = self.linear.at(columns, width, feature_names)
        return self.of(linear, [part._replace(column=int(columns[part.column])) for part in self.pieces])


@dataclass(frozen=True, eq=False)
class TreeSum(Portable):
    """The sum of trees, and of the weighted sum that they start from, if any.

    Attributes
    ----------
    trees : tuple of Tree
    linear : WeightedSum, or None
        The linear start.
    categories : list of lists
        Categories of the training frame's categorical columns, as in LightGBM's text.
    tiny_is_zero : bool
        Whether values up to 1e-35 are treated as 0, as in LightGBM.
    """

    trees: tuple[Tree, ...]
    linear: WeightedSum | None = None
    categories: list[list[Any]] = field(default_factory=list)
    tiny_is_zero: bool = True

    @classmethod
    def from_trees(
        cls,
        trees: tuple[Tree, ...],
        width: int,
        feature_names: tuple[str, ...] | None,
        linear: WeightedSum | None = None,
        **others: Any,
    ) -> Self:
        """A sum of trees, and of a weighted sum.

        Trees of a single linear leaf of one feature, as which `TreesModel` has a linear start, become terms of `linear`; if
        there is a linear start, single leaves become part of its intercept.
        """
        trees = tuple(_without_empty_leaf(tree) for tree in trees)
        terms = [tree for tree in trees if _is_term(tree)]
        if terms or linear is not None:
            constants = [tree for tree in trees if tree.n_splits == 0 and tree.linear is None]
            trees = tuple(tree for tree in trees if tree.n_splits or not (_is_term(tree) or tree.linear is None))
            start = _sum_of_leaves(terms, constants, width, feature_names)
            linear = start if linear is None else WeightedSum.total([linear, start])
        used = _columns_of(trees) if linear is None else np.union1d(linear.columns, _columns_of(trees))
        return cls(used, width, feature_names, trees, linear, **others)

    def check(self) -> None:
        """Raise a `ModelError` also if a number overflowed, or a threshold is not finite."""
        super().check()
        if self.linear is not None:
            self.linear.check_finite()
        for tree in self.trees:
            if not np.all(np.isfinite(tree.threshold)):
                raise ModelError("a threshold of the model is not a finite number, which exports need")
            _check_finite("leaf", tree.leaf_value)
            if tree.linear is not None:
                _check_finite("linear leaf", tree.linear.constant, *tree.linear.coefficients)

    def at(self, columns: Ints, width: int, feature_names: tuple[str, ...] | None) -> Self:
        wider = super().at(columns, width, feature_names)
        linear = None if self.linear is None else self.linear.at(columns, width, feature_names)
        return replace(wider, trees=tuple(_tree_at(tree, columns) for tree in self.trees), linear=linear)


class Parts(NamedTuple):
    """A model as the sum of a weighted sum and of trees, each of which may be absent.

    Attributes
    ----------
    linear : WeightedSum, or None
    trees : TreeSum, or None
        Without a linear start.
    """

    linear: WeightedSum | None
    trees: TreeSum | None


def split_parts(model: Portable) -> Parts:
    """Separate the weighted sum of a model from its trees; raises a `ModelError` for a `PiecewiseSum`."""
    if isinstance(model, PiecewiseSum):
        raise ModelError(
            f"the model has piecewise-linear functions of features (basis='piecewise'), which only {TAKE_PIECES} take; "
            "train with basis='linear'"
        )
    if isinstance(model, WeightedSum):
        return Parts(model, None)
    assert isinstance(model, TreeSum)
    if model.linear is None:
        return Parts(None, model)
    trees = replace(model, columns=_columns_of(model.trees), linear=None) if model.trees else None
    return Parts(model.linear, trees)


def _columns_of(trees: Iterable[Tree]) -> Ints:
    """Columns that trees depend on, ascending."""
    return np.unique(np.concatenate([np.empty(0, np.int64), *(tree.features_used for tree in trees)]))


def _is_term(tree: Tree) -> bool:
    """Whether a tree is a constant plus the term of a feature."""
    return tree.linear is not None and tree.n_splits == 0 and tree.linear.features[0].size == 1


def _sum_of_leaves(
    terms: Sequence[Tree], constants: Sequence[Tree], width: int, feature_names: tuple[str, ...] | None
) -> WeightedSum:
    """Single leaves, of which `terms` are linear functions of one feature, as a weighted sum."""
    leaves = [tree.linear for tree in terms if tree.linear is not None]
    starts = np.array([leaf.constant[0] for leaf in leaves], np.float64)
    values = np.array([tree.leaf_value[0] for tree in terms], np.float64)
    columns = np.array([leaf.features[0][0] for leaf in leaves], np.int64)
    weights = np.array([leaf.coefficients[0][0] for leaf in leaves], np.float64)
    intercept = float(sum([*starts.tolist(), *(tree.leaf_value[0] for tree in constants)]))
    none = np.zeros(columns.size, bool)
    return WeightedSum.total([WeightedSum(columns, width, feature_names, weights, intercept, none, values - starts)])


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
