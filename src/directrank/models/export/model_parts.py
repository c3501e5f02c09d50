"""Parts of a model that is a weighted sum of features plus trees, as models of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import Model
from ..composite.selected_features import SelectedFeatures
from ..errors import ModelError
from ..linear import LinearModel
from ..portable import TreeSum, split_parts
from ..saving import as_model
from ..stumps import StumpsModel
from ..trees import TreesModel

PARTS = ("linear", "trees")


def model_part(model: Any, part: str) -> Model:
    """One part of a model, for targets that cannot add a weighted sum and trees.

    Up to a constant, a score of the model is the sum of the scores of its parts. A missing feature of the linear part counts
    0.

    Parameters
    ----------
    model : Model, or a fitted learner
    part : {"linear", "trees"}
    """
    if part not in PARTS:
        raise ModelError(f"the part of a model must be {' or '.join(PARTS)}, not {part!r}")
    linear, trees = split_parts(as_model(model).portable())
    if part == "linear" and linear is not None:
        weighted = LinearModel(linear.weights, linear.intercept)
        return SelectedFeatures(weighted, linear.columns, linear.width, feature_names=linear.feature_names)
    if part == "trees" and trees is not None:
        return _trees_model(trees)
    whole_model = "weighted sum of features" if part == "trees" else "sum of trees"
    raise ModelError(f"the model has no part {part}: it is a {whole_model}; leave --part out")


def _trees_model(trees: TreeSum) -> Model:
    if trees.tiny_is_zero:
        return TreesModel.from_portable(trees)
    features, thresholds, steps = (
        np.concatenate(parts)
        for parts in zip(*((t.feature, t.threshold, t.leaf_value[~t.right]) for t in trees.trees), strict=True)
    )
    return StumpsModel(features, thresholds, steps, trees.width, feature_names=trees.feature_names)
