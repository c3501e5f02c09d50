"""Feature importances, against slow and obvious code."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from directrank import LambdaMART, OneVsRestSVM, RankBoost, SVMRanker
from directrank.datasets import make_ranking
from directrank.models import LinearModel, Model, ModelError, SelectedFeatures, StumpsModel, TreesModel, dumps, loads

DATA = make_ranking(30, (5, 30), random_state=0)
FEW = {"n_estimators": 10, "num_leaves": 7, "min_child_samples": 3, "lightgbm": {"num_threads": 1}}


def as_dict(model: Model) -> dict[str, float]:
    """By name; that the largest come first is checked on the way, and that a file gives the same."""
    found = model.importances()
    assert list(found.values) == sorted(found.values, key=abs, reverse=True)
    assert loads(dumps(model)).importances() == found
    return dict(zip(found.names, found.values, strict=True))


def test_weights_have_signs_and_zeros_are_left_out() -> None:
    model = LinearModel(np.array([0.5, 0.0, -2.0]), 7.0, feature_names=("a", "b", "c"))
    assert model.importances().kind == "weight"
    assert as_dict(model) == {"c": -2.0, "a": 0.5}
    assert as_dict(model.with_feature_names(None)) == {"f3": -2.0, "f1": 0.5}


def test_equal_weights_come_in_the_order_of_the_features() -> None:
    assert LinearModel(np.array([1.0, -1.0, 1.0, 2.0])).importances().names == ("f4", "f1", "f2", "f3")


def test_importances_of_a_linear_start_alone_are_its_weights() -> None:
    """LambdaMART(init=RankSVM()) may keep no tree; with trees, importances are gains."""
    start = TreesModel.from_portable(LinearModel(np.array([0.5, 0.0, -2.0]), 7.0).portable())
    assert start.importances().kind == "weight"
    assert as_dict(start) == {"f3": -2.0, "f1": 0.5}


def test_importances_of_a_sum_over_grades_are_its_weights() -> None:
    learner = OneVsRestSVM().fit(DATA.X, DATA.y, DATA.qid)
    total = np.zeros(DATA.n_features)
    for grade, part in zip(learner.model_.grades, learner.model_.models, strict=True):
        total += grade * part.coef
    found = as_dict(learner.model_)
    assert learner.model_.importances().kind == "weight"
    assert found == {f"f{j + 1}": pytest.approx(w) for j, w in enumerate(total)}


@pytest.mark.parametrize(
    "given",
    [{}, {"lightgbm": {"linear_tree": True}}, {"lightgbm": {"categorical_feature": [3]}}, {"num_leaves": 2}],
    ids=str,
)
def test_gains_equal_lightgbms(given: dict) -> None:
    X = DATA.X.copy()
    X[:, 3] = np.arange(len(X)) % 5
    learner = LambdaMART("AP", init=None, **FEW | given).fit(X, DATA.y, DATA.qid)
    assert learner.model_.importances().kind == "gain"
    gains = learner.booster_.feature_importance("gain")
    assert as_dict(learner.model_) == {f"f{j + 1}": pytest.approx(gains[j]) for j in np.flatnonzero(gains)}


def test_trees_that_have_no_gains_count_their_splits() -> None:
    model = LambdaMART("AP", **FEW).fit(DATA.X, DATA.y, DATA.qid).model_
    bare = replace(model, trees=tuple(replace(tree, gain=np.zeros(tree.n_splits)) for tree in model.trees))
    assert bare.importances().kind == "splits"
    counts = Counter(f"f{feature + 1}" for tree in model.trees for feature in tree.feature.tolist())
    assert as_dict(bare) == counts


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(-3, 3)), min_size=1, max_size=12))
def test_steps_are_the_total_change_of_each_features_function(stumps: list[tuple[int, int, int]]) -> None:
    """The variation of the score along each feature, walked over a grid finer than the thresholds."""
    features, thresholds, weights = (np.array(part) for part in zip(*stumps, strict=True))
    model = StumpsModel(features, thresholds.astype(float), weights.astype(float), 4)
    assert model.importances().kind == "step"
    expected = {}
    for feature in set(features.tolist()):
        walk = np.zeros((20, 4))
        walk[:, feature] = np.linspace(-1.05, 3.05, 20)
        expected[f"f{feature + 1}"] = np.abs(np.diff(model.predict(walk))).sum()
    assert as_dict(model) == expected


@pytest.mark.parametrize(
    "learner", [SVMRanker("AP"), RankBoost(n_estimators=10), LambdaMART("AP", **FEW)], ids=lambda x: type(x).__name__
)
def test_selected_features_have_the_names_of_the_wide_matrix(learner) -> None:
    narrow = learner.fit(DATA.X, DATA.y, DATA.qid).model_
    columns = 7 * np.arange(DATA.n_features) + 2
    wide = SelectedFeatures(narrow, columns, 1000)
    assert wide.importances().kind == narrow.importances().kind
    assert as_dict(wide) == {f"f{columns[int(name[1:]) - 1] + 1}": value for name, value in as_dict(narrow).items()}
    named = wide.with_feature_names([f"word {j}" for j in range(1000)])
    assert as_dict(named) == {f"word {int(name[1:]) - 1}": value for name, value in as_dict(wide).items()}


@pytest.mark.parametrize(
    "model",
    [LinearModel(np.zeros(3)), StumpsModel(np.empty(0, np.int64), np.empty(0), np.empty(0), 3), TreesModel((), 3)],
    ids=lambda model: model.kind,
)
def test_a_model_that_uses_no_feature_has_none(model: Model) -> None:
    assert as_dict(model) == {}


def test_features_with_the_same_name_are_all_listed() -> None:
    assert LinearModel(np.array([1.0, 2.0]), feature_names=("a", "a")).importances().names == ("a", "a")


def test_sums_that_are_not_finite_are_rejected() -> None:
    steps = StumpsModel(np.zeros(2, np.int64), np.zeros(2), np.full(2, 1e308), 1)
    with pytest.raises(ModelError, match="the step of a feature is the sum of numbers that are too large"):
        steps.importances()
    model = LambdaMART("AP", **FEW).fit(DATA.X, DATA.y, DATA.qid).model_
    huge = replace(model, trees=tuple(replace(tree, gain=np.full(tree.n_splits, 1e308)) for tree in model.trees))
    with pytest.raises(ModelError, match="the gain of a feature is the sum of numbers that are too large"):
        huge.importances()
