"""Trees: LightGBM's scores bit by bit, round trips of its text, and errors for damaged trees."""

from __future__ import annotations

import copy
import json
import pickle

import lightgbm as lgb
import numpy as np
import pytest
from scipy import sparse

from directrank import LambdaMART
from directrank.datasets import make_ranking
from directrank.learners.lambdamart import learner
from directrank.learners.lambdamart.boosting import boost
from directrank.models import LinearModel, ModelError, StumpsModel, TreesModel, dumps, loads
from directrank.models.trees.lightgbm_text import read_text, write_text
from directrank.models.trees.tree import MAX_DEPTH, Tree

DATA = make_ranking(40, (5, 40), random_state=0)
FEW = {"n_estimators": 15, "num_leaves": 7, "min_child_samples": 3}
BY_CATEGORY = {"categorical_feature": [3], "cat_smooth": 1, "cat_l2": 0, "min_data_per_group": 1, "max_cat_to_onehot": 1}


def mixed(random: np.random.Generator, n: int) -> np.ndarray:
    """Rows with zeros, missing values, tiny values, and categories in column 3, some of which are no integers or unknown."""
    X = random.normal(size=(n, DATA.n_features))
    X[random.random(X.shape) < 0.2] = 0.0
    X[random.random(X.shape) < 0.1] = np.nan
    X[random.random(X.shape) < 0.1] = 1e-36
    X[random.random(X.shape) < 0.05] = -np.float64(np.float32(1e-35))
    X[:, 3] = random.choice([-3, -0.5, 0, 1, 2.7, 7, 31, 32, 39, 40, 1e9, 3e9, 1e300, np.nan], n)
    return X


def training_rows(missing: bool) -> np.ndarray:
    X = DATA.X.copy()
    X[:, 3] = np.arange(len(X)) % 40
    X[np.random.default_rng(1).random(X.shape) < 0.3] = 0.0
    if missing:
        X[np.random.default_rng(2).random(X.shape) < 0.1] = np.nan
    return X


KINDS = {
    "plain": {},
    "zero is missing": {"zero_as_missing": True},
    "nothing is missing": {"use_missing": False},
    "categories": BY_CATEGORY,
    "one category": {**BY_CATEGORY, "max_cat_to_onehot": 1000},
    "linear leaves": {"linear_tree": True},
    "dart": {"boosting": "dart", "drop_rate": 0.5},
    "monotone": {"monotone_constraints": [1] * 4 + [0] * 12},
    "deep": {},
}


@pytest.fixture(scope="module", params=[(kind, missing) for kind in KINDS for missing in (False, True)], ids=str)
def trained(request) -> tuple[lgb.Booster, TreesModel]:
    """LightGBM's own booster, as it was trained, and the model that came of it."""
    kind, missing = request.param
    kept = []

    def keeping(ensemble, *args):
        kept.append(ensemble)
        boost(ensemble, *args)

    deep = {"num_leaves": 200, "min_child_samples": 1} if kind == "deep" else {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learner, "boost", keeping)
        own = {"num_threads": 1, **KINDS[kind]}
        model = LambdaMART("AP", n_seeds=1, lightgbm=own, **FEW | deep).fit(training_rows(missing), DATA.y, DATA.qid).model_
    return kept[0].boosters[0], model


def test_scores_equal_lightgbms_bit_by_bit(trained) -> None:
    booster, model = trained
    random = np.random.default_rng(0)
    for X in (mixed(random, 1000), training_rows(True), mixed(random, 1)):
        wanted = booster.predict(X)
        np.testing.assert_array_equal(model.predict(X), wanted)
        np.testing.assert_array_equal(model.booster.predict(X), wanted)
        # LightGBM's sparse rows keep tiny values that it takes for 0 in dense ones; ours are scored alike.
        np.testing.assert_array_equal(model.predict(sparse.csr_array(X)), wanted)
        single = np.clip(X, -1e30, 1e30).astype(np.float32)
        np.testing.assert_array_equal(model.predict(single), booster.predict(single))
    assert np.ptp(wanted) > 0 or len(X) == 1


