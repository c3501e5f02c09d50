"""Section of the page on a model: its provenance, training curves and weights."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ....data import InputError
from ....models import Importances, ModelError, Provenance, as_model
from ... import plots

if TYPE_CHECKING:
    from ..report import Report

#: Caption of the training curves.
TRAINING = "Training; queries that are not informative to the measure are excluded from the training mean"

#: A `Model`, a fitted learner or a fitted pipeline.
ModelLike = Any


def model_section(name: str, model: ModelLike, curves: Mapping[str, Any]) -> dict[str, Any]:
    """Content of the section on a model."""
    try:
        found = as_model(model)
    except ModelError as error:
        raise InputError(f"{name}: {error}") from error
    origin = found.provenance
    importances = found.importances()
    charts = []
    if any(map(_any_number, origin.history.values())):
        charts.append({"title": TRAINING, "spec": plots.training(origin.history).to_dict()})
    if len(importances.names):
        charts.append(
            {"title": _title(importances), "spec": plots.weights(importances).properties(width="container").to_dict()}
        )
    if curves:
        charts.append({"title": "What each score contributes", "spec": plots.weight_curves(curves).to_dict()})
    return {"name": name, "facts": _facts(origin) if origin.learner else [], "charts": charts}


def opening_measure(report: Report, models: Mapping[str, ModelLike]) -> str:
    """The measure to show first: that for which all models were trained, if the report has it, or the report's first."""
    trained = {as_model(model).provenance.measure for model in models.values()}
    return next((name for name in report.measures if trained == {name}), report.measures[0])


def _title(importances: Importances) -> str:
    return {"weight": "Weights of the features"}.get(importances.kind, f"Importances of the features ({importances.kind})")


def _any_number(values: Iterable[float | None]) -> bool:
    return any(value is not None and math.isfinite(value) for value in values)


def _facts(origin: Provenance) -> list[list[str]]:
    shown = {"measure", *origin.training}
    given = [[name, str(value)] for name, value in origin.parameters.items() if value is not None and name not in shown]
    reached = [[name, f"{value:.6g}"] for name, value in origin.training.items()]
    return [["learner", origin.learner], ["optimised for", origin.measure], *reached, *given]
