"""Models as JSON: what was learned, how, and nothing that is run when it is read."""

from __future__ import annotations

import json
from typing import Any

import lightgbm as lgb
import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..learners import AdaRank, CoordinateAscent, LambdaMART, MultivariateSVC, OneVsRestSVM, RankBoost, RankSVM, SVMRanker
from ..learners.base import measure_name

_LEARNERS = {
    learner.__name__: learner
    for learner in (SVMRanker, RankSVM, MultivariateSVC, AdaRank, RankBoost, CoordinateAscent, OneVsRestSVM, LambdaMART)
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
            setattr(model, key, _learned(key, value))
        _check(model)
    except ModelError:
        raise
    except (KeyError, TypeError, AttributeError, IndexError, ValueError, OverflowError) as error:
        raise ModelError(f"this is not a model of directrank, or not a whole one ({error})") from error
    return model


def _check(model: Any) -> None:
    """That a model has what it predicts with, so that no text makes it read beside an array."""
    n_features = model.n_features_in_
    if isinstance(model, LambdaMART):
        if model.booster_.num_feature() != n_features:
            raise ModelError(f"its trees are of {model.booster_.num_feature()} features, and it says {n_features}")
        return
    if isinstance(model, RankBoost):
        features = model.features_
        if features.ndim != 1 or not np.all((features >= 0) & (features < n_features)):
            raise ModelError(f"its features_ must be numbers from 0 to {n_features - 1}")
        for name in ("alphas_", "thresholds_"):
            _check_numbers(name, getattr(model, name), features.shape)
    else:
        _check_numbers("coef_", model.coef_, (*np.shape(model.coef_)[:-1], n_features))


def _check_numbers(name: str, values: Any, shape: tuple[int, ...]) -> None:
    if not (np.shape(values) == shape and values.dtype.kind in "if" and np.all(np.isfinite(values))):
        raise ModelError(f"its {name} must be {shape[-1]} finite numbers")


def _learned(key: str, value: Any) -> Any:
    if key == "booster_":
        return _booster(value)
    if not isinstance(value, list):
        return value
    if key == "features_" and not all(isinstance(item, int) for item in value):
        raise ModelError("its features_ must be whole numbers")
    return np.array(value, np.int64 if key == "features_" else None if value else np.float64)


def _booster(text: str) -> lgb.Booster:
    # LightGBM ends the process on some texts that are no model; each of its models starts and ends with these lines.
    if not (text.startswith("tree\n") and "\nend of trees\n" in text):
        raise ModelError("its booster_ is no model of LightGBM")
    try:
        return lgb.Booster(model_str=text)
    except lgb.basic.LightGBMError as error:
        raise ModelError(f"its booster_ is no model of LightGBM: {error}") from error


def _plain(value: Any) -> Any:
    """As JSON has it; a measure by its name."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, lgb.Booster):
        return value.model_to_string()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.random.RandomState):
        return None  # it has moved on: the same model cannot be learned from it again
    return value if isinstance(value, (str, int, float, bool, type(None))) else measure_name(value)
