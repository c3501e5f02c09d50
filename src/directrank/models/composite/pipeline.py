"""Pipelines as models: rows are scaled or binned, then scored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from ...arrays import Floats
from ...data import InputError, Queries
from ...data.ranking_data import group_rows
from ..base import Model, read_model
from ..errors import ModelError
from ..importances import Importances
from ..json_fields import FieldReader, list_of
from ..portable import Portable
from ..provenance import Provenance
from .steps import ColumnScaling, Step, read_step


@dataclass(frozen=True, eq=False)
class PipelineModel(Model):
    """Scores of a model for rows that preprocessing steps have transformed.

    Attributes
    ----------
    steps : list of Step
        In the order of application.
    model : Model
    """

    kind: ClassVar[str] = "pipeline"
    readers: ClassVar[dict[str, FieldReader]] = {"steps": list_of(read_step), "model": read_model}

    steps: list[Step]
    model: Model

    @property
    def n_features(self) -> int:
        return self.steps[0].n_features

    @property
    def needs_qid(self) -> bool:  # type: ignore[override]
        return any(step.needs_qid for step in self.steps)

    @property
    def allows_missing(self) -> bool:  # type: ignore[override]
        return self.model.allows_missing or any(step.takes_missing for step in self.steps)

    @property
    def coef(self) -> Floats:
        """Weights of the features after the steps, if the last model has weights."""
        return self.model.coef  # type: ignore[attr-defined, no-any-return]

    @property
    def intercept(self) -> float:
        """Constant of the last model, if it has one."""
        return self.model.intercept  # type: ignore[attr-defined, no-any-return]

    def scores(self, X: Any) -> Floats:
        return self.model.scores(self._prepared(X, self._one_query(X)))

    def scores_of_queries(self, X: Any, queries: Queries) -> Floats:
        return self.model.scores(self._prepared(X, queries))

    def _one_query(self, X: Any) -> Queries:
        """All rows as one query, if queries do not matter."""
        return self._queries(None, X.shape[0]) if self.needs_qid else group_rows(None, X.shape[0])

    def _prepared(self, X: Any, queries: Queries) -> Any:
        """Rows after all steps."""
        for step in self.steps:
            X = step.apply(X, queries)
        if not self.model.allows_missing and np.isnan(X.data if sparse.issparse(X) else X).any():
            raise InputError("X has missing values (NaN), which this model cannot score; fill them in")
        return X

    @property
    def parameters(self) -> Floats:
        return self.model.parameters

    def _derivatives(self, X: Any) -> Any:
        return self.model._derivatives(self._prepared(X, self._one_query(X)))

    def importances(self) -> Importances:
        """Importances of the features after the steps."""
        names = list(self.feature_names or [f"f{j}" for j in range(1, self.n_features + 1)])
        for step in self.steps:
            names = step.names_out(names)
        return self.model.with_feature_names(names).importances()

    def portable(self) -> Portable:
        """One equivalent model, if there is one: a weighted sum, or a sum of stumps or of piecewise-linear functions."""
        model = self.model
        for step in reversed(self.steps[1:]):
            model = step.merged_into(model)
        return self.steps[0].portable(model, self.feature_names)

    def check(self) -> None:
        if not self.steps:
            raise ModelError("it is a pipeline without steps")
        self.model.check()
        width = self.n_features
        for step in self.steps:
            step.check()
            if step.n_features != width:
                raise ModelError(f"one of its steps takes {step.n_features} features but gets {width}")
            width = step.n_features_out
        if self.model.n_features != width:
            raise ModelError(f"its model takes {self.model.n_features} features and gets {width}")


def pipeline_model(steps: list[tuple[str, Any]], as_model: Callable[[Any], Model]) -> Model:
    """The model of a fitted scikit-learn pipeline, with the feature names of its first step.

    Parameters
    ----------
    steps : list of (name, estimator)
    as_model : function
        Converts the last step into a model.
    """
    active = [part for _, part in steps[:-1] if part not in (None, "passthrough")]
    inner = as_model(steps[-1][1])
    if not active:
        return inner
    names = getattr(active[0], "feature_names_in_", None)
    later, scorer = (inner.steps, inner.model) if isinstance(inner, PipelineModel) else ([], inner)
    model = PipelineModel(
        [*(Step.from_dict(_content_of(part)) for part in active), *later],
        replace(scorer, feature_names=None, provenance=Provenance()),
        feature_names=None if names is None else tuple(map(str, names)),
        provenance=inner.provenance,
    )
    model.check()
    return model


def _content_of(transformer: Any) -> dict[str, Any]:
    """A fitted transformer as `Step.from_dict` reads it: its own `as_step`, or one of scikit-learn's scalers."""
    if hasattr(transformer, "as_step"):
        return dict(transformer.as_step())
    name = type(transformer).__name__
    read = _SCALERS.get(name) if type(transformer).__module__.startswith("sklearn.") else None
    if read is None:
        raise ModelError(
            f"a pipeline with {name} cannot be saved as a model, but one with {', '.join(_SCALERS)} of scikit-learn, or "
            "QueryMinMax, QueryPercentile and ScoreBinner can; keep it with joblib.dump, or save its last step alone"
        )
    if not hasattr(transformer, "n_features_in_"):
        raise ModelError(f"{name} of the pipeline is not fitted yet; call fit first")
    _check_no_clip(transformer)
    width = transformer.n_features_in_
    parts = {"centre": np.zeros(width), "divisor": np.ones(width), "factor": np.ones(width), "offset": np.zeros(width)}
    parts |= {part: values for part, values in read(transformer).items() if values is not None}
    return {
        "kind": ColumnScaling.kind,
        **{part: np.asarray(values, np.float64).tolist() for part, values in parts.items()},
    }


def _check_no_clip(scaler: Any) -> None:
    if getattr(scaler, "clip", False):  # which MaxAbsScaler has in newer versions of scikit-learn
        name = type(scaler).__name__
        raise ModelError(f"{name}(clip=True) cannot be saved as a model; leave clip out, or pickle the pipeline")


#: The fields of `ColumnScaling` for each of scikit-learn's scalers.
_SCALERS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "StandardScaler": lambda scaler: {"centre": scaler.mean_ if scaler.with_mean else None, "divisor": scaler.scale_},
    "MinMaxScaler": lambda scaler: {"factor": scaler.scale_, "offset": scaler.min_},
    "MaxAbsScaler": lambda scaler: {"divisor": scaler.scale_},
}
