"""What estimators share that keep what they learned as a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted, validate_data

from ...arrays import Floats, Ints
from ...data.checked_arrays import as_csr
from ...data.frames import check_numeric
from ...matrix.frames import in_order_of
from ...matrix.selection import select_columns
from ...measures import SupportsEvaluate, as_measure, name_of
from ...measures.naming import qualified_name_of
from ...models import Model, Provenance, SelectedFeatures
from ...version import __version__
from ..search_space import SearchSpace
from .checks import check_int
from .interruption import Stopped, Watch, watching
from .parameters import parameters_of
from .progress import Callback, line_of, should_stop
from .rounds import Curves
from .shards import Shards


class Fitted:
    """What estimators share that keep what they learned as `model_`."""

    model_: Model

    #: Whether NaN in X is a missing value rather than an error.
    _allows_missing = False

    #: Whether the rows of all shards are one set to it, whatever queries they are of.
    joins_shards = False

    #: The columns of a wide sparse X that training sees, those with entries; None where it sees all.
    _columns: Ints | None = None

    @property
    def search_space(self) -> SearchSpace:
        """The values of its parameters that are worth trying, where it does not choose them itself."""
        return {}

    #: How many rounds the training takes, where that is known before it ends.
    max_rounds_: int | None = None

    #: What is known of how the fit that goes on will end.
    _watch: Watch | None = None

    #: Who else hears of the rounds of the fit that goes on.
    _callbacks: Sequence[Callback] = ()

    @property
    def _listener(self) -> Callback | None:
        """Who is told of the rounds while it trains; None if nobody hears of them."""
        heard = self.verbose > 0 or self.callback is not None or self._callbacks  # type: ignore[attr-defined]
        return self._tell if heard else None

    @contextmanager
    def _training(self) -> Iterator[None]:
        """While the block trains, notice what ends it early: Ctrl-C, or a callback that has seen enough."""
        with watching() as watch:
            self._watch = watch
            try:
                yield
            finally:
                self._watch = None
        self.interrupted_ = watch.interrupted and not watch.stopped

    def _check_verbose(self) -> None:
        check_int(self.verbose, "verbose", -1)  # type: ignore[attr-defined]

    def _tell(self, number: int, step: Any) -> None:
        """Say what a round has reached: print it, and call back."""
        if self.verbose > 0 and number % self.verbose == 0:  # type: ignore[attr-defined]
            who = f"{type(self).__name__}({name_of(as_measure(self.measure))})"  # type: ignore[attr-defined]
            print(line_of(who, number, self.max_rounds_, step), flush=True)
        own = self.callback  # type: ignore[attr-defined]
        if should_stop([*([] if own is None else [own]), *self._callbacks], number, step):
            if self._watch is not None:
                self._watch.stopped = True
            raise Stopped

    def _take_features_of(self, shards: Shards) -> None:
        """Have the features of shards for those of X."""
        self.n_features_in_ = shards.n_features
        if shards.feature_names is not None:
            self.feature_names_in_: Any = np.array(shards.feature_names, object)

    def _forget(self) -> None:
        """Drop what an earlier fit left: should this one fail, nothing stale is there to predict with."""
        for name in ("model_", "feature_names_in_", "_columns", "max_rounds_", "_watched_values"):
            vars(self).pop(name, None)

    def _keep_model(self, model: Model) -> None:
        """Take over what was learned, with the names of the features and where it comes from."""
        names = getattr(self, "feature_names_in_", None)
        if self._columns is not None:
            model = SelectedFeatures(model, self._columns, self.n_features_in_)  # type: ignore[attr-defined]
        self.model_ = replace(
            model,
            feature_names=None if names is None else tuple(map(str, names)),
            provenance=self._provenance(),
        )

    def _provenance(self) -> Provenance:
        trained_for = qualified_name_of(self._trained_for())
        return Provenance(type(self).__name__, parameters_of(self), trained_for, __version__, self._facts(), self._curves())

    def _objective(self) -> SupportsEvaluate:
        """The measure to bind to the training queries."""
        return as_measure(self.measure)  # type: ignore[attr-defined]

    def _trained_for(self) -> SupportsEvaluate:
        """The measure that the provenance names."""
        return self._objective()

    def _facts(self) -> dict[str, float]:
        """What is worth knowing about the training, as numbers with a name."""
        return {}

    def _history(self) -> Curves:
        """The course of the training; see `curves`."""
        return {}

    def _curves(self) -> Curves:
        """The same as the provenance has it."""
        return self._history()

    def _check_X(self, X: Any, y: Any = "no_validation", *, reset: bool) -> Any:
        """X as dense rows or canonical CSR; a frame's columns in the order of the training frame's."""
        if not reset:
            X = in_order_of(getattr(self, "feature_names_in_", None), X)
        check_numeric(X)
        missing = "allow-nan" if self._allows_missing else True
        with np.errstate(invalid="ignore"):  # the sum by which scikit-learn looks for NaN may itself be one
            checked = validate_data(
                self,
                X,
                y,
                reset=reset,
                accept_sparse="csr",
                dtype=[np.float64, np.float32],
                order="C",
                ensure_all_finite=missing,
                **({} if isinstance(y, str) else {"y_numeric": True, "estimator": self}),
            )
        return canonical(checked[0] if isinstance(checked, tuple) else checked)

    def _seen(self, X: Any) -> Any:
        """What training sees of a checked X."""
        return X if self._columns is None else select_columns(X, self._columns)

    def _as_given(self, feature: int) -> int:
        """The column of X that a feature of the training is."""
        return feature if self._columns is None else int(self._columns[feature])

    def _as_seen(self, columns: Ints) -> Ints:
        """The features of the training that columns of X are."""
        return columns if self._columns is None else np.searchsorted(self._columns, columns)

    def _weights(self) -> Floats:
        """Those of a linear model; an AttributeError, which `hasattr` asks for, where the model is another one."""
        check_is_fitted(self, "model_")
        weights = getattr(self.model_, "coef", None)
        if weights is None:
            name = type(self).__name__
            raise AttributeError(f"this {name} has no coef_, for its model is not a weighted sum of features; see model_")
        return weights  # type: ignore[no-any-return]

    def _rows_to_score(self, X: Any) -> Any:
        check_is_fitted(self, "model_")
        return self._check_X(X, reset=False)


def canonical(X: Any) -> Any:
    """X, or if it is sparse, a CSR matrix in which entries are in order and none is repeated."""
    return as_csr(X) if sparse.issparse(X) else X
