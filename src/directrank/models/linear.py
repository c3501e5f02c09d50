"""Linear models as JSON: what was learned, how, and nothing that is run when it is read."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ..learners import MultivariateSVC, RankSVM, SVMRanker

_LEARNERS = {learner.__name__: learner for learner in (SVMRanker, RankSVM, MultivariateSVC)}
_FORMAT = "directrank linear model, version 1"


class ModelError(ValueError):
    """The text is not a model that can be read."""


def dumps(model: Any, feature_names: list[str] | None = None) -> str:
    """A fitted linear model as text; `loads` gives back one that predicts the same."""
    name = type(model).__name__
    if name not in _LEARNERS:
        raise ModelError(f"{name} is not a linear model; there are {', '.join(_LEARNERS)}")
    learned = {key: _plain(value) for key, value in vars(model).items() if key.endswith("_") and key != "history_"}
    parameters = {key: _plain(value) for key, value in model.get_params().items() if key != "callback"}
    content = {
        "format": _FORMAT,
        "learner": name,
        "parameters": parameters,
        "feature_names": feature_names,
        "learned": learned,
    }
    return json.dumps(content, indent=1) + "\n"


def loads(text: str) -> Any:
    """The model of a text that `dumps` wrote."""
    try:
        content = json.loads(text)
        if content["format"] != _FORMAT:
            raise ModelError(f"this is a {content['format']!r}, not a {_FORMAT!r}")
        model = _LEARNERS[content["learner"]](**content["parameters"])
        for key, value in content["learned"].items():
            setattr(model, key, np.array(value) if isinstance(value, list) else value)
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
        raise ModelError(f"this is not a model of directrank, or not a whole one ({error})") from error
    return model


def _plain(value: Any) -> Any:
    """As JSON has it; a measure by its name."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    return value if isinstance(value, (str, int, float, bool, list, type(None))) else str(value)
