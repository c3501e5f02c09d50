"""Model files of directrank 0.1, which held the attributes of a fitted learner."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .base import Model, Provenance, numbers
from .linear import LinearModel
from .stumps import StumpsModel
from .trees import TreesModel

FORMAT = "directrank model, version 1"


def model_of_version_1(content: dict[str, Any]) -> Model:
    """The model in such a file; which kind it is, its attributes tell."""
    learned, width = content["learned"], content["learned"]["n_features_in_"]
    if "booster_" in learned:
        model: Model = TreesModel(learned["booster_"], learned["best_iteration_"], learned.get("categories_", []))
    elif "thresholds_" in learned:
        thresholds, alphas = (numbers(name, learned[name]) for name in ("thresholds_", "alphas_"))
        model = StumpsModel(numbers("features_", learned["features_"], np.int64), thresholds, alphas, width)
    else:
        model = _linear(learned)
    model = model.with_feature_names(content["feature_names"] or learned.get("feature_names_in_"))
    model.check_width(width)
    return replace(model, provenance=_provenance(content))


def _linear(learned: dict[str, Any]) -> LinearModel:
    coef, intercept = learned["coef_"], 0.0
    if coef and isinstance(coef[0], list):  # a classifier's, as scikit-learn has it
        coef, intercept = coef[0], learned["intercept_"][0]
    return LinearModel(numbers("coef_", coef), intercept, learned.get("classes_"))


def _provenance(content: dict[str, Any]) -> Provenance:
    figures = ("C_", "gap_", "slack_", "objective_")
    training = {name[:-1]: content["learned"][name] for name in figures if name in content["learned"]}
    measure = content["parameters"].get("measure") or ""
    return Provenance(content["learner"], content["parameters"], measure, "0.1.0", training)
