"""Weighted sums of models: scores, files and exports."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from directrank import LambdaMART, ModelError, RankBoost, RankSVM, SVMRanker
from directrank.datasets import make_ranking
from directrank.models import (
    EstimatorModel,
    Importances,
    LinearModel,
    SelectedFeatures,
    SumOfModels,
    TreesModel,
    dumps,
    loads,
)
from directrank.models.export import model_part, to_lightgbm, to_python
from directrank.models.export.lightgbm import lightgbm_scores
from directrank.models.export.python import python_scores

DATA = make_ranking(15, (4, 12), random_state=0)
FEW = {"num_leaves": 4, "min_child_samples": 5}
PARTS = {
    "linear": RankSVM(C=1.0, scaling="standard"),
    "stumps": RankBoost(n_estimators=4),
    "trees": LambdaMART("AP", n_seeds=1, n_estimators=3, **FEW),
    "kernel": SVMRanker("AUC", C=1.0, kernel="rbf"),
    "others": LambdaMART("AUC", n_seeds=1, n_estimators=2, **FEW),
}
MODELS = {name: learner.fit(DATA.X, DATA.y, DATA.qid).model_ for name, learner in PARTS.items()}


def sum_of(*names: str) -> SumOfModels:
    return SumOfModels(np.array([0.5, 2.0, 3.0])[: len(names)], [MODELS[name] for name in names])


@pytest.mark.parametrize("names", [("linear", "linear"), ("stumps",), ("trees", "others"), ("linear", "stumps", "trees")])
def test_scores_are_the_weighted_sum_also_after_saving(names: tuple[str, ...]) -> None:
    model = sum_of(*names)
    wanted = sum(weight * MODELS[name].predict(DATA.X) for weight, name in zip(model.weights, names, strict=True))
    np.testing.assert_allclose(model.predict(DATA.X), wanted, rtol=1e-12)
    np.testing.assert_array_equal(loads(dumps(model)).predict(DATA.X), model.predict(DATA.X))


@pytest.mark.parametrize("names", [("linear", "linear"), ("stumps", "linear"), ("trees", "others"), ("linear", "trees")])
def test_it_is_exported_as_one_weighted_sum_or_one_sum_of_trees(names: tuple[str, ...]) -> None:
    model = sum_of(*names)
    elsewhere = TreesModel.from_portable(model.portable())
    np.testing.assert_allclose(elsewhere.predict(DATA.X), model.predict(DATA.X), rtol=1e-9, atol=1e-12)


def test_weights_and_steps_add_up_by_the_weights_of_the_models() -> None:
    for name, kind in (("linear", "weight"), ("stumps", "step")):
        own, found = MODELS[name].importances(), sum_of(name, name).importances()
        assert (found.kind, found.names) == (kind, own.names)
        np.testing.assert_allclose(found.values, 2.5 * np.array(own.values))


@pytest.mark.parametrize("names", [("trees",), ("trees", "others"), ("linear", "trees"), ("linear", "stumps"), ("kernel",)])
def test_parts_without_a_common_scale_have_no_importances(names: tuple[str, ...]) -> None:
    model = sum_of(*names)
    wide = SelectedFeatures(model, 3 * np.arange(DATA.n_features), 60)
    assert model.importances() == wide.importances() == Importances("none", (), ())


def test_parts_that_read_features_differently_stay_apart() -> None:
    with pytest.raises(ModelError, match="its parts are trees that read features differently"):
        sum_of("stumps", "trees").portable()


@pytest.mark.parametrize("trees", ["trees", "stumps"])
def test_a_linear_part_beside_trees_is_exported_and_separated(trees: str) -> None:
    model = sum_of("linear", trees)
    wanted = model.predict(DATA.X)
    in_python = python_scores(to_python(model).content, DATA.X, model.portable())
    np.testing.assert_allclose(in_python, wanted, rtol=1e-9, atol=1e-12)
    in_lightgbm = lightgbm_scores(to_lightgbm(model).content, DATA.X, model.portable())
    np.testing.assert_allclose(in_lightgbm, wanted, rtol=1e-9, atol=1e-12)
    parts = [model_part(model, part) for part in ("linear", "trees")]
    np.testing.assert_allclose(sum(part.predict(DATA.X) for part in parts), wanted, rtol=1e-9, atol=1e-12)
    with pytest.raises(ModelError, match=r"the model has no part trees: it is a weighted sum of features; leave --part out"):
        model_part(parts[0], "trees")
    with pytest.raises(ModelError, match=r"the model has no part linear: it is a sum of trees; leave --part out"):
        model_part(parts[1], "linear")
    with pytest.raises(ModelError, match=r"must be linear or trees, not 'leaves'"):
        model_part(model, "leaves")


def test_missing_values_are_for_all_parts_or_for_none() -> None:
    assert sum_of("trees", "linear", "kernel").allows_missing
    other = EstimatorModel(LinearRegression().fit(DATA.X, DATA.y), DATA.n_features)
    assert not SumOfModels(np.ones(2), [MODELS["trees"], other]).allows_missing


def test_a_sum_within_selected_features_is_saved() -> None:
    columns = 3 * np.arange(DATA.n_features)
    model = SelectedFeatures(sum_of("linear", "trees"), columns, 60)
    X = np.zeros((len(DATA), 60))
    X[:, columns] = DATA.X
    np.testing.assert_allclose(loads(dumps(model)).predict(X), sum_of("linear", "trees").predict(DATA.X), rtol=1e-9)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"weights": [1.0]}, "its weights must have 2 numbers, one for each model, and has 1"),
        ({"weights": [1.0, float("inf")]}, "its weights must be finite numbers"),
        ({"models": []}, "it has no model"),
        ({"models": 3}, "its models must be a list"),
        ({"models": [3, 4]}, "there must be an object with the field 'kind', not a number"),
        ({"n_features": 3}, "it has 16 features and says 3"),
        (
            {"models": [LinearModel(np.ones(16)).to_dict(), LinearModel(np.ones(2)).to_dict()]},
            "different numbers of features",
        ),
    ],
)
def test_damaged_files_are_rejected(change: dict, sentence: str) -> None:
    content = json.loads(dumps(sum_of("linear", "stumps")))
    loads(json.dumps(content))
    with pytest.raises(ModelError, match=sentence):
        loads(json.dumps(content | change))


def test_a_part_is_checked_too() -> None:
    content = json.loads(dumps(sum_of("linear", "stumps")))
    content["models"][1]["features"][0] = 99
    with pytest.raises(ModelError, match="its features must be integers from 0 to 15"):
        loads(json.dumps(content))
