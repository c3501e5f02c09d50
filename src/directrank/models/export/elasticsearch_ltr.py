"""The Learning to Rank plugins of Elasticsearch and OpenSearch."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np

from ..portable import TreeSum, WeightedSum
from .export_names import check_model_name, check_names
from .exported_model import Exported, Notes, as_portable, compact_json, exported
from .notes import (
    FILL_IN,
    MISSING_IS_ZERO,
    SINGLE_LEAVES,
    SINGLE_VALUES,
    check_single_weights,
    intercept_left_out,
    may_be_negative,
    missing_values,
    negative_scores,
    unnamed,
)
from .plain_trees import MAX_NESTED, PlainTree, plain_trees
from .ranklib import ranklib_text
from .threshold_rounding import single_above

_OWN_BRANCH = (
    "where its query does not match it must be NaN in the engine, as in current versions of the plugin; older ones take it "
    "for 0 and score such documents otherwise."
)

_OPENSEARCH = (
    "OpenSearch before 3.2 sends a feature whose query did not match right at every split, whatever the model says: log and "
    "serve with missing_as_zero, or upgrade."
)

_NUMBERED = (
    "RankLib knows features by number: the feature set must have all features of the training data, in their order, as "
    "--feature-definitions writes them."
)


def to_elasticsearch_ltr(
    model: Any, *, name: str = "model", store: str = "features", shift: bool = False, ranklib: bool = False
) -> Exported:
    """The body of ``POST _ltr/_featureset/SET/_createmodel``: ``model/linear``, or ``model/xgboost+json`` for trees.

    The plugins send x left if x < t in single precision. A feature whose query did not match is NaN in current versions and
    takes the branch that is written as ``missing``; in linear models, and in older versions, it is 0.

    Parameters
    ----------
    model : Model, or a fitted learner
    name : str
        Name of the model in the engine.
    store : str
        Name of the feature set.
    shift : bool
        Whether to add a constant to the first tree so that no score is negative.
    ranklib : bool
        Whether to write ``model/ranklib`` instead. It numbers features by their places in the feature set, which must be
        all features of the training data in their order, as `elasticsearch_ltr_features` has them.
    """
    portable = as_portable(model)
    _check_names(portable.features.values())
    notes: Notes
    if ranklib:
        text = ranklib_text(portable, shift)
        kind, definition, notes = "model/ranklib", text.text, (*text.notes, _NUMBERED)
    elif isinstance(portable, WeightedSum):
        kind, definition, notes = "model/linear", *_linear(portable, shift)
    else:
        kind, definition, notes = "model/xgboost+json", *_trees(portable, shift)
    body = {"model": {"name": check_model_name(name), "model": {"type": kind, "definition": definition}}}
    upload = f"Upload it by POST _ltr/_featureset/{check_model_name(store)}/_createmodel."
    return exported(body, unnamed(portable), *notes, upload)


def to_opensearch_ltr(
    model: Any, *, name: str = "model", store: str = "features", shift: bool = False, ranklib: bool = False
) -> Exported:
    """`to_elasticsearch_ltr` for OpenSearch, which before version 3.2 sends missing features right at all splits."""
    made = to_elasticsearch_ltr(model, name=name, store=store, shift=shift, ranklib=ranklib)
    trees = isinstance(as_portable(model), TreeSum) and not ranklib
    return replace(made, notes=(*made.notes, _OPENSEARCH)) if trees else made


def elasticsearch_ltr_features(model: Any, *, store: str = "features") -> Exported:
    """The body of ``PUT _ltr/_featureset/STORE``, with a query for each feature to fill in.

    The engine rejects searches until the queries are filled in.
    """
    portable = as_portable(model)
    names = portable.all_names()
    _check_names(names)
    features = [
        {
            "name": name,
            "params": ["keywords"],
            "template_language": "mustache",
            "template": {FILL_IN: {"title": "{{keywords}}"}},
        }
        for name in names
    ]
    body = json.dumps({"featureset": {"name": check_model_name(store), "features": features}}, indent=2, ensure_ascii=False)
    return exported(body + "\n", unnamed(portable))


def _check_names(names: Any) -> None:
    check_names("the Learning to Rank plugin", names, r"\S+", "white space")


def _linear(model: WeightedSum, shift: bool) -> tuple[str, Notes]:
    weights = dict(zip(model.features.values(), model.weights.tolist(), strict=True))
    notes = (check_single_weights(model), intercept_left_out(model), MISSING_IS_ZERO, may_be_negative(model, shift))
    return compact_json(weights), notes


def _trees(model: TreeSum, shift: bool) -> tuple[str, Notes]:
    trees = plain_trees(model, single_above, leaf_type=np.float32, max_depth=MAX_NESTED, shift=shift)
    definition = compact_json([_tree(tree, model.features) for tree in trees])
    missing = missing_values(trees, _OWN_BRANCH)
    return definition, (SINGLE_VALUES, SINGLE_LEAVES, missing, negative_scores(trees, np.float32))


def _tree(tree: PlainTree, names: dict[int, str]) -> Any:
    nodes, depth, values = tree.nodes(), tree.depth, tree.leaf_value.tolist()

    def split(i: int, left: Any, right: Any) -> Any:
        feature, threshold, _, _, missing_left = nodes[i]
        return {
            "nodeid": i,
            "depth": depth[i],
            "split": names[feature],
            "split_condition": threshold,
            "yes": left["nodeid"],
            "no": right["nodeid"],
            "missing": (left if missing_left else right)["nodeid"],
            "children": [left, right],
        }

    return tree.nested(split, lambda leaf: {"nodeid": tree.n_splits + leaf, "leaf": values[leaf]})
