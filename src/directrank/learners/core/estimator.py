"""Base of all estimators: checks of X, the learned model with its provenance, and how a fit ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from ...arrays import Floats, Ints
from ...data.checked_arrays import as_csr
from ...data.frames import check_numeric, reorder_columns
from ...matrix.columns import Columns
from ...matrix.selection import select_columns
from ...measures import SupportsEvaluate, as_measure, name_of
from ...measures.naming import qualified_name_of
from ...models import Model, Provenance, SelectedFeatures
from ...version import __version__
from ..search_space import SearchSpace
from .checked_rows import check_finite_values, check_form
from .monitoring import Monitor, Progress
from .shards import Shards
from .task import largest_values
from .validation import LARGE_VALUE, TooLargeError, check_int

#: Curves of a training by name, all of one length; None for values that are missing or not finite.
Curves = dict[str, list[float | None]]


class Estimator(BaseEstimator):  # type: ignore[misc]
    """An estimator whose `fit` gives a model.

    Attributes
    ----------
    model_ : Model
        The learned model as a value: it can be saved, loaded and exported.
    history_ : list of Progress
        One entry for each round or iteration.
    interrupted_ : bool
        Whether Ctrl-C ended the training, so that the model is the one so far.
    """

    measure: str | type | SupportsEvaluate
    verbose: int
    model_: Model
    history_: list[Progress]

    #: Whether the rows of all shards are learned from as one set, whatever their queries.
    joins_shards = False

    #: Whether labels may be any numbers, such as gains estimated from clicks; otherwise they are grades or classes.
    takes_gains = True

    #: Columns of a wide sparse X that have entries, to which training is restricted; None for all.
    _columns: Ints | None = None

    #: Facts of a `Progress` that the model's provenance keeps as curves.
    _info_curves: tuple[str, ...] = ()

    @property
    def search_space(self) -> SearchSpace:
        """Values of the parameters that are worth trying, for parameters that the learner does not choose itself."""
        return {}

    @property
    def coef_(self) -> Floats:
        """Weights of a linear model; an AttributeError, as `hasattr` expects, if the model is not linear."""
        check_is_fitted(self, "model_")
        weights = getattr(self.model_, "coef", None)
        if weights is None:
            name = type(self).__name__
            raise AttributeError(f"this {name} has no coef_, for its model is not a weighted sum of features; see model_")
        return weights  # type: ignore[no-any-return]

    def _title(self) -> str:
        """Start of each line of verbose output."""
        return f"{type(self).__name__}({name_of(as_measure(self.measure))})"

    def _check_verbose(self) -> None:
        check_int(self.verbose, "verbose", -1)

    def _take_features_of(self, shards: Shards) -> None:
        """Set the features seen in training to those of shards."""
        self.n_features_in_ = shards.n_features
        if shards.feature_names is not None:
            self.feature_names_in_: Any = np.array(shards.feature_names, object)

    def _forget(self) -> None:
        """Drop the results of an earlier fit, so that nothing stale can be used should this one fail."""
        learned = [name for name in vars(self) if name.endswith("_") and name not in self._get_param_names()]
        for name in (*learned, "_columns"):
            self.__dict__.pop(name, None)

    @contextmanager
    def _naming_large_columns(self, training: Shards) -> Iterator[None]:
        """Add the column with the largest values to an error about features that are too large."""
        try:
            yield
        except TooLargeError as error:
            try:
                self._check_sizes(reduce(np.maximum, training.each(largest_values)))
            except TooLargeError as named:
                raise named from error
            raise

    def _named_column(self, column: int) -> str:
        """A column of X for a message: by its name, or by its number, counted from 0."""
        names = getattr(self, "feature_names_in_", None)
        return f"column {column} (counted from 0)" if names is None else f"column {str(names[column])!r}"

    def _finish(self, model: Model, monitor: Monitor, keep_partial: bool) -> None:
        """Keep the model; after Ctrl-C only if asked to, and then raise the KeyboardInterrupt."""
        self.interrupted_ = monitor.interrupted
        if keep_partial or not monitor.interrupted:
            self._keep_model(model)
        if monitor.interrupted:
            raise KeyboardInterrupt

    def _keep_model(self, model: Model) -> None:
        """Set `model_`, with feature names and provenance."""
        names = getattr(self, "feature_names_in_", None)
        if self._columns is not None:
            model = SelectedFeatures(model, self._columns, self.n_features_in_)
        self.model_ = replace(
            model,
            feature_names=None if names is None else tuple(map(str, names)),
            provenance=self._provenance(),
        )

    def _provenance(self) -> Provenance:
        trained_for = qualified_name_of(self._trained_for())
        return Provenance(
            type(self).__name__, provenance_params(self), trained_for, __version__, self._facts(), self._curves()
        )

    def _objective(self) -> SupportsEvaluate:
        """Measure to bind to the training queries."""
        return as_measure(self.measure)

    def _trained_for(self) -> SupportsEvaluate:
        """Measure that the provenance names."""
        return self._objective()

    def _facts(self) -> dict[str, float]:
        """Facts about the training for the provenance, by name."""
        return {}

    def _curves(self) -> Curves:
        """Curves of the training for the provenance: the learner's measure on each set, further measures, and facts."""
        sets = {name: list(values) for name, values in self.history_[0].evals.items()} if self.history_ else {}
        found = {
            name if number == 0 else f"{name} {measure}": [step.evals[name][measure] for step in self.history_]
            for name, measures in sets.items()
            for number, measure in enumerate(measures)
        }
        known = [name for name in self._info_curves if self.history_ and name in self.history_[0].info]
        found |= {name: [step.info[name] for step in self.history_] for name in known}
        curves = {name: [_finite_or_none(value) for value in values] for name, values in found.items()}
        return {name: values for name, values in curves.items() if any(value is not None for value in values)}

    def _check_X(self, X: Any, *, reset: bool) -> Any:
        """X as dense rows or canonical CSR; a frame's columns in the order of the training frame's."""
        check_numeric(X)
        check_form(X)
        if not reset:
            X = reorder_columns(X, getattr(self, "feature_names_in_", None))
        checked = canonical(
            validate_data(
                self,
                X,
                reset=reset,
                accept_sparse="csr",
                dtype=[np.float64, np.float32],
                order="C",
                ensure_all_finite=False,
            )
        )
        check_finite_values(checked, getattr(self, "feature_names_in_", None))
        return checked

    def _training_columns(self, X: Any) -> Any:
        """The columns of a checked X that training sees."""
        return X if self._columns is None else select_columns(X, self._columns)

    def _column_of(self, feature: int) -> int:
        """Column of X for a feature of the training."""
        return feature if self._columns is None else int(self._columns[feature])

    def _features_of(self, columns: Ints) -> Ints:
        """Features of the training for columns of X."""
        return columns if self._columns is None else np.searchsorted(self._columns, columns)

    def _rows_to_score(self, X: Any) -> Any:
        check_is_fitted(self, "model_")
        return self._check_X(X, reset=False)

    def _scores(self, X: Any, qid: Any = None) -> Floats:
        """Score of each row by the model."""
        X = self._rows_to_score(X)
        with np.errstate(over="ignore", invalid="ignore"):
            scores = self.model_.predict(X, self._given_qid(qid, X)) if self.model_.needs_qid else self.model_.scores(X)
        if not np.all(np.isfinite(scores)):
            self._check_sizes(np.array([np.fmax.reduce(np.abs(column)) for column in Columns(X)]))
        return scores

    def _given_qid(self, qid: Any, X: Any) -> Any:
        """The qid, which only an estimator fitted on one query may lack: these rows are one as well then."""
        return np.zeros(X.shape[0], np.int64) if qid is None and getattr(self, "n_queries_", 1) == 1 else qid

    def _check_sizes(self, sizes: Floats) -> None:
        """Raise an error that names the largest column of X, if its values are so large that sums overflow."""
        column = int(np.argmax(sizes))
        if sizes[column] > LARGE_VALUE:
            number = self._column_of(column)
            problem = f"has values up to {sizes[column]:.2g} in size, too large to be summed in double precision"
            raise TooLargeError(f"{self._named_column(number)} of X {problem}; scale it", number)


