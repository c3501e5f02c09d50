"""Solr's Learning to Rank module."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .rows import ZERO, Row, Tree, at_most, float_sum, leaf_of, vector
from .strict import Refused, array, java_float, json_float64, keys_of, read_json, string


def solr(
    body: str | Mapping[str, Any] | Sequence[Any],
    rows: Sequence[Row],
    default: np.float32 = ZERO,
    version: tuple[int, int] = (10, 0),
) -> np.ndarray:
    """Scores of Solr's Learning to Rank module, from the body of `PUT /solr/{collection}/schema/model-store`.

    The features are named, once each; other keys of the model are not read (ManagedModelStore.java, LTRScoringModel.java).
    A missing value is `default`, the feature's defaultValue in the feature store: 0, or NaN if the store says so. Before 9.2
    there is neither isNullSameAsZero nor missing. Normalizers are refused here.
    """
    model = read_json(body)
    if isinstance(model, list) and len(model) == 1:
        model = model[0]
    if not isinstance(model, dict):
        raise Refused("the body is a model or a list of one")
    string(model.get("name"), "name")
    features = [keys_of(feature, "a feature", {"name"})["name"] for feature in array(model.get("features"), "features")]
    if not features or len(set(features)) < len(features):
        raise Refused("no features, or a feature twice")
    params = model.get("params")
    if not isinstance(params, dict):
        raise Refused("there are no params")
    if model.get("class") == "org.apache.solr.ltr.model.LinearModel":
        return _linear(params, features, [vector(row, features, default) for row in rows])
    if model.get("class") == "org.apache.solr.ltr.model.MultipleAdditiveTreesModel":
        if version < (9, 2) and ("isNullSameAsZero" in params or '"missing"' in json.dumps(params, default=str)):
            raise Refused("there is no setter for isNullSameAsZero or missing")
        return _trees(params, features, [vector(row, features, default) for row in rows])
    raise Refused(f"there is no class {model.get('class')!r}")


def _linear(params: dict[str, Any], features: list[str], vectors: list[list[np.float32]]) -> np.ndarray:
    """The float sum, in the order of the features, of value times weight: JSON numbers, one for each (LinearModel.java)."""
    weights = keys_of(params, "params", {"weights"})["weights"]
    if not isinstance(weights, dict) or not set(features) <= set(weights):
        raise Refused("a feature has no weight")
    floats = [np.float32(json_float64(weights[name], f"the weight of {name!r}")) for name in features]
    scores = []
    for values in vectors:
        products = (x * weight for x, weight in zip(values, floats, strict=True))
        scores.append(float_sum(products))
    return np.array(scores, dtype=np.float32)


def _trees(params: dict[str, Any], features: list[str], vectors: list[list[np.float32]]) -> np.ndarray:
    """The float sum of weight times leaf, in the trees' order (MultipleAdditiveTreesModel.java).

    Every key needs a setter, and numbers are strings: a JSON number is a Double or a Long, for which there is none.
    """
    params = keys_of(params, "params", {"trees"}, {"isNullSameAsZero"})
    null_is_zero = params.get("isNullSameAsZero", True)
    if not isinstance(null_is_zero, bool):
        raise Refused("isNullSameAsZero is true or false")
    forest = []
    for tree in array(params["trees"], "trees"):
        tree = keys_of(tree, "a tree", {"weight", "root"})
        forest.append((java_float(tree["weight"], "weight"), _node(tree["root"], features, null_is_zero)))
    scores = [float_sum(weight * leaf_of(root, x, at_most) for weight, root in forest) for x in vectors]
    return np.array(scores, dtype=np.float32)


def _node(node: object, features: list[str], null_is_zero: bool) -> Tree:
    """The tree below a node: the threshold is lifted by a slack of 1e-6, in float.

    A split on a feature that the model does not name makes its tree 0 without a word, and a missing value without
    `missing` is a NullPointerException: both are refused here.
    """
    if isinstance(node, dict) and "feature" not in node:
        return (java_float(keys_of(node, "a leaf", {"value"})["value"], "value"),)
    optional = {"missing"} if null_is_zero else set()
    split = keys_of(node, "a split", {"feature", "threshold", "left", "right"} | ({"missing"} - optional), optional)
    if split["feature"] not in features:
        raise Refused(f"{split['feature']!r} is not among the model's features: Solr would score the tree 0")
    threshold = java_float(split["threshold"], "threshold") + np.float32(1e-6)
    left, right = (_node(split[side], features, null_is_zero) for side in ("left", "right"))
    goes_left = not null_is_zero and string(split["missing"], "missing") == "left"
    return (features.index(split["feature"]), threshold, left, right, goes_left)
