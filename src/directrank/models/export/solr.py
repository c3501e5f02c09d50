"""Solr's Learning to Rank module."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np

from ...arrays import Floats
from ..portable import TreeSum, WeightedSum
from .export_names import check_model_name, check_names
from .exported_model import Exported, Notes, as_portable, exported
from .notes import (
    MISSING_IS_ZERO,
    SINGLE_LEAVES,
    check_single_weights,
    intercept_left_out,
    may_be_negative,
    missing_values,
    negative_scores,
    unnamed,
)
from .plain_trees import MAX_NESTED, PlainTree, n_missing_unlike_zero, plain_trees
from .threshold_rounding import LARGEST_SINGLE, exactly, single_not_above

#: Solr compares x <= t + SLACK, in single precision.
SLACK = np.float32(1e-6)

#: Default size limit of ZooKeeper, in which SolrCloud stores models.
ZOOKEEPER_LIMIT = 2**20

_TOO_LARGE = (
    "It is above 1 MB, which SolrCloud's ZooKeeper refuses by default: put the file beside the configuration and upload an "
    "org.apache.solr.ltr.model.DefaultWrapperModel that names it."
)

_OWN_BRANCH = 'this needs Solr 9.2 or later, and features with "defaultValue": "NaN" in their params.'

_MODELS = "org.apache.solr.ltr.model."


def to_solr(model: Any, *, name: str = "model", store: str | None = None, shift: bool = False) -> Exported:
    """The body of ``PUT /solr/COLLECTION/schema/model-store``: LinearModel, or MultipleAdditiveTreesModel for trees.

    Solr sends x left if x <= t + 1e-6 in single precision; thresholds are written less by that. Where a missing value goes
    otherwise than 0, the model says so (``isNullSameAsZero``, ``missing``), which needs Solr 9.2 and features that have the
    ``defaultValue`` NaN.

    Parameters
    ----------
    model : Model, or a fitted learner
    name : str
        Name of the model in Solr.
    store : str, optional
        Name of the feature store; Solr's default if None.
    shift : bool
        Whether to add a constant to the first tree so that no score is negative.
    """
    portable = as_portable(model)
    names = list(portable.features.values())
    _check_names(names)
    kind, parameters, notes = _linear(portable, shift) if isinstance(portable, WeightedSum) else _trees(portable, shift)
    stored = {} if store is None else {"store": check_model_name(store)}
    labels = {"name": check_model_name(name), "class": _MODELS + kind, "features": [{"name": f} for f in names]}
    made = exported({**stored, **labels, "params": parameters}, unnamed(portable), *notes)
    return replace(made, notes=(*made.notes, _TOO_LARGE)) if len(made.content) > ZOOKEEPER_LIMIT else made


def solr_features(model: Any, *, store: str | None = None) -> Exported:
    """The body of ``PUT /solr/COLLECTION/schema/feature-store``, with a query for each feature to fill in.

    Solr rejects searches until the queries are filled in. If the model has branches of its own for missing values, features
    are NaN where their query does not match.
    """
    portable = as_portable(model)
    names = portable.all_names()
    _check_names(names)
    own_branch = isinstance(portable, TreeSum) and n_missing_unlike_zero(plain_trees(portable, exactly)) > 0
    parameters = {"q": "{!FILL_IN, for example dismax qf=title}${query}"} | ({"defaultValue": "NaN"} if own_branch else {})
    stored = {} if store is None else {"store": check_model_name(store)}
    kind = "org.apache.solr.ltr.feature.SolrFeature"
    features = [{**stored, "name": name, "class": kind, "params": parameters} for name in names]
    return exported(json.dumps(features, indent=2, ensure_ascii=False) + "\n", unnamed(portable))


def before_slack(thresholds: Floats) -> Floats:
    """For x <= t + 1e-6 in single precision: the number that plus 1e-6 is the largest single not above t.

    If there is none, as for small t, the nearest below.
    """
    wanted = single_not_above(thresholds).astype(np.float32)
    below = (wanted - SLACK).astype(np.float32)
    best = below
    for towards in (np.float32(-LARGEST_SINGLE), np.float32(LARGEST_SINGLE)):
        beside = np.nextafter(below, towards)
        nearer = (beside + SLACK <= wanted) & ((best + SLACK > wanted) | (beside + SLACK > best + SLACK))
        best = np.where(nearer, beside, best)
    return best.astype(np.float64)


def _check_names(names: list[str]) -> None:
    check_names("Solr", names, r"[^\s,=]+", "white space, ',' and '=', which its feature log separates by")


def _linear(model: WeightedSum, shift: bool) -> tuple[str, dict[str, Any], Notes]:
    weights = dict(zip(model.features.values(), model.weights.tolist(), strict=True))
    notes = (check_single_weights(model), intercept_left_out(model), MISSING_IS_ZERO, may_be_negative(model, shift))
    return "LinearModel", {"weights": weights}, notes


def _trees(model: TreeSum, shift: bool) -> tuple[str, dict[str, Any], Notes]:
    trees = plain_trees(model, before_slack, leaf_type=np.float32, max_depth=MAX_NESTED, shift=shift)
    own_branch = n_missing_unlike_zero(trees) > 0
    parameters: dict[str, Any] = {"isNullSameAsZero": False} if own_branch else {}
    parameters["trees"] = [{"weight": "1", "root": _tree(tree, model.features, own_branch)} for tree in trees]
    missing = missing_values(trees, _OWN_BRANCH)
    notes = (_reached(model, trees), SINGLE_LEAVES, missing, negative_scores(trees, np.float32))
    return "MultipleAdditiveTreesModel", parameters, notes


def _tree(tree: PlainTree, names: dict[int, str], own_branch: bool) -> Any:
    """A tree as nested objects, with numbers as strings, which Solr's setters require."""
    nodes, values = tree.nodes(), tree.leaf_value.tolist()

    def split(i: int, left: Any, right: Any) -> Any:
        feature, threshold, _, _, missing_left = nodes[i]
        missing = {"missing": "left" if missing_left else "right"} if own_branch else {}
        return {"feature": names[feature], "threshold": repr(threshold), **missing, "left": left, "right": right}

    return tree.nested(split, lambda leaf: {"value": repr(values[leaf])})


def _reached(model: TreeSum, trees: list[PlainTree]) -> str:
    """Note on the splits that are exact in Solr."""
    wanted = np.concatenate([tree.threshold for tree in plain_trees(model, single_not_above)]).astype(np.float32)
    reached = np.concatenate([tree.threshold for tree in trees]).astype(np.float32) + SLACK
    apart = np.abs(reached.astype(np.float64) - wanted)[reached != wanted]
    if apart.size == 0:
        return "Every split is exact for features in single precision, although Solr adds 1e-6 to thresholds."
    return (
        f"Solr adds 1e-6 to thresholds, so that {apart.size:,} of {wanted.size:,} splits cannot be said exactly: their "
        f"thresholds are up to {apart.max():.2g} too low."
    )
