"""LambdaMART: features of LightGBM, and our own."""

from __future__ import annotations

import pickle
from dataclasses import replace

import lightgbm as lgb
import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold

from directrank import InputError, LambdaMART, Measure, RankSVM, evaluate, routing
from directrank.data import RankingData
from directrank.datasets import make_ranking
from directrank.learners import Progress
from directrank.learners.core.shards import LocalShards
from directrank.measures import Bound, Lambdas, parse
from directrank.models import dumps, loads

TRAIN, OTHER = make_ranking(60, random_state=0), make_ranking(60, random_state=1)
FEW = {"n_estimators": 20, "num_leaves": 7, "n_seeds": 1}


def trees(model: LambdaMART) -> str:
    """The model without the list of parameters, which has the number of threads."""
    return model.booster_.model_to_string().split("\nparameters:")[0]


@pytest.mark.parametrize(
    "measure",
    ["AUC", "MAUC", "nDCG", "nDCG@10", "AP", "RR", "P@5", "R@5", "Success@1", "Rprec", "ERR@10", "0.7*nDCG@10 + 0.3*AUC"],
)
def test_every_measure_is_learned(measure: str) -> None:
    model = LambdaMART(measure, n_estimators=40, num_leaves=7).fit(TRAIN.X, TRAIN.y, TRAIN.qid)
    queries = OTHER.by_query()

    def value(scores) -> float:
        return parse(measure).evaluate(scores, OTHER.y, queries.offsets).mean()

    assert model.score(OTHER.X, OTHER.y, OTHER.qid) > value(OTHER.X[:, 0])  # the best feature
    assert model.score(OTHER.X, OTHER.y, OTHER.qid) == pytest.approx(value(model.predict(OTHER.X)))


def test_the_validation_set_chooses_how_many_trees() -> None:
    eval_set = (OTHER.X, OTHER.y, OTHER.qid)
    model = LambdaMART("AP", n_estimators=60, learning_rate=0.3).fit(TRAIN.X, TRAIN.y, TRAIN.qid, eval_set=eval_set)
    values = [step.evals["validation"]["AP"] for step in model.history_]
    assert model.best_score_ == max(values)
    assert model.best_iteration_ == int(np.argmax(values)) + 1 < 60 == len(values)
    assert model.score(*eval_set) == pytest.approx(max(values))
    stopped = LambdaMART("AP", n_estimators=60, learning_rate=0.3, early_stopping_rounds=5)
    stopped.fit(TRAIN.X, TRAIN.y, TRAIN.qid, eval_set=eval_set)
    assert len(stopped.history_) == stopped.best_iteration_ + 5
    assert [step.evals["validation"]["AP"] for step in stopped.history_] == values[: len(stopped.history_)]