def canonical(X: Any) -> Any:
    """X itself if it is dense, else a CSR matrix with sorted indices and no duplicates."""
    return as_csr(X) if sparse.issparse(X) else X


def provenance_params(estimator: Any) -> dict[str, Any]:
    """Parameters of an estimator for the provenance: without `verbose`, and the measure by its name."""
    given = {name: value for name, value in estimator.get_params(deep=False).items() if name != "verbose"}
    parameters = {name: _plain(value) for name, value in given.items() if name != "measure"}
    if "measure" in given:
        parameters["measure"] = qualified_name_of(as_measure(given["measure"]))
    return parameters


def _plain(value: Any) -> Any:
    """A parameter as a JSON value, or as text."""
    if isinstance(value, BaseEstimator):
        parameters = ", ".join(f"{name}={part!r}" for name, part in sorted(provenance_params(value).items()))
        return f"{type(value).__name__}({parameters})"
    if isinstance(value, (str, int, float, bool, type(None))):
        return value
    if isinstance(value, (np.random.RandomState, np.random.Generator)):
        return None  # it has moved on: the same model cannot be learned from it again
    if isinstance(value, np.generic):
        return value.item()
    if callable(value):
        return getattr(value, "__name__", str(value))
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    return [_plain(item) for item in value] if isinstance(value, Iterable) else str(value)


def _finite_or_none(value: Any) -> float | None:
    return float(value) if value is not None and np.isfinite(value) else None
