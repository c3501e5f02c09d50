"""Linear models."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from ..arrays import Floats, Ints
from ..matrix.linear_operator import MatrixOperator
from .base import Model
from .errors import ModelError
from .json_fields import FieldReader, check_sizes, integers, number, numbers
from .portable import WeightedSum

_LABELS = (str, int, float, bool)


def read_classes(name: str, value: Any) -> list[Any] | None:
    """Reader of a classifier's two labels; null for a model that only ranks."""
    if value is None or (isinstance(value, list) and len(value) == 2 and all(type(label) in _LABELS for label in value)):
        return value
    raise ModelError(f"its {name} must be a list of two labels, or null")


def _read_if_missing(name: str, value: Any) -> Floats | None:
    """Reader of a number for each feature; null for 0."""
    return None if value is None else numbers(name, value)


@dataclass(frozen=True, eq=False)
class LinearModel(Model):
    r"""Scores :math:`b + \sum_j w_j g_j(x_j)`; g is the identity or the signed logarithm sign(x) log(1 + |x|).

    Attributes
    ----------
    coef : array
        w, the weight of each feature.
    intercept : float
        b; irrelevant to a ranking, but not to a classifier's labels.
    classes : list, or None
        Labels of a classifier: for scores up to 0 and above 0.
    log_features : int64 array
        Columns of which g is the signed logarithm, ascending.
    if_missing : array, or None
        Value of each feature's term where the feature is missing; None for 0.
    """

    kind: ClassVar[str] = "linear"
    readers: ClassVar[dict[str, FieldReader]] = {
        "intercept": number,
        "classes": read_classes,
        "log_features": integers,
        "if_missing": _read_if_missing,
    }
    added_fields: ClassVar[tuple[str, ...]] = ("log_features", "if_missing")
    allows_missing: ClassVar[bool] = True

    coef: Floats
    intercept: float = 0.0
    classes: list[Any] | None = None
    log_features: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    if_missing: Floats | None = None

    @property
    def n_features(self) -> int:
        return int(self.coef.size)

    def scores(self, X: Any) -> Floats:
        if self.log_features.size or self.if_missing is not None or _has_missing(X):
            scores = self._sum_of_terms(X.toarray() if sparse.issparse(X) else X)
        else:
            scores = MatrixOperator(X).matvec(self.coef)
        return scores + self.intercept if self.intercept else scores

    @property
    def parameters(self) -> Floats:
        return self.coef

    def _derivatives(self, X: Any) -> Any:
        return X

    def portable(self) -> WeightedSum:
        return WeightedSum.from_weights(self.coef, self.intercept, self.feature_names, self.log_features, self.if_missing)

    def check(self) -> None:
        if np.ndim(self.coef) != 1 or self.coef.size == 0:
            raise ModelError("its coef must be a list of numbers, one for each feature")
        number("intercept", self.intercept)
        if self.if_missing is not None:
            check_sizes("feature", self.coef.size, if_missing=self.if_missing)
        if self.log_features.size and not (self.log_features.min() >= 0 and self.log_features.max() < self.coef.size):
            raise ModelError(f"its log_features must be integers from 0 to {self.coef.size - 1}")

    def _sum_of_terms(self, X: Any) -> Floats:
        """The sum without the intercept, for features with logarithms or missing values."""
        values = np.array(X, np.float64)
        logs = values[:, self.log_features]
        values[:, self.log_features] = np.sign(logs) * np.log1p(np.abs(logs))
        terms = values * self.coef
        total: Floats = np.where(np.isnan(terms), 0.0 if self.if_missing is None else self.if_missing, terms).sum(axis=1)
        return total


def _has_missing(X: Any) -> bool:
    values = X.data if sparse.issparse(X) else X
    return bool(values.size and np.isnan(values.min()))
