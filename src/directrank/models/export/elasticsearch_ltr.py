"""The Learning to Rank plugins of Elasticsearch and OpenSearch."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np

from ..errors import ModelError
from ..portable import TreeSum, WeightedSum
from .derived_features import DerivedFeature, derived_features, note_on_derived, with_derived_features
from .engine_version import Version, parse_version
from .export_names import NO_TEMPLATE, check_model_name, check_names
from .exported_model import Exported, Notes, as_parts, compact_json, exported
from .missing_guards import guarded
from .notes import (
    FILL_IN,
    MISSING_IS_ZERO,
    SINGLE_LEAVES,
    SINGLE_VALUES,
    check_single_weights,
    intercept_left_out,
    may_be_negative,
    missing_in_sum,
    missing_values,
    negative_scores,
    unnamed,
)
from .plain_trees import MAX_NESTED, PlainTree, check_depth, n_missing_unlike_zero, plain_trees
from .ranklib import ranklib_text
from .threshold_rounding import single_above

_OWN_BRANCH = (
    "where its query does not match it must be NaN in the engine, as in Elasticsearch's plugin since 2024 and in OpenSearch "
    "from 3.2 on; older versions take it for 0 and score such documents otherwise."
)

#: First version of OpenSearch in which a feature whose query does not match is NaN, and first that follows ``missing``.
_NAN, _FOLLOWS_MISSING = (3, 2), (3, 8)

_OLDEST = (1, 0)

_VERSIONS = (
    "OpenSearch 3.2 to 3.7 send a feature whose query does not match right at every split, whatever the model says (their "
    "branches were corrected in July 2026): for these, export with --engine-version 3.7."
)

_GUARDED = (
    "The trees have additional splits, x < 3.4e38, that separate missing features, since OpenSearch 3.2 to 3.7 send these "
    "right at every split; they score alike in later versions."
)

_BOTH = (
    "It has two models, one on each line, {linear} and {trees}: upload both, and let the search add their scores, by a "
    "bool query with both sltr queries as should clauses."
)

_NUMBERED = (
    "RankLib knows features by number: the feature set must have all features of the training data, in their order, as "
    "--feature-definitions writes them."
)


#: A name that an expression of Lucene can have for a variable.
_VARIABLE = r"[A-Za-z_$][A-Za-z0-9_$]*(\.[A-Za-z_$][A-Za-z0-9_$]*)*"

#: The signed logarithm in Lucene's language: x log(u) / (u - 1), where u is 1 + |x| as rounded, is right for tiny x too.
_LOGARITHM = "abs({x}) + 1 == 1 ? {x} : {x} * (ln(abs({x}) + 1) / (abs({x}) + 1 - 1))"


def to_elasticsearch_ltr(
    model: Any, *, name: str = "model", store: str = "features", shift: bool = False, ranklib: bool = False
) -> Exported:
    """The body of ``POST _ltr/_featureset/SET/_createmodel``: ``model/linear``, or ``model/xgboost+json`` for trees.

    The plugins send x left if x < t in single precision. A feature whose query did not match is NaN in current versions and
    takes the branch that is written as ``missing``; in linear models, and in older versions, it is 0. A model that is a
    weighted sum plus trees becomes two bodies, one on each line, NAME_linear and NAME_trees, whose scores the search adds.

    A logarithm of a feature, or what it counts if it is missing, becomes the weight of a derived feature, NAME_log or
    NAME_missing, which `elasticsearch_ltr_features` defines.

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
    return _bodies(model, _Request(name, store, shift, ranklib))


def to_opensearch_ltr(
    model: Any,
    *,
    name: str = "model",
    store: str = "features",
    shift: bool = False,
    ranklib: bool = False,
    engine_version: str | None = None,
) -> Exported:
    """`to_elasticsearch_ltr` for OpenSearch.

    A feature whose query does not match is 0 before version 3.2. From 3.2 on it is NaN, which 3.2 to 3.7 send right at every
    split, and 3.8 as the model says.

    Parameters
    ----------
    model, name, store, shift, ranklib
        See `to_elasticsearch_ltr`.
    engine_version : str, optional
        Version of OpenSearch. For 3.2 to 3.7, trees get additional splits that separate missing features. None is 3.8 or
        later.
    """
    version = parse_version(engine_version, "OpenSearch", _OLDEST)
    return _bodies(model, _Request(name, store, shift, ranklib, "OpenSearch", version))


def elasticsearch_ltr_features(model: Any, *, store: str = "features") -> Exported:
    """The body of ``PUT _ltr/_featureset/STORE``, with a query for each feature to fill in.

    The engine rejects searches until the queries are filled in.
    """
    portable, (linear, _) = as_parts(model)
    names = portable.all_names()
    _check_names(names)
    derived = derived_features(linear)
    _check_expressions(derived)
    features = [_defined(name, {FILL_IN: {"title": "{{keywords}}"}}) for name in names]
    features += [_derived(feature) for feature in derived]
    body = json.dumps({"featureset": {"name": check_model_name(store), "features": features}}, indent=2, ensure_ascii=False)
    return exported(body + "\n", unnamed(portable))