@pytest.mark.parametrize(
    "given",
    [{}, {"bagging_fraction": 0.5, "bagging_freq": 1}, {"data_sample_strategy": "goss"}, {"linear_tree": True}],
    ids=str,
)
@pytest.mark.parametrize("measure", ["AP", "nDCG@5"])
def test_values_of_rounds_are_values_of_the_trees_so_far(measure: str, given: dict) -> None:
    order = np.random.default_rng(0).permutation(len(TRAIN))
    train = TRAIN.select(order)
    weight = 1.0 + train.qid % 3
    eval_set = (OTHER.X, OTHER.y, OTHER.qid)
    learner = LambdaMART(measure, lightgbm=given, **FEW)
    model = learner.fit(train.X, train.y, train.qid, query_weight=weight, eval_set=eval_set)
    weights = 1.0 + train.by_query().ids % 3
    for number in {1, model.best_iteration_ // 2 + 1, model.best_iteration_}:
        step = model.history_[number - 1]
        so_far = replace(model.model_, trees=model.model_.trees[: step.info["trees"]])
        values = evaluate(train.y, so_far.predict(train.X), train.qid, measure).values(measure)
        assert step.evals["training"][measure] == pytest.approx(np.average(values, weights=weights))
        held_out = evaluate(OTHER.y, so_far.predict(OTHER.X), OTHER.qid, measure)[measure]
        assert step.evals["validation"][measure] == pytest.approx(held_out)


def test_shards_give_the_same_values() -> None:
    parts = [TRAIN.select_queries(part) for part in np.array_split(np.arange(TRAIN.n_queries), 3)]
    for given in ({}, {"boosting": "dart"}):
        whole = LambdaMART("AP", lightgbm=given, **FEW).fit(TRAIN.X, TRAIN.y, TRAIN.qid)
        several = LambdaMART("AP", lightgbm=given, **FEW).fit_shards(LocalShards.from_data(parts, parse("AP")))
        found, wanted = (model.evals_result_["training"]["AP"] for model in (several, whole))
        np.testing.assert_allclose(found, wanted)


def test_the_scale_of_the_measure_does_not_change_the_trees() -> None:
    class BoundThousandth(Bound):
        def evaluate(self, scores):
            return parse("AUC").bind(self.grades, self.offsets).evaluate(scores) / 1024

        def lambdas(self, scores, by_distance=False):
            bound = parse("AUC").bind(self.grades, self.offsets)
            return Lambdas(*(values / 1024 for values in bound.lambdas(scores, by_distance)))

    class Thousandth(Measure):
        bound = BoundThousandth

    try:
        small = LambdaMART(Thousandth(), **FEW).fit(TRAIN.X, TRAIN.y, TRAIN.qid)
        assert trees(small) == trees(LambdaMART("AUC", **FEW).fit(TRAIN.X, TRAIN.y, TRAIN.qid))
    finally:
        del Measure.registry["thousandth"]


def test_tiny_lambdas_of_a_large_query_still_split() -> None:
    """AUC's lambdas have 1/(m n); LightGBM's least hessian in a leaf would refuse every split."""
    random, n = np.random.default_rng(0), 100_000
    X = random.normal(size=(n, 5))
    y = (X[:, 0] - X[:, 1] + random.normal(size=n) > 2).astype(float)
    model = LambdaMART("AUC", n_estimators=5, extra_trees=False, learning_rate=0.5).fit(X, y)
    assert model.score(X, y) > 0.9
    assert set(np.argsort(-model.feature_importances_)[:2]) == {0, 1}


def test_bytes_are_the_same_for_a_seed_and_any_number_of_threads() -> None:
    models = []
    for seed, threads in ((0, 2), (0, 2), (0, 1), (1, 2)):
        given = {"bagging_fraction": 0.5, "bagging_freq": 1, "num_threads": threads}
        learner = LambdaMART("MAUC", colsample_bytree=0.5, random_state=seed, lightgbm=given, **FEW)
        models.append(learner.fit(TRAIN.X, TRAIN.y, TRAIN.qid))
    assert trees(models[0]) == trees(models[1]) == trees(models[2]) != trees(models[3])
    assert models[0].booster_.model_to_string() == models[1].booster_.model_to_string()


def test_shuffled_rows_and_scattered_queries() -> None:
    order = np.random.default_rng(0).permutation(len(TRAIN))
    model = LambdaMART("nDCG@5", **FEW).fit(TRAIN.X, TRAIN.y, TRAIN.qid)
    shuffled = LambdaMART("nDCG@5", **FEW).fit(TRAIN.X[order], TRAIN.y[order], TRAIN.qid[order])
    np.testing.assert_allclose(shuffled.predict(OTHER.X), model.predict(OTHER.X), atol=1e-6)


def test_monotone_constraints() -> None:
    model = LambdaMART("AP", lightgbm={"monotone_constraints": [1] + [0] * 15}, **FEW).fit(TRAIN.X, TRAIN.y, TRAIN.qid)
    rows = np.repeat(OTHER.X[:20], 50, axis=0)
    rows[:, 0] = np.tile(np.linspace(-3, 3, 50), 20)
    assert np.all(np.diff(model.predict(rows).reshape(20, 50), axis=1) >= 0)


def test_query_weights() -> None:
    half = TRAIN.qid <= 30
    scores = []
    for weight in (half, ~half):
        model = LambdaMART("AP", init=None, n_estimators=60).fit(
            TRAIN.X, TRAIN.y, TRAIN.qid, query_weight=weight.astype(float)
        )
        scores.append([model.score(TRAIN.X[part], TRAIN.y[part], TRAIN.qid[part]) for part in (half, ~half)])
    assert scores[0][0] > scores[1][0] + 0.05 and scores[1][1] > scores[0][1] + 0.05


def test_lightgbm_can_read_the_booster(tmp_path) -> None:
    model = LambdaMART("AP", **FEW).fit(TRAIN.X, TRAIN.y, TRAIN.qid)
    model.booster_.save_model(tmp_path / "model.txt")
    again = lgb.Booster(model_file=tmp_path / "model.txt")
    np.testing.assert_array_equal(again.predict(OTHER.X), model.predict(OTHER.X))
    assert again.trees_to_dataframe().shape[0] > 20


def test_parameters_follow_scikit_learn() -> None:
    model = LambdaMART("AP", min_child_samples=200, n_estimators=3, n_seeds=1, lightgbm={"path_smooth": 0})
    assert clone(model).get_params() == model.get_params()
    assert model.get_params()["lightgbm"] == {"path_smooth": 0} and "path_smooth" not in model.get_params()
    model.fit(TRAIN.X, TRAIN.y, TRAIN.qid)
    counts = [count for tree in model.booster_.dump_model()["tree_info"] for count in _leaf_counts(tree["tree_structure"])]
    assert min(counts) >= 100  # LightGBM estimates them from hessians
    assert model.set_params(max_depth=2, init=RankSVM(), init__C=3.0).get_params()["init__C"] == 3.0
    grid = {"min_child_samples": [5, 50], "lightgbm": [None, {"max_bin": 15}]}
    with routing():
        search = GridSearchCV(LambdaMART("AP", **FEW), grid, cv=GroupKFold(2).split(TRAIN.X, groups=TRAIN.qid))
        search.fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid)
    assert search.best_params_.keys() == grid.keys()


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("max_bin", "LambdaMART has no parameter 'max_bin'; did you mean lightgbm={'max_bin': ...}?"),
        ("min_data_in_leaf", "LambdaMART has no parameter 'min_data_in_leaf'; use min_child_samples"),
        ("eta", "LambdaMART has no parameter 'eta'; use learning_rate"),
        ("objective", "LambdaMART has no parameter 'objective'; the measure is the objective"),
        ("leaning_rate", "LambdaMART has no parameter 'leaning_rate'; did you mean learning_rate?"),
        ("nonsense", "LambdaMART has no parameter 'nonsense'"),
    ],
)
def test_an_unknown_parameter_is_an_error_at_once(name: str, sentence: str) -> None:
    with pytest.raises(TypeError) as error:
        LambdaMART("AP", **{name: 1})
    assert str(error.value) == sentence
    with pytest.raises(InputError) as error:
        LambdaMART("AP").set_params(**{name: 1})
    assert str(error.value) == sentence


