"""Parts of a model that is a weighted sum of features plus trees, as models of their own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..base import Model
from ..composite.selected_features import SelectedFeatures
from ..composite.sum_of_models import SumOfModels
from ..errors import ModelError
from ..linear import LinearModel
from ..portable import TreeSum, WeightedSum, split_parts
from ..saving import as_model
from ..stumps import StumpsModel
from ..trees import TreesModel

PARTS = ("linear", "trees")


def model_part(model: Any, part: str) -> Model:
    """One part of a model, for targets that cannot add a weighted sum and trees.

    Up to a constant, a score of the model is the sum of the scores of its parts.

    Parameters
    ----------
    model : Model, or a fitted learner
    part : {"linear", "trees"}
    """
    if part not in PARTS:
        raise ModelError(f"the part of a model must be {' or '.join(PARTS)}, not {part!r}")
    linear, trees = split_parts(as_model(model).portable())
    if part == "linear" and linear is not None:
        return _linear_model(linear)
    if part == "trees" and trees is not None:
        return _trees_model(trees)
    whole_model = "weighted sum of features" if part == "trees" else "sum of trees"
    raise ModelError(f"the model has no part {part}: it is a {whole_model}; leave --part out")


def _linear_model(linear: WeightedSum) -> Model:
    """A weighted sum as a model; as the sum of two, if a feature and its logarithm both have a weight."""
    if np.any(np.diff(linear.columns) == 0):
        halves = [linear.only(~linear.is_log), replace(linear.only(linear.is_log), intercept=0.0)]
        return SumOfModels(np.ones(2), [_linear_model(half) for half in halves], feature_names=linear.feature_names)
    logs, if_missing = np.flatnonzero(linear.is_log), linear.if_missing if np.any(linear.if_missing) else None
    weighted = LinearModel(linear.weights, linear.intercept, log_features=logs, if_missing=if_missing)
    return SelectedFeatures(weighted, linear.columns, linear.width, feature_names=linear.feature_names)


def _trees_model(trees: TreeSum) -> Model:
    if trees.tiny_is_zero:
        return TreesModel.from_portable(trees)
    features, thresholds, steps = (
        np.concatenate(parts)
        for parts in zip(*((t.feature, t.threshold, t.leaf_value[~t.right]) for t in trees.trees), strict=True)
    )
    return StumpsModel(features, thresholds, steps, trees.width, feature_names=trees.feature_names)
