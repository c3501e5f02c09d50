"""Vespa's import of LightGBM's JSON."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .rows import Row
from .strict import Refused, array, integer, java_double, json_float64, read_json, string
from .vespa_expression import vespa_expression


def vespa_lightgbm(text: str, rows: Sequence[Row], single: bool = False) -> np.ndarray:
    """Scores of Vespa from a file of LightGBM's JSON in `models/`, which becomes a ranking expression (LightGBMParser.java).

    `objective`, `feature_names`, `tree_info` and `pandas_categorical` must be there; unknown keys are skipped. Vespa
    evaluates large forests, and all of them if asked to, with thresholds and leaves in float: that is `single`
    (vm_forest.cpp, fast_forest.cpp, gbdt.cpp).
    """
    root = read_json(text)
    if not isinstance(root, dict):
        raise Refused("the file is a JSON object")
    for key in ("objective", "feature_names", "tree_info", "pandas_categorical"):
        if key not in root:
            raise Refused(f"{key} is missing")
    names = [string(name, "a feature name") for name in array(root["feature_names"], "feature_names")]
    trees = []
    for tree in array(root["tree_info"], "tree_info"):
        if not isinstance(tree, dict) or "tree_structure" not in tree:
            raise Refused("a tree has no tree_structure")
        trees.append(_node(tree["tree_structure"], names, single))
    expression = " + \n".join(trees)
    objective = "regression" if root["objective"] is None else str(root["objective"])
    if objective.startswith("binary") or objective == "cross_entropy":
        expression = f"sigmoid({expression})"
    elif objective in ("poisson", "gamma", "tweedie"):
        expression = f"exp({expression})"
    return vespa_expression(expression, rows)


def _node(node: object, names: list[str], single: bool) -> str:
    """The expression of a node: LightGBM's <= becomes <, and a missing value goes left if default_left.

    Absent fields have Java's defaults, and any decision_type but == is taken for <=. Categories become strings, which
    no number equals: they are refused here.
    """
    if not isinstance(node, dict):
        raise Refused("a node is an object")
    if "left_child" not in node and "right_child" not in node:
        return _number(node.get("leaf_value", 0), "leaf_value", single)
    if not isinstance(node.get("decision_type"), str) or node["decision_type"] == "==":
        raise Refused("decision_type is missing or ==")
    index = integer(node.get("split_feature", 0), "split_feature")
    if not 0 <= index < len(names):
        raise Refused(f"there is no feature {index}")
    threshold = _number(node.get("threshold"), "threshold", single)
    below = f"!({names[index]} >= {threshold})" if node.get("default_left", False) else f"{names[index]} < {threshold}"
    left, right = (_node(node.get(f"{side}_child"), names, single) for side in ("left", "right"))
    return f"if ({below}, {left}, {right})"


def _number(value: object, what: str, single: bool) -> str:
    """The number as it stands in the expression; a threshold may be a string. Infinity and NaN become unknown features."""
    number = java_double(value, what) if isinstance(value, str) else json_float64(value, what)
    if single:
        with np.errstate(over="ignore"):
            number = float(np.float32(number))
    return repr(number).replace("inf", "Infinity").replace("nan", "NaN")