def test_lightgbm_is_set_as_a_whole() -> None:
    with pytest.raises(InputError, match=r"no parameter 'lightgbm__max_bin'; set lightgbm as a whole: lightgbm={...}"):
        LambdaMART(lightgbm={"max_bin": 3}).set_params(lightgbm__max_bin=63)


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState, lambda seed: None])
def test_random_states_of_numpy(make) -> None:
    given = {**FEW, "extra_trees": True}
    fits = [LambdaMART("AP", random_state=make(seed), **given).fit(TRAIN.X, TRAIN.y, TRAIN.qid) for seed in (0, 0, 1)]
    texts = [trees(fit) for fit in fits]
    assert texts[2] not in texts[:2] and (texts[0] == texts[1]) == (make(0) is not None)
    state = make(0)
    first, second = (LambdaMART("AP", random_state=state, **given).fit(TRAIN.X, TRAIN.y, TRAIN.qid) for _ in range(2))
    assert trees(first) != trees(second)  # as with other estimators of scikit-learn, a generator moves on
    assert dumps(first) != dumps(second)


def test_the_best_score_is_the_measure_after_the_best_iteration() -> None:
    eval_set = (OTHER.X, OTHER.y, OTHER.qid)
    for model in (
        LambdaMART("AP", **{**FEW, "n_seeds": 2}, extra_trees=True, init=None),
        LambdaMART("AP", init=RankSVM(C=1.0), **FEW),
    ):
        model.fit(TRAIN.X, TRAIN.y, TRAIN.qid, eval_set=eval_set)
        assert model.best_score_ == pytest.approx(model.score(*eval_set))
        assert model.best_iteration_ <= len(model.history_) == 20
    alone = LambdaMART("AP", **{**FEW, "n_seeds": 2}, extra_trees=True, init=None).fit(TRAIN.X, TRAIN.y, TRAIN.qid)
    assert alone.best_iteration_ == 20 and alone.model_.n_trees == 40
    assert alone.best_score_ == pytest.approx(alone.score(TRAIN.X, TRAIN.y, TRAIN.qid))


