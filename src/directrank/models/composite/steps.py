"""Preprocessing steps of pipelines, as immutable values."""

from __future__ import annotations

import reprlib
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
from scipy import sparse

from ...arrays import Floats, Ints
from ...data import InputError, Queries
from ...matrix.binning import bin_columns, binary_features
from ...matrix.feature_scaling import FeatureScaling
from ...matrix.piecewise_basis import values_at_knots, with_piecewise_basis
from ...matrix.query_scaling import min_max, percentiles, scale_within_queries, sparse_min_max
from ..base import Model
from ..errors import ModelError
from ..json_fields import (
    FieldReader,
    as_json,
    check_columns,
    check_sizes,
    field_of,
    integer,
    integers,
    list_of,
    numbers,
    positive_integer,
    read_fields,
    string,
)
from ..linear import LinearModel
from ..portable import Pieces, PiecewiseSum, Portable, WeightedSum
from ..stumps import StumpsModel

WITHIN_QUERIES = {"min-max": min_max, "percentiles": percentiles}


@dataclass(frozen=True, eq=False)
class Step(ABC):
    """A transformation of rows of features, as an immutable value.

    A subclass is a frozen dataclass. It declares its `kind`, and `readers` for the fields that are not arrays of numbers; it
    implements `n_features`, `apply`, `check` and `merged_into`, and if it changes the number of features, `n_features_out`
    and `names_out`.
    """

    kinds: ClassVar[dict[str, type[Step]]] = {}
    kind: ClassVar[str]
    #: Readers of the fields that are not arrays of numbers.
    readers: ClassVar[dict[str, FieldReader]] = {}
    #: Whether the result for a row depends on the other rows of its query.
    needs_qid: ClassVar[bool] = False
    #: Whether missing values are accepted, and replaced.
    takes_missing: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        Step.kinds[cls.kind] = cls

    @property
    @abstractmethod
    def n_features(self) -> int:
        """Number of input features."""

    @property
    def n_features_out(self) -> int:
        """Number of output features."""
        return self.n_features

    @abstractmethod
    def apply(self, X: Any, queries: Queries) -> Any:
        """Transform rows."""

    @abstractmethod
    def check(self) -> None:
        """Raise a `ModelError` unless all parts fit together."""

    def names_out(self, names: list[str]) -> list[str]:
        """Names of the output features."""
        return names

    @abstractmethod
    def merged_into(self, model: Model) -> Model:
        """One model that ranks like this step followed by `model`; raises a `ModelError` if no such model exists."""

    def portable(self, model: Model, feature_names: tuple[str, ...] | None) -> Portable:
        """What exporters take, for this step followed by `model`, of features with these names."""
        return self.merged_into(model).with_feature_names(feature_names).portable()

    def to_dict(self) -> dict[str, Any]:
        """The step as JSON content, which `from_dict` reads."""
        return {"kind": self.kind, **{part.name: as_json(getattr(self, part.name)) for part in fields(self)}}

    @staticmethod
    def from_dict(content: Any) -> Step:
        """The step of the JSON content that `to_dict` writes; raises a `ModelError` if it is invalid."""
        kind = field_of(content, "kind")
        cls = Step.kinds.get(kind) if isinstance(kind, str) else None
        if cls is None:
            raise ModelError(f"unknown kind of step {reprlib.repr(kind)}; there are {', '.join(sorted(Step.kinds))}")
        step = cls(**read_fields(content, [part.name for part in fields(cls)], cls.readers))
        step.check()
        return step


def read_step(name: str, content: Any) -> Step:
    """Reader of a field that holds a step."""
    return Step.from_dict(content)


@dataclass(frozen=True, eq=False)
class QueryScaling(Step):
    """Scaling of each feature within each query, as in `QueryMinMax` and `QueryPercentile`; a sparse X to "min-max" only.

    Attributes
    ----------
    to : {"min-max", "percentiles"}
    width : int
    """

    kind: ClassVar[str] = "query scaling"
    needs_qid: ClassVar[bool] = True
    readers: ClassVar[dict[str, FieldReader]] = {"to": string, "width": positive_integer}

    to: str
    width: int

    @property
    def n_features(self) -> int:
        return self.width

    def apply(self, X: Any, queries: Queries) -> Any:
        if sparse.issparse(X) and self.to == "min-max":
            return sparse_min_max(queries, X)
        return scale_within_queries(queries, _dense(X), WITHIN_QUERIES[self.to])

    def check(self) -> None:
        integer("width", self.width, 1)
        if self.to not in WITHIN_QUERIES:
            raise ModelError(f"its features must be scaled to {' or '.join(WITHIN_QUERIES)}, not {reprlib.repr(self.to)}")

    def merged_into(self, model: Model) -> Model:
        raise ModelError(
            "the model scales features within each query, and elsewhere documents are scored one at a time; train "
            "without scaling='query' or a scaler of queries, or scale them there and export the model after it"
        )


