"""Model files of directrank 0.1, which held the attributes of a fitted learner."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .base import Model
from .checks import ModelError, field_of, integer, names, number, numbers
from .linear import LinearModel, checked_classes
from .provenance import Provenance
from .stumps import StumpsModel
from .trees import TreesModel

FORMAT = "directrank model, version 1"


def model_of_version_1(content: dict[str, Any]) -> Model:
    """The model in such a file; which kind it is, its attributes tell."""
    learned, called = field_of(content, "learned"), field_of(content, "feature_names")
    width = integer("n_features_in_", field_of(learned, "n_features_in_"), 1)
    if "booster_" in learned:
        model = _trees(learned)
    elif "thresholds_" in learned:
        model = _stumps(learned, width)
    else:
        model = _linear(learned)
    called = called or learned.get("feature_names_in_")
    model = model.with_feature_names(None if called is None else names("feature_names", called))
    model.check_width(width)
    return replace(model, provenance=_provenance(content))


def _trees(learned: dict[str, Any]) -> Model:
    n_trees = integer("best_iteration_", field_of(learned, "best_iteration_"), 0)
    columns = names("categories_", learned.get("categories_", []))
    return TreesModel.from_lightgbm(learned["booster_"], n_trees, list(columns))


def _stumps(learned: dict[str, Any], width: int) -> Model:
    features = numbers("features_", field_of(learned, "features_"), np.int64)
    thresholds, alphas = (numbers(name, field_of(learned, name)) for name in ("thresholds_", "alphas_"))
    return StumpsModel(features, thresholds, alphas, width)


def _linear(learned: dict[str, Any]) -> Model:
    coef, intercept = field_of(learned, "coef_"), 0.0
    if isinstance(coef, list) and coef and isinstance(coef[0], list):  # a classifier's, as scikit-learn has it
        given = numbers("intercept_", field_of(learned, "intercept_"))
        if given.size != 1:
            raise ModelError(f"its intercept_ must have 1 number, and has {given.size}")
        coef, intercept = coef[0], float(given[0])
    return LinearModel(numbers("coef_", coef), intercept, checked_classes(learned.get("classes_")))


def _provenance(content: dict[str, Any]) -> Provenance:
    figures, learned, parameters = (
        ("C_", "gap_", "slack_", "objective_"),
        content["learned"],
        field_of(content, "parameters"),
    )
    return Provenance.from_json(
        {
            "learner": field_of(content, "learner"),
            "parameters": parameters,
            "measure": (parameters.get("measure") or "") if isinstance(parameters, dict) else "",
            "version": "0.1.0",
            "training": {name[:-1]: number(name, learned[name], finite=False) for name in figures if name in learned},
        }
    )