def _check_names(names: Any) -> None:
    check_names(
        "the Learning to Rank plugin", names, NO_TEMPLATE, "white space, and {{, which starts a tag of its templates"
    )


def _check_expressions(derived: list[DerivedFeature]) -> None:
    """Raise a `ModelError` unless the expressions of logarithms can name their features."""
    check_names(
        "the Learning to Rank plugin",
        [feature.source for feature in derived if feature.is_log],
        _VARIABLE,
        "all but letters, digits, '_', '$' and '.' in the name of a feature whose logarithm the model takes",
    )


def _defined(name: str, query: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "params": ["keywords"], "template_language": "mustache", "template": query}


def _derived(feature: DerivedFeature) -> dict[str, Any]:
    """Definition of a derived feature."""
    if not feature.is_log:
        query = {f"FILL IN: the query of {feature.source}": {"title": "{{keywords}}"}}
        return _defined(feature.name, {"constant_score": {"filter": {"bool": {"must_not": query}}}})
    expression = _LOGARITHM.format(x=feature.source)
    return {"name": feature.name, "params": [], "template_language": "derived_expression", "template": expression}


class _Request(NamedTuple):
    """Options of an export."""

    name: str
    store: str
    shift: bool
    ranklib: bool
    engine: str = "Elasticsearch"
    version: Version | None = None


def _bodies(model: Any, request: _Request) -> Exported:
    """A body for each part of a model, one on each line."""
    portable, (linear, trees) = as_parts(model)
    _check_names(portable.features.values())
    _check_expressions(derived_features(linear))
    upload = f"Upload it by POST _ltr/_featureset/{check_model_name(request.store)}/_createmodel."
    parts = [part for part in (linear, trees) if part is not None]
    if len(parts) == 1:
        body, notes = _body(parts[0], request, request.name)
        return exported(body, unnamed(portable), *notes, upload)
    names = {part: f"{request.name}_{part}" for part in ("linear", "trees")}
    shifts = (False, request.shift)  # a weighted sum has no lower bound
    requests = (request._replace(shift=shift) for shift in shifts)
    made = [_body(*given) for given in zip(parts, requests, names.values(), strict=True)]
    lines = "".join(f"{compact_json(body)}\n" for body, _ in made)
    notes = tuple(dict.fromkeys(note for _, part in made for note in part))
    return exported(lines, unnamed(portable), *notes, _BOTH.format(**names), upload)


def _body(part: WeightedSum | TreeSum, request: _Request, name: str) -> tuple[dict[str, Any], Notes]:
    notes: Notes
    if request.ranklib:
        derived = note_on_derived(part) if isinstance(part, WeightedSum) else None
        text = ranklib_text(with_derived_features(part) if isinstance(part, WeightedSum) else part, request.shift)
        kind, definition, notes = "model/ranklib", text.text, (*text.notes, derived, _NUMBERED)
    elif isinstance(part, WeightedSum):
        kind, definition, notes = "model/linear", *_linear(part, request.shift)
    else:
        kind, definition, notes = "model/xgboost+json", *_trees(part, request)
    return {"model": {"name": check_model_name(name), "model": {"type": kind, "definition": definition}}}, notes


def _linear(model: WeightedSum, shift: bool) -> tuple[str, Notes]:
    plain = with_derived_features(model)
    weights = {term.name: term.weight for term in plain.terms}
    about_missing = MISSING_IS_ZERO if model.is_plain else missing_in_sum(model)
    single, negative = check_single_weights(plain), may_be_negative(model, shift)
    notes = (single, intercept_left_out(model), about_missing, note_on_derived(model), negative)
    return compact_json(weights), notes


def _trees(model: TreeSum, request: _Request) -> tuple[str, Notes]:
    plain = plain_trees(model, single_above, leaf_type=np.float32, max_depth=MAX_NESTED, shift=request.shift)
    trees, about_version = _for_version(plain, request) if request.engine == "OpenSearch" else (plain, None)
    definition = compact_json([_tree(tree, model.features) for tree in trees])
    missing, negative = missing_values(plain, _OWN_BRANCH), negative_scores(plain, np.float32)
    return definition, (SINGLE_VALUES, SINGLE_LEAVES, missing, negative, about_version)


def _for_version(trees: list[PlainTree], request: _Request) -> tuple[list[PlainTree], str | None]:
    """Trees for a version of OpenSearch, and a note on them."""
    version = request.version
    if version is not None and version < _NAN:
        _check_missing_is_zero(trees)
        return trees, None
    if not any(tree.missing_left.any() for tree in trees) or (version is not None and version >= _FOLLOWS_MISSING):
        return trees, None
    if version is None:
        return trees, _VERSIONS
    trees = guarded(trees)
    check_depth(trees, MAX_NESTED)
    return trees, _GUARDED


def _check_missing_is_zero(trees: list[PlainTree]) -> None:
    unlike = n_missing_unlike_zero(trees)
    if unlike:
        raise ModelError(
            f"at {unlike:,} splits a missing feature does not go where 0 goes, and OpenSearch before 3.2 takes it for 0; "
            "train on data converted with --missing 0, or use a later OpenSearch"
        )


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
