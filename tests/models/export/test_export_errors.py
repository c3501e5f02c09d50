"""Errors and notes of exports, and shifts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import hard_cases as hard
import lightgbm as lgb
import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from directrank import RankBoost, RankSVM, SVMRanker
from directrank.datasets import make_ranking
from directrank.models import LinearModel, ModelError, SelectedFeatures, StumpsModel, SumOfModels, TreesModel
from directrank.models.export import (
    TARGETS,
    agreement,
    as_portable,
    to_lightgbm,
    to_python,
    to_solr,
    to_sql,
    to_xgboost,
)
from directrank.models.export.exported_model import as_parts
from directrank.models.trees.tree import ZERO

TREES = hard.trees(n_trees=5)
OF_TREES_ONLY = ("elasticsearch", "xgboost", "lightgbm", "treelite")
ALL_BUT_LIGHTGBM = [name for name in TARGETS if name != "lightgbm"]


def booster(**parameters: Any) -> TreesModel:
    rng = np.random.default_rng(0)
    X = np.abs(rng.normal(size=(400, 3)))
    X[:, 0] = rng.integers(0, 5, 400)
    settings = {"objective": "l2", "verbosity": -1, "min_data_in_leaf": 5, "num_threads": 1, **parameters}
    categorical = settings.pop("categorical_feature", [])
    dataset = lgb.Dataset(X, X[:, 0] % 2 + X[:, 1], categorical_feature=categorical)
    return TreesModel.from_lightgbm(lgb.train(settings, dataset, 3).model_to_string(), 3)


@pytest.mark.parametrize("target", OF_TREES_ONLY)
def test_weighted_sums_to_targets_for_trees_only(target: str) -> None:
    with pytest.raises(ModelError, match=r"trees only, and the model is a weighted sum of features"):
        TARGETS[target].write(hard.linear(), {})


@pytest.mark.parametrize("model", [hard.linear(), hard.linear_start(n_trees=2)], ids=["linear", "linear start"])
def test_an_error_lists_the_targets_that_take_the_model(model: Any) -> None:
    with pytest.raises(ModelError) as found:
        TARGETS["treelite"].write(model, {})
    listed = str(found.value).rpartition(": ")[2].split(", ")
    for name, other in TARGETS.items():
        if name in listed:
            assert other.write(model, {}).content
        else:
            with pytest.raises(ModelError, match=", ".join(listed)):
                other.write(model, {})


def overflowing() -> dict[str, Any]:
    """Models whose parts are finite, and whose portable form is not."""
    numbers, trees = hard.linear(intercept=1e10), TREES
    twice = TreesModel.from_portable(LinearModel(np.full(hard.WIDTH, 1e308)).portable()).trees * 2
    return {
        "weight": SumOfModels(np.array([1.7e308]), [numbers], feature_names=hard.NAMES),
        "leaf": SumOfModels(np.array([1.7e308]), [trees], feature_names=hard.NAMES),
        "linear leaf": SumOfModels(np.array([1.7e308, 1.0]), [numbers, trees], feature_names=hard.NAMES),
        "sum of linear leaves": TreesModel(twice, hard.WIDTH, feature_names=hard.NAMES),
    }


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", overflowing())
def test_numbers_that_overflow_are_rejected(target: str, kind: str) -> None:
    """Python would read inf as a name, SQL as a column, and LightGBM ends the process."""
    if kind == "sum of linear leaves" and target == "lightgbm":
        return  # which adds them itself
    with pytest.raises(ModelError, match=r"is too large for double precision"), np.errstate(over="ignore"):
        TARGETS[target].write(overflowing()[kind], {})


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("threshold", [np.inf, -np.inf, np.nan])
def test_thresholds_that_are_not_finite_are_rejected(target: str, threshold: float) -> None:
    model = StumpsModel(np.array([0, 1]), np.array([0.5, threshold]), np.ones(2), 2, feature_names=("a", "b"))
    with pytest.raises(ModelError, match=r"a threshold of the model is not a finite number"):
        TARGETS[target].write(model, {})


def test_single_leaves_after_a_linear_start_are_part_of_its_intercept() -> None:
    """Boosting that finds no split leaves a weighted sum, which targets without sums take."""
    start = TreesModel.from_portable(hard.linear(intercept=2.0).portable())
    leaf = replace(hard.random_tree(0, np.random.default_rng(0)), leaf_value=np.array([0.5]))
    model = replace(start, trees=(*start.trees, leaf), feature_names=hard.NAMES)
    parts = as_parts(model)[1]
    assert parts.trees is None
    assert parts.linear is not None and parts.linear.intercept == 2.5
    assert TARGETS["solr"].write(model, {}).text == TARGETS["solr"].write(hard.linear(), {}).text


@pytest.mark.parametrize("target", ALL_BUT_LIGHTGBM)
def test_lightgbm_features_that_no_other_target_has_are_rejected_by_name(target: str) -> None:
    with pytest.raises(ModelError, match=r"tree 0 splits on the categories of 'f1'"):
        TARGETS[target].write(booster(categorical_feature=[0]), {})
    zero = replace(TREES, trees=tuple(replace(tree, missing=np.full(tree.n_splits, ZERO)) for tree in TREES.trees))
    with pytest.raises(ModelError, match=r"tree 0 takes a '\w+' of 0 for missing \(zero_as_missing\)"):
        TARGETS[target].write(zero, {})
    with pytest.raises(ModelError, match=r"tree \d has linear functions in its leaves \(linear_tree\)"):
        TARGETS[target].write(booster(linear_tree=True), {})


@pytest.mark.parametrize("parameters", [{"categorical_feature": [0]}, {"zero_as_missing": True}, {"linear_tree": True}])
def test_lightgbm_takes_all_that_its_trees_can_have(parameters: dict[str, Any]) -> None:
    model = booster(**parameters)
    X = np.abs(np.random.default_rng(1).normal(size=(300, 3)))
    X[:, 0] = np.arange(300) % 5
    text = to_lightgbm(model).text
    np.testing.assert_array_equal(lgb.Booster(model_str=text).predict(X, num_threads=1), model.predict(X))


@pytest.mark.parametrize("target", TARGETS)
def test_a_model_that_ranks_nothing(target: str) -> None:
    for model in (LinearModel(np.zeros(3)), StumpsModel(np.empty(0, np.int64), np.empty(0), np.empty(0), 3)):
        with pytest.raises(ModelError, match="uses no feature"):
            TARGETS[target].write(model, {})


def test_pipelines_and_objects_that_are_not_models() -> None:
    data = make_ranking(5, random_state=0)
    with pytest.raises(ModelError, match="SVMRanker is neither a model nor a fitted learner of directrank; call fit first"):
        to_solr(make_pipeline(StandardScaler(), SVMRanker("AUC")))
    with pytest.raises(ModelError, match="SVMRanker is neither a model nor a fitted learner"):
        to_solr(SVMRanker("AUC"))
    learner = RankSVM().fit(data.X, data.y, data.qid)
    assert to_python(learner).content == to_python(learner.model_).content


def test_options_that_a_target_has_not() -> None:
    with pytest.raises(ModelError, match="xgboost does not take --store; leave it out"):
        TARGETS["xgboost"].write(TREES, {"store": "x"})
    with pytest.raises(ModelError, match="python has no feature definitions; targets with them: elasticsearch-ltr"):
        TARGETS["python"].write_features(TREES, {})
    with pytest.raises(ModelError, match="the view cannot have the name of its table"):
        to_sql(TREES, name="docs", store="DOCS")


def test_a_tree_too_deep() -> None:
    depth = 450
    chain = chain_of(depth)
    for target in ("elasticsearch-ltr", "elasticsearch", "solr", "vespa", "ranklib"):
        with pytest.raises(ModelError, match=f"tree 0 is {depth} levels deep, and the target takes"):
            TARGETS[target].write(chain, {})
    X = np.linspace(-1, depth + 1, 300, dtype=np.float32)[:, None]
    for target in ("onnx", "xgboost", "lightgbm", "treelite", "sql", "python"):
        theirs = TARGETS[target].replay(TARGETS[target].write(chain, {}).content, X, as_portable(chain))
        np.testing.assert_array_equal(theirs, chain.predict(X))


@pytest.mark.parametrize("target", ["elasticsearch-ltr", "elasticsearch", "solr", "vespa", "ranklib"])
def test_trees_just_deep_enough(target: str) -> None:
    TARGETS[target].write(chain_of(200), {})


def chain_of(depth: int) -> TreesModel:
    """x <= 0, else x <= 1, and so on."""
    tree = hard.random_tree(depth, np.random.default_rng(0))
    number = np.arange(depth)
    return TreesModel(
        (
            replace(
                tree,
                feature=np.zeros(depth, np.int64),
                threshold=number.astype(float),
                left=~number,
                right=np.where(number == depth - 1, ~depth, number + 1),
            ),
        ),
        1,
    )


def test_a_chain_too_deep_for_databases() -> None:
    with pytest.raises(ModelError, match="tree 0 is 900 levels deep, and the target takes 800"):
        to_sql(chain_of(900))


def test_weights_of_numpy_are_written_as_numbers() -> None:
    model = LinearModel(np.ones(2, np.float32), np.float64(0.5))  # type: ignore[arg-type]
    for target in ("python", "sql", "vespa"):
        assert "np.float" not in TARGETS[target].write(model, {}).text


def test_very_wide_models() -> None:
    """2^31 features, of which few are used: nothing as wide is made."""
    linear = SelectedFeatures(LinearModel(np.array([1.0])), np.array([7]), 2**31)
    for target in ("onnx", "sql", "python", "ranklib", "solr"):
        assert len(TARGETS[target].write(linear, {}).content) < 5000
    wide = SelectedFeatures(chain_of(3), np.array([7]), 2**31)
    for target in ("onnx", "xgboost", "sql", "python", "ranklib", "solr"):
        assert len(TARGETS[target].write(wide, {}).content) < 10_000
    with pytest.raises(ModelError, match="Treelite takes fewer"):
        TARGETS["treelite"].write(wide, {})


def test_stumps_that_tell_tiny_values_apart_in_lightgbm() -> None:
    tiny, other = (StumpsModel(np.array([0]), np.array([t]), np.array([1.0]), 1) for t in (1e-40, 0.5))
    assert any("up to 1e-35 for 0" in note for note in to_lightgbm(tiny).notes)
    assert to_lightgbm(other).notes == () and to_lightgbm(TREES).notes == ()


def test_weights_beyond_single_precision() -> None:
    for target in ("elasticsearch-ltr", "solr"):
        with pytest.raises(ModelError, match=r"a weight is 1e\+300, beyond single precision"):
            TARGETS[target].write(LinearModel(np.array([1e300, 1.0])), {})


def test_leaves_beyond_single_precision() -> None:
    huge = replace(TREES, trees=(replace(TREES.trees[0], leaf_value=TREES.trees[0].leaf_value * 1e300),))
    for target in ("elasticsearch-ltr", "solr", "ranklib", "xgboost", "vespa"):
        with pytest.raises(ModelError, match="beyond single precision"):
            TARGETS[target].write(huge, {})


@pytest.mark.parametrize("target", ["xgboost", "onnx", "treelite", "sql", "python"])
@pytest.mark.parametrize("scale", [1.0, 0.1, 1e-4, 1e4])
def test_shift(target: str, scale: float) -> None:
    """No score is negative, and the lowest possible is near 0; the ranking stays."""
    model = hard.trees(n_trees=30, leaves=4)
    model = replace(model, trees=tuple(replace(tree, leaf_value=tree.leaf_value * scale) for tree in model.trees))
    X = hard.rows_beside_thresholds(model)
    theirs = TARGETS[target].replay(TARGETS[target].write(model, {"shift": True}).content, X, as_portable(model))
    assert theirs.min() >= 0
    lowest = sum(tree.leaf_value.min() for tree in model.trees)
    np.testing.assert_allclose(theirs, model.predict(X) - lowest, rtol=1e-5, atol=1e-5 * abs(lowest))


def test_a_shift_that_rounding_swallows() -> None:
    stumps = [-1e10, 1e10, -0.001]
    trees = tuple(replace(chain_of(1).trees[0], leaf_value=np.array([value, max(value, 1.0)])) for value in stumps)
    for target in ("xgboost", "treelite"):
        model = TreesModel(trees, 1)
        content = TARGETS[target].write(model, {"shift": True}).content
        assert TARGETS[target].replay(content, np.array([[-1.0], [1.0]], np.float32), as_portable(model)).min() >= 0
    with pytest.raises(ModelError, match="sum of the trees can be beyond"):
        to_solr(TreesModel(tuple(replace(tree, leaf_value=np.full(2, -3e38)) for tree in trees), 1))


def test_shift_of_a_weighted_sum_is_a_warning_with_the_bound() -> None:
    model = LinearModel(np.array([1.0, -0.25, -0.5]))
    for target in ("elasticsearch-ltr", "solr"):
        assert any("at least -0.75" in note for note in TARGETS[target].write(model, {}).notes)
        shifted = TARGETS[target].write(model, {"shift": True})
        assert any("--shift changes nothing" in note for note in shifted.notes)
        assert shifted.content == TARGETS[target].write(model, {}).content
        assert not any("Lucene" in note for note in TARGETS[target].write(LinearModel(np.array([1.0, 0.5])), {}).notes)
    for target in ("sql", "python", "onnx", "vespa", "ranklib"):
        assert any("--shift changes nothing" in note for note in TARGETS[target].write(model, {"shift": True}).notes)


def test_features_without_names() -> None:
    model = LinearModel(np.array([1.0, 0.0, 2.0]))
    for target in ("elasticsearch-ltr", "solr", "vespa", "sql", "python"):
        assert any("f1 stands for the first feature" in note for note in TARGETS[target].write(model, {}).notes)
    assert '"f2"' in TARGETS["solr"].write_features(model, {}).text
    wide = SelectedFeatures(LinearModel(np.array([1.0])), np.array([7]), 2**31 - 1)
    assert "f8" in TARGETS["solr"].write(wide, {}).text
    with pytest.raises(ModelError, match=r"2,147,483,647 features without names; at most 100,000 can be defined"):
        TARGETS["solr"].write_features(wide, {})


def test_opensearch_notes_the_versions_that_read_missing_values_otherwise() -> None:
    assert any("OpenSearch 3.2 to 3.7 send" in note for note in TARGETS["opensearch-ltr"].write(TREES, {}).notes)
    for options in ({"ranklib": True}, {"engine_version": "3.8"}, {}):
        model = TREES if options else hard.linear()
        assert not any("OpenSearch 3.2 to" in note for note in TARGETS["opensearch-ltr"].write(model, options).notes)
    guarded = TARGETS["opensearch-ltr"].write(TREES, {"engine_version": "3.4"})
    assert any("additional splits" in note for note in guarded.notes)


def test_solr_counts_unsupported_splits_but_not_those_of_zero() -> None:
    stump = StumpsModel(np.array([0, 0]), np.array([1e-9, 0.5]), np.array([1.0, 2.0]), 1)
    assert any("1 of 2 splits cannot be said exactly" in note for note in to_solr(stump).notes)
    flag = StumpsModel(np.array([0, 0]), np.array([float(np.float32(1e-35)), 0.5]), np.array([1.0, 2.0]), 1)
    exact = "Every split is exact for features in single precision"
    assert any(note.startswith(f"{exact} that are 0 or further than 1.2e-13") for note in to_solr(flag).notes)
    plain = StumpsModel(np.array([0]), np.array([0.5]), np.array([1.0]), 1)
    assert any(note.startswith(f"{exact}, ") for note in to_solr(plain).notes)


def test_elasticsearch_adds_the_lowest_possible_score() -> None:
    lowest = sum(tree.leaf_value.min() for tree in TREES.trees)
    notes = TARGETS["elasticsearch"].write(TREES, {}).notes
    assert any(f"Elasticsearch adds {-lowest:.6g} to all scores" in note for note in notes)
    assert not any("adds" in note for note in TARGETS["elasticsearch"].write(TREES, {"shift": True}).notes)


def test_ranklib_needs_the_last_feature_of_every_row() -> None:
    model = SelectedFeatures(LinearModel(np.array([2.0, 1.0])), np.array([5, 9]), 12)
    assert any("every row of LETOR text must have feature 10" in note for note in TARGETS["ranklib"].write(model, {}).notes)


def test_models_of_selected_features_keep_their_columns() -> None:
    """Trees and weights learned on few of many sparse columns: names and numbers are those of the whole X."""
    model = SelectedFeatures(TREES.with_feature_names(None), np.array([1, 3, 4, 8, 11]), 12)
    rng = np.random.default_rng(0)
    X = np.zeros((300, 12), np.float32)
    X[:, [1, 3, 4, 8, 11]] = hard.rows_beside_thresholds(TREES, n_rows=300)
    X[:, [0, 2]] = rng.normal(size=(300, 2))
    expected = model.predict(sparse.csr_array(X))
    for target in ("lightgbm", "xgboost", "onnx", "treelite", "sql", "python"):
        found = TARGETS[target].write(model, {})
        np.testing.assert_array_equal(TARGETS[target].replay(found.content, X, as_portable(model)), expected)
    assert set(as_portable(model).features.values()) <= {"f2", "f4", "f5", "f9", "f12"}
    linear = SelectedFeatures(LinearModel(np.array([2.0, 0.0])), np.array([5, 9]), 12)
    assert "\n6:2.0\n" in TARGETS["ranklib"].write(linear, {}).text


def test_learners_leave(tmp_path: Path) -> None:
    """A trained model, beside the generated ones: RankBoost's stumps in XGBoost."""
    data = make_ranking(20, random_state=0)
    learner = RankBoost(n_estimators=30).fit(data.X, data.y, data.qid)
    X = data.X.astype(np.float32)
    found = to_xgboost(learner)
    found.save(tmp_path / "model.json")
    theirs = TARGETS["xgboost"].replay((tmp_path / "model.json").read_bytes(), X, as_portable(learner))
    np.testing.assert_allclose(theirs, learner.predict(X), rtol=1e-4, atol=1e-5)


def test_agreement() -> None:
    queries = np.array([0, 0, 0, 1, 1])
    ours = np.array([3.0, 2.0, 1.0, 1.0, 1.0])
    found = agreement(ours, np.array([3.0, 3.0, 4.0, 5.0, 1.0]) + 10, queries, shift=10.0)
    assert (found.n_rows, found.n_tied, found.n_reversed, found.largest_difference, found.lowest) == (5, 1, 1, 4.0, 11.0)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12))
def test_agreement_sees_every_change_of_order(rows: list[tuple[int, int, int]]) -> None:
    queries, ours, theirs = (np.array(part) for part in zip(*rows, strict=True))
    found = agreement(ours.astype(float), theirs.astype(float), queries)
    pairs = [(a, b) for a in rows for b in rows if a[0] == b[0] and a[1] > b[1]]
    assert (found.n_reversed > 0) == any(a[2] < b[2] for a, b in pairs)
    if found.n_reversed == 0:
        assert (found.n_tied > 0) == any(a[2] == b[2] for a, b in pairs)
