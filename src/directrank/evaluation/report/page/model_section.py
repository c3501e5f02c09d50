"""What the page shows of a model: where it comes from, its training and its weights."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from ....data import InputError
from ... import plots
from ...plots.training_curves import History
from ...plots.weights import Importances


class Origin(Protocol):
    """Where a model comes from."""

    @property
    def learner(self) -> str: ...
    @property
    def measure(self) -> str: ...
    @property
    def parameters(self) -> Mapping[str, Any]: ...
    @property
    def training(self) -> Mapping[str, float]: ...
    @property
    def history(self) -> History: ...


#: The caption of the curves of a training.
TRAINING = "Training; queries whose orders the measure cannot tell apart do not count among those trained on"

#: A model: it has a `provenance` and `importances()`; or a learner that has one as `model_`.
ModelLike = Any


def model_section(name: str, model: ModelLike, curves: Mapping[str, Any]) -> dict[str, Any]:
    """What the page shows of a model."""
    found: Any = getattr(model, "model_", model)
    if not hasattr(found, "importances"):
        raise InputError(f"{name}: {type(found).__name__} is neither a model nor a fitted learner of directrank")
    origin: Origin | None = found.provenance
    importances = found.importances()
    charts = []
    if origin is not None and any(map(_any_number, origin.history.values())):
        charts.append({"title": TRAINING, "spec": plots.training(origin.history).to_dict()})
    if len(importances.names):
        charts.append(
            {"title": _title(importances), "spec": plots.weights(importances).properties(width="container").to_dict()}
        )
    if curves:
        charts.append({"title": "What each score contributes", "spec": plots.weight_curves(curves).to_dict()})
    return {"name": name, "facts": [] if origin is None else _facts(origin), "charts": charts}


def _title(importances: Importances) -> str:
    return {"weight": "Weights of the features"}.get(importances.kind, f"Importances of the features ({importances.kind})")


def _any_number(values: Iterable[float | None]) -> bool:
    return any(value is not None and math.isfinite(value) for value in values)


def _facts(origin: Origin) -> list[list[str]]:
    told = {"measure", *origin.training}
    given = [[name, str(value)] for name, value in origin.parameters.items() if value is not None and name not in told]
    reached = [[name, f"{value:.6g}"] for name, value in origin.training.items()]
    return [["learner", origin.learner], ["optimised for", origin.measure], *reached, *given]
