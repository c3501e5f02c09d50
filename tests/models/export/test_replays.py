"""Exports by the rules of engines that tests cannot install (`engines`). Not one row may differ."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import engines
import hard_cases as hard
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from directrank.models import ModelError, StumpsModel, TreesModel
from directrank.models.export import (
    PARTS,
    TARGETS,
    Exported,
    elasticsearch_ltr_features,
    missing_guards,
    model_part,
    solr_features,
    to_elasticsearch,
    to_elasticsearch_ltr,
    to_opensearch_ltr,
    to_ranklib,
    to_solr,
    to_vespa,
)
from directrank.models.export.exported_model import as_parts
from directrank.models.export.solr import SLACK, before_slack
from directrank.models.export.threshold_rounding import around_zero, single_not_above
from directrank.models.trees import NAN

MODELS = {"NaN": hard.trees("NaN"), "no missing": hard.trees("none"), "stumps": hard.stumps()}
STARTED = {
    "NaN": hard.linear_start("NaN"),
    "no missing": hard.linear_start("none"),
    "stumps": hard.sum_with_linear_part(),
    "linear start only": TreesModel.from_portable(hard.linear(intercept=2.0).portable()).with_feature_names(hard.NAMES),
}
ADDS_BOTH = ("elasticsearch-ltr", "opensearch-ltr", "vespa")
LINEAR = {"linear": hard.linear(), "sum over grades": hard.sum_over_grades(), "sum of models": hard.sum_of_models()}


def as_dicts(X: Any, names: Any) -> list[dict[str, Any]]:
    return [dict(zip(names, row, strict=True)) for row in X.astype(np.float32)]


def by_rules_of(target: str, text: str, X: Any) -> Any:
    """The scores of an export's text."""
    rows = as_dicts(X, hard.NAMES)
    evaluators: dict[str, Callable[..., Any]] = {
        "elasticsearch-ltr": engines.elasticsearch_ltr_sum,
        "opensearch-ltr": engines.elasticsearch_ltr_sum,
        "elasticsearch": engines.elasticsearch_native,
        "solr": partial(engines.solr, default=np.float32(np.nan)),
        "vespa": engines.vespa_profile if text.startswith("rank-profile") else engines.vespa_lightgbm,
        "ranklib": engines.ranklib,
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


@pytest.mark.parametrize("kind", STARTED)
@pytest.mark.parametrize("target", BY_RULES)
def test_no_row_is_wrong_with_a_linear_start(target: str, kind: str) -> None:
    """In one export, or as the sum of the exports of its parts where the engine has no sums."""
    model = STARTED[kind]
    X = hard.moderate(hard.rows_beside_thresholds(model, n_rows=1000))
    parts: list[Any] = [model]
    if target not in ADDS_BOTH and kind != "linear start only":
        with pytest.raises(ModelError, match=r"a weighted sum of features plus trees .*--part"):
            TARGETS[target].write(model, {})
        parts = [model_part(model, part) for part in PARTS]
    theirs = np.zeros(len(X))
    for part in parts:
        if target == "elasticsearch" and as_parts(part)[1].linear is not None:  # has no linear models
            theirs += hard.expected(part, X)
        else:
            rows = np.nan_to_num(X, nan=0.0) if as_parts(part)[1].trees is None else X
            theirs += by_rules_of(target, TARGETS[target].write(part, {}).text, rows) + left_out(target, part)
    ours = hard.expected(model, np.nan_to_num(X, nan=0.0) if target == "ranklib" else X)
    wrong = np.abs(theirs - ours) > 0.01  # the leaves are integers, and weighted sums are in single precision
    if target == "solr":
        wrong &= ~beside_unreachable(model, X)
    assert np.sum(wrong) == 0


def left_out(target: str, model: Any) -> float:
    """The intercept, where the export leaves it out."""
    linear = as_parts(model)[1].linear
    return 0.0 if linear is None or target == "vespa" else linear.intercept


@pytest.mark.parametrize(("kind", "version"), [("NaN", "3.2"), ("no missing", "3.7.1"), ("stumps", "3.5")])
def test_opensearch_that_sends_missing_features_right(kind: str, version: str) -> None:
    """3.2 to 3.7 do not read `missing`; their trees are right in all versions that know missing features."""
    model = MODELS[kind]
    X = hard.rows_beside_thresholds(model, n_rows=500)
    text = to_opensearch_ltr(model, engine_version=version).text
    for unmatched in ("right", "direction", "zero") if kind == "no missing" else ("right", "direction"):
        theirs = engines.elasticsearch_ltr(text, as_dicts(X, hard.NAMES), unmatched=unmatched)  # type: ignore[arg-type]
        np.testing.assert_array_equal(theirs, hard.expected(model, X))
    plain = to_opensearch_ltr(model).text
    assert plain == to_opensearch_ltr(model, engine_version="3.8").text == to_elasticsearch_ltr(model).text
    assert np.any(engines.elasticsearch_ltr(plain, as_dicts(X, hard.NAMES), unmatched="right") != hard.expected(model, X))


def test_opensearch_in_which_missing_features_are_zero() -> None:
    assert (
        to_opensearch_ltr(MODELS["no missing"], engine_version="3.1").text == to_elasticsearch_ltr(MODELS["no missing"]).text
    )
    with pytest.raises(ModelError, match=r"OpenSearch before 3\.2 takes it for 0; train on data converted with --missing 0"):
        to_opensearch_ltr(MODELS["NaN"], engine_version="2.19")
    stump = StumpsModel(np.array([0]), np.array([0.5]), np.array([1.0]), 1).portable().trees[0]
    missing_right = TreesModel((replace(stump, missing=np.array([NAN]), default_left=np.array([False])),), 1)
    with pytest.raises(ModelError, match=r"at 1 splits a missing feature does not go where 0 goes"):
        to_opensearch_ltr(missing_right, engine_version="3.1")
    assert not any("3.2 to 3.7" in note for note in to_opensearch_ltr(missing_right).notes)  # which send it right


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1))
def test_guards_of_trees_of_any_shape(seed: int) -> None:
    model = hard.random_trees(seed)
    X = hard.rows_beside_thresholds(model, n_rows=100, missing=0.4, seed=seed)
    text = to_opensearch_ltr(model, engine_version="3.5").text
    theirs = engines.elasticsearch_ltr(text, as_dicts(X, hard.NAMES), unmatched="right")
    np.testing.assert_array_equal(theirs, hard.expected(model, X))


