"""LambdaMART as a sum: of several seeds, and of trees added to another ranker."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold

from directrank import CoordinateAscent, InputError, LambdaMART, RankBoost, RankSVM, SVMRanker, routing
from directrank.data import RankingData
from directrank.datasets import make_ranking
from directrank.learners import Progress
from directrank.learners.core.shards import LocalShards
from directrank.learners.lambdamart.gradients import Gradients
from directrank.measures import parse
from directrank.models import LinearModel, ModelError, TreesModel, dumps, loads
from directrank.models.export import to_lightgbm, to_python
from directrank.models.export.lightgbm import lightgbm_scores
from directrank.models.export.python import python_scores

TRAIN, OTHER = make_ranking(60, random_state=0), make_ranking(60, random_state=1)
DATA, EVAL_SET = (TRAIN.X, TRAIN.y, TRAIN.qid), (OTHER.X, OTHER.y, OTHER.qid)
FEW = {"n_estimators": 20, "num_leaves": 7}


def test_the_model_of_several_seeds_is_their_mean() -> None:
    given = {**FEW, "colsample_bytree": 0.5, "lightgbm": {"bagging_fraction": 0.5, "bagging_freq": 1}}
    model = LambdaMART("AP", n_seeds=3, init=None, extra_trees=False, random_state=4, **given).fit(*DATA)
    members = [LambdaMART("AP", n_seeds=1, random_state=seed, **given).fit(*DATA).predict(OTHER.X) for seed in (4, 5, 6)]
    assert np.ptp(members, axis=0).max() > 0.1
    np.testing.assert_allclose(model.predict(OTHER.X), np.mean(members, axis=0), atol=1e-12)
    assert model.best_iteration_ == 20 and model.history_[-1].info["trees"] == model.model_.n_trees == 60
    np.testing.assert_array_equal(model.booster_.predict(OTHER.X), model.predict(OTHER.X))
    np.testing.assert_array_equal(loads(dumps(model)).predict(OTHER.X), model.predict(OTHER.X))
    portable = model.model_.portable()
    np.testing.assert_array_equal(python_scores(to_python(model).content, OTHER.X, portable), model.predict(OTHER.X))


def test_the_best_round_of_several_seeds_is_that_of_their_mean() -> None:
    model = LambdaMART("AP", n_seeds=2, init=None, n_estimators=60, learning_rate=0.3).fit(*DATA, eval_set=EVAL_SET)
    values = model.evals_result_["validation"]["AP"]
    assert model.score(*EVAL_SET) == pytest.approx(max(values)) and model.best_iteration_ == int(np.argmax(values)) + 1 < 60
    assert model.model_.n_trees == 2 * model.best_iteration_
    alone = LambdaMART("AP", n_seeds=2, init=None, n_estimators=60, learning_rate=0.3).fit(*DATA)
    assert model.evals_result_["training"]["AP"][-1] == pytest.approx(alone.evals_result_["training"]["AP"][-1])


@pytest.mark.parametrize(
    "init", [RankSVM(), SVMRanker("AP", C=10.0), RankBoost(n_estimators=10)], ids=lambda init: type(init).__name__
)
@pytest.mark.parametrize("n_seeds", [1, 2])
def test_scores_are_the_sum_of_init_and_trees(init, n_seeds: int) -> None:
    start = clone(init).fit(*DATA, eval_set=EVAL_SET)
    both = LambdaMART("AP", init=init, n_seeds=n_seeds, **FEW).fit(*DATA, eval_set=EVAL_SET)
    assert not hasattr(init, "model_")
    grown = [tree for tree in both.model_.trees if tree.n_splits > 1]
    trees = type(both.model_)(tuple(grown), TRAIN.n_features)
    assert 0 < len(grown) < len(both.model_.trees)
    np.testing.assert_allclose(both.predict(OTHER.X), start.predict(OTHER.X) + trees.predict(OTHER.X), atol=1e-9)
    assert both.score(*EVAL_SET) == pytest.approx(max(both.evals_result_["validation"]["AP"]))
    np.testing.assert_array_equal(loads(dumps(both)).predict(OTHER.X), both.predict(OTHER.X))
    fitted = LambdaMART("AP", init=start, n_seeds=n_seeds, **FEW).fit(*DATA, eval_set=EVAL_SET)
    np.testing.assert_array_equal(fitted.predict(OTHER.X), both.predict(OTHER.X))
    exported = to_lightgbm(both).content
    np.testing.assert_array_equal(lightgbm_scores(exported, OTHER.X, both.model_.portable()), both.predict(OTHER.X))


def test_trees_improve_on_init() -> None:
    start = RankSVM().fit(*DATA)
    both = LambdaMART("AP", init=RankSVM(), **FEW).fit(*DATA)
    bound = parse("AP").bind(TRAIN.y, TRAIN.by_query().offsets)
    assert bound.evaluate(both.predict(TRAIN.X)).mean() > bound.evaluate(start.predict(TRAIN.X)).mean() + 0.01


@pytest.mark.parametrize("init", [RankBoost(n_estimators=10), RankSVM(C=1.0).fit(*DATA)], ids=["RankBoost", "fitted"])
def test_a_start_shuffled_rows_shards_and_samples(init) -> None:
    """With a start that does not itself depend on the order of the rows; a clone would not be fitted."""
    sampled = LambdaMART("AP", init=init, lightgbm={"data_sample_strategy": "goss"}, **FEW)
    wanted = sampled.fit(*DATA).predict(OTHER.X)
    rows = np.random.default_rng(0).permutation(len(TRAIN))
    found = sampled.fit(TRAIN.X[rows], TRAIN.y[rows], TRAIN.qid[rows]).predict(OTHER.X)
    np.testing.assert_allclose(found, wanted, atol=1e-9)
    whole = LambdaMART("AP", init=init, lightgbm={"bagging_fraction": 0.5, "bagging_freq": 1}, **FEW)
    parts = [TRAIN.select_queries(part) for part in np.array_split(np.arange(TRAIN.n_queries), 3)]
    several = whole.fit_shards(LocalShards.from_data(parts, parse("AP"))).predict(OTHER.X)
    np.testing.assert_allclose(several, whole.fit(*DATA).predict(OTHER.X), atol=1e-9)


def test_a_linear_init_is_exported_and_a_missing_feature_counts_zero_in_it() -> None:
    both = LambdaMART("AP", init=RankSVM(), **FEW).fit(*DATA)
    gaps = OTHER.X.copy()
    gaps[::3, 2] = gaps[1::4, 5] = np.nan
    wanted = both.predict(np.nan_to_num(gaps, nan=0.0))  # the trees saw no missing values, and take them for 0
    np.testing.assert_allclose(both.predict(gaps), wanted, atol=1e-9)
    np.testing.assert_allclose(both.booster_.predict(gaps), wanted, atol=1e-9)
    np.testing.assert_allclose(python_scores(to_python(both).content, gaps, both.model_.portable()), wanted, atol=1e-9)
    assert both.model_.importances().kind == "gain"


def test_a_start_with_logarithms_of_features() -> None:
    """LightGBM cannot have it in its leaves, so the model keeps it beside the trees."""
    constants = np.arange(16.0) / 8
    start = LinearModel(np.arange(16.0) - 8, 0.5, log_features=np.array([1, 3]), if_missing=constants)
    gaps = TRAIN.X.copy()
    gaps[::3, 2] = gaps[1::4, 3] = np.nan
    both = LambdaMART("AP", **FEW).fit(gaps, TRAIN.y, TRAIN.qid, init_model=start)
    grown = TreesModel(both.model_.trees, TRAIN.n_features)
    assert all(tree.n_splits for tree in both.model_.trees)
    np.testing.assert_allclose(both.predict(gaps), start.predict(gaps) + grown.predict(gaps), atol=1e-12)
    np.testing.assert_array_equal(loads(dumps(both)).predict(gaps), both.predict(gaps))
    assert both.score(gaps, TRAIN.y, TRAIN.qid) == pytest.approx(both.evals_result_["training"]["AP"][-1])
    with pytest.raises(ModelError, match="starts from logarithms of features, which LightGBM cannot compute"):
        _ = both.booster_
    longer = LambdaMART("AP", **FEW).fit(gaps, TRAIN.y, TRAIN.qid, init_model=both)
    assert longer.model_.start is not None and longer.model_.n_trees > both.model_.n_trees


def test_an_init_with_other_features_is_rejected() -> None:
    narrow = RankingData(TRAIN.X[:, :5], TRAIN.y, TRAIN.qid)
    fitted = RankSVM().fit(narrow.X, narrow.y, narrow.qid)
    with pytest.raises(InputError, match="init was fitted on 5 features, and these rows have 16; start from a model"):
        LambdaMART("AP", init=fitted, **FEW).fit(*DATA)


@pytest.mark.parametrize("scaling", ["none", "auto"])
def test_a_start_takes_missing_values_and_features_of_any_scale(scaling: str) -> None:
    raw = DATA[0] * 10.0 ** (np.arange(TRAIN.n_features) % 5)
    raw[:, 1] = np.exp(2 * DATA[0][:, 1])
    raw[::3, 2] = np.where(TRAIN.y[::3] > 0, raw[::3, 2], np.nan)
    for X in (raw, sparse.csr_array(raw)):
        start = RankSVM(C=1.0, scaling=scaling).fit(X, *DATA[1:])
        both = LambdaMART("AP", init=RankSVM(C=1.0, scaling=scaling), **FEW).fit(X, *DATA[1:], eval_set=(X, *DATA[1:]))
        assert start.model_.if_missing[2] < 0 and (1 in start.model_.log_features) == (scaling == "auto")
        tiny = LambdaMART("AP", init=start, n_estimators=1, learning_rate=1e-12).fit(X, *DATA[1:])
        scores = start.predict(X)
        np.testing.assert_allclose(tiny.predict(X), scores, atol=1e-9 * np.abs(scores).max())
        assert both.best_score_ >= start.score(X, *DATA[1:], measure="AP")
        np.testing.assert_array_equal(loads(dumps(both)).predict(X), both.predict(X))


@pytest.mark.parametrize(
    "init", [RankSVM(C=1.0), RankBoost(n_estimators=10), LambdaMART("AP", **FEW)], ids=lambda init: type(init).__name__
)
def test_a_fitted_start_is_matched_by_name(init) -> None:
    names = [f"f{j}" for j in range(TRAIN.n_features)]
    frame = pd.DataFrame(TRAIN.X, columns=names)
    start = clone(init).fit(frame[names[::-1]], *DATA[1:])
    both = LambdaMART("AP", init=start, **FEW).fit(frame, *DATA[1:])
    trees = LambdaMART("AP", init=start, n_estimators=1, learning_rate=1e-12).fit(frame, *DATA[1:])
    np.testing.assert_allclose(trees.predict(frame), start.predict(frame), atol=1e-9)
    assert both.evals_result_["training"]["AP"][-1] > trees.evals_result_["training"]["AP"][-1]
    with pytest.raises(InputError, match="init was fitted on other features: the data lacks the feature 'f0' and has"):
        LambdaMART("AP", init=start, **FEW).fit(frame.rename(columns={"f0": "other"}), *DATA[1:])


def test_a_fitted_init_with_other_categories_is_rejected() -> None:
    def frame(values: list) -> pd.DataFrame:
        kind = pd.Categorical.from_codes(np.arange(len(TRAIN)) % 2, values)
        return pd.DataFrame(TRAIN.X[:, :3], columns=["a", "b", "c"]).assign(kind=kind)

    start = LambdaMART("AP", **FEW).fit(frame(["x", "y"]), *DATA[1:])
    LambdaMART("AP", init=start, **FEW).fit(frame(["x", "y"]), *DATA[1:])
    with pytest.raises(InputError, match="init was fitted on other categories than those of X; start from"):
        LambdaMART("AP", init=start, **FEW).fit(frame(["y", "x"]), *DATA[1:])


def test_init_alone_is_kept_if_no_round_is_better_on_the_eval_set() -> None:
    """A start that ranks the eval_set perfectly cannot be improved on it."""
    start = RankSVM(C=1.0).fit(*DATA)
    eval_set = (OTHER.X, np.exp(start.predict(OTHER.X)), OTHER.qid)
    learner = LambdaMART("nDCG(gain=linear)", init=start, num_leaves=7, early_stopping_rounds=5)
    with pytest.warns(UserWarning, match="no round is better on the eval_set; the model is its start"):
        learner.fit(*DATA, eval_set=eval_set)
    np.testing.assert_allclose(learner.predict(OTHER.X), start.predict(OTHER.X), atol=1e-9)
    assert len(learner.history_) == 5 and learner.best_iteration_ == 0 == learner.model_.provenance.training["rounds"]


def test_trees_stay_on_the_scale_of_a_start_of_large_scores() -> None:
    """Nearly all pairs are saturated there; lambdas scaled by the hessian at such scores would be without bounds."""
    start = times(RankSVM(C=1.0).fit(*DATA), 1e4)
    trees = LambdaMART("AP", init=start, **FEW).fit(*DATA).predict(TRAIN.X) - start.predict(TRAIN.X)
    assert np.all(np.isfinite(trees)) and np.abs(trees).max() < 10 * np.abs(start.predict(TRAIN.X)).max()


def test_sigma_undoes_the_scale_of_a_start() -> None:
    start = RankSVM(C=1.0).fit(*DATA)
    wanted = LambdaMART("AP", init=start, **FEW).fit(*DATA).predict(TRAIN.X)
    found = LambdaMART("AP", init=times(start, 1024.0), sigma=1 / 1024, **FEW).fit(*DATA).predict(TRAIN.X)
    np.testing.assert_allclose(found / 1024, wanted, atol=1e-6)


def times(ranker: RankSVM, factor: float) -> RankSVM:
    """The same ranker with larger scores."""
    larger = copy.copy(ranker)
    larger.model_ = replace(ranker.model_, coef=factor * ranker.coef_)
    return larger


def test_parameters_of_the_start_are_set_and_searched() -> None:
    learner = LambdaMART("AP", init=RankSVM(C=1.0), **FEW)
    assert learner.set_params(init__C=3.0, num_leaves=5).init.C == 3.0 and learner.num_leaves == 5
    search = GridSearchCV(learner, {"init__C": [1e-6, 1.0]}, cv=GroupKFold(2))
    with routing():
        search.fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid, groups=TRAIN.qid)
    assert np.ptp(search.cv_results_["mean_test_score"]) > 0


def test_ctrl_c_while_the_start_learns_ends_the_training() -> None:
    def interrupt(progress: Progress) -> None:
        raise KeyboardInterrupt

    class Interrupted(RankBoost):
        def fit_shards(self, *shards, **given):
            return super().fit_shards(*shards, **given, callbacks=[interrupt])

    learner = LambdaMART("AP", init=Interrupted(n_estimators=10), **FEW)
    with pytest.raises(KeyboardInterrupt):
        learner.fit(*DATA, keep_partial=True)
    assert learner.interrupted_ and not learner.history_ and learner.best_iteration_ == 0
    start = RankBoost(n_estimators=1).fit(*DATA)
    np.testing.assert_array_equal(learner.predict(OTHER.X), start.predict(OTHER.X))


def test_seeds_that_would_grow_identical_trees_are_rejected() -> None:
    with pytest.raises(
        InputError, match="n_seeds=2 would grow the same trees 2 times, as nothing is random; set extra_trees"
    ):
        LambdaMART("AP", n_seeds=2, extra_trees=False, **FEW).fit(*DATA)


@pytest.mark.parametrize(
    "given",
    [
        {"lightgbm": {"extra_seed": 7}},
        {"extra_trees": False, "colsample_bytree": 0.5, "lightgbm": {"feature_fraction_seed": 7}},
        {"extra_trees": False, "lightgbm": {"bagging_fraction": 0.5, "bagging_freq": 1, "bagging_seed": 7}},
        {"extra_trees": False, "lightgbm": {"boosting": "dart", "drop_seed": 7, "drop_rate": 0.5, "skip_drop": 0.0}},
        {"lightgbm": {"data_random_seed": 7}},
    ],
    ids=str,
)
def test_given_seeds_of_lightgbm_count_up(given: dict) -> None:
    trees = LambdaMART("AP", n_seeds=2, **FEW, **given).fit(*DATA).model_.trees
    first, second = (TreesModel(part, TRAIN.n_features).predict(OTHER.X) for part in (trees[:20], trees[20:]))
    assert np.abs(first - second).max() > 0.01


def test_seeds_are_bounded() -> None:
    LambdaMART("AP", random_state=2**31 - 2, n_seeds=2, **FEW).fit(*DATA)
    for given in ({"random_state": 2**31 - 1}, {"lightgbm": {"extra_seed": 2**31 - 1}}):
        with pytest.raises(InputError, match="must be at most 2\\*\\*31 - 1, with n_seeds - 1 added, not 2147483647"):
            LambdaMART("AP", n_seeds=2, **FEW, **given).fit(*DATA)
    with pytest.raises(InputError, match="bagging_seed must be at most 2\\*\\*31 - 1, not"):
        LambdaMART("AP", lightgbm={"bagging_fraction": 0.5, "bagging_freq": 1, "bagging_seed": 2**48}, **FEW).fit(*DATA)


def test_a_start_without_any_tree_is_said_to_be_the_model() -> None:
    with pytest.warns(UserWarning, match="lower min_child_samples; the model is its start"):
        LambdaMART("AP", init=RankSVM(C=1.0), min_child_samples=10**6, **FEW).fit(*DATA)


def test_the_provenance_names_the_start_without_addresses() -> None:
    init = CoordinateAscent("AP", n_restarts=0, max_iter=1, random_state=np.random.RandomState(0))
    learner = LambdaMART("AP", init=init, **FEW).fit(*DATA)
    parameters = learner.model_.provenance.parameters
    assert parameters["init"] == (
        "CoordinateAscent(basis='linear', max_iter=1, measure='AP', n_restarts=0, random_state=None, scaling='auto', "
        "tol=0.001)"
    )
    assert not any("__" in name for name in parameters) and " at 0x" not in dumps(learner)


def test_a_learner_is_not_its_own_start() -> None:
    learner, other = LambdaMART("AP", **FEW), LambdaMART("AP", **FEW)
    learner.init = learner
    with pytest.raises(InputError, match="init leads back to the learner itself; give another ranker"):
        learner.fit(*DATA)
    learner.init, other.init = other, learner
    with pytest.raises(InputError, match="init leads back to the learner itself"):
        learner.fit(*DATA)


@pytest.mark.parametrize("n_seeds", [1, 2])
@pytest.mark.parametrize("kind", ["dart", "gbdt"])
def test_ctrl_c_within_a_round_leaves_whole_rounds(kind: str, n_seeds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """DART has dropped trees by then: the round is finished. Of others, the rounds before are the model."""
    dropping = {"drop_rate": 0.5, "skip_drop": 0.0} if kind == "dart" else {}
    given = {
        "num_leaves": 7,
        "n_seeds": n_seeds,
        "extra_trees": n_seeds > 1,
        "init": None,
        "lightgbm": {"boosting": kind, **dropping},
    }
    whole = [LambdaMART("AP", n_estimators=n, **given).fit(*DATA) for n in (9, 10)]
    calls, at = [], Gradients.at

    def interrupt(self: Gradients, scores: np.ndarray, data: object) -> tuple:
        calls.append(1)
        if len(calls) == 9 * n_seeds + 1:
            raise KeyboardInterrupt
        return at(self, scores, data)

    monkeypatch.setattr(Gradients, "at", interrupt)
    found = LambdaMART("AP", n_estimators=20, **given)
    with pytest.raises(KeyboardInterrupt):
        found.fit(*DATA, keep_partial=True)
    assert found.interrupted_ and len(found.history_) == 9
    np.testing.assert_array_equal(found.predict(OTHER.X), whole[kind == "dart"].predict(OTHER.X))