def test_saved_and_pickled_trees_score_and_are_explained_alike(trained) -> None:
    booster, model = trained
    X = mixed(np.random.default_rng(3), 50)
    for again in (loads(dumps(model)), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert dumps(again) == dumps(model)
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        assert again.booster.model_to_string() == model.booster.model_to_string()
    for by in ("split", "gain"):
        np.testing.assert_allclose(model.booster.feature_importance(by), booster.feature_importance(by), rtol=1e-5)
    np.testing.assert_array_equal(model.split_counts, booster.feature_importance())


def test_the_text_has_the_same_trees(trained) -> None:
    """All that LightGBM's own text says of its trees, up to how numbers are written."""
    booster, model = trained
    text = write_text(model.trees, model.width, None, [])
    theirs, ours = (
        json.dumps(lgb.Booster(model_str=t).dump_model()["tree_info"]) for t in (booster.model_to_string(), text)
    )
    assert ours == theirs
    again = read_text(text)
    assert [tree.to_dict() for tree in again.trees] == [tree.to_dict() for tree in model.trees]


def test_a_split_between_missing_and_all_others() -> None:
    """LightGBM writes an infinite threshold; JSON has none."""
    X, y = np.where(np.arange(400) % 2, np.nan, np.arange(400.0))[:, None], np.arange(400) % 2.0
    model = (
        LambdaMART("AP", n_seeds=1, n_estimators=1, num_leaves=2, extra_trees=False)
        .fit(X, y, np.repeat(np.arange(20), 20))
        .model_
    )
    assert model.trees[0].threshold[0] == np.finfo(float).max and "threshold=inf" in model.booster.model_to_string()
    largest = np.array([[np.finfo(float).max], [-1.0], [np.nan]])
    assert np.argmax(model.predict(largest)) == 2
    np.testing.assert_array_equal(model.predict(largest), model.booster.predict(largest))
    np.testing.assert_array_equal(loads(dumps(model)).predict(largest), model.predict(largest))


def test_numbers_of_any_size_come_through_the_text() -> None:
    content = TREE | {"threshold": [5e-324, -1.7976931348623157e308], "leaf_value": [2.2250738585072014e-308, 1 / 3, 1e22]}
    thresholds = np.random.default_rng(0).integers(0, 2**63, 500).view(np.float64)
    extreme = [content, *(content | {"threshold": [t, -t]} for t in thresholds[np.isfinite(thresholds)].tolist())]
    model = TreesModel(tuple(map(Tree.from_dict, extreme)), 3)
    X = np.repeat(np.concatenate([tree["threshold"] for tree in extreme]), 3).reshape(-1, 3)
    with np.errstate(all="ignore"):
        X = np.concatenate((X, np.nextafter(X, np.inf), np.nextafter(X, -np.inf)))
    X = X[np.isfinite(X).all(axis=1)]
    np.testing.assert_array_equal(model.predict(X), model.booster.predict(X))
    leaves = model._forest.leaves(X) - 3 * np.arange(model.n_trees)
    np.testing.assert_array_equal(leaves, model.booster.predict(X, pred_leaf=True))


def test_lightgbm_reads_linear_leaves_of_subnormal_numbers() -> None:
    """LightGBM ends the process at a subnormal coefficient; 0 stands for it."""
    start = LinearModel(np.array([5e-324, -1e-310, 2.5]), 1e-320)
    model = TreesModel.from_portable(start.portable())
    np.testing.assert_array_equal(model.booster.predict(np.eye(3)), [0.0, 0.0, 2.5])
    np.testing.assert_allclose(model.predict(np.eye(3)), [0.0, 0.0, 2.5], atol=1e-300)


TREE = {
    "feature": [2, 0],
    "threshold": [0.5, -1.0],
    "left": [1, -1],
    "right": [-3, -2],
    "missing": [2, 0],
    "default_left": [1, 0],
    "gain": [10.0, 5.0],
    "value": [0.0, 0.1],
    "weight": [9.0, 6.0],
    "count": [30, 20],
    "leaf_value": [1.0, 2.0, 4.0],
    "leaf_weight": [3.0, 3.0, 3.0],
    "leaf_count": [10, 10, 10],
    "shrinkage": 0.1,
}


def file_of(*trees: dict, **change) -> str:
    content = {"format": "directrank model, version 2", "kind": "trees", "n_features": 3, "feature_names": None}
    return json.dumps(content | {"provenance": None, "trees": trees, "width": 3, "categories": {}} | change)


def test_a_tree_by_hand() -> None:
    model = loads(file_of(TREE, TREE))
    X = [[-1, 0, 0.5], [0, 0, 0.4], [0, 0, 0.6], [-2, 0, np.nan]]
    assert model.predict(X).tolist() == [2.0, 4.0, 8.0, 2.0]
    categorical = TREE | {"categories": [[1, [1, 33]]]}
    model = loads(file_of(categorical))
    assert model.predict([[33.9, 0, 0], [1, 0, 0], [0, 0, 0], [-1, 0, 0], [np.nan, 0, 0]]).tolist() == [1, 1, 2, 2, 2]
    linear = {"constant": [0.5, 0, 0], "features": [[1, 0], [], []], "coefficients": [[2.0, 10.0], [], []]}
    model = loads(file_of(TREE | {"linear": linear}))
    assert model.predict([[-1, 3, 0], [-1, np.nan, 0]]).tolist() == [0.5 + 6 - 10, 1.0]
    assert loads(file_of()).predict(X).tolist() == [0] * 4


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"feature": [3, 0]}, "tree 1: its features must be integers from 0 to 2"),
        ({"feature": [-1, 0]}, "tree 1: its feature must be integers from 0"),
        ({"feature": [2**31, 0]}, "tree 1: its feature must be integers from 0"),
        ({"feature": [2]}, "tree 1: its feature must have 2 numbers, one for each split, and has 1"),
        ({"feature": [2.0, 0]}, "tree 1: its feature must be integers"),
        ({"feature": None}, "tree 1: its feature must be a list of integers, not null"),
        ({"threshold": [float("nan"), 0]}, "tree 1: its threshold must be finite numbers"),
        ({"threshold": ["1", 0]}, "tree 1: its threshold must be numbers"),
        ({"left": [1, 0]}, "name every leaf, and every split but the root, once"),
        ({"left": [1, -2]}, "name every leaf, and every split but the root, once"),
        ({"left": [1, 7]}, "name every leaf, and every split but the root, once"),
        ({"left": [-1, 1]}, "name splits that come after their parent"),
        ({"missing": [3, 0]}, "its missing must be integers from 0 to 2"),
        ({"default_left": [2, 0]}, "its default_left must be 0 or 1"),
        ({"default_left": [True, 0]}, "its default_left must be integers"),
        ({"leaf_value": [1.0, 2.0]}, "its feature must have 1 numbers, one for each split, and has 2"),
        ({"leaf_value": []}, "it must have between 1 and 131072 leaves, and has 0"),
        ({"leaf_count": [1, 2, -3]}, "its leaf_count must be integers from 0 to 2147483647"),
        ({"shrinkage": float("inf")}, "its shrinkage must be a finite number"),
        ({"shrinkage": True}, "its shrinkage must be a finite number"),
        ({"categories": [[2, [1]]]}, "it has categories for split 2, but only 2 splits"),
        ({"categories": [[1, [3, 1]]]}, "at split 1 must be ascending integers"),
        ({"categories": [[1, []]]}, "at split 1 must be ascending integers"),
        ({"categories": [[1, [-1]]]}, "at split 1 must be ascending integers"),
        ({"categories": [[1, [1]], [1, [2]]]}, "each split once"),
        ({"categories": {"1": [2]}}, "its categories must be a list"),
        ({"linear": {"constant": [0, 0, 0], "features": [[9], [], []], "coefficients": [[1], [], []]}}, "from 0 to 2"),
        ({"linear": {"constant": [0, 0, 0], "features": [[1], [], []], "coefficients": [[], [], []]}}, "one coefficient"),
        ({"linear": {"constant": [0, 0], "features": [], "coefficients": []}}, "its constant must have 3 numbers"),
        ({"linear": {"constant": [0, 0, 0], "features": [], "coefficients": []}}, "must be 3, and are 0"),
        ({"linear": []}, "there must be an object with the field 'features', not a list"),
    ],
)
def test_damaged_trees_are_rejected(change: dict, sentence: str) -> None:
    with pytest.raises(ModelError) as error:
        loads(file_of(TREE, TREE | change))
    assert sentence in str(error.value)
    if change != {"linear": []}:
        for name in TREE:
            with pytest.raises(ModelError, match=f"tree 0: it lacks the field '{name}'"):
                loads(file_of({key: value for key, value in TREE.items() if key != name}))


