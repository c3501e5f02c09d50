"""Names of features and models that targets accept, quote or reject."""

from __future__ import annotations

from typing import Any

import hard_cases as hard
import numpy as np
import pytest

from directrank.models import LinearModel, ModelError
from directrank.models.export import TARGETS, as_portable, to_lightgbm, to_solr, to_sql, to_vespa, to_xgboost, vespa_features

TREES = hard.trees(n_trees=5)


@pytest.mark.parametrize(
    ("export", "name"),
    [
        (to_solr, "a b"),
        (to_solr, ""),
        (to_xgboost, ""),
        (to_solr, "a,b"),
        (to_vespa, "click-rate"),
        (to_vespa, "2nd"),
        (to_vespa, "max"),
        (to_vespa, "größe"),
        (to_vespa, "max(a,b)"),
        (to_vespa, "hamming(a,b)"),
        (to_vespa, "cosine_similarity(a,b,x)"),
        (to_vespa, "a(x),b(y)"),
        (to_vespa, "a(()"),
        (to_vespa, "true"),
        (to_sql, 'a\nCREATE VIEW "b" AS'),
        (to_sql, "é" * 32),
        (to_xgboost, "a[0]"),
        (to_lightgbm, "a b"),
        (to_sql, "Score"),
        (to_sql, "x" * 64),
        (TARGETS["elasticsearch-ltr"].export, "a b"),
        (TARGETS["elasticsearch-ltr"].export, "{{#a}}"),
        (TARGETS["elasticsearch"].export, "a{{b}}"),
    ],
)
def test_names_that_a_target_rejects(export: Any, name: str) -> None:
    model = TREES.with_feature_names([name, *hard.NAMES[1:]])
    with pytest.raises(ModelError, match="rename it") as found:
        export(model)
    assert (repr(name) if name else "empty name") in str(found.value)


def test_names_that_vespa_takes() -> None:
    names = ["bm25(title)", "fieldMatch(title).completeness", "attribute(price)", 'query("user.age")', "own_function"]
    assert names[0] in to_vespa(TREES.with_feature_names(names)).text
    assert "function own_function()" in vespa_features(TREES.with_feature_names(names)).text
    assert "function bm25" not in vespa_features(TREES.with_feature_names(names)).text
    builtin = hard.linear().with_feature_names([*names[:4], "nativeRank"])
    assert "inherits default" in to_vespa(builtin).text
    assert "function" not in vespa_features(builtin).text


@pytest.mark.parametrize(("name", "feature"), [("features", "own_function"), ("default", "nativeRank")])
def test_a_rank_profile_of_vespa_does_not_inherit_itself(name: str, feature: str) -> None:
    model = LinearModel(np.ones(1), feature_names=(feature,))
    with pytest.raises(ModelError, match=rf"cannot inherit itself, '{name}'; give it another name"):
        to_vespa(model, name=name)


def test_names_that_cannot_be_written() -> None:
    with pytest.raises(ModelError, match=r"'a\\udc80', is not Unicode"):
        to_solr(LinearModel(np.ones(1), feature_names=("a\udc80",)))
    with pytest.raises(ModelError, match="SQL takes two features for the same, 'age' but for its case"):
        to_sql(LinearModel(np.ones(2), feature_names=("age", "Age")))


@pytest.mark.parametrize("target", ["solr", "vespa", "xgboost", "elasticsearch", "opensearch-ltr", "sql"])
def test_two_features_of_one_name(target: str) -> None:
    with pytest.raises(ModelError, match="two features have the name 'age'"):
        TARGETS[target].write(TREES.with_feature_names(["age", "age", "x", "y", "z"]), {})


def test_names_in_quotes_and_other_scripts() -> None:
    names = ["größe", 'say "x"', "価格", "a'b", "-- drop"]
    model = TREES.with_feature_names(names)
    X = hard.rows_beside_thresholds(model, n_rows=200)
    for target in ("sql", "python", "onnx", "treelite", "xgboost"):
        theirs = TARGETS[target].replay(TARGETS[target].write(model, {}).content, X, as_portable(model))
        np.testing.assert_array_equal(theirs, model.predict(X))
    assert "größe" in TARGETS["sql"].write(model, {}).text
    with pytest.raises(ModelError, match="LightGBM does not take the name"):
        to_lightgbm(model)


@pytest.mark.parametrize("name", ["", "a/b", "a b", "../x", "x" * 64, ".hidden"])
@pytest.mark.parametrize("target", ["elasticsearch-ltr", "solr", "vespa", "sql", "onnx"])
def test_names_of_models(target: str, name: str) -> None:
    model = hard.linear()
    with pytest.raises(ModelError, match="cannot be the name of a model elsewhere"):
        TARGETS[target].write(model, {"name": name})
