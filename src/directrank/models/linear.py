"""Linear models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..arrays import Floats
from ..matrix.linear_operator import MatrixOperator
from .base import Model
from .errors import ModelError
from .json_fields import FieldReader, number
from .portable import WeightedSum

_LABELS = (str, int, float, bool)


def read_classes(name: str, value: Any) -> list[Any] | None:
    """Reader of a classifier's two labels; null for a model that only ranks."""
    if value is None or (isinstance(value, list) and len(value) == 2 and all(type(label) in _LABELS for label in value)):
        return value
    raise ModelError(f"its {name} must be a list of two labels, or null")


@dataclass(frozen=True, eq=False)
class LinearModel(Model):
    """Scores X w + b.

    Attributes
    ----------
    coef : array
        w, the weight of each feature.
    intercept : float
        b; irrelevant to a ranking, but not to a classifier's labels.
    classes : list, or None
        Labels of a classifier: for scores up to 0 and above 0.
    """

    kind: ClassVar[str] = "linear"
    readers: ClassVar[dict[str, FieldReader]] = {"intercept": number, "classes": read_classes}

    coef: Floats
    intercept: float = 0.0
    classes: list[Any] | None = None

    @property
    def n_features(self) -> int:
        return int(self.coef.size)

    def scores(self, X: Any) -> Floats:
        scores = MatrixOperator(X).matvec(self.coef)
        return scores + self.intercept if self.intercept else scores

    @property
    def parameters(self) -> Floats:
        return self.coef

    def _derivatives(self, X: Any) -> Any:
        return X

    def portable(self) -> WeightedSum:
        return WeightedSum.from_weights(self.coef, self.intercept, self.feature_names)

    def check(self) -> None:
        if np.ndim(self.coef) != 1 or self.coef.size == 0:
            raise ModelError("its coef must be a list of numbers, one for each feature")
        number("intercept", self.intercept)