@dataclass(frozen=True, eq=False)
class ColumnScaling(Step):
    """Scaling of columns, (x - centre) / divisor * factor + offset, as in scikit-learn's scalers.

    Results are equal to the last bit except for sparse float32 data, where MaxAbsScaler inverts the divisor in single
    precision.

    Attributes
    ----------
    centre, divisor, factor, offset : arrays, one entry for each feature
    """

    kind: ClassVar[str] = "column scaling"

    centre: Floats
    divisor: Floats
    factor: Floats
    offset: Floats

    @property
    def n_features(self) -> int:
        return int(self.centre.size)

    def apply(self, X: Any, queries: Queries) -> Any:
        if sparse.issparse(X):
            return self._apply_to_sparse(X)
        scaled = np.array(X)
        scaled -= self.centre.astype(X.dtype)
        scaled /= self.divisor.astype(X.dtype)
        scaled *= self.factor
        scaled += self.offset
        return scaled

    def _apply_to_sparse(self, X: Any) -> Any:
        if np.any(self.centre) or np.any(self.offset):
            raise InputError("the model moves features by a constant, which a sparse X cannot hold; pass a dense one")
        scaled = X.copy()
        scaled.data *= np.take((1 / self.divisor) * self.factor, X.indices)
        return scaled

    def check(self) -> None:
        parts = {"divisor": self.divisor, "factor": self.factor, "offset": self.offset}
        check_sizes("feature", self.n_features, **parts)
        if not np.all(self.divisor) or not np.all(self.factor):
            raise ModelError("its divisor and factor must not be 0")

    def merged_into(self, model: Model) -> Model:
        """A linear model with other weights."""
        if not isinstance(model, LinearModel):
            raise ModelError(
                "after a scaler of columns only linear models can be exported; trees need no scaler: train without it"
            )
        if model.log_features.size:
            raise ModelError(
                "after a scaler of columns the model takes logarithms of features, which cannot be merged into one model; "
                "train without the scaler, or with scaling='standard'"
            )
        weights = model.coef * self.factor / self.divisor
        moved = model.coef * self.offset - weights * self.centre  # a missing feature has no part in it
        if_missing = -moved if model.if_missing is None else model.if_missing - moved
        known = if_missing if np.any(if_missing) else None
        return LinearModel(weights, model.intercept + float(np.sum(moved)), model.classes, if_missing=known)


@dataclass(frozen=True, eq=False)
class FeatureMap(Step):
    """Features as the kernels of SVMs take them: see `FeatureScaling`, whose attributes it has.

    Attributes
    ----------
    log_features : int64 array
    divisor, fill : arrays, one entry for each feature
    indicators : int64 array
    """

    kind: ClassVar[str] = "feature map"
    readers: ClassVar[dict[str, FieldReader]] = {"log_features": integers, "indicators": integers}
    takes_missing: ClassVar[bool] = True

    log_features: Ints
    divisor: Floats
    fill: Floats
    indicators: Ints

    @classmethod
    def of(cls, features: FeatureScaling) -> Self:
        return cls(features.log_features, features.divisor, features.fill, features.indicators)

    @property
    def n_features(self) -> int:
        return int(self.divisor.size)

    @property
    def n_features_out(self) -> int:
        return self.n_features + int(self.indicators.size)

    def apply(self, X: Any, queries: Queries) -> Any:
        return FeatureScaling(self.log_features, self.divisor, self.fill, self.indicators).apply(X)

    def check(self) -> None:
        check_sizes("feature", self.n_features, fill=self.fill)
        if not np.all(self.divisor):
            raise ModelError("its divisor must not be 0")
        for name, columns in (("log_features", self.log_features), ("indicators", self.indicators)):
            check_columns(name, columns, self.n_features)

    def names_out(self, names: list[str]) -> list[str]:
        return names + [f"{names[j]} is missing" for j in self.indicators.tolist()]

    def merged_into(self, model: Model) -> NoReturn:
        raise ModelError("features that are scaled for a kernel cannot be merged into one model; score in Python")


