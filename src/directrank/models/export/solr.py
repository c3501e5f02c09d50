"""Solr's Learning to Rank module."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np

from ...arrays import Floats
from ..errors import ModelError
from ..portable import TreeSum, WeightedSum
from ..trees.tree import ZERO_THRESHOLD
from .derived_features import derived_features, note_on_derived, with_derived_features
from .engine_version import Version, parse_version
from .export_names import check_model_name, check_names
from .exported_model import Exported, Notes, as_one_part, as_parts, exported
from .notes import (
    SINGLE_LEAVES,
    check_single_weights,
    intercept_left_out,
    may_be_negative,
    missing_in_sum,
    missing_values,
    negative_scores,
    unnamed,
)
from .plain_trees import MAX_NESTED, PlainTree, n_missing_unlike_zero, plain_trees
from .threshold_rounding import LARGEST_SINGLE, exactly, single_not_above

#: Solr compares x <= t + SLACK, in single precision.
SLACK = np.float32(1e-6)

#: Largest magnitude of a threshold that separates 0 from all other values.
_THRESHOLD_OF_ZERO = 1.1 * ZERO_THRESHOLD

#: Default size limit of ZooKeeper, in which SolrCloud stores models.
ZOOKEEPER_LIMIT = 2**20

_TOO_LARGE = (
    "It is above 1 MB, which SolrCloud's ZooKeeper refuses by default: put the file beside the configuration and upload an "
    "org.apache.solr.ltr.model.DefaultWrapperModel that names it."
)

#: First version with learning to rank, and first with branches for missing values.
_OLDEST, _OWN_BRANCHES = (6, 4), (9, 2)

_MISSING_BRANCH = 'features must have "defaultValue": "NaN" in their params; without it Solr gives 0 for a missing feature.'

_NEEDS = "It needs Solr 9.2 or later, which reads the branch of missing values; --engine-version 9.1 leaves it out."

_NAN_IS_NAN = (
    "A missing feature must be 0: a LinearModel scores NaN if a feature is NaN, so none may have "
    '"defaultValue": "NaN" in its params.'
)

_NAN_GOES_RIGHT = (
    "A missing feature must be 0: Solr before 9.2 sends NaN right at every split, so none may have "
    '"defaultValue": "NaN" in its params.'
)

_NOT_NEGATIVE = (
    "A feature must not be negative where the model takes its logarithm, as no score of a query is: Lucene takes a negative "
    "value of a function for 0."
)

#: Definitions of derived features as functions of the query x.
_FUNCTION_OF_QUERY = "{!func x='{!FILL_IN, the query of the feature, for example dismax qf=title}${query}'}"

_IS_MISSING = "if(exists(query($x)),0,1)"

#: The logarithm of 1 + x, as x log(u) / (u - 1), where u is 1 + x as rounded: right for small x in single precision.
_LOGARITHM = "if(eq(sum(1,query($x)),1),query($x),product(query($x),div(ln(sum(1,query($x))),sub(sum(1,query($x)),1))))"

_TO_ADD = "export --part trees, and add the weighted sum of --part linear in the client"

_MODELS = "org.apache.solr.ltr.model."


def to_solr(
    model: Any,
    *,
    name: str = "model",
    store: str | None = None,
    shift: bool = False,
    engine_version: str | None = None,
) -> Exported:
    """The body of ``PUT /solr/COLLECTION/schema/model-store``: LinearModel, or MultipleAdditiveTreesModel for trees.

    Solr sends x left if x <= t + 1e-6 in single precision; thresholds are written less by that. Each split has the branch of
    missing values (``isNullSameAsZero``, ``missing``), which needs Solr 9.2; earlier versions send NaN right. A missing
    feature is NaN if that is its ``defaultValue``, and otherwise 0. A logarithm of a feature, or what it counts if it is
    missing, becomes the weight of a derived feature, NAME_log or NAME_missing, which `solr_features` defines.

    Parameters
    ----------
    model : Model, or a fitted learner
    name : str
        Name of the model in Solr.
    store : str, optional
        Name of the feature store; Solr's default if None.
    shift : bool
        Whether to add a constant to the first tree so that no score is negative.
    engine_version : str, optional
        Version of Solr; 9.2 or later if None.
    """
    version = parse_version(engine_version, "Solr", _OLDEST)
    portable = as_one_part(model, "Solr", _TO_ADD)
    _check_names(list(portable.features.values()))
    named = with_derived_features(portable) if isinstance(portable, WeightedSum) else portable
    kind, parameters, notes = (
        _linear(portable, shift) if isinstance(portable, WeightedSum) else _trees(portable, shift, version or _OWN_BRANCHES)
    )
    stored = {} if store is None else {"store": check_model_name(store)}
    features = [{"name": feature} for feature in named.features.values()]
    labels = {"name": check_model_name(name), "class": _MODELS + kind, "features": features}
    made = exported({**stored, **labels, "params": parameters}, unnamed(portable), *notes)
    return replace(made, notes=(*made.notes, _TOO_LARGE)) if len(made.content) > ZOOKEEPER_LIMIT else made


def solr_features(model: Any, *, store: str | None = None) -> Exported:
    """The body of ``PUT /solr/COLLECTION/schema/feature-store``, with a query for each feature to fill in.

    Solr rejects searches until the queries are filled in. If the model has branches of its own for missing values, features
    are NaN where their query does not match.
    """
    portable, (linear, trees) = as_parts(model)
    names = portable.all_names()
    _check_names(names)
    own_branch = trees is not None and n_missing_unlike_zero(plain_trees(trees, exactly)) > 0
    parameters = {"q": "{!FILL_IN, for example dismax qf=title}${query}"} | ({"defaultValue": "NaN"} if own_branch else {})
    stored = {} if store is None else {"store": check_model_name(store)}
    kind = "org.apache.solr.ltr.feature.SolrFeature"
    features = [{**stored, "name": name, "class": kind, "params": parameters} for name in names]
    for feature in derived_features(linear):
        function = _LOGARITHM if feature.is_log else _IS_MISSING
        features.append({**stored, "name": feature.name, "class": kind, "params": {"q": _FUNCTION_OF_QUERY + function}})
    return exported(json.dumps(features, indent=2, ensure_ascii=False) + "\n", unnamed(portable))


def before_slack(thresholds: Floats) -> Floats:
    """For x <= t + 1e-6 in single precision: the number that plus 1e-6 is the largest single not above t.

    Without such a number, as for small t, the nearest below.
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
    plain = with_derived_features(model)
    weights = {term.name: term.weight for term in plain.terms}
    about_missing = (None if model.is_plain else missing_in_sum(model), _NAN_IS_NAN)
    about_derived = (note_on_derived(model), _NOT_NEGATIVE if np.any(model.is_log) else None)
    single, negative = check_single_weights(plain), may_be_negative(model, shift)
    notes = (single, intercept_left_out(model), *about_missing, *about_derived, negative)
    return "LinearModel", {"weights": weights}, notes


