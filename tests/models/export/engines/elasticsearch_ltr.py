"""The Learning to Rank plugins of Elasticsearch (o19s) and OpenSearch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from .rows import NAN, ZERO, Row, Tree, below, feature_set, float_sum, leaf_of, vector, without_missing
from .strict import Refused, array, integer, json_float32, keys_of, read_json, string


def elasticsearch_ltr(
    body: str | Mapping[str, Any],
    rows: Sequence[Row],
    features: Sequence[str] | None = None,
    unmatched: Literal["direction", "right", "zero"] = "direction",
) -> np.ndarray:
    """Scores of the Elasticsearch and OpenSearch Learning to Rank plugins, from the body of `_createmodel`.

    The body is {"model": {"name", "model": {"type", "definition"}}} with no other key (RestCreateModelFromSet.java,
    StoredLtrModel.java); the definition is JSON or a string that holds JSON. The feature set is stored apart:
    `features` are its names in order, by default those of the first row.

    `unmatched` says what a feature is whose query did not match: NaN, which goes where `missing` points, in newer
    versions (SparseFeatureVector.java); NaN, which goes right, with `missing` unread, in OpenSearch 3.2 to 3.7; 0, with
    `missing` unread, in older ones (DenseFeatureVector.java). A linear model always has 0.
    """
    names = feature_set(features, rows)
    model = keys_of(keys_of(read_json(body), "the body", {"model"})["model"], "model", {"name", "model"})
    string(model["name"], "model.name")
    ranker = keys_of(model["model"], "model.model", {"type", "definition"})
    definition = ranker["definition"]
    if isinstance(definition, str):
        definition = read_json(definition)
    if ranker["type"] == "model/linear":
        return _linear(definition, names, rows)
    if ranker["type"] == "model/xgboost+json":
        default = ZERO if unmatched == "zero" else NAN
        return _trees(definition, names, [vector(row, names, default) for row in rows], unmatched == "right")
    raise Refused(f"model.model.type is {ranker['type']!r}")


def _linear(definition: object, names: list[str], rows: Sequence[Row]) -> np.ndarray:
    """The float sum, in the order of the feature set, of weight times value (LinearRankerParser.java, LinearRanker.java)."""
    if not isinstance(definition, dict):
        raise Refused("the definition of a linear model is an object of weights")
    weights = dict.fromkeys(names, ZERO)
    for name, weight in definition.items():
        if name not in weights:
            raise Refused(f"{name!r} is not in the feature set")
        weights[name] = json_float32(weight, f"the weight of {name!r}")
    scores = []
    for row in rows:
        score = ZERO
        for name, value in zip(names, vector(row, names, ZERO), strict=True):
            score = score + weights[name] * value
        scores.append(score)
    return np.array(scores, dtype=np.float32)


def elasticsearch_ltr_sum(bodies: str, rows: Sequence[Row], **options: Any) -> np.ndarray:
    """Scores of a bool query whose should clauses are a sltr query for each line's model (DisjunctionSumScorer.java)."""
    parts = [elasticsearch_ltr(line, rows, **options).astype(np.float64) for line in bodies.splitlines()]
    return np.sum(parts, axis=0).astype(np.float32)


def _trees(definition: object, names: list[str], vectors: list[list[np.float32]], missing_goes_right: bool) -> np.ndarray:
    """The float sum of the trees' leaves (XGBoostJsonParser.java, NaiveAdditiveDecisionTree.java).

    The definition is an array of trees or {"objective", "splits"}. Of the objectives, only those are taken here that
    every version takes.
    """
    objective = "rank:pairwise"
    if isinstance(definition, dict):
        definition = keys_of(definition, "the definition", {"splits"}, {"objective"})
        objective, definition = definition.get("objective", objective), definition["splits"]
    if objective not in ("binary:logitraw", "rank:pairwise", "reg:linear", "binary:logistic", "reg:logistic"):
        raise Refused(f"the objective {objective!r} is not one that every version knows")
    trees = [_node(tree, names)[1] for tree in array(definition, "the definition")]
    if not trees:
        raise Refused("at least one tree is needed")
    if missing_goes_right:
        trees = [without_missing(tree) for tree in trees]
    scores = np.array([float_sum(leaf_of(tree, x, below) for tree in trees) for x in vectors], dtype=np.float32)
    if objective.endswith(":logistic"):
        scores = (1 / (1 + np.exp(-scores.astype(np.float64)))).astype(np.float32)
    return scores


def _node(node: object, names: list[str]) -> tuple[int, Tree]:
    """A node's id and the tree below it: no unknown fields, the children in the order of `yes` and `no`.

    `missing` may be left out in some versions only (newer ones of Elasticsearch's plugin then fail at loading), and
    OpenSearch refuses one that points at neither child.
    """
    if isinstance(node, dict) and "leaf" in node:
        leaf = keys_of(node, "a leaf", {"nodeid", "leaf"}, {"depth"})
        return integer(leaf["nodeid"], "nodeid"), (json_float32(leaf["leaf"], "leaf"),)
    split = keys_of(node, "a split", {"nodeid", "depth", "split", "split_condition", "yes", "no", "missing", "children"})
    integer(split["depth"], "depth")
    if split["split"] not in names:
        raise Refused(f"{split['split']!r} is not in the feature set")
    children = [_node(child, names) for child in array(split["children"], "children")]
    yes, no, missing = (integer(split[key], key) for key in ("yes", "no", "missing"))
    if [child for child, _ in children] != [yes, no]:
        raise Refused(f"the children of node {split['nodeid']} are not those that yes and no name, in this order")
    if missing not in (yes, no):
        raise Refused(f"missing of node {split['nodeid']} is none of its children")
    threshold = json_float32(split["split_condition"], "split_condition")
    left, right = (tree for _, tree in children)
    return integer(split["nodeid"], "nodeid"), (names.index(split["split"]), threshold, left, right, missing == yes)