def _leaf_counts(node: dict) -> list[int]:
    if "leaf_count" in node:
        return [node["leaf_count"]]
    return _leaf_counts(node["left_child"]) + _leaf_counts(node["right_child"])


def test_ctrl_c_keeps_the_best_so_far() -> None:
    def interrupt(progress: Progress) -> None:
        if progress.step == 10:
            raise KeyboardInterrupt

    eval_set = (OTHER.X, OTHER.y, OTHER.qid)
    model = LambdaMART("AP")
    with pytest.raises(KeyboardInterrupt):
        model.fit(TRAIN.X, TRAIN.y, TRAIN.qid, eval_set=eval_set, callbacks=[interrupt], keep_partial=True)
    assert model.interrupted_ and len(model.history_) == 10
    assert model.score(*eval_set) == pytest.approx(max(model.evals_result_["validation"]["AP"]))


def test_a_measure_with_evaluate_only() -> None:
    class Own(Measure):
        def evaluate(self, scores, grades, offsets):
            return parse("AP").evaluate(scores, grades, offsets)

    small = TRAIN.select(TRAIN.qid <= 20)
    try:
        with pytest.warns(UserWarning, match="Own has no lambdas: every swap of two documents is evaluated, which is slow"):
            own = LambdaMART(Own(), n_estimators=10, num_leaves=4).fit(small.X, small.y, small.qid)
    finally:
        del Measure.registry["own"]
    theirs = LambdaMART("AP", n_estimators=10, num_leaves=4).fit(small.X, small.y, small.qid)
    assert own.score(small.X, small.y, small.qid) == pytest.approx(theirs.score(small.X, small.y, small.qid), abs=0.05)


def test_nothing_to_learn() -> None:
    with pytest.warns(UserWarning, match="LambdaMART learned nothing for AP"):
        model = LambdaMART("AP").fit(np.ones((len(TRAIN), 2)), TRAIN.y, TRAIN.qid)
    assert not model.predict(np.ones((3, 2))).any()
    with pytest.raises(InputError, match="there is nothing to learn from"):
        LambdaMART("AP").fit(TRAIN.X, np.ones(len(TRAIN)), TRAIN.qid)


