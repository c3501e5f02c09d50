"""Sums of regression trees, as LightGBM has them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import sparse

from ..arrays import Floats
from ..matrix.frames import in_order_of
from .base import Model, ModelError

if TYPE_CHECKING:
    import lightgbm as lgb


@dataclass(frozen=True, eq=False)
class TreesModel(Model):
    """The sum of the first trees of a LightGBM booster.

    Attributes
    ----------
    text : str
        The booster, in LightGBM's own text format.
    n_trees : int
        How many of its trees are used.
    categories : list of str
        The columns of the training frame that hold categories.
    """

    kind: ClassVar[str] = "trees"
    allows_missing: ClassVar[bool] = True

    text: str = field(repr=False)
    n_trees: int
    categories: list[str] = field(default_factory=list)

    @cached_property
    def booster(self) -> lgb.Booster:
        """The model as LightGBM has it."""
        import lightgbm as lgb

        booster = lgb.Booster(model_str=self.text)
        booster.best_iteration = self.n_trees
        return booster

    def __getstate__(self) -> dict[str, Any]:
        """Without the booster, which the text gives back."""
        return {name: value for name, value in vars(self).items() if name != "booster"}

    @property
    def n_features(self) -> int:
        return int(self.booster.num_feature())

    def scores(self, X: Any) -> Floats:
        if self.n_trees == 0:  # which LightGBM would take for all trees
            return np.zeros(X.shape[0])
        X = sparse.csr_matrix(X) if sparse.issparse(X) else X  # LightGBM knows no sparse arrays
        return np.asarray(self.booster.predict(X, num_iteration=self.n_trees), np.float64)

    def check(self) -> None:
        import lightgbm as lgb

        # LightGBM's reader can end the process on a damaged text: this finds what is no model at all, not every damage.
        if not (isinstance(self.text, str) and self.text.startswith("tree\n") and "\nend of trees\n" in self.text):
            raise ModelError("its trees are not LightGBM's text")
        if not (isinstance(self.n_trees, int) and self.n_trees >= 0):
            raise ModelError("its n_trees must be an integer of at least 0")
        if not (isinstance(self.categories, list) and all(isinstance(name, str) for name in self.categories)):
            raise ModelError("its categories must be names of columns")
        try:
            _ = self.booster
        except lgb.basic.LightGBMError as error:
            raise ModelError(f"its trees are not LightGBM's text: {error}") from error

    @classmethod
    def _from_json(cls, name: str, value: Any) -> Any:
        return value

    def _checked(self, X: Any) -> Any:
        """A frame with categories goes to LightGBM as it is."""
        return in_order_of(self.feature_names, X) if self.categories else super()._checked(X)