def chain(n_splits: int) -> dict:
    """A tree that goes down on the right."""
    numbers = list(range(n_splits))
    tree = {name: [0] * n_splits for name in ("feature", "missing", "default_left", "count")}
    tree |= {name: [0.0] * n_splits for name in ("threshold", "gain", "value", "weight")}
    tree |= {"left": [~i for i in numbers], "right": [*numbers[1:], ~n_splits], "shrinkage": 1.0}
    return tree | {
        "leaf_value": [1.0] * (n_splits + 1),
        "leaf_weight": [1.0] * (n_splits + 1),
        "leaf_count": [1] * (n_splits + 1),
    }


def test_depth_is_limited_as_in_lightgbm() -> None:
    model = loads(file_of(chain(MAX_DEPTH)))
    X = np.random.default_rng(0).normal(size=(10, 3))
    np.testing.assert_array_equal(model.predict(X), model.booster.predict(X))
    assert model.booster.predict(X, pred_contrib=True).shape == (10, 4)
    with pytest.raises(ModelError, match="tree 0: it is 1001 levels deep; at most 1000 are allowed"):
        loads(file_of(chain(MAX_DEPTH + 1)))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"trees": {}}, "its trees must be a list"),
        ({"trees": [3]}, "tree 0: there must be an object with the field 'feature', not a number"),
        ({"width": 0}, "its width must be an integer of at least 1"),
        ({"width": True, "n_features": True}, "its width must be an integer of at least 1"),
        ({"categories": []}, "its categories must be a list of values for each column"),
        ({"start": LinearModel(np.ones(2)).to_dict()}, "its start has 2 features, and the model has 3"),
        ({"start": LinearModel(np.ones(3), log_features=np.array([3])).to_dict()}, "its log_features must be"),
        ({"start": StumpsModel(np.zeros(1, int), np.ones(1), np.ones(1), 3).to_dict()}, "its start must be linear"),
        ({"start": 3}, "there must be an object with the field 'kind', not a number"),
        ({"categories": {"a": [None]}}, "its categories must be text or numbers"),
        ({"n_features": 4}, "it has 3 features and says 4"),
    ],
)
def test_damaged_models_are_rejected(change: dict, sentence: str) -> None:
    with pytest.raises(ModelError) as error:
        loads(file_of(TREE, **change))
    assert sentence in str(error.value)


