"""XGBoost's own JSON (``Booster.save_model``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Floats
from ..portable import Portable
from .export_names import check_names
from .exported_model import Exported, as_tree_sum, exported
from .notes import SINGLE_LEAVES, SINGLE_VALUES
from .plain_trees import PlainTree, plain_trees
from .threshold_rounding import single_above

_NO_PARENT = 2**31 - 1

_TO_ADD = "export --part trees, and pass the scores of --part linear --to python as base_margin"


def to_xgboost(model: Any, *, shift: bool = False) -> Exported:
    """The JSON that ``xgboost.Booster(model_file=...)`` reads, for trees and stumps.

    XGBoost sends x left if x < t in single precision, and the right child follows the left. Training figures become
    XGBoost's: gains and sums of hessians, so that its importances work.

    Parameters
    ----------
    model : Model, or a fitted learner
    shift : bool
        Whether to add a constant to the first tree so that no score is negative.
    """
    portable = as_tree_sum(model, "XGBoost's JSON", _TO_ADD)
    if portable.feature_names is not None:
        check_names("XGBoost", portable.feature_names, r"[^\[\]<]+", "the characters [, ] and <")
    trees = plain_trees(portable, single_above, leaf_type=np.float32, shift=shift)
    booster = {
        "gbtree_model_param": {"num_parallel_tree": "1", "num_trees": str(len(trees))},
        "iteration_indptr": list(range(len(trees) + 1)),
        "tree_info": [0] * len(trees),
        "trees": [_tree(number, tree, portable.width) for number, tree in enumerate(trees)],
    }
    names = list(portable.feature_names or ())
    content = {
        "learner": {
            "attributes": {},
            "feature_names": names,
            "feature_types": ["float"] * len(names),
            "gradient_booster": {"model": booster, "name": "gbtree"},
            "learner_model_param": {
                "base_score": "0E0",
                "boost_from_average": "0",
                "num_class": "0",
                "num_feature": str(portable.width),
                "num_target": "1",
            },
            "objective": {"name": "reg:squarederror", "reg_loss_param": {"scale_pos_weight": "1"}},
        },
        "version": [2, 1, 0],
    }
    return exported(content, SINGLE_VALUES, SINGLE_LEAVES)


def xgboost_scores(content: bytes, X: Any, portable: Portable) -> Floats:
    """Scores of an export by XGBoost."""
    import xgboost

    booster = xgboost.Booster(model_file=bytearray(content))
    found: Floats = booster.predict(xgboost.DMatrix(X.astype(np.float32)), validate_features=False, output_margin=True)
    return found


def _tree(number: int, tree: PlainTree, width: int) -> dict[str, Any]:
    """The arrays of a tree, its nodes numbered level by level."""
    order = [0 if tree.n_splits else ~0]  # what each node is: a split or ~leaf
    left, right, parents = [-1], [-1], [_NO_PARENT]
    children = list(zip(tree.left.tolist(), tree.right.tolist(), strict=True))
    for node, what in enumerate(order):
        if what >= 0:
            left[node], right[node] = len(order), len(order) + 1
            order += children[what]
            left += [-1, -1]
            right += [-1, -1]
            parents += [node, node]
    source = tree.source
    return {
        "id": number,
        "left_children": left,
        "right_children": right,
        "parents": parents,
        "split_indices": _by_node(order, tree.feature, np.zeros(tree.n_leaves, np.int64)),
        "split_conditions": _by_node(order, tree.threshold, tree.leaf_value),
        "default_left": _by_node(order, tree.missing_left.astype(int), np.zeros(tree.n_leaves, np.int64)),
        "base_weights": _by_node(order, source.value, tree.leaf_value),
        "loss_changes": _by_node(order, source.gain, np.zeros(tree.n_leaves)),
        "sum_hessian": _by_node(order, source.weight, source.leaf_weight),
        "split_type": [0] * len(order),
        "categories": [],
        "categories_nodes": [],
        "categories_segments": [],
        "categories_sizes": [],
        "tree_param": {
            "num_deleted": "0",
            "num_feature": str(width),
            "num_nodes": str(len(order)),
            "size_leaf_vector": "1",
        },
    }


def _by_node(order: list[int], split_values: Any, leaf_values: Any) -> list[Any]:
    both = [*split_values.tolist(), *leaf_values.tolist()[::-1]]  # ~leaf counts from the end
    return [both[what] for what in order]