def _trees(model: TreeSum, shift: bool, version: Version) -> tuple[str, dict[str, Any], Notes]:
    trees = plain_trees(model, before_slack, leaf_type=np.float32, max_depth=MAX_NESTED, shift=shift)
    own_branch = version >= _OWN_BRANCHES
    parameters: dict[str, Any] = {"isNullSameAsZero": False} if own_branch else {}
    parameters["trees"] = [{"weight": "1", "root": _tree(tree, model.features, own_branch)} for tree in trees]
    missing = (missing_values(trees, _MISSING_BRANCH), _NEEDS) if own_branch else (_without_branches(trees),)
    notes = (_reached(model, trees), SINGLE_LEAVES, *missing, negative_scores(trees, np.float32))
    return "MultipleAdditiveTreesModel", parameters, notes


def _without_branches(trees: list[PlainTree]) -> str:
    """Note for versions in which a missing feature is 0; raises a `ModelError` if the model distinguishes the two."""
    unlike = n_missing_unlike_zero(trees)
    if unlike:
        raise ModelError(
            f"at {unlike:,} splits a missing feature does not go where 0 goes, which Solr reads from version 9.2 on; train "
            "on data converted with --missing 0, or use a later Solr"
        )
    return _NAN_GOES_RIGHT


def _tree(tree: PlainTree, names: dict[int, str], own_branch: bool) -> Any:
    """A tree as nested objects, with numbers as strings, which Solr's setters require."""
    nodes, values = tree.nodes(), tree.leaf_value.tolist()

    def split(i: int, left: Any, right: Any) -> Any:
        feature, threshold, _, _, missing_left = nodes[i]
        missing = {"missing": "left" if missing_left else "right"} if own_branch else {}
        return {"feature": names[feature], "threshold": repr(threshold), **missing, "left": left, "right": right}

    return tree.nested(split, lambda leaf: {"value": repr(values[leaf])})


def _reached(model: TreeSum, trees: list[PlainTree]) -> str:
    """Note on the splits that are exact in Solr; thresholds of 0, which separate it from all other values, do not count."""
    wanted = np.concatenate([tree.threshold for tree in plain_trees(model, single_not_above)])
    reached = (np.concatenate([tree.threshold for tree in trees]).astype(np.float32) + SLACK).astype(np.float64)
    unlike = reached != wanted
    matters = unlike & (np.abs(wanted) > _THRESHOLD_OF_ZERO)
    if np.any(matters):
        apart = np.abs(reached - wanted)[matters]
        return (
            f"Solr adds 1e-6 to thresholds, so that {apart.size:,} of {wanted.size:,} splits cannot be said exactly: their "
            f"thresholds are up to {apart.max():.2g} too low."
        )
    nearly = " that are 0 or further than 1.2e-13 from it" if np.any(unlike) else ""
    return f"Every split is exact for features in single precision{nearly}, although Solr adds 1e-6 to thresholds."
