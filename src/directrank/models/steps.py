"""What a pipeline does to rows before its model scores them: steps that are values, written as numbers."""

from __future__ import annotations

import reprlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse

from ..arrays import Floats
from ..data import InputError, Queries
from ..data.query_scaling import min_max, percentiles, scaled_within
from ..data.thresholds import binary_features, bins_of
from .base import Model
from .checks import ModelError, check_sizes, field_of, integer, numbers
from .linear import LinearModel
from .stumps import StumpsModel

WITHIN_QUERIES = {"min-max": min_max, "percentiles": percentiles}


class Step(ABC):
    """Rows of features into other rows, as an immutable value.

    A subclass names its `kind` and implements `n_features`, `apply`, `check`, `before`, `to_json` and `_from_json`; and
    `n_features_out` and `names_out`, where features come out other than they go in.
    """

    kinds: ClassVar[dict[str, type[Step]]] = {}
    kind: ClassVar[str]
    #: Whether what becomes of a row depends on the other rows of its query.
    needs_qid: ClassVar[bool] = False
    #: Whether it takes missing values, and leaves none.
    takes_missing: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        Step.kinds[cls.kind] = cls

    @property
    @abstractmethod
    def n_features(self) -> int:
        """How many features a row has."""

    @property
    def n_features_out(self) -> int:
        """How many it has afterwards."""
        return self.n_features

    @abstractmethod
    def apply(self, X: Any, queries: Queries) -> Any:
        """What becomes of rows."""

    @abstractmethod
    def check(self) -> None:
        """Raise a `ModelError` unless all parts fit together."""

    def names_out(self, names: list[str]) -> list[str]:
        """Names of the features afterwards."""
        return names

    @abstractmethod
    def before(self, model: Model) -> Model:
        """One model that ranks as this step and then the model do, or a `ModelError` that says why there is none."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Its fields, with its kind."""

    @classmethod
    @abstractmethod
    def _from_json(cls, content: dict[str, Any]) -> Self:
        """The step of these fields."""

    @staticmethod
    def from_json(content: Any) -> Step:
        """The step of what `to_json` gave, or a `ModelError`."""
        kind = field_of(content, "kind")
        cls = Step.kinds.get(kind) if isinstance(kind, str) else None
        if cls is None:
            raise ModelError(f"unknown kind of step {reprlib.repr(kind)}; there are {', '.join(sorted(Step.kinds))}")
        step = cls._from_json(content)
        step.check()
        return step


@dataclass(frozen=True, eq=False)
class ScalingWithinQueries(Step):
    """Each feature scaled within each query: `QueryMinMax` or `QueryPercentile`.

    Attributes
    ----------
    to : {"min-max", "percentiles"}
    width : int
    """

    kind: ClassVar[str] = "scaling within queries"
    needs_qid: ClassVar[bool] = True

    to: str
    width: int

    @property
    def n_features(self) -> int:
        return self.width

    def apply(self, X: Any, queries: Queries) -> Floats:
        return scaled_within(queries, _dense(X), WITHIN_QUERIES[self.to])

    def check(self) -> None:
        integer("width", self.width, 1)
        if self.to not in WITHIN_QUERIES:
            raise ModelError(f"its features must be scaled to {' or '.join(WITHIN_QUERIES)}, not {reprlib.repr(self.to)}")

    def before(self, model: Model) -> Model:
        raise ModelError(
            "the model scales features within each query, and elsewhere documents are scored one at a time; export a model "
            "of features as they are, or scale them there and export the pipeline's last step"
        )

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "to": self.to, "width": self.width}

    @classmethod
    def _from_json(cls, content: dict[str, Any]) -> Self:
        return cls(field_of(content, "to"), field_of(content, "width"))


@dataclass(frozen=True, eq=False)
class ScalingOfColumns(Step):
    """Features on other scales, (x - centre) / divisor * factor + offset: what scikit-learn's scalers do.

    It is the same to the bit, but for sparse float32 data: there MaxAbsScaler inverts the divisor in single precision, and
    values agree to that.

    Attributes
    ----------
    centre, divisor, factor, offset : arrays, one entry for each feature
    """

    kind: ClassVar[str] = "scaling of columns"

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

    def before(self, model: Model) -> Model:
        """Of a linear model, one with other weights."""
        if not isinstance(model, LinearModel):
            raise ModelError(
                "after a scaler of columns only linear models can be exported; trees need no scaler: train without it"
            )
        weights = model.coef * self.factor / self.divisor
        intercept = model.intercept + float(np.sum(model.coef * self.offset) - np.sum(weights * self.centre))
        return LinearModel(weights, intercept, model.classes)

    def to_json(self) -> dict[str, Any]:
        parts = ("centre", "divisor", "factor", "offset")
        return {"kind": self.kind, **{name: getattr(self, name).tolist() for name in parts}}

    @classmethod
    def _from_json(cls, content: dict[str, Any]) -> Self:
        return cls(*(numbers(name, field_of(content, name)) for name in ("centre", "divisor", "factor", "offset")))


@dataclass(frozen=True, eq=False)
class Thresholds(Step):
    """A binary feature for each threshold, whether the score is above it: `ScoreBinner`.

    Attributes
    ----------
    thresholds : tuple of arrays
        Those of each feature, ascending.
    """

    kind: ClassVar[str] = "thresholds"
    takes_missing: ClassVar[bool] = True

    thresholds: tuple[Floats, ...]

    @property
    def n_features(self) -> int:
        return len(self.thresholds)

    @property
    def n_features_out(self) -> int:
        return sum(part.size for part in self.thresholds)

    def apply(self, X: Any, queries: Queries) -> sparse.csr_array:
        return binary_features(bins_of(_dense(X).astype(np.float64, copy=False), self.thresholds), self.thresholds)

    def check(self) -> None:
        if not self.thresholds or any(np.any(np.diff(part) <= 0) for part in self.thresholds):
            raise ModelError("its thresholds must be a list of ascending numbers for each feature")

    def names_out(self, names: list[str]) -> list[str]:
        return [f"{name} > {t!r}" for name, part in zip(names, self.thresholds, strict=True) for t in part.tolist()]

    def before(self, model: Model) -> Model:
        """Of a linear model, one of stumps."""
        if not isinstance(model, LinearModel) or model.intercept:
            raise ModelError("after ScoreBinner only a linear ranker can be exported; train on the scores themselves")
        features = np.repeat(np.arange(self.n_features), [part.size for part in self.thresholds])
        used = np.flatnonzero(model.coef)
        return StumpsModel(features[used], np.concatenate(self.thresholds)[used], model.coef[used], self.n_features)

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "thresholds": [part.tolist() for part in self.thresholds]}

    @classmethod
    def _from_json(cls, content: dict[str, Any]) -> Self:
        parts = field_of(content, "thresholds")
        if not isinstance(parts, list):
            raise ModelError("its thresholds must be a list of ascending numbers for each feature")
        return cls(tuple(numbers("thresholds", part) for part in parts))


def _dense(X: Any) -> Any:
    if sparse.issparse(X):
        raise InputError("the model scales or bins scores of a dense X; pass X.toarray()")
    return X
