"""Elasticsearch's own learning to rank (``_ml/trained_models``)."""

from __future__ import annotations

import json
from typing import Any

from .export_names import check_names
from .exported_model import Exported, as_portable, as_tree_sum, exported
from .notes import FILL_IN, missing_values, unnamed
from .plain_trees import MAX_NESTED, PlainTree, plain_trees
from .threshold_rounding import exactly

_NO_EXTRACTORS = "Its feature_extractors are empty: fill in those that --feature-definitions writes."

_OWN_BRANCH = "a feature is missing, not 0, where its extractor does not match: train on what the engine logs."


def to_elasticsearch(model: Any, *, shift: bool = False) -> Exported:
    """The body of ``PUT _ml/trained_models/NAME``, for trees and stumps, in double precision.

    It has the trees, but no feature extractors: replace the empty list by the list of `elasticsearch_features`, filled in.

    Parameters
    ----------
    model : Model, or a fitted learner
    shift : bool
        Whether to add a constant to the first tree so that no score is negative.
    """
    portable = as_tree_sum(
        model, "Elasticsearch's own inference", "; --to elasticsearch-ltr is for the plugin, which has them"
    )
    names = list(portable.features.values())
    _check_names(names)
    place = {column: i for i, column in enumerate(portable.features)}
    trees = plain_trees(portable, exactly, max_depth=MAX_NESTED, shift=shift)
    labels = {"feature_names": names, "target_type": "regression"}
    ensemble = {
        **labels,
        "aggregate_output": {"weighted_sum": {"weights": [1.0] * len(trees)}},
        "trained_models": [{"tree": {**labels, "tree_structure": _nodes(tree, place)}} for tree in trees],
    }
    body = {
        "inference_config": {"learning_to_rank": {"feature_extractors": []}},
        "definition": {"trained_model": {"ensemble": ensemble}},
    }
    return exported(body, unnamed(portable), missing_values(trees, _OWN_BRANCH), _NO_EXTRACTORS)


def elasticsearch_features(model: Any) -> Exported:
    """A list of ``feature_extractors``, with a query for each feature to fill in.

    Elasticsearch rejects extractors that are not filled in.
    """
    portable = as_portable(model)
    names = list(portable.features.values())
    _check_names(names)
    extractors = [{"query_extractor": {"feature_name": name, "query": {FILL_IN: {"title": "{{query}}"}}}} for name in names]
    return exported(json.dumps(extractors, indent=2, ensure_ascii=False) + "\n", unnamed(portable))


def _check_names(names: list[str]) -> None:
    check_names("Elasticsearch", names, r"\S+", "white space")


def _nodes(tree: PlainTree, place: dict[int, int]) -> list[dict[str, Any]]:
    """Splits first, then leaves; a node's place in the list is its number."""
    n_splits, source = tree.n_splits, tree.source
    gains, counts = source.gain.tolist(), source.count.tolist()
    splits: list[dict[str, Any]] = [
        {
            "node_index": i,
            "decision_type": "lte",
            "split_feature": place[feature],
            "threshold": threshold,
            "default_left": missing_left,
            "left_child": left if left >= 0 else n_splits + ~left,
            "right_child": right if right >= 0 else n_splits + ~right,
            "split_gain": gains[i],
            "number_samples": counts[i],
        }
        for i, (feature, threshold, left, right, missing_left) in enumerate(tree.nodes())
    ]
    rows = zip(tree.leaf_value.tolist(), source.leaf_count.tolist(), strict=True)
    leaves = [
        {"node_index": n_splits + i, "leaf_value": value, "number_samples": count} for i, (value, count) in enumerate(rows)
    ]
    return splits + leaves
