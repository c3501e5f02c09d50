"""Elasticsearch's own trained models, in the form that its client eland writes."""

from __future__ import annotations

import base64
import gzip
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .rows import NAN, Row, vector
from .strict import Refused, array, integer, json_float64, keys_of, read_json, string


def elasticsearch_native(
    body: str | Mapping[str, Any], rows: Sequence[Row], version: tuple[int, int] = (9, 0)
) -> np.ndarray:
    """Scores of Elasticsearch's own trained models, from the body of `PUT _ml/trained_models/{model_id}`.

    The model is a tree or an ensemble of trees with `weighted_sum`; the sum is Java's compensated sum of doubles, and the
    rescorer makes a float of it (EnsembleInferenceModel.java, WeightedSum.java, LearningToRankRescorer.java). Where the
    inference configuration has feature extractors, a feature without one is always missing.
    """
    optional = {"definition", "compressed_definition", "input", "description", "metadata", "tags", "model_type"}
    body = keys_of(read_json(body), "the body", {"inference_config"}, optional)
    extracted = _extractors(body, version)
    if ("definition" in body) == ("compressed_definition" in body):
        raise Refused("the body needs either definition or compressed_definition")
    definition = body.get("definition")
    if definition is None:
        definition = read_json(gzip.decompress(base64.b64decode(body["compressed_definition"], validate=True)).decode())
    trained = keys_of(definition, "definition", {"trained_model"})["trained_model"]
    if not isinstance(trained, dict) or len(trained) != 1:
        raise Refused("trained_model has one key, the kind of model")
    if "tree" in trained:
        trees, weights = [_tree(trained["tree"])], [1.0]
    else:
        trees, weights = _ensemble(trained.get("ensemble"))
    scores = []
    for row in rows:
        values = []
        for names, nodes in trees:
            available = {name: row.get(name) for name in names if extracted is None or name in extracted}
            values.append(_leaf(nodes, [float(x) for x in vector(available, names, NAN)]))
        scores.append(_java_sum([value * weight for value, weight in zip(values, weights, strict=True)]))
    return np.array(scores, dtype=np.float32)


def _extractors(body: dict[str, Any], version: tuple[int, int]) -> set[str] | None:
    """The names of the features that are extracted; None if the configuration says nothing of it.

    Names are unique, and a model for ranking has no `input.field_names` (LearningToRankConfig.java,
    QueryExtractorBuilder.java) from 8.15 on; before, it must have `input`.
    """
    inference, fields = body["inference_config"], body.get("input", {}).get("field_names", [])
    if not isinstance(inference, dict) or set(inference) not in ({"learning_to_rank"}, {"regression"}):
        raise Refused("inference_config is learning_to_rank or regression")
    if "regression" in inference:
        if not fields:
            raise Refused("a regression needs input.field_names")
        return set(fields)
    if version < (8, 15) and not fields:
        raise Refused("[input] must not be null")
    if version >= (8, 15) and fields:
        raise Refused("cannot specify [input.field_names]")
    optional = {"feature_extractors", "default_params", "num_top_feature_importance_values"}
    config = keys_of(inference["learning_to_rank"], "learning_to_rank", set(), optional)
    names = []
    for extractor in config.get("feature_extractors", []):
        query = keys_of(extractor, "a feature extractor", {"query_extractor"})["query_extractor"]
        query = keys_of(query, "query_extractor", {"feature_name", "query"}, {"default_score"})
        if not isinstance(query["query"], dict) or query.get("default_score", 0) < 0:
            raise Refused("a query extractor has a query, which is an object, and no negative default_score")
        names.append(string(query["feature_name"], "feature_name"))
    if len(set(names)) < len(names):
        raise Refused("two feature extractors have the same feature_name")
    return set(names) or None


