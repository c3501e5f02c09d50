"""A model of a subset of the features."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...arrays import Floats, Ints
from ...data import Queries
from ...matrix.selection import select_columns
from ..base import Model, read_model
from ..errors import ModelError
from ..importances import Importances
from ..json_fields import FieldReader, integer, integers, positive_integer
from ..portable import Portable


@dataclass(frozen=True, eq=False)
class SelectedFeatures(Model):
    """A model of few among very many features: the ones that occur in sparse training data.

    Attributes
    ----------
    model : Model
    features : int64 array
        The columns of X that are the features of the model, ascending.
    width : int
        Number of features of a row.
    """

    kind: ClassVar[str] = "selected features"
    readers: ClassVar[dict[str, FieldReader]] = {"model": read_model, "features": integers, "width": positive_integer}

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
    def needs_qid(self) -> bool:  # type: ignore[override]
        return self.model.needs_qid

    @property
    def coef(self) -> Floats:
        """Weights of all features, if the model is linear."""
        coef = np.zeros(self.width)
        coef[self.features] = self.model.coef  # type: ignore[attr-defined]
        return coef

    @property
    def split_counts(self) -> Ints:
        """Number of splits on each feature, if the model consists of trees."""
        counts = np.zeros(self.width, np.int64)
        counts[self.features] = self.model.split_counts  # type: ignore[attr-defined]
        return counts

    def scores(self, X: Any) -> Floats:
        return self.model.scores(select_columns(X, self.features))

    def scores_of_queries(self, X: Any, queries: Queries) -> Floats:
        return self.model.scores_of_queries(select_columns(X, self.features), queries)

    @property
    def parameters(self) -> Floats:
        return self.model.parameters

    def _derivatives(self, X: Any) -> Any:
        return self.model._derivatives(select_columns(X, self.features))

    def importances(self) -> Importances:
        found = self.model.importances()
        return super().importances() if found.names else found

    def portable(self) -> Portable:
        return self.model.portable().at(self.features, self.width, self.feature_names)

    def staged_scores(self, X: Any) -> Iterator[Floats]:
        """Scores after each round, if the model grew in rounds."""
        return self.model.staged_scores(select_columns(X, self.features))  # type: ignore[attr-defined, no-any-return]

    def __getattr__(self, name: str) -> Any:
        """Other attributes of the model, such as the booster of trees, in terms of the selected features."""
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