def test_models_that_lightgbm_cannot_represent_are_rejected_before_a_booster_is_made() -> None:
    for tree, change in ((TREE, {"width": 2**40, "n_features": 2**40}), (TREE | {"categories": [[0, [2**31 - 1]]]}, {})):
        model = loads(file_of(tree, **change))
        assert model.predict(sparse.csr_array((2, model.n_features))).shape == (2,)
        with pytest.raises(ModelError, match=r"LightGBM's text|too large for LightGBM"):
            _ = model.booster


LIGHTGBMS = LambdaMART("AP", n_seeds=1, n_estimators=2, num_leaves=3).fit(DATA.X, DATA.y, DATA.qid).model_


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("tree\nversion", "three\nversion", "its trees are not LightGBM's text"),
        ("end of trees", "end", "there is no end of trees"),
        ("num_class=1", "num_class=2", "LightGBM's text has a num_class other than 1"),
        ("label_index=0", "average_output", "that of a random forest"),
        ("max_feature_idx=15", "max_feature_idx=-5", "its width must be an integer of at least 1"),
        ("max_feature_idx=15", "max_feature_idx=0", "its features must be integers from 0 to 0"),
        ("Tree=1", "Tree=2", "tree 1 of LightGBM's text: it is out of order"),
        ("num_leaves=3", "num_leaves=4", "tree 0 of LightGBM's text: it has 3 leaves and says 4"),
        ("num_leaves=3", "num_leaves=", "num_leaves must be 1 number(s)"),
        ("num_leaves=3", "num_leaves=3\nnum_leaves=3", "has 'num_leaves' twice"),
        ("left_child=", "left=", "LightGBM's text lacks left_child"),
        ("left_child=", "left_child=7 ", "must have 2 numbers, one for each split, and has 3"),
        ("decision_type=2 2", "decision_type=3 2", "it has 1 splits on categories and says 0"),
        ("decision_type=2 2", "decision_type=99 2", "decision_type is not one of LightGBM's"),
        ("leaf_value=", "leaf_value=nan ", "leaf_value must be finite numbers"),
        ("leaf_value=", "leaf_value=one ", "leaf_value must be numbers"),
        ("split_feature=", "split_feature=9" + "9" * 5000, "split_feature must be integers"),
        ("pandas_categorical:null", "pandas_categorical:{", "pandas_categorical is not JSON"),
        ("pandas_categorical:null", "pandas_categorical:{}", "pandas_categorical must be lists"),
        (
            "pandas_categorical:null",
            'pandas_categorical:[["a"]]',
            "names 0 columns with categories, and LightGBM's text has 1",
        ),
    ],
)
def test_damaged_lightgbm_text(old: str, new: str, sentence: str) -> None:
    text = write_text(LIGHTGBMS.trees, 16, None, [])
    model = TreesModel.from_lightgbm(text, 1)
    assert model.n_trees == 1
    np.testing.assert_array_equal(model.predict(DATA.X), LIGHTGBMS.booster.predict(DATA.X, num_iteration=1))
    assert old in text
    with pytest.raises(ModelError) as error:
        TreesModel.from_lightgbm(text.replace(old, new, 1), 1)
    assert sentence in str(error.value)


def test_a_file_of_trees_is_about_as_large_as_lightgbms_text() -> None:
    model = (
        LambdaMART("AP", n_seeds=1, n_estimators=20, num_leaves=31, min_child_samples=1).fit(DATA.X, DATA.y, DATA.qid).model_
    )
    assert len(dumps(model)) < 1.3 * len(model.booster.model_to_string())
