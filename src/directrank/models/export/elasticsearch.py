"""Elasticsearch's own learning to rank (``_ml/trained_models``)."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from .derived_features import DerivedFeature, derived_features
from .engine_version import parse_version
from .export_names import NO_TEMPLATE, check_names
from .exported_model import Exported, as_parts, as_tree_sum, exported
from .notes import FILL_IN, missing_values, unnamed
from .plain_trees import MAX_NESTED, PlainTree, lowest_score, plain_trees
from .threshold_rounding import exactly

_NO_EXTRACTORS = "Its feature_extractors are empty: fill in those that --feature-definitions writes."

_OWN_BRANCH = "a feature is missing, not 0, where its extractor does not match: train on what the engine logs."

_TO_ADD = "export --part trees, and let further rescorers add the weights of --part linear --to elasticsearch-ltr"

#: First version with learning to rank, and first that rejects ``input`` in a model for it, which earlier ones require.
_OLDEST, _WITHOUT_INPUT = (8, 12), (8, 15)

_NEEDS = "It needs Elasticsearch 8.15 or later; --engine-version 8.14 writes the field input, which 8.12 to 8.14 require."


def to_elasticsearch(model: Any, *, shift: bool = False, engine_version: str | None = None) -> Exported:
    """The body of ``PUT _ml/trained_models/NAME``, for trees and stumps, in double precision.

    It has the trees, but no feature extractors: replace the empty list by the list of `elasticsearch_features`, filled in.
    Elasticsearch 8.12 to 8.14 require the field ``input``, and later versions reject it.

    Parameters
    ----------
    model : Model, or a fitted learner
    shift : bool
        Whether to add a constant to the first tree so that no score is negative.
    engine_version : str, optional
        Version of Elasticsearch; 8.15 or later if None.
    """
    version = parse_version(engine_version, "Elasticsearch", _OLDEST)
    portable = as_tree_sum(model, "Elasticsearch's own inference", _TO_ADD)
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
    needs_input = version is not None and version < _WITHOUT_INPUT
    body = {
        **({"input": {"field_names": names}} if needs_input else {}),
        "inference_config": {"learning_to_rank": {"feature_extractors": []}},
        "definition": {"trained_model": {"ensemble": ensemble}},
    }
    notes = (missing_values(trees, _OWN_BRANCH), _lift(trees), _NO_EXTRACTORS, _NEEDS if version is None else None)
    return exported(body, unnamed(portable), *notes)


def elasticsearch_features(model: Any) -> Exported:
    """A list of ``feature_extractors``, with a query for each feature to fill in.

    Elasticsearch rejects extractors that are not filled in.
    """
    portable, (linear, _) = as_parts(model)
    names = list(portable.features.values())
    _check_names(names)
    queries = {name: {FILL_IN: {"title": "{{query}}"}} for name in names}
    queries |= {feature.name: _derived(feature) for feature in derived_features(linear)}
    extractors = [{"query_extractor": {"feature_name": name, "query": query}} for name, query in queries.items()]
    return exported(json.dumps(extractors, indent=2, ensure_ascii=False) + "\n", unnamed(portable))


def _derived(feature: DerivedFeature) -> dict[str, Any]:
    """The query of a derived feature, for the rescorers that add a linear start; scores of queries are not negative."""
    query = {f"FILL IN: the query of {feature.source}": {"title": "{{query}}"}}
    if feature.is_log:
        return {"script_score": {"query": query, "script": {"source": "Math.log1p(_score)"}}}
    return {"constant_score": {"filter": {"bool": {"must_not": query}}}}


def _check_names(names: list[str]) -> None:
    check_names("Elasticsearch", names, NO_TEMPLATE, "white space, and {{, which starts a tag of its templates")


def _lift(trees: list[PlainTree]) -> str | None:
    """Note on the constant that Elasticsearch adds to a model with negative scores."""
    lowest = lowest_score(trees, np.float64)
    if lowest >= 0:
        return None
    return (
        f"From 8.19 and 9.1 on, Elasticsearch adds {-lowest:.6g} to all scores, so that the lowest possible one is 0; with "
        "--shift the model itself has this constant."
    )


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
