"""The base class of models: immutable values that score rows, with feature names and provenance."""

from __future__ import annotations

import reprlib
from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, asdict, dataclass, field, fields, replace
from textwrap import shorten
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse

from ..arrays import Floats
from ..data import InputError, Queries
from ..data.checked_arrays import as_features, as_qid
from ..data.frames import reorder_columns
from ..data.ranking_data import group_rows
from .errors import ModelError
from .importances import Importances, compute_importances
from .json_fields import FieldReader, as_json, field_of, integer, names, read_fields
from .portable import Portable
from .provenance import Provenance

#: Characters of feature names that a printed model shows.
LISTED_NAMES = 60


@dataclass(frozen=True, eq=False, repr=False)
class Model(ABC):
    """A function from rows of features to scores, as an immutable value.

    A subclass is a frozen dataclass. It declares its `kind`, if it can be saved, and `readers` for the fields that are not
    arrays of numbers, and implements `n_features`, `scores`, `check`, `portable`, `parameters` and `_derivatives`.

    Attributes
    ----------
    feature_names : tuple of str, or None
        For matching the columns of frames; without names, columns are matched by position.
    provenance : Provenance
        Empty, with no learner, for a model that was not learned here.
    """

    kinds: ClassVar[dict[str, type[Model]]] = {}
    kind: ClassVar[str]
    #: Readers of the fields that are not arrays of numbers.
    readers: ClassVar[dict[str, FieldReader]] = {}
    #: Fields that files of earlier versions lack, which then have their defaults.
    added_fields: ClassVar[tuple[str, ...]] = ()
    #: Whether NaN in X is a missing value rather than an error.
    allows_missing: ClassVar[bool] = False
    #: Whether the score of a row depends on the other rows of its query.
    needs_qid: ClassVar[bool] = False

    _: KW_ONLY
    feature_names: tuple[str, ...] | None = None
    provenance: Provenance = field(default_factory=Provenance)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "__repr__" not in vars(cls):
            cls.__repr__ = Model.__repr__  # type: ignore[method-assign]  # or the decorator makes one of all fields
        if "kind" in vars(cls):
            Model.kinds[cls.kind] = cls

    @property
    @abstractmethod
    def n_features(self) -> int:
        """Number of features of a row."""

    @abstractmethod
    def scores(self, X: Any) -> Floats:
        """Score each row of a dense array or CSR matrix that has been checked."""

    def scores_of_queries(self, X: Any, queries: Queries) -> Floats:
        """`scores` of rows whose queries are known, as models that `needs_qid` require."""
        return self.scores(X)

    @abstractmethod
    def check(self) -> None:
        """Raise a `ModelError` unless all parts fit together, so that `scores` never reads out of bounds."""

    @abstractmethod
    def portable(self) -> Portable:
        """The model in a form that exporters take: a weighted sum, one of piecewise-linear functions, or a sum of trees."""

    @property
    @abstractmethod
    def parameters(self) -> Floats:
        """The parameters that scores are linear in: weights or leaf values."""

    @abstractmethod
    def _derivatives(self, X: Any) -> Any:
        """`derivatives` of X that has been checked."""

    def derivatives(self, X: Any) -> Any:
        """Derivative of each row's score with respect to each parameter, as a dense array or CSR matrix."""
        return self._derivatives(self._checked(X))

    def predict(self, X: Any, qid: Any = None) -> Floats:
        """A score for each row; higher is better.

        Parameters
        ----------
        X : array, sparse matrix or frame
            The columns of a frame are matched by name where the model has names.
        qid : array of integers or strings, optional
            The query of each row, in any order. Required by models that `needs_qid`, such as pipelines that scale features
            within queries; ignored by others.
        """
        X = self._checked(X)
        return self.scores_of_queries(X, self._queries(qid, X.shape[0])) if self.needs_qid else self.scores(X)

    def importances(self) -> Importances:
        """Importances of the features that the model uses, in descending order."""
        return compute_importances(self.portable())

    def with_feature_names(self, names: Any) -> Self:
        return replace(self, feature_names=None if names is None else tuple(map(str, names)))

    def to_dict(self) -> dict[str, Any]:
        """The model as JSON content, which `from_dict` reads."""
        return {
            "kind": self.kind,
            "n_features": self.n_features,
            "feature_names": None if self.feature_names is None else list(self.feature_names),
            "provenance": asdict(self.provenance) if self.provenance.learner else None,
            **{name: self._field_to_json(getattr(self, name)) for name in self._own_fields()},
        }

    @staticmethod
    def from_dict(content: dict[str, Any]) -> Model:
        """The model of the JSON content that `to_dict` writes; raises a `ModelError` if it is invalid."""
        kind, called, origin = (field_of(content, name) for name in ("kind", "feature_names", "provenance"))
        cls = Model.kinds.get(kind) if isinstance(kind, str) else None
        if cls is None:
            raise ModelError(f"unknown kind of model {reprlib.repr(kind)}; there are {', '.join(sorted(Model.kinds))}")
        known = [name for name in cls._own_fields() if name in content or name not in cls.added_fields]
        model = cls(
            **read_fields(content, known, cls.readers),
            feature_names=None if called is None else names("feature_names", called),
            provenance=Provenance() if origin is None else Provenance.from_dict(origin),
        )
        model.check_width(field_of(content, "n_features"))
        return model

    def trusted(self) -> Self:
        """The same model, with measures in its provenance whose modules `directrank.measures.parse` may import."""
        parts = {name: _trusted(getattr(self, name)) for name in self._own_fields()}
        return replace(self, provenance=self.provenance.trusted(), **parts)

    def check_width(self, n_features: Any) -> None:
        """Raise a `ModelError` unless all parts fit together and the model has `n_features` features."""
        self.check()
        if self.n_features != integer("n_features", n_features, 1):
            raise ModelError(f"it has {self.n_features} features and says {n_features}")
        if self.feature_names is not None and len(self.feature_names) != self.n_features:
            raise ModelError(f"it has {len(self.feature_names)} feature_names for {self.n_features} features")

    @classmethod
    def _own_fields(cls) -> list[str]:
        return [part.name for part in fields(cls) if part.name not in ("feature_names", "provenance")]

    def __repr__(self) -> str:
        """The kind of model and its features; on a second line the learner and the measure, if it was learned here."""
        names = [] if self.feature_names is None else [_printable(name) for name in self.feature_names]
        features = f"{self.n_features:,} feature{'s' * (self.n_features != 1)}"
        shown = shorten(", ".join(names), LISTED_NAMES, placeholder=" ...")
        model = f"{type(self).__name__} of {features}" + (f": {shown}" if shown else "")
        learner, measure = _printable(self.provenance.learner), _printable(self.provenance.measure)
        return model + (f"\nlearned by {learner}" if learner else "") + (f" for {measure}" if learner and measure else "")

    def _field_to_json(self, value: Any) -> Any:
        return as_json(value)

    def _queries(self, qid: Any, n_rows: int) -> Queries:
        """Queries of the rows, for models that `needs_qid`."""
        if qid is None:
            raise InputError(
                "the model scales features within each query and needs qid, the query of each row: predict(X, qid=qid); "
                "give zeros where all rows are one query"
            )
        return group_rows(as_qid(qid, n_rows), n_rows)

    def _checked(self, X: Any) -> Any:
        X = as_features(reorder_columns(X, self.feature_names))
        if X.shape[1] != self.n_features:
            raise InputError(f"X has {X.shape[1]} features, and the model has {self.n_features}")
        if not self.allows_missing and np.isnan(X.data if sparse.issparse(X) else X).any():
            raise InputError("X has missing values (NaN), which this model cannot score; fill them in")
        return X


def read_model(name: str, content: Any) -> Model:
    """Reader of a field that holds a model."""
    return Model.from_dict(content)


def _printable(name: str) -> str:
    """A name, which a file may have, on one line."""
    return name if name.isprintable() else ascii(name)


def _trusted(value: Any) -> Any:
    """A field's value with the models in it trusted."""
    if isinstance(value, list):
        return [_trusted(part) for part in value]
    return value.trusted() if isinstance(value, Model) else value
