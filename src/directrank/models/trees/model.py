"""The sum of regression trees as a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from scipy import sparse

from ...arrays import Floats, Ints
from ...caching import cached_property
from ...matrix.frames import in_order_of
from ..base import Model
from ..checks import ModelError, integer, names as as_names
from ..portable import TreeSum, WeightedSum
from .categories import Categories, as_matrix, categories_from_json, check_columns
from .lightgbm_text import read_text, write_text
from .scoring import Forest, values_of_leaves
from .tree import Tree, linear_tree

if TYPE_CHECKING:
    import lightgbm as lgb


@dataclass(frozen=True, eq=False)
class TreesModel(Model):
    """The sum of regression trees.

    Attributes
    ----------
    trees : tuple of Tree
    width : int
        How many features a row has.
    categories : dict
        For each column of the training frame that held categories, these; a row's value is the position of its category.
    """

    kind: ClassVar[str] = "trees"
    allows_missing: ClassVar[bool] = True

    trees: tuple[Tree, ...] = field(repr=False)
    width: int
    categories: Categories = field(default_factory=dict)

    @classmethod
    def from_lightgbm(cls, text: Any, n_trees: int, columns: list[str] | None = None) -> Self:
        """The first trees of a LightGBM booster's text, all of which is checked.

        Parameters
        ----------
        text : str
            What ``booster.model_to_string()`` gives.
        n_trees : int
        columns : list of str, optional
            The columns of the training frame that held categories.
        """
        trees, width, categories = read_text(text)
        called = columns or []
        if len(called) != len(categories):
            raise ModelError(f"it names {len(called)} columns with categories, and LightGBM's text has {len(categories)}")
        model = cls(trees[:n_trees], width, categories_from_json(dict(zip(called, categories, strict=True))))
        model.check()
        return model

    @classmethod
    def from_portable(cls, model: WeightedSum | TreeSum) -> Self:
        """The same scores as trees; a weighted sum is a tree of one leaf, with a linear function in it.

        But for rows with missing values: where any feature of a linear leaf is NaN, LightGBM gives its constant alone,
        while a feature that is missing counts 0 in a weighted sum.
        """
        trees = model.trees if isinstance(model, TreeSum) else (linear_tree(model.columns, model.weights, model.intercept),)
        return cls(trees, model.width, feature_names=model.feature_names)

    @classmethod
    def mean_of(cls, models: Sequence[Self]) -> Self:
        """One model that gives the mean of the scores of several."""
        first, n = models[0], len(models)
        return (
            first if n == 1 else replace(first, trees=tuple(tree.times(1 / n) for model in models for tree in model.trees))
        )

    def after(self, start: TreesModel) -> Self:
        """The same trees behind those of a start."""
        return replace(self, trees=start.trees + self.trees)

    @classmethod
    def joined(cls, models: Sequence[Self]) -> Self:
        """One model that has the trees of several, one after another."""
        return replace(models[0], trees=tuple(tree for model in models for tree in model.trees))

    def only(self, which: slice) -> Self:
        """Some of the trees."""
        return replace(self, trees=self.trees[which])

    @property
    def n_features(self) -> int:
        return self.width

    @property
    def n_trees(self) -> int:
        return len(self.trees)

    @cached_property
    def booster(self) -> lgb.Booster:
        """The same trees as LightGBM has them, for its tools and for others that take a booster."""
        import lightgbm as lgb

        text = write_text(self.trees, self.width, self.feature_names, list(self.categories.values()))
        booster = lgb.Booster(model_str=text)
        booster.best_iteration = self.n_trees
        return booster

    @property
    def split_counts(self) -> Ints:
        """How often each feature is split on."""
        features = np.concatenate([np.empty(0, np.int64), *(tree.feature for tree in self.trees)])
        return np.bincount(features, minlength=self.width)

    def __getstate__(self) -> dict[str, Any]:
        """Without what the trees give back."""
        return {name: value for name, value in vars(self).items() if name not in ("booster", "_forest")}

    def scores(self, X: Any) -> Floats:
        return self._forest.scores(X)

    @property
    def parameters(self) -> Floats:
        """The values of the leaves, tree after tree; of linear leaves, the constants."""
        return values_of_leaves(self.trees)

    def _derivatives(self, X: Any) -> sparse.csr_array:
        """1 for the leaves that a row comes to."""
        leaves = self._forest.leaves(X)
        n_rows, n_trees = leaves.shape
        parts = (np.ones(leaves.size), leaves.ravel(), n_trees * np.arange(n_rows + 1))
        return sparse.csr_array(parts, shape=(n_rows, self.parameters.size))

    def portable(self) -> TreeSum:
        return TreeSum.of(self.trees, self.width, self.feature_names, categories=list(self.categories.values()))

    def check(self) -> None:
        integer("width", self.width, 1)
        for number, tree in enumerate(self.trees):
            used = tree.features_used
            if used.size and not (used[0] >= 0 and used[-1] < self.width):
                raise ModelError(f"tree {number}: its features must be integers from 0 to {self.width - 1}")

    @cached_property
    def _forest(self) -> Forest:
        return Forest(self.trees)

    @classmethod
    def _to_json(cls, value: Any) -> Any:
        return [tree.to_json() for tree in value] if isinstance(value, tuple) else super()._to_json(value)

    @classmethod
    def _from_json(cls, name: str, value: Any) -> Any:
        if name == "width":
            return integer(name, value, 1)
        return _trees_from_json(value) if name == "trees" else categories_from_json(value)

    @classmethod
    def _fields_from_json(cls, content: dict[str, Any]) -> dict[str, Any]:
        """Also of a file that holds LightGBM's text, as directrank wrote them before its own trees."""
        if "text" not in content:
            return super()._fields_from_json(content)
        columns = as_names("categories", content.get("categories", []))
        model = cls.from_lightgbm(content["text"], integer("n_trees", content.get("n_trees"), 0), list(columns))
        return {"trees": model.trees, "width": model.width, "categories": model.categories}

    def _checked(self, X: Any) -> Any:
        """A frame's categories become numbers; what has no columns has numbers already."""
        if not hasattr(X, "columns"):
            return super()._checked(X)
        check_columns(self.categories, X)
        return super()._checked(as_matrix(in_order_of(self.feature_names, X), self.categories) if self.categories else X)


def _trees_from_json(content: Any) -> tuple[Tree, ...]:
    if not isinstance(content, list):
        raise ModelError("its trees must be a list")
    trees = []
    for number, tree in enumerate(content):
        try:
            trees.append(Tree.from_json(tree))
        except ModelError as error:
            raise ModelError(f"tree {number}: {error}") from error
    return tuple(trees)