@dataclass(frozen=True, eq=False)
class PiecewiseBasis(Step):
    """Piecewise-linear functions of single features, after the features themselves: see `with_piecewise_basis`.

    Attributes
    ----------
    knots : list of arrays
        Ascending knots of each feature, at least three; none for a feature that is only taken as it is.
    ranks : list of arrays
        The feature's rank at each knot, ascending.
    hinges : array
        Ranks at which the hinges begin.
    """

    kind: ClassVar[str] = "piecewise basis"
    readers: ClassVar[dict[str, FieldReader]] = {"knots": list_of(numbers), "ranks": list_of(numbers)}
    takes_missing: ClassVar[bool] = True

    knots: list[Floats]
    ranks: list[Floats]
    hinges: Floats

    @property
    def n_features(self) -> int:
        return len(self.knots)

    @property
    def n_features_out(self) -> int:
        return self.n_features + self._with_knots.size * (1 + self.hinges.size)

    @property
    def _with_knots(self) -> Ints:
        """Features with knots."""
        return np.flatnonzero([part.size for part in self.knots])

    def apply(self, X: Any, queries: Queries) -> Any:
        return with_piecewise_basis(_dense(X), self.knots, self.ranks, self.hinges)

    def check(self) -> None:
        if not self.knots or len(self.ranks) != self.n_features:
            raise ModelError("its knots and ranks must be lists of numbers for each feature")
        for knots, ranks in zip(self.knots, self.ranks, strict=True):
            check_sizes("knot", knots.size, ranks=ranks)
            if knots.size in (1, 2) or np.any(np.diff(knots) <= 0) or np.any(np.diff(ranks) <= 0):
                raise ModelError("its knots and ranks must be none, or at least three ascending numbers, for each feature")

    def names_out(self, names: list[str]) -> list[str]:
        functions = ["rank of {}", *(f"rank of {{}} above {hinge!r}" for hinge in self.hinges.tolist())]
        return names + [function.format(names[j]) for j in self._with_knots.tolist() for function in functions]

    def merged_into(self, model: Model) -> NoReturn:
        raise ModelError(
            "the model has piecewise-linear functions of features (basis='piecewise') after other steps, and no export "
            "has both; train with basis='linear', or without the other steps"
        )

    def portable(self, model: Model, feature_names: tuple[str, ...] | None) -> PiecewiseSum:
        """The sum of the features' terms, and of one piecewise-linear function of each feature with knots."""
        linear = model.portable()
        if not isinstance(linear, WeightedSum) or np.any(np.diff(linear.columns) == 0):
            raise ModelError("piecewise-linear functions (basis='piecewise') can be exported before one linear model only")
        width, columns, shape = self.n_features, self._with_knots, (self._with_knots.size, 1 + self.hinges.size)
        weights, if_missing = np.zeros((2, self.n_features_out))
        weights[linear.columns], if_missing[linear.columns] = linear.weights, linear.if_missing
        if_missing[columns] += if_missing[width:].reshape(shape).sum(axis=1)
        pieces = [
            Pieces(j, self.knots[j], own @ values_at_knots(self.ranks[j], self.hinges))
            for j, own in zip(columns.tolist(), weights[width:].reshape(shape), strict=True)
            if np.any(own)
        ]
        log_features, constant = linear.columns[linear.is_log], linear.intercept
        terms = WeightedSum.from_weights(weights[:width], constant, feature_names, log_features, if_missing[:width])
        return PiecewiseSum.of(terms, pieces)


@dataclass(frozen=True, eq=False)
class Binning(Step):
    """A binary feature for each threshold: whether the score is above it, as in `ScoreBinner`.

    Attributes
    ----------
    thresholds : list of arrays
        Ascending thresholds of each feature.
    """

    kind: ClassVar[str] = "binning"
    readers: ClassVar[dict[str, FieldReader]] = {"thresholds": list_of(numbers)}
    takes_missing: ClassVar[bool] = True

    thresholds: list[Floats]

    @property
    def n_features(self) -> int:
        return len(self.thresholds)

    @property
    def n_features_out(self) -> int:
        return sum(part.size for part in self.thresholds)

    def apply(self, X: Any, queries: Queries) -> sparse.csr_array:
        return binary_features(bin_columns(_dense(X).astype(np.float64, copy=False), self.thresholds), self.thresholds)

    def check(self) -> None:
        if not self.thresholds or any(np.any(np.diff(part) <= 0) for part in self.thresholds):
            raise ModelError("its thresholds must be a list of ascending numbers for each feature")

    def names_out(self, names: list[str]) -> list[str]:
        return [f"{name} > {t!r}" for name, part in zip(names, self.thresholds, strict=True) for t in part.tolist()]

    def merged_into(self, model: Model) -> Model:
        """Stumps, from a linear model."""
        if not isinstance(model, LinearModel) or model.intercept or model.log_features.size:
            raise ModelError("after ScoreBinner only a linear ranker can be exported; train on the scores themselves")
        features = np.repeat(np.arange(self.n_features), [part.size for part in self.thresholds])
        used = np.flatnonzero(model.coef)
        return StumpsModel(features[used], np.concatenate(self.thresholds)[used], model.coef[used], self.n_features)


def _dense(X: Any) -> Any:
    if sparse.issparse(X):
        raise InputError("a step of the model before the last takes a dense X only; pass X.toarray()")
    return X
