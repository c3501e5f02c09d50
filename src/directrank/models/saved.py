"""Models as JSON: what was learned, how, and nothing that is run when it is read."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..learners import AdaRank, CoordinateAscent, MultivariateSVC, OneVsRestSVM, RankBoost, RankSVM, SVMRanker
from ..learners.base import measure_name

_LEARNERS = {
    learner.__name__: learner
    for learner in (SVMRanker, RankSVM, MultivariateSVC, AdaRank, RankBoost, CoordinateAscent, OneVsRestSVM)
}
_FORMAT = "directrank model, version 1"

#: What a model knows about its training and does not need to predict.
_NOT_SAVED = ("history_", "estimators_")


class ModelError(ValueError):
    """The text is not a model that can be read."""


def dumps(model: Any, feature_names: list[str] | None = None) -> str:
    """A fitted model as text; `loads` gives back one that predicts the same."""
    name = type(model).__name__
    if name not in _LEARNERS:
        raise ModelError(f"{name} is not a learner of directrank; there are {', '.join(_LEARNERS)}")
    check_is_fitted(model)
    learned = {key: _plain(value) for key, value in vars(model).items() if key.endswith("_") and key not in _NOT_SAVED}
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
            if not (key.endswith("_") and not key.startswith("_")):
                raise ModelError(f"{key!r} is nothing that a model learns")
            setattr(model, key, _array(key, value) if isinstance(value, list) else value)
        _check(model)
    except (KeyError, TypeError, AttributeError, IndexError, json.JSONDecodeError) as error:
        raise ModelError(f"this is not a model of directrank, or not a whole one ({error})") from error
    return model


def _check(model: Any) -> None:
    """That a model has what it predicts with, so that no text makes it read beside an array."""
    n_features = model.n_features_in_
    if hasattr(model, "features_"):
        features = model.features_
        if not np.all((features >= 0) & (features < n_features)):
            raise ModelError(f"its features_ must be numbers from 0 to {n_features - 1}")
        sizes = {model.alphas_.size, features.size, getattr(model, "thresholds_", features).size}
        if len(sizes) > 1 or not np.all(np.isfinite(model.alphas_)):
            raise ModelError(f"its alphas_ must be {features.size} finite numbers")
    if not isinstance(model, RankBoost) and (
        np.shape(model.coef_)[-1] != n_features or not np.all(np.isfinite(model.coef_))
    ):
        raise ModelError(f"its coef_ must be {n_features} finite numbers")


def _array(key: str, value: list[Any]) -> Any:
    return np.array(value, np.int64 if key == "features_" else None if value else np.float64)


def _plain(value: Any) -> Any:
    """As JSON has it; a measure by its name."""
    if isinstance(value, (np.ndarray, list, tuple)):
        return [_plain(item) for item in np.asarray(value).tolist()] if np.ndim(value) == 1 else np.asarray(value).tolist()
    if isinstance(value, np.generic):
        return value.item()
    return value if isinstance(value, (str, int, float, bool, type(None))) else measure_name(value)
