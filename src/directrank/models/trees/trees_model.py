"""Models that are sums of regression trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from scipy import sparse

from ...arrays import Floats, Ints
from ...caching import cached_property
from ...data.frames import reorder_columns
from ..base import Model
from ..errors import ModelError
from ..json_fields import FieldReader, as_list, integer, positive_integer
from ..linear import LinearModel
from ..portable import Portable, TreeSum, WeightedSum, split_parts
from .categories import Categories, as_matrix, check_columns, read_categories
from .lightgbm_text import read_text, write_text
from .scoring import Forest, leaf_values
from .tree import Tree, linear_trees

if TYPE_CHECKING:
    import lightgbm as lgb


def _read_trees(name: str, content: Any) -> tuple[Tree, ...]:
    trees = []
    for number, tree in enumerate(as_list(name, content)):
        try:
            trees.append(Tree.from_dict(tree))
        except ModelError as error:
            raise ModelError(f"tree {number}: {error}") from error
    return tuple(trees)


def _read_start(name: str, content: Any) -> LinearModel | None:
    start = None if content is None else Model.from_dict(content)
    if not isinstance(start, LinearModel | None):
        raise ModelError(f"its {name} must be linear")
    return start


@dataclass(frozen=True, eq=False)
class TreesModel(Model):
    """The sum of regression trees.

    Attributes
    ----------
    trees : tuple of Tree
    width : int
        Number of features of a row.
    categories : dict
        The categories of each categorical column of the training frame; a row's value is the position of its category.
    start : LinearModel, or None
        Linear start with logarithms of features, whose scores are added. Other linear starts are trees of one linear leaf,
        which LightGBM has too.
    """

    kind: ClassVar[str] = "trees"
    readers: ClassVar[dict[str, FieldReader]] = {
        "trees": _read_trees,
        "width": positive_integer,
        "categories": read_categories,
        "start": _read_start,
    }
    added_fields: ClassVar[tuple[str, ...]] = ("start",)
    allows_missing: ClassVar[bool] = True

    trees: tuple[Tree, ...] = field(repr=False)
    width: int
    categories: Categories = field(default_factory=dict)
    start: LinearModel | None = None

    @classmethod
    def from_lightgbm(cls, text: Any, n_trees: int, columns: list[str] | None = None) -> Self:
        """The first trees of a LightGBM booster's text, which is validated as a whole.

        Parameters
        ----------
        text : str
            The result of ``booster.model_to_string()``.
        n_trees : int
        columns : list of str, optional
            The categorical columns of the training frame.
        """
        trees, width, categories = read_text(text)
        called = columns or []
        if len(called) != len(categories):
            raise ModelError(f"it names {len(called)} columns with categories, and LightGBM's text has {len(categories)}")
        model = cls(trees[:n_trees], width, read_categories("categories", dict(zip(called, categories, strict=True))))
        model.check()
        return model

    @classmethod
    def from_portable(cls, model: Portable) -> Self:
        """The same scores as trees; a weighted sum is a tree of one linear leaf for each feature, or the `start`."""
        linear, grown = split_parts(model)
        trees, start = () if grown is None else grown.trees, None
        if linear is not None and np.any(linear.is_log):
            start = _linear_start(linear)
        elif linear is not None:
            trees = linear_trees(linear) + trees
        return cls(trees, model.width, start=start, feature_names=model.feature_names)

    @classmethod
    def mean_of(cls, models: Sequence[Self]) -> Self:
        """One model whose scores are the mean of several models' scores."""
        return models[0] if len(models) == 1 else cls.joined(models).times(1 / len(models))

    def times(self, factor: float) -> Self:
        """The model with all scores scaled by a factor."""
        start = None if self.start is None else self.start.times(factor)
        return replace(self, trees=tuple(tree.times(factor) for tree in self.trees), start=start)

    def after(self, start: TreesModel) -> Self:
        """The trees of `start`, followed by these."""
        return replace(self, trees=start.trees + self.trees, start=start.start)

    @classmethod
    def joined(cls, models: Sequence[Self]) -> Self:
        """One model with the trees of several."""
        return replace(models[0], trees=tuple(tree for model in models for tree in model.trees))

    def only(self, which: slice) -> Self:
        """A model of some of the trees."""
        return replace(self, trees=self.trees[which])

    @property
    def n_features(self) -> int:
        return self.width

    @property
    def n_trees(self) -> int:
        return len(self.trees)

    @cached_property
    def booster(self) -> lgb.Booster:
        """The trees as a LightGBM booster, for tools that take one."""
        import lightgbm as lgb

        if self.start is not None:
            raise ModelError(
                "the model starts from logarithms of features, which LightGBM cannot compute; for the trees alone take "
                "directrank.models.export.model_part(model, 'trees')"
            )
        text = write_text(self.trees, self.width, self.feature_names, list(self.categories.values()))
        booster = lgb.Booster(model_str=text)
        booster.best_iteration = self.n_trees
        return booster

    @property
    def split_counts(self) -> Ints:
        """Number of splits on each feature."""
        features = np.concatenate([np.empty(0, np.int64), *(tree.feature for tree in self.trees)])
        return np.bincount(features, minlength=self.width)

    def __getstate__(self) -> dict[str, Any]:
        """Without cached values."""
        return {name: value for name, value in vars(self).items() if name not in ("booster", "_forest")}

    def scores(self, X: Any) -> Floats:
        scores = self._forest.scores(X)
        return scores if self.start is None else self.start.scores(X) + scores

    @property
    def parameters(self) -> Floats:
        """Leaf values of all trees; the constants of linear leaves."""
        return leaf_values(self.trees)

    def _derivatives(self, X: Any) -> sparse.csr_array:
        """1 for each leaf that a row falls into."""
        leaves = self._forest.leaves(X)
        n_rows, n_trees = leaves.shape
        parts = (np.ones(leaves.size), leaves.ravel(), n_trees * np.arange(n_rows + 1))
        return sparse.csr_array(parts, shape=(n_rows, self.parameters.size))

    def portable(self) -> TreeSum:
        linear = None if self.start is None else self.start.with_feature_names(self.feature_names).portable()
        given = {"categories": list(self.categories.values())}
        return TreeSum.from_trees(self.trees, self.width, self.feature_names, linear, **given)

    def check(self) -> None:
        integer("width", self.width, 1)
        if self.start is not None:
            self.start.check()
            if self.start.n_features != self.width:
                raise ModelError(f"its start has {self.start.n_features} features, and the model has {self.width}")
        for number, tree in enumerate(self.trees):
            used = tree.features_used
            if used.size and not (used[0] >= 0 and used[-1] < self.width):
                raise ModelError(f"tree {number}: its features must be integers from 0 to {self.width - 1}")

    @cached_property
    def _forest(self) -> Forest:
        return Forest(self.trees)

    def _checked(self, X: Any) -> Any:
        """Encodes the categories of a frame as numbers."""
        if not hasattr(X, "columns"):
            return super()._checked(X)
        check_columns(self.categories, X)
        return super()._checked(as_matrix(reorder_columns(X, self.feature_names), self.categories) if self.categories else X)


def _linear_start(linear: WeightedSum) -> LinearModel:
    """A weighted sum as a linear model."""
    if np.any(np.diff(np.sort(linear.columns)) == 0):
        raise ModelError("it has weights of both a feature and its logarithm, and trees cannot start from such a sum")
    coef, if_missing = np.zeros(linear.width), np.zeros(linear.width)
    coef[linear.columns], if_missing[linear.columns] = linear.weights, linear.if_missing
    return LinearModel(coef, linear.intercept, log_features=np.sort(linear.columns[linear.is_log]), if_missing=if_missing)