def _ensemble(ensemble: object) -> tuple[list[tuple[list[str], list[dict[str, Any]]]], list[float]]:
    """Trees and their weights (Ensemble.java, EnsembleInferenceModel.java: both parsers, one of which needs every field)."""
    ensemble = keys_of(ensemble, "ensemble", {"trained_models", "aggregate_output", "target_type"}, {"feature_names"})
    if "feature_names" not in ensemble:
        raise Refused("ensemble.feature_names is missing")
    if ensemble["target_type"] != "regression":
        raise Refused("target_type must be regression")
    trees = [
        _tree(keys_of(model, "a trained model", {"tree"})["tree"])
        for model in array(ensemble["trained_models"], "trained_models")
    ]
    if not trees:
        raise Refused("an ensemble has at least one model")
    output = keys_of(ensemble["aggregate_output"], "aggregate_output", {"weighted_sum"})["weighted_sum"]
    weights = keys_of(output, "weighted_sum", set(), {"weights"}).get("weights", [1] * len(trees))
    if len(weights) != len(trees):
        raise Refused("there must be one weight for each model")
    return trees, [json_float64(weight, "a weight") for weight in weights]


def _tree(tree: object) -> tuple[list[str], list[dict[str, Any]]]:
    """Names and checked nodes: children are places in the array, none out of range, none visited twice (Tree.java)."""
    tree = keys_of(tree, "tree", {"feature_names", "tree_structure", "target_type"})
    if tree["target_type"] != "regression":
        raise Refused("target_type must be regression")
    names = [string(name, "a feature name") for name in array(tree["feature_names"], "feature_names")]
    nodes = [_node(node, len(names)) for node in array(tree["tree_structure"], "tree_structure")]
    if not nodes:
        raise Refused("tree_structure is empty")
    visited: set[int] = set()
    waiting = [0]
    while waiting:
        place = waiting.pop()
        if place >= len(nodes) or place in visited:
            raise Refused(f"node {place} does not exist or has two parents")
        visited.add(place)
        if "left_child" in nodes[place]:
            waiting += [nodes[place]["left_child"], nodes[place]["right_child"]]
    return names, nodes


def _node(node: object, n_features: int) -> dict[str, Any]:
    """A node of TreeNode.java: a leaf has no left_child; leaf_value is a number or an array of one number."""
    if isinstance(node, dict) and "left_child" not in node:
        leaf = keys_of(node, "a leaf", {"node_index", "leaf_value"}, {"number_samples", "decision_type", "default_left"})
        values = leaf["leaf_value"] if isinstance(leaf["leaf_value"], list) else [leaf["leaf_value"]]
        if len(values) != 1:
            raise Refused("a leaf of a regression tree has one value")
        return {"leaf_value": json_float64(values[0], "leaf_value")}
    required = {"node_index", "left_child", "right_child", "split_feature", "threshold"}
    split = keys_of(node, "a split", required, {"decision_type", "default_left", "number_samples", "split_gain"})
    for key in required - {"threshold"}:
        if integer(split[key], key) < 0:
            raise Refused(f"{key} is negative")
    if split["split_feature"] >= n_features:
        raise Refused("split_feature is beyond feature_names")
    operator = split.get("decision_type", "lte")
    if operator not in _OPERATORS or not isinstance(split.get("default_left", False), bool):
        raise Refused("decision_type or default_left has no meaning")
    return {**split, "decision_type": operator, "threshold": json_float64(split["threshold"], "threshold")}


_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "lt": lambda x, t: x < t,
    "lte": lambda x, t: x <= t,
    "gt": lambda x, t: x > t,
    "gte": lambda x, t: x >= t,
}


def _leaf(nodes: list[dict[str, Any]], x: list[float]) -> float:
    """The leaf of a row: what is not finite is missing and goes by default_left (InnerNode in TreeInferenceModel.java)."""
    node = nodes[0]
    while "left_child" in node:
        value = x[node["split_feature"]]
        if math.isfinite(value):
            left = _OPERATORS[node["decision_type"]](value, node["threshold"])
        else:
            left = node.get("default_left", False)
        node = nodes[node["left_child" if left else "right_child"]]
    return float(node["leaf_value"])


def _java_sum(values: list[float]) -> float:
    """DoubleStream.sum: the sum with Kahan's compensation."""
    total = compensation = 0.0
    for value in values:
        step = value - compensation
        new = total + step
        compensation, total = (new - total) - step, new
    return total - compensation
