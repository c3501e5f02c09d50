"""Exports by the rules of engines that tests cannot install (`engines`). Not one row may differ."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import engines
import hard_cases as hard
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from directrank.models import TreesModel
from directrank.models.export import (
    TARGETS,
    Exported,
    elasticsearch_ltr_features,
    solr_features,
    to_elasticsearch_ltr,
    to_ranklib,
    to_solr,
    to_vespa,
)
from directrank.models.export.solr import SLACK, before_slack
from directrank.models.export.threshold_rounding import around_zero, single_not_above

MODELS = {"NaN": hard.trees("NaN"), "no missing": hard.trees("none"), "stumps": hard.stumps()}
LINEAR = {"linear": hard.linear(), "sum over grades": hard.sum_over_grades(), "sum of models": hard.sum_of_models()}


def as_dicts(X: Any, names: Any) -> list[dict[str, Any]]:
    return [dict(zip(names, row, strict=True)) for row in X.astype(np.float32)]


def by_rules_of(target: str, text: str, X: Any) -> Any:
    """The scores of an export's text."""
    rows = as_dicts(X, hard.NAMES)
    if target in ("elasticsearch-ltr", "opensearch-ltr"):
        return engines.elasticsearch_ltr(text, rows)
    if target == "ranklib":
        return engines.ranklib(text, rows)
    evaluators: dict[str, Callable[..., Any]] = {
        "elasticsearch": engines.elasticsearch_native,
        "solr": engines.solr,
        "vespa": engines.vespa_lightgbm,
    }
    return evaluators[target](text, rows)


BY_RULES = [name for name, target in TARGETS.items() if target.scores is None]


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("target", BY_RULES)
def test_no_row_is_wrong(target: str, kind: str) -> None:
    model = MODELS[kind]
    X = hard.rows_beside_thresholds(model)
    compared = X if target != "ranklib" else np.nan_to_num(X, nan=0.0)  # RankLib takes missing values for 0
    theirs = by_rules_of(target, TARGETS[target].write(model, {}).text, X)
    wrong = np.asarray(theirs) != hard.expected(model, compared)
    if target == "solr":
        wrong &= ~beside_unreachable(model, X)
    assert np.sum(wrong) == 0


@pytest.mark.parametrize("target", BY_RULES)
@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1))
def test_trees_of_any_shape(target: str, seed: int) -> None:
    model = hard.random_trees(seed)
    X = hard.rows_beside_thresholds(model, n_rows=200, missing=0.0 if target == "ranklib" else 0.1, seed=seed)
    wrong = by_rules_of(target, TARGETS[target].write(model, {}).text, X) != hard.expected(model, X)
    assert not np.any(wrong & ~beside_unreachable(model, X) if target == "solr" else wrong)


def beside_unreachable(model: Any, X: Any) -> Any:
    """Rows with a value between a threshold and the nearest that Solr's 1e-6 leaves, as test_thresholds.py has it."""
    unsaid = np.zeros(X.shape, bool)
    for column in range(X.shape[1]):
        found = hard.thresholds_of(model, column)
        thresholds = around_zero(found) if isinstance(model, TreesModel) else found
        wanted, reached = single_not_above(thresholds), before_slack(thresholds).astype(np.float32) + SLACK
        unsaid[:, column] = np.any((X[:, [column]] > reached) & (X[:, [column]] <= wanted), axis=1)
    return unsaid.any(axis=1)


@pytest.mark.parametrize("kind", LINEAR)
@pytest.mark.parametrize("target", ["elasticsearch-ltr", "opensearch-ltr", "solr", "ranklib"])
def test_weighted_sums(target: str, kind: str) -> None:
    model, X = LINEAR[kind], quarters()
    theirs = by_rules_of(target, TARGETS[target].write(model, {}).text, X)
    np.testing.assert_array_equal(theirs, hard.expected(model, X))


@pytest.mark.parametrize("intercept", [0.0, -1.5])
def test_vespas_expression(intercept: float) -> None:
    model, X = hard.linear(intercept=intercept), quarters()
    profile = to_vespa(model, name="ltr-1").text
    assert profile.startswith("rank-profile ltr_1 inherits features {")
    expression = profile.partition("expression {")[2].partition("}")[0]
    theirs = engines.vespa_expression(expression, as_dicts(X, hard.NAMES))
    np.testing.assert_array_equal(theirs, hard.expected(model, X))


def quarters() -> Any:
    """Features of which sums are exact in single precision."""
    rng = np.random.default_rng(0)
    X = rng.integers(-40, 40, (400, hard.WIDTH)).astype(np.float32) / 4
    X[rng.random(X.shape) < 0.1] = np.nan
    return X


@pytest.mark.parametrize("kind", [*MODELS, *LINEAR])
def test_ranklib_within_elasticsearch_counts_the_features_of_the_set(kind: str) -> None:
    model = {**MODELS, **LINEAR}[kind]
    X = quarters() if kind in LINEAR else hard.rows_beside_thresholds(model, missing=0.0)
    body = json.loads(to_elasticsearch_ltr(model, ranklib=True).text)["model"]["model"]
    assert body["type"] == "model/ranklib"
    feature_set = json.loads(elasticsearch_ltr_features(model).text)["featureset"]
    names = [feature["name"] for feature in feature_set["features"]]
    assert names == list(hard.NAMES)  # those that the model does not use, too
    np.testing.assert_array_equal(engines.ranklib(body["definition"], as_dicts(X, names), names), hard.expected(model, X))


def test_older_plugins_take_a_missing_feature_for_zero() -> None:
    """With trees that know no missing values, both readings give the model's scores; with others the export says so."""
    model = MODELS["no missing"]
    X = hard.rows_beside_thresholds(model, n_rows=500)
    found = to_elasticsearch_ltr(model)
    theirs = engines.elasticsearch_ltr(found.text, as_dicts(X, hard.NAMES), unmatched="zero")
    np.testing.assert_array_equal(theirs, hard.expected(model, X))
    assert "A missing feature counts 0." in found.notes
    assert any("older ones take it for 0" in note for note in to_elasticsearch_ltr(MODELS["NaN"]).notes)


@pytest.mark.parametrize("single", [False, True])
def test_vespas_large_forests_are_single(single: bool) -> None:
    model = MODELS["NaN"]
    X = hard.rows_beside_thresholds(model, n_rows=1000)
    theirs = engines.vespa_lightgbm(to_vespa(model).text, as_dicts(X, hard.NAMES), single=single)
    np.testing.assert_array_equal(theirs, hard.expected(model, X))


def test_solrs_features_are_nan_where_the_model_needs_it() -> None:
    assert '"defaultValue": "NaN"' in solr_features(MODELS["NaN"]).text
    assert "defaultValue" not in solr_features(MODELS["no missing"]).text


def test_solr_needs_9_2_only_for_missing_values_of_their_own() -> None:
    plain, own = (json.loads(to_solr(MODELS[kind]).text)["params"] for kind in ("no missing", "NaN"))
    assert "isNullSameAsZero" not in plain and "missing" not in json.dumps(plain)
    assert own["isNullSameAsZero"] is False and '"missing": "left"' in json.dumps(own)


@pytest.mark.parametrize("export", [to_elasticsearch_ltr, to_solr, to_ranklib])
def test_an_intercept_is_left_out_and_said(export: Callable[..., Exported]) -> None:
    assert export(hard.linear()).content == export(hard.linear(intercept=0.5)).content
    assert any("intercept, 0.5, is left out" in note for note in export(hard.linear(intercept=0.5)).notes)
