"""A model of some of the features."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..arrays import Floats, Ints
from ..matrix.selection import select_columns
from .base import Model
from .checks import ModelError, integer, numbers
from .importances import Importances
from .portable import TreeSum, WeightedSum


@dataclass(frozen=True, eq=False)
class SelectedFeatures(Model):
    """Scores of a model that sees few of very many features: those that occurred in sparse training data.

    Attributes
    ----------
    model : Model
    features : int64 array
        The columns of X that the model sees as its own, ascending.
    width : int
        How many features a row has.
    """

    kind: ClassVar[str] = "selected features"

    model: Model
    features: Ints
    width: int

    @property
    def n_features(self) -> int:
        return self.width

    @property
    def allows_missing(self) -> bool:  # type: ignore[override]
        return self.model.allows_missing

    @property
    def coef(self) -> Floats:
        """Of a linear model, the weights of all features."""
        coef = np.zeros(self.width)
        coef[self.features] = self.model.coef  # type: ignore[attr-defined]
        return coef

    @property
    def split_counts(self) -> Ints:
        """Of trees, how often each of all features is split on."""
        counts = np.zeros(self.width, np.int64)
        counts[self.features] = self.model.split_counts  # type: ignore[attr-defined]
        return counts

    def scores(self, X: Any) -> Floats:
        return self.model.scores(select_columns(X, self.features))

    @property
    def parameters(self) -> Floats:
        return self.model.parameters

    def _derivatives(self, X: Any) -> Any:
        return self.model._derivatives(select_columns(X, self.features))

    def importances(self) -> Importances:
        found = self.model.importances()
        return super().importances() if found.names else found

    def portable(self) -> WeightedSum | TreeSum:
        return self.model.portable().at(self.features, self.width, self.feature_names)

    def staged_scores(self, X: Any) -> Iterator[Floats]:
        """Of a model that grew in rounds, the scores after each."""
        return self.model.staged_scores(select_columns(X, self.features))  # type: ignore[attr-defined, no-any-return]

    def __getattr__(self, name: str) -> Any:
        """What else the model has, such as the booster of trees; its features are the selected ones."""
        if name.startswith("__") or name == "model":
            raise AttributeError(name)
        return getattr(self.model, name)

    def check(self) -> None:
        self.model.check()
        integer("width", self.width, 1)
        if self.features.shape != (self.model.n_features,):
            raise ModelError(f"its features must be {self.model.n_features} integers, as many as its model has")
        if self.features[0] < 0 or self.features[-1] >= self.width or np.any(np.diff(self.features) <= 0):
            raise ModelError(f"its features must be ascending integers from 0 to {self.width - 1}")

    @classmethod
    def _to_json(cls, value: Any) -> Any:
        return value.to_dict() if isinstance(value, Model) else super()._to_json(value)

    @classmethod
    def _from_json(cls, name: str, value: Any) -> Any:
        if name == "model":
            return Model.from_dict(value)
        return numbers(name, value, np.int64) if name == "features" else integer(name, value, 1)
