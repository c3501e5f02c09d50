"""The parameters of an estimator as the provenance of its model has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ...measures import as_measure
from ...measures.naming import qualified_name_of


def parameters_of(estimator: Any) -> dict[str, Any]:
    """Those of an estimator for the provenance: without who hears of its rounds, its measure by name."""
    given = {name: value for name, value in estimator.get_params(deep=False).items() if name not in ("callback", "verbose")}
    parameters = {name: _plain(value) for name, value in given.items() if name != "measure"}
    if "measure" in given:
        parameters["measure"] = qualified_name_of(as_measure(given["measure"]))
    return parameters


def _plain(value: Any) -> Any:
    """A parameter as JSON has it, or as text."""
    if isinstance(value, BaseEstimator):
        parameters = ", ".join(f"{name}={part!r}" for name, part in sorted(parameters_of(value).items()))
        return f"{type(value).__name__}({parameters})"
    if isinstance(value, (str, int, float, bool, type(None))):
        return value
    if isinstance(value, np.random.RandomState):
        return None  # it has moved on: the same model cannot be learned from it again
    if isinstance(value, np.generic):
        return value.item()
    if callable(value):
        return getattr(value, "__name__", str(value))
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    return [_plain(item) for item in value] if isinstance(value, Iterable) else str(value)
