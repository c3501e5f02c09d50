"""Linear models, of features or their signed logarithms."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse

from ..arrays import Floats, Ints
from ..matrix.feature_scaling import FeatureScaling
from ..matrix.linear_operator import MatrixOperator
from .base import Model
from .errors import ModelError
from .json_fields import FieldReader, check_columns, check_sizes, integers, number, numbers
from .portable import WeightedSum

#: Number of values of X that are mapped at a time.
BLOCK = 2**20

_LABELS = (str, int, float, bool)


def read_classes(name: str, value: Any) -> list[Any] | None:
    """Reader of a classifier's two labels; null for a model that only ranks."""
    if value is None or (isinstance(value, list) and len(value) == 2 and all(type(label) in _LABELS for label in value)):
        return value
    raise ModelError(f"its {name} must be a list of two labels, or null")


def _read_if_missing(name: str, value: Any) -> Floats | None:
    return None if value is None else numbers(name, value)  # type: ignore[no-any-return]


@dataclass(frozen=True, eq=False)
class LinearModel(Model):
    r"""Scores :math:`b + \sum_j c_j(x_j)`, where :math:`c_j(x) = w_j g_j(x)`.

    g is the identity, or the signed logarithm :math:`\operatorname{sign}(x) \log(1 + |x|)`. Where x is missing (NaN), c is a
    constant.

    Attributes
    ----------
    coef : array
        w, the weight of each feature.
    intercept : float
        b; irrelevant to a ranking, but not to a classifier's labels.
    classes : list, or None
        Labels of a classifier: for scores up to 0 and above 0.
    log_features : int64 array
        Features whose signed logarithm is taken, ascending.
    if_missing : array, or None
        c of each feature where it is missing; None for 0.
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

    def times(self, factor: float) -> Self:
        """The model with all scores scaled by a factor."""
        if_missing = None if self.if_missing is None else factor * self.if_missing
        return replace(self, coef=factor * self.coef, intercept=factor * self.intercept, if_missing=if_missing)

    def scores(self, X: Any) -> Floats:
        scores = np.empty(0) if self.log_features.size else MatrixOperator(X).matvec(self.coef)
        if self.log_features.size or np.any(np.isnan(scores)):
            blocks = range(0, X.shape[0], max(1, BLOCK // X.shape[1]))
            parts = [self._scores_of_block(X[start : start + blocks.step]) for start in blocks]
            scores = np.concatenate(parts) if parts else np.empty(0)
        return scores + self.intercept if self.intercept else scores

    def _scores_of_block(self, X: Any) -> Floats:
        scores = MatrixOperator(self._mapped(X)).matvec(self.coef)
        return scores if self.if_missing is None else scores + MatrixOperator(_missing(X)).matvec(self.if_missing)

    def _mapped(self, X: Any) -> Any:
        """g of the features in double precision, and 0 for missing ones."""
        n, X = self.n_features, X.astype(np.float64, copy=False)
        return FeatureScaling(self.log_features, np.ones(n), np.zeros(n), np.empty(0, np.int64)).apply(X)

    @property
    def parameters(self) -> Floats:
        return self.coef

    def _derivatives(self, X: Any) -> Any:
        return self._mapped(X)

    def portable(self) -> WeightedSum:
        return WeightedSum.from_weights(self.coef, self.intercept, self.feature_names, self.log_features, self.if_missing)

    def check(self) -> None:
        if np.ndim(self.coef) != 1 or self.coef.size == 0:
            raise ModelError("its coef must be a list of numbers, one for each feature")
        number("intercept", self.intercept)
        if self.if_missing is not None:
            check_sizes("feature", self.n_features, if_missing=self.if_missing)
        check_columns("log_features", self.log_features, self.n_features)


def _missing(X: Any) -> Any:
    """1 where a value of X is missing, else 0; sparse if X is."""
    if not sparse.issparse(X):
        return np.isnan(X).astype(np.float64)
    return sparse.csr_array((np.isnan(X.data).astype(np.float64), X.indices, X.indptr), shape=X.shape)
