"""What a model is: a value that scores rows, with the names of its features and where it comes from."""

from __future__ import annotations

import reprlib
from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, asdict, dataclass, fields, replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse

from ..arrays import Floats
from ..data import InputError
from ..data.checked_arrays import as_features
from ..matrix.frames import in_order_of
from .checks import ModelError, field_of, integer, names, numbers
from .importances import Importances, importances_of
from .portable import TreeSum, WeightedSum
from .provenance import Provenance


@dataclass(frozen=True, eq=False)
class Model(ABC):
    """A function from rows of features to scores, as an immutable value.

    A subclass is a frozen dataclass of its own. It names its `kind`, if files can hold it, and implements `n_features`,
    `scores`, `check`, `portable`, `parameters`, `_derivatives` and, for fields that are not arrays of numbers, `_to_json`
    and `_from_json`.

    Attributes
    ----------
    feature_names : tuple of str, or None
        By which the columns of frames are matched; without names they are matched by position.
    provenance : Provenance, or None
    """

    kinds: ClassVar[dict[str, type[Model]]] = {}
    kind: ClassVar[str]
    #: Whether NaN in X is a missing value rather than an error.
    allows_missing: ClassVar[bool] = False
    #: Whether the score of a row depends on the other rows of its query.
    needs_qid: ClassVar[bool] = False

    _: KW_ONLY
    feature_names: tuple[str, ...] | None = None
    provenance: Provenance | None = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "kind" in vars(cls):
            Model.kinds[cls.kind] = cls

    @property
    @abstractmethod
    def n_features(self) -> int:
        """How many features a row has."""

    @abstractmethod
    def scores(self, X: Any) -> Floats:
        """A score for each row of a dense array or CSR matrix that has been checked."""

    @abstractmethod
    def check(self) -> None:
        """Raise a `ModelError` unless all parts fit together, so that `scores` never reads out of bounds."""

    @abstractmethod
    def portable(self) -> WeightedSum | TreeSum:
        """The same scores as a weighted sum of features or as a sum of trees, which exporters take elsewhere."""

    @property
    @abstractmethod
    def parameters(self) -> Floats:
        """The numbers that scores are linear in, with all else fixed: weights, or the values of leaves."""

    @abstractmethod
    def _derivatives(self, X: Any) -> Any:
        """See `derivatives`; for X that has been checked."""

    def derivatives(self, X: Any) -> Any:
        """The derivative of each row's score by each of the parameters, as a dense array or CSR matrix.

        With the parameters moved by d, scores change by these times d.
        """
        return self._derivatives(self._checked(X))

    def predict(self, X: Any, qid: Any = None) -> Floats:
        """A score for each row; higher is better.

        Parameters
        ----------
        X : array, sparse matrix or frame
            The columns of a frame are matched by name where the model has names.
        qid : array of integers or strings, optional
            The query of each row, in any order. Only a model that `needs_qid` looks at it, and that one must have it: of a
            pipeline that scales features within queries.
        """
        return self.scores(self._checked(X))

    def importances(self) -> Importances:
        """How much each feature counts that the model uses; those that count most come first."""
        return importances_of(self.portable())

    def with_feature_names(self, names: Any) -> Self:
        return replace(self, feature_names=None if names is None else tuple(map(str, names)))

    def to_dict(self) -> dict[str, Any]:
        """The model as JSON knows it; `from_dict` gives it back."""
        return {
            "kind": self.kind,
            "n_features": self.n_features,
            "feature_names": None if self.feature_names is None else list(self.feature_names),
            "provenance": None if self.provenance is None else asdict(self.provenance),
            **{name: self._to_json(getattr(self, name)) for name in self._own_fields()},
        }

    @staticmethod
    def from_dict(content: dict[str, Any]) -> Model:
        """The model of what `to_dict` gave, or a `ModelError` that says what is wrong with it."""
        kind, called, origin = (field_of(content, name) for name in ("kind", "feature_names", "provenance"))
        cls = Model.kinds.get(kind) if isinstance(kind, str) else None
        if cls is None:
            raise ModelError(f"unknown kind of model {reprlib.repr(kind)}; there are {', '.join(sorted(Model.kinds))}")
        model = cls(
            **cls._fields_from_json(content),
            feature_names=None if called is None else names("feature_names", called),
            provenance=None if origin is None else Provenance.from_json(origin),
        )
        model.check_width(field_of(content, "n_features"))
        return model

    def trusted(self) -> Self:
        """The same model, with measures in its provenance whose modules `directrank.measures.parse` may import."""
        return self if self.provenance is None else replace(self, provenance=self.provenance.trusted())

    def check_width(self, n_features: Any) -> None:
        """Raise a `ModelError` unless all parts fit together and are of so many features."""
        self.check()
        if self.n_features != integer("n_features", n_features, 1):
            raise ModelError(f"it has {self.n_features} features and says {n_features}")
        if self.feature_names is not None and len(self.feature_names) != self.n_features:
            raise ModelError(f"it has {len(self.feature_names)} feature_names for {self.n_features} features")

    @classmethod
    def _own_fields(cls) -> list[str]:
        return [part.name for part in fields(cls) if part.name not in ("feature_names", "provenance")]

    @classmethod
    def _fields_from_json(cls, content: dict[str, Any]) -> dict[str, Any]:
        return {name: cls._from_json(name, field_of(content, name)) for name in cls._own_fields()}

    @classmethod
    def _to_json(cls, value: Any) -> Any:
        return value.tolist() if isinstance(value, np.ndarray) else value

    @classmethod
    def _from_json(cls, name: str, value: Any) -> Any:
        return numbers(name, value)

    def _checked(self, X: Any) -> Any:
        X = as_features(in_order_of(self.feature_names, X))
        if X.shape[1] != self.n_features:
            raise InputError(f"X has {X.shape[1]} features, and the model has {self.n_features}")
        if not self.allows_missing and np.isnan(X.data if sparse.issparse(X) else X).any():
            raise InputError("X has missing values (NaN), which this model cannot score; fill them in")
        return X