def test_guards_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(missing_guards, "MAX_SPLITS", 400)
    with pytest.raises(ModelError, match=r"would have more than .* splits; use OpenSearch 3.8 or later"):
        to_opensearch_ltr(MODELS["NaN"], engine_version="3.2")


@pytest.mark.parametrize("version", ["8.12", "8.14.3", "8.15", "9.1"])
def test_elasticsearch_requires_and_then_rejects_input(version: str) -> None:
    numbers = tuple(map(int, version.split(".")))[:2]
    text = to_elasticsearch(MODELS["NaN"], engine_version=version).text
    X = hard.rows_beside_thresholds(MODELS["NaN"], n_rows=10)
    theirs = engines.elasticsearch_native(text, as_dicts(X, hard.NAMES), version=numbers)  # type: ignore[arg-type]
    np.testing.assert_array_equal(theirs, hard.expected(MODELS["NaN"], X))
    other = (8, 16) if numbers < (8, 15) else (8, 14)
    with pytest.raises(engines.Refused, match="input"):
        engines.elasticsearch_native(text, as_dicts(X, hard.NAMES), version=other)
    assert to_elasticsearch(MODELS["NaN"]).text == to_elasticsearch(MODELS["NaN"], engine_version="8.15").text
    assert any("8.15 or later" in note for note in to_elasticsearch(MODELS["NaN"]).notes)