def test_queries_longer_than_lightgbm_allows_and_grades_of_any_kind() -> None:
    random, n = np.random.default_rng(0), 10_100
    X = random.normal(size=(2 * n, 3))
    y = np.maximum(np.round(X[:, 0] + random.normal(size=2 * n), 1), 0.0)  # fractions
    data = RankingData(X, np.minimum(y, 2.0), np.repeat(["a", "b"], n))
    model = LambdaMART("nDCG@100", extra_trees=False, **FEW).fit(data.X, data.y, data.qid)
    assert model.feature_importances_[0] > model.feature_importances_[1:].sum()


def test_rounds_whose_sample_has_no_split_do_not_end_the_training() -> None:
    random = np.random.default_rng(0)
    rare = (random.random((len(TRAIN), 12)) < 8 / len(TRAIN)).astype(float)
    X = np.column_stack((TRAIN.X[:, :4], rare))
    for seed in range(3):
        model = LambdaMART("AP", n_seeds=1, n_estimators=60, colsample_bytree=0.2, random_state=seed).fit(
            X, TRAIN.y, TRAIN.qid
        )
        n_trees = [step.info["trees"] for step in model.history_]
        assert len(n_trees) == model.best_iteration_ == 60 > model.booster_.num_trees() > 20
        assert n_trees == sorted(n_trees) and n_trees[-1] == model.booster_.num_trees()
    held_out = LambdaMART("AP", n_seeds=1, n_estimators=60, colsample_bytree=0.2, random_state=0)
    held_out.fit(X, TRAIN.y, TRAIN.qid, eval_set=(X, TRAIN.y, TRAIN.qid))
    assert held_out.score(X, TRAIN.y, TRAIN.qid) == pytest.approx(max(held_out.evals_result_["validation"]["AP"]))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"lightgbm": {"eta": 0.5}}, "lightgbm does not take 'eta'; use LambdaMART(learning_rate=...)"),
        ({"lightgbm": {"n_iter": 5}}, "lightgbm does not take 'n_iter'; use LambdaMART(n_estimators=...)"),
        ({"lightgbm": {"lambda": 5}}, "lightgbm does not take 'lambda'; use LambdaMART(reg_lambda=...)"),
        ({"lightgbm": {"metric": "l2"}}, "lightgbm does not take 'metric'; the measure is the validation metric"),
        ({"lightgbm": {"num_class": 3}}, "lightgbm does not take 'num_class'; a document has one score"),
        ({"lightgbm": {"label_gain": [0, 1, 3]}}, "'label_gain'; nDCG has the parameter gain: nDCG(gain=linear)"),
        ({"lightgbm": {"lambdarank_norm": False}}, "it belongs to LightGBM's own objectives; the measure is the objective"),
        ({"lightgbm": {"lambdarank_position_bias_regularization": 1.0}}, "it belongs to LightGBM's own objectives"),
        ({"lightgbm": {"objective_seed": 1}}, "it belongs to LightGBM's own objectives"),
        ({"lightgbm": {"ndcg_eval_at": [5]}}, "take 'ndcg_eval_at'; the measure's cut-off takes its place: nDCG@10"),
        ({"lightgbm": {"objective": "lambdarank"}}, "lightgbm does not take 'objective'; the measure is the objective"),
        ({"lightgbm": {"application": "rank_xendcg"}}, "take 'application'; the measure is the objective"),
        ({"lightgbm": {"first_metric_only": True}}, "it belongs to LightGBM's own metrics"),
        ({"lightgbm": {"sigmoid": 2.0}}, "lightgbm does not take 'sigmoid'; use LambdaMART(sigma=...)"),
        ({"lightgbm": {"is_unbalance": True}}, "it belongs to LightGBM's own objectives"),
        ({"lightgbm": {"pos_bagging_fraction": 0.5}}, "it belongs to LightGBM's own objectives"),
        ({"lightgbm": {"group": "name:qid"}}, "lightgbm does not take 'group'; give qid to fit"),
        ({"lightgbm": {"bagging_by_query": True}}, "take 'bagging_by_query'; bagging_fraction samples queries"),
        ({"lightgbm": {"extra_tree": False}}, "lightgbm does not take 'extra_tree'; use LambdaMART(extra_trees=...)"),
        ({"lightgbm": {"bagging_fraction": 1.5}}, "bagging_fraction must be a number above 0 and up to 1, not 1.5"),
        ({"lightgbm": {"subsample_freq": -1}}, "bagging_freq must be an integer of at least 0, not -1"),
        (
            {"lightgbm": {"max_bins_": 5}},
            "neither LambdaMART nor LightGBM has a parameter 'max_bins_'; did you mean max_bin?",
        ),
        ({"lightgbm": {"boosting": "rf"}}, "LightGBM grows a random forest for its own objectives only"),
        ({"lightgbm": {"n_estimators": 5}}, "lightgbm does not take 'n_estimators'; use LambdaMART(n_estimators=...)"),
        ({"lightgbm": {"max_bins": 31, "max_bin": 63}}, "lightgbm has max_bin twice, as 'max_bins' and 'max_bin'"),
        ({"lightgbm": {"subsample": 0.5, "bagging": 0.8}}, "lightgbm has bagging_fraction twice"),
        ({"lightgbm": {"force_row_wise": True}}, "lightgbm does not take 'force_row_wise'; histograms are built by column"),
        ({"learning_rate": -1}, "learning_rate must be a number above 0, not -1"),
        ({"learning_rate": "a"}, "learning_rate must be a number above 0, not 'a'"),
        ({"min_child_samples": 2.5}, "min_child_samples must be an integer of at least 0, not 2.5"),
        ({"colsample_bytree": 2}, "colsample_bytree must be a number above 0 and up to 1, not 2"),
        ({"reg_lambda": -1}, "reg_lambda must be a number of at least 0, not -1"),
        ({"extra_trees": "yes"}, "extra_trees must be True or False, not 'yes'"),
        ({"lightgbm": "max_bin=5"}, "lightgbm must be a dict of LightGBM's parameters, such as {'max_bin': 63}, not"),
        ({"n_seeds": 0}, "n_seeds must be an integer of at least 1, not 0"),
        ({"init": "RankSVM"}, "init must be a ranker of directrank, such as RankSVM(), or 'auto' or None, not 'RankSVM'"),
        ({"random_state": "0"}, "random_state must be an integer of at least 0"),
    ],
)
def test_bad_parameters_get_one_sentence(given: dict, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        LambdaMART("AP", **given).fit(TRAIN.X, TRAIN.y, TRAIN.qid)
    assert sentence in str(error.value)


def test_dart_uses_all_trees() -> None:
    eval_set = (OTHER.X, OTHER.y, OTHER.qid)
    model = LambdaMART("AP", n_estimators=30, lightgbm={"boosting": "dart"}).fit(
        TRAIN.X, TRAIN.y, TRAIN.qid, eval_set=eval_set
    )
    assert model.best_iteration_ == 30 == model.model_.provenance.training["rounds"]
    assert model.score(*eval_set) == pytest.approx(model.history_[-1].evals["validation"]["AP"])


@pytest.mark.parametrize("has_validation", [False, True], ids=["", "validation"])
def test_to_look_at_the_training_set_drops_no_tree_of_dart(has_validation: bool) -> None:
    """LightGBM drops trees where it is asked for the scores of the training set, and puts them back in the next round."""
    given = {"boosting": "dart", "drop_rate": 0.9, "skip_drop": 0.0}
    eval_set = (OTHER.X, OTHER.y, OTHER.qid) if has_validation else None
    model = LambdaMART("AP", lightgbm=given, **FEW).fit(TRAIN.X, TRAIN.y, TRAIN.qid, eval_set=eval_set)
    values = model.evals_result_["training"]["AP"]
    assert values[-1] == pytest.approx(model.score(TRAIN.X, TRAIN.y, TRAIN.qid)) and values[-1] > values[0]


@pytest.mark.parametrize("measure", ["F1", "MCC", "AP(rel=50)"])
@pytest.mark.filterwarnings("ignore:(F1|MCC) has no lambdas")
def test_a_measure_that_no_swap_changes_is_rejected(measure: str) -> None:
    with pytest.raises(InputError, match="no swap of two documents changes"):
        LambdaMART(measure).fit(TRAIN.X, TRAIN.y, TRAIN.qid)


def test_the_booster_has_the_trees_that_predict_uses_and_shap_explains_them() -> None:
    eval_set = (OTHER.X, OTHER.y, OTHER.qid)
    model = LambdaMART("AP", n_seeds=1, n_estimators=60, learning_rate=0.3)
    model.fit(TRAIN.X, TRAIN.y, TRAIN.qid, eval_set=eval_set)
    assert model.booster_.num_trees() == model.best_iteration_ < len(model.history_)
    for booster in (model.booster_, loads(dumps(model)).booster, pickle.loads(pickle.dumps(model)).booster_):
        np.testing.assert_array_equal(booster.predict(OTHER.X), model.predict(OTHER.X))
        contributions = booster.predict(OTHER.X, pred_contrib=True)
        assert contributions.shape == (len(OTHER), 17) and np.abs(contributions[:, :-1]).max() > 0.1
        np.testing.assert_allclose(contributions.sum(axis=1), model.predict(OTHER.X), atol=1e-9)
        np.testing.assert_array_equal(booster.feature_importance(), model.feature_importances_)


def test_the_booster_needs_no_data() -> None:
    model = LambdaMART("AP", **FEW).fit(TRAIN.X, TRAIN.y, TRAIN.qid, eval_set=(OTHER.X, OTHER.y, OTHER.qid))
    assert model.booster_.num_trees() == model.booster_.best_iteration == model.best_iteration_
    constrained = LambdaMART("AP", lightgbm={"interaction_constraints": [[0], [0, 1]]}, **FEW).fit(
        TRAIN.X, TRAIN.y, TRAIN.qid
    )
    np.testing.assert_array_equal(loads(dumps(constrained)).predict(OTHER.X), constrained.predict(OTHER.X))


@pytest.mark.parametrize(
    ("eval_set", "sentence"),
    [
        ((OTHER.X[:, :3], OTHER.y, OTHER.qid), "eval_set: X has 3 features, but LambdaMART is expecting 16"),
        ((OTHER.X, OTHER.y), "eval_set must be a tuple of three: X, y and qid"),
        ((OTHER.X, -1 - OTHER.y, OTHER.qid), "eval_set: AP takes grades of at least 0, and row 0 has"),
    ],
)
def test_a_wrong_eval_set_is_named(eval_set: tuple, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        LambdaMART("AP", **FEW).fit(TRAIN.X, TRAIN.y, TRAIN.qid, eval_set=eval_set)
    assert sentence in str(error.value)


@pytest.mark.parametrize("name", ["RR", "RR@5", "Success@3"])
def test_trees_for_the_first_relevant_document_follow_average_precision_too(name: str) -> None:
    data = make_ranking(40, (5, 30), random_state=0)
    given = {"n_estimators": 5, "min_child_samples": 5}
    guided, alone = LambdaMART(name, guide_share=0.5, **given), LambdaMART(name, guide=None, **given)
    others = (
        LambdaMART(name, guide="0.5*AP + 0.5*AUC", guide_share=0.5, **given),
        LambdaMART(f"0.5*{name} + 0.25*AP + 0.25*AUC", guide=None, **given),
    )
    first, second, *same = (each.fit(data.X, data.y, data.qid).predict(data.X) for each in (guided, alone, *others))
    for scores in same:
        np.testing.assert_array_equal(scores, first)
    assert not np.array_equal(first, second)
    assert guided.model_.provenance.measure == name
    guides = [each.model_.provenance.parameters["guide"] for each in (guided, alone)]
    assert guides == ["0.5*AP + 0.5*AUC", None]
    assert not all(0 < np.mean(data.y[data.qid == q] > 0) < 1 for q in np.unique(data.qid)), "not all are learned from"
    expected = evaluate(data.y, first, data.qid, name)[name]
    assert guided.history_[-1].evals["training"][name] == pytest.approx(expected)


def test_a_guide_that_is_in_effect_is_shown() -> None:
    shown = "guide='auto' (0.8*(0.5*AP + 0.5*AUC))"
    assert repr(LambdaMART("RR")) == f"LambdaMART(measure='RR', {shown})"
    assert repr(LambdaMART("RR", guide=None)) == "LambdaMART(guide=None, measure='RR')"
    assert repr(LambdaMART("RR", guide="nDCG")) == "LambdaMART(guide='nDCG', measure='RR')"
    assert repr(LambdaMART("AUC")) == "LambdaMART(measure='AUC')"
    assert repr(LambdaMART("RR", guide_share=0)) == "LambdaMART(guide_share=0, measure='RR')"
    with sklearn.config_context(print_changed_only=False):
        assert repr(LambdaMART("RR")).count("guide=") == 1 and f"{shown}," in repr(LambdaMART("RR"))
    assert repr(LambdaMART("nonsense")) == "LambdaMART(measure='nonsense')"


@pytest.mark.parametrize(
    ("measure", "guide"),
    [
        ("nDCG@10", "0.5*nDCG + 0.5*AUC"),
        ("AP", "0.5*AP + 0.5*AUC"),
        ("nDCG(gain=linear)@5", "0.5*nDCG(gain=linear) + 0.5*AUC"),
        ("0.5*nDCG@5 + 0.5*ERR@5", "0.25*nDCG + 0.5*AUC + 0.25*ERR"),
        ("0.5*nDCG@5 + 0.5*AUC", "0.25*nDCG + 0.75*AUC"),
        ("0.7*nDCG@10 + 0.3*AUC", "0.35*nDCG + 0.65*AUC"),
        ("R@5", "0.5*AP + 0.5*AUC"),
        ("P(rel=2)@5", "0.5*AP(rel=2) + 0.5*AUC(rel=2)"),
        ("2*AP + 2*MAUC", "1*AP + 1*AUC + 2*MAUC"),
        ("MAUC", None),
        ("0.5*Rprec + 0.5*AUC", None),
    ],
)
def test_the_guide_is_a_measure_of_whole_rankings_and_the_roc_area(measure: str, guide: str | None) -> None:
    found = LambdaMART(measure)._guide()
    assert (None if found is None else found.name) == guide


def test_trees_follow_the_measure_and_its_guide() -> None:
    data = make_ranking(20, (5, 30), random_state=0)
    given = {"n_estimators": 3, "min_child_samples": 5}
    fits = LambdaMART("nDCG@5", **given), LambdaMART("0.2*nDCG@5 + 0.4*nDCG + 0.4*AUC", guide=None, **given)
    np.testing.assert_allclose(*(fit.fit(data.X, data.y, data.qid).predict(data.X) for fit in fits))


def test_a_measure_without_a_guide_is_followed_alone() -> None:
    data = make_ranking(20, (5, 30), random_state=0)
    fits = [LambdaMART("AUC", n_estimators=3, guide_share=share).fit(data.X, data.y, data.qid) for share in (0.0, 0.9)]
    np.testing.assert_array_equal(*(fit.predict(data.X) for fit in fits))
    with pytest.raises(InputError, match="guide_share must be at least 0 and below 1, not 1"):
        LambdaMART("RR", guide_share=1).fit(data.X, data.y, data.qid)
    with pytest.raises(ValueError, match="there is no measure 'AB'; did you mean AP"):
        LambdaMART("RR", guide="AB").fit(data.X, data.y, data.qid)