@pytest.mark.parametrize("default", [0.0, np.nan])
@pytest.mark.parametrize("kind", ["no missing"])
def test_solr_is_right_whatever_the_default_value_of_the_store(kind: str, default: float) -> None:
    """A model in which a missing feature counts 0 beside features of which the store makes NaN."""
    model = MODELS[kind]
    X = hard.rows_beside_thresholds(model, n_rows=1000)
    theirs = engines.solr(to_solr(model).text, as_dicts(X, hard.NAMES), default=np.float32(default))
    assert not np.any((theirs != hard.expected(model, X)) & ~beside_unreachable(model, X))


def test_solr_before_9_2() -> None:
    model = MODELS["no missing"]
    X = hard.rows_beside_thresholds(model, n_rows=1000)
    made = to_solr(model, engine_version="9.1.1")
    theirs = engines.solr(made.text, as_dicts(X, hard.NAMES), version=(9, 1))
    assert not np.any((theirs != hard.expected(model, X)) & ~beside_unreachable(model, X))
    assert any("sends NaN right at every split" in note for note in made.notes)
    with pytest.raises(engines.Refused, match="no setter"):
        engines.solr(to_solr(model).text, as_dicts(X, hard.NAMES), version=(9, 1))
    with pytest.raises(
        ModelError, match=r"a missing feature does not go where 0 goes, which Solr reads from version 9\.2 on"
    ):
        to_solr(MODELS["NaN"], engine_version="8.11")


def test_solrs_linear_model_must_not_get_nan() -> None:
    found = to_solr(hard.linear())
    assert np.isnan(engines.solr(found.text, [dict.fromkeys(hard.NAMES)], default=np.float32(np.nan))).all()
    assert any('none may have "defaultValue": "NaN"' in note for note in found.notes)


@pytest.mark.parametrize("export", [to_opensearch_ltr, to_solr, to_elasticsearch])
@pytest.mark.parametrize(
    ("version", "said"),
    [("latest", "must be numbers such as"), ("3", "must be numbers"), ("0.9", "cannot read this export")],
)
def test_other_versions(export: Callable[..., Exported], version: str, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        export(MODELS["NaN"], engine_version=version)


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
    rows = np.nan_to_num(X, nan=0.0) if target == "solr" else X  # whose features must not be NaN
    theirs = by_rules_of(target, TARGETS[target].write(model, {}).text, rows)
    np.testing.assert_array_equal(theirs, hard.expected(model, X))


@pytest.mark.parametrize("intercept", [0.0, -1.5])
def test_vespas_expression(intercept: float) -> None:
    model, X = hard.linear(intercept=intercept), quarters()
    profile = to_vespa(model, name="ltr-1").text
    assert profile.startswith("rank-profile ltr_1 inherits features {")
    theirs = engines.vespa_profile(profile, as_dicts(X, hard.NAMES))
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
    assert any("older versions take it for 0" in note for note in to_elasticsearch_ltr(MODELS["NaN"]).notes)


@pytest.mark.parametrize("single", [False, True])
def test_vespas_large_forests_are_single(single: bool) -> None:
    model = MODELS["NaN"]
    X = hard.rows_beside_thresholds(model, n_rows=1000)
    theirs = engines.vespa_lightgbm(to_vespa(model).text, as_dicts(X, hard.NAMES), single=single)
    np.testing.assert_array_equal(theirs, hard.expected(model, X))


def test_solrs_features_are_nan_where_the_model_needs_it() -> None:
    assert '"defaultValue": "NaN"' in solr_features(MODELS["NaN"]).text
    assert "defaultValue" not in solr_features(MODELS["no missing"]).text


@pytest.mark.parametrize("export", [to_elasticsearch_ltr, to_solr, to_ranklib])
def test_an_intercept_is_left_out_and_said(export: Callable[..., Exported]) -> None:
    assert export(hard.linear()).content == export(hard.linear(intercept=0.5)).content
    assert any("intercept, 0.5, is left out" in note for note in export(hard.linear(intercept=0.5)).notes)
