"""Conventions of LightGBM users: group, several eval sets and measures, callbacks, continued training, offsets, SHAP."""

from __future__ import annotations

import re
from itertools import pairwise

import lightgbm as lgb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.preprocessing import StandardScaler

from directrank import (
    AdaRank,
    CoordinateAscent,
    EnsembleSelection,
    InputError,
    LambdaMART,
    MultivariateSVC,
    OneVsRestSVM,
    RankBoost,
    RankSVM,
    SmoothRank,
    SVMRanker,
    evaluate,
    measures,
    ranking_scorer,
    routing,
    save_model,
)
from directrank.data import QueryKFold, train_validation_test
from directrank.datasets import make_ranking
from directrank.learners import Progress
from directrank.models.export import model_part

TRAIN, VALIDATION, TEST = train_validation_test(make_ranking(40, (5, 20), random_state=0), random_state=0)
assert any(np.ptp(TRAIN.y[TRAIN.qid == qid]) == 0 for qid in TRAIN.by_query().ids), "also queries that teach nothing count"
EVAL_SETS = [(part.X, part.y, part.qid) for part in (VALIDATION, TEST)]

TREES = LambdaMART("nDCG@10", n_estimators=6, num_leaves=4, min_child_samples=5, n_seeds=1)
RANKERS = [
    TREES,
    clone(TREES).set_params(n_seeds=2, extra_trees=True, init=RankSVM(C=1)),
    clone(TREES).set_params(lightgbm={"boosting": "dart", "drop_rate": 0.9, "skip_drop": 0.0}, init=RankSVM(C=1)),
    clone(TREES).set_params(lightgbm={"data_sample_strategy": "goss"}, learning_rate=0.5),
    AdaRank("AP", n_estimators=4),
    AdaRank("AP", weak_ranker=RankSVM(C=1), early_stopping_rounds=2, n_estimators=3),
    RankBoost("AP", n_estimators=4),
    CoordinateAscent("AP", n_restarts=0, max_iter=2),
    EnsembleSelection("AP", n_estimators=4),
    SmoothRank("AP", cv=2, penalty=1.0),
    SVMRanker("AP", C=1),
    SVMRanker("AP", C=1, kernel="rbf"),
    OneVsRestSVM(C=1),
]
ids = [f"{type(ranker).__name__}-{number}" for number, ranker in enumerate(RANKERS)]


def measured(model, part, measure: str) -> float:
    return float(evaluate(part.y, model.predict(part.X), part.qid, measure)[measure])


def test_sizes_of_groups_are_queries() -> None:
    order = np.argsort(TRAIN.qid, kind="stable")
    _, sizes = np.unique(TRAIN.qid, return_counts=True)
    wanted = clone(TREES).fit(TRAIN.X[order], TRAIN.y[order], TRAIN.qid[order])
    found = clone(TREES).fit(TRAIN.X[order], TRAIN.y[order], group=sizes)
    np.testing.assert_array_equal(found.predict(TEST.X), wanted.predict(TEST.X))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"group": [3, 4]}, "the sizes in group add up to 7, and X has"),
        ({"group": [0, 7]}, "each at least 1"),
        ({"group": [1.5, 2]}, "each at least 1"),
        ({"qid": TRAIN.qid, "group": [3]}, "both qid and group are given"),
        ({"qid": TRAIN.qid, "callbacks": [lgb.early_stopping(3)]}, "use early_stopping_rounds, verbose=10"),
        ({"qid": TRAIN.qid, "callbacks": print}, "callbacks must be a list"),
        ({"qid": TRAIN.qid, "callbacks": 3}, "callbacks must be a list"),
        ({"qid": TRAIN.qid, "callbacks": [3]}, "callbacks must be functions"),
        ({"qid": TRAIN.qid, "eval_set": [(TEST.X, TEST.y)]}, "a tuple of three: X, y and qid"),
        ({"qid": TRAIN.qid, "eval_set": (TEST.X, TEST.y, [3, len(TEST) - 3])}, "eval_set: it has a qid of 2 numbers"),
        ({"qid": TRAIN.qid, "eval_set": [*EVAL_SETS, (TEST.X[:, :3], TEST.y, TEST.qid)]}, r"\(validation_3\): X has 3"),
        ({"qid": TRAIN.qid, "eval_set": (*EVAL_SETS[0], TEST.y)}, "give init_score to fit too"),
        ({"qid": TRAIN.qid, "eval_set": EVAL_SETS, "init_score": TRAIN.y}, r"give it as \(X, y, qid, init_score\)"),
        ({"qid": TRAIN.qid, "init_score": TRAIN.y[1:]}, "init_score"),
        ({"qid": TRAIN.qid, "init_model": 3}, "init_model must be a model"),
        ({"qid": TRAIN.qid, "init_model": RankSVM(C=1).fit(TEST.X[:, :3], TEST.y, TEST.qid)}, "init_model was fitted on 3"),
    ],
)  # fmt: skip
def test_unsupported_fit_arguments_are_rejected(given: dict, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        clone(TREES).fit(TRAIN.X, TRAIN.y, **given)


def test_arguments_that_do_not_exist() -> None:
    for ranker, name in ((AdaRank(), "init_model"), (clone(TREES), "sample_weight"), (RankSVM(), "callback")):
        with pytest.raises(TypeError, match=rf"fit\(\) got an unexpected keyword argument '{name}'"):
            ranker.fit(TRAIN.X, TRAIN.y, TRAIN.qid, **{name: TREES})
    with pytest.raises(InputError, match="AdaRank takes no init_score"):
        AdaRank().fit(TRAIN.X, TRAIN.y, TRAIN.qid, eval_set=(*EVAL_SETS[0], VALIDATION.y))
    with pytest.raises(InputError, match="give one of them"):
        LambdaMART(init=RankSVM()).fit(TRAIN.X, TRAIN.y, TRAIN.qid, init_model=TREES)


@pytest.mark.parametrize("ranker", RANKERS, ids=ids)
@pytest.mark.filterwarnings("ignore:LambdaMART learned nothing")
def test_every_set_is_watched_by_every_measure(ranker) -> None:
    alone = clone(ranker).fit(TRAIN.X, TRAIN.y, TRAIN.qid, eval_set=EVAL_SETS[0])
    model = clone(ranker).fit(TRAIN.X, TRAIN.y, TRAIN.qid, eval_set=EVAL_SETS, eval_measures=["P@5", "RR"])
    np.testing.assert_array_equal(model.predict(TEST.X), alone.predict(TEST.X))  # to watch changes nothing
    main = str(model.measure)
    assert list(model.evals_result_) == ["training", "validation", "validation_2"]
    assert all(list(values) == [main, "P@5", "RR"] for values in model.evals_result_.values())
    history = model.model_.provenance.history
    for name, curve in ((name, history[name]) for name in ("training", "validation") if name in history):
        np.testing.assert_allclose(model.evals_result_[name][main], curve, atol=1e-12)
    if len(model.evals_result_["validation"][main]) > 1:
        assert history["validation_2 P@5"] == model.evals_result_["validation_2"]["P@5"]


@pytest.mark.parametrize(
    "ranker",
    [ranker for ranker in RANKERS if not isinstance(ranker, (AdaRank, CoordinateAscent, EnsembleSelection, SmoothRank))],
    ids=str,
)
def test_the_last_evaluation_is_of_the_model(ranker) -> None:
    """For learners that keep the model of the last round."""
    model = clone(ranker).fit(TRAIN.X, TRAIN.y, TRAIN.qid, eval_measures=["P@5", "RR"])
    for measure in ("P@5", "RR"):
        assert model.evals_result_["training"][measure][-1] == pytest.approx(measured(model, TRAIN, measure), abs=1e-12)


def test_evaluated_rounds_are_those_of_the_trees() -> None:
    model = clone(TREES).fit(TRAIN.X, TRAIN.y, TRAIN.qid, eval_measures=["AP"])
    scores = [model.booster_.predict(TRAIN.X, num_iteration=n + 1) for n in range(6)]
    wanted = [evaluate(TRAIN.y, of_round, TRAIN.qid, "AP")["AP"] for of_round in scores]
    np.testing.assert_allclose(model.evals_result_["training"]["AP"], wanted)


def test_without_eval_measures_the_curves_use_the_measure_of_the_learner() -> None:
    model = clone(TREES).fit(TRAIN.X, TRAIN.y, TRAIN.qid, eval_set=EVAL_SETS[0])
    assert list(model.evals_result_) == ["training", "validation"]
    assert model.evals_result_["validation"] == {"nDCG@10": [step.evals["validation"]["nDCG@10"] for step in model.history_]}
    last = clone(TREES).fit(TRAIN.X, TRAIN.y, TRAIN.qid)
    assert last.evals_result_["training"]["nDCG@10"][-1] == pytest.approx(measured(last, TRAIN, "nDCG@10"))
    assert RankSVM(C=1).fit(TRAIN.X, TRAIN.y, TRAIN.qid).evals_result_ == {}
    svm = RankSVM(C=1).fit(TRAIN.X, TRAIN.y, TRAIN.qid, eval_set=EVAL_SETS[0])
    assert svm.evals_result_["validation"]["AUC"] == [pytest.approx(measured(svm, VALIDATION, "AUC"))]
    by_name = clone(TREES).fit(TRAIN.X, TRAIN.y, TRAIN.qid, eval_measures="P@5,RR")
    assert list(by_name.evals_result_["training"]) == ["nDCG@10", "P@5", "RR"]


def test_settings_of_features_hold_for_wide_data() -> None:
    """Training sees only the columns of a wide sparse X that have entries; settings speak of all columns."""
    columns, width = np.arange(7, 7 + 10 * TRAIN.n_features, 10), 5000
    X = np.round(np.abs(TRAIN.X) * 3) + 1
    wide = sparse.csr_array(
        (X.ravel(), np.tile(columns, len(X)), np.arange(0, X.size + 1, X.shape[1])), shape=(len(X), width)
    )
    for narrow, of_all in (
        ({"categorical_feature": [0, 3]}, {"categorical_feature": [7, 37, 8]}),
        ({"monotone_constraints": [1, -1, *[0] * 14]}, {"monotone_constraints": np.eye(width)[7] - np.eye(width)[17]}),
    ):
        wanted = clone(TREES).set_params(lightgbm=narrow).fit(X, TRAIN.y, TRAIN.qid)
        found = clone(TREES).set_params(lightgbm=of_all).fit(wide, TRAIN.y, TRAIN.qid)
        assert np.ptp(wanted.predict(X)) > 0
        np.testing.assert_array_equal(found.predict(wide), wanted.predict(X))
    with pytest.raises(InputError, match="interaction_constraints cannot be given"):
        clone(TREES).set_params(lightgbm={"interaction_constraints": [[7, 17]]}).fit(wide, TRAIN.y, TRAIN.qid)


def test_a_fit_that_is_rejected_leaves_no_model() -> None:
    model = clone(TREES).fit(TRAIN.X, TRAIN.y, TRAIN.qid)
    with pytest.raises(InputError):
        model.fit(TRAIN.X, TRAIN.y, TRAIN.qid, eval_set=(*EVAL_SETS[0], VALIDATION.y))
    assert not hasattr(model, "model_")


@pytest.mark.parametrize("ranker", [*RANKERS[:1], *RANKERS[3:]], ids=[*ids[:1], *ids[3:]])
def test_a_callback_that_returns_true_ends_the_training(ranker) -> None:
    heard: list[int] = []

    def enough(progress: Progress) -> bool:
        heard.append(progress.step)
        return progress.step == 2

    others: list[int] = []
    model = clone(ranker).fit(
        TRAIN.X, TRAIN.y, TRAIN.qid, callbacks=[enough, lambda progress: others.append(progress.step)]
    )  # without a warning, which would be an error
    assert max(heard) == 2 and heard == others
    assert not model.interrupted_ and np.isfinite(model.predict(TEST.X)).all()
    again = clone(ranker).fit(TRAIN.X, TRAIN.y, TRAIN.qid, callbacks=[enough])
    np.testing.assert_array_equal(again.predict(TEST.X), model.predict(TEST.X))
    quiet = model.fit(TRAIN.X, TRAIN.y, TRAIN.qid)  # they are of one fit only
    assert heard == others * 2 and quiet.fit(TRAIN.X, TRAIN.y, TRAIN.qid, callbacks=[lambda _: np.True_]) is model
    assert len(getattr(model, "estimators_", [model])[0].history_) == 1


def test_a_nested_learner_that_stops_early_ends_nothing_else() -> None:
    class OneRound(RankBoost):
        def fit_shards(self, *shards, **given):
            return super().fit_shards(*shards, **given, callbacks=[lambda progress: True])

    weak = OneRound(n_estimators=5)
    boosted = AdaRank("AP", weak_ranker=weak, early_stopping_rounds=2, n_estimators=3).fit(TRAIN.X, TRAIN.y, TRAIN.qid)
    assert len(boosted.history_) > 1 and not boosted.interrupted_
    started = clone(TREES).set_params(init=weak).fit(TRAIN.X, TRAIN.y, TRAIN.qid)
    assert len(started.history_) == 6 and not started.interrupted_


def test_a_callback_that_ends_training_hides_no_later_warning() -> None:
    SVMRanker("AP", C=1).fit(TRAIN.X, TRAIN.y, TRAIN.qid, callbacks=[lambda progress: True])
    with pytest.warns(ConvergenceWarning):
        SVMRanker("AP", C=1e4, max_iter=2).fit(TRAIN.X, TRAIN.y, TRAIN.qid)


def test_an_error_of_a_callback_leaves_fit() -> None:
    def fail(progress: Progress) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        clone(TREES).fit(TRAIN.X, TRAIN.y, TRAIN.qid, callbacks=[fail])


@pytest.mark.parametrize("ranker", RANKERS, ids=ids)
@pytest.mark.filterwarnings("ignore:LambdaMART learned nothing")
def test_verbose_prints_lines(ranker, capsys) -> None:
    clone(ranker).set_params(verbose=2).fit(TRAIN.X, TRAIN.y, TRAIN.qid)
    who = re.escape(f"{type(ranker).__name__}({ranker.measure}): ")
    rounds = [re.match(rf"{who}(\d+)(?: of \d+)?: \S", line) for line in capsys.readouterr().out.splitlines()]
    assert rounds and all(found is not None and int(found[1]) % 2 == 0 for found in rounds)
    clone(ranker).set_params(verbose=0).fit(TRAIN.X, TRAIN.y, TRAIN.qid)
    assert capsys.readouterr().out == ""


def test_verbose_prints_the_time(capsys) -> None:
    clone(TREES).set_params(verbose=3).fit(TRAIN.X, TRAIN.y, TRAIN.qid)
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith("LambdaMART(nDCG@10): 3 of 6: training 0.") and first.endswith(" s left)")
    assert last.startswith("LambdaMART(nDCG@10): 6 of 6: training 0.") and "left" not in last
    MultivariateSVC("AUC", verbose=1).fit(StandardScaler().fit_transform(TRAIN.X), TRAIN.y > 0)
    assert capsys.readouterr().out.startswith("MultivariateSVC(AUC): 1: gap")


def test_how_many_rounds_there_will_be() -> None:
    def n_steps(ranker, **given) -> set[int | None]:
        return {progress.n_steps for progress in ranker.fit(TRAIN.X, TRAIN.y, TRAIN.qid, **given).history_}

    assert n_steps(clone(TREES)) == {6}
    assert n_steps(clone(TREES).set_params(early_stopping_rounds=3), eval_set=EVAL_SETS[0]) == {None}
    assert n_steps(RankBoost(n_estimators=4)) == {4}
    assert n_steps(EnsembleSelection(n_estimators=4, n_bags=2)) == {8}
    assert n_steps(SmoothRank(cv=2)) == {6}
    assert n_steps(AdaRank()) == n_steps(RankSVM(C=1)) == {None}


@pytest.mark.parametrize("ranker", RANKERS, ids=ids)
@pytest.mark.filterwarnings("ignore:LambdaMART learned nothing")
def test_callbacks_get_the_entries_of_the_history(ranker) -> None:
    heard: list[Progress] = []
    model = clone(ranker).fit(TRAIN.X, TRAIN.y, TRAIN.qid, eval_set=EVAL_SETS[0], callbacks=[heard.append])
    assert heard == model.history_ and [progress.step for progress in heard] == list(range(1, len(heard) + 1))
    assert all(before.seconds <= after.seconds for before, after in pairwise(heard))
    assert all(progress.info for progress in heard)


@pytest.mark.parametrize("ranker", [SVMRanker("AP", cv=2), SVMRanker("P@5", C=1), OneVsRestSVM(cv=2)], ids=str)
def test_steps_and_seconds_count_over_all_problems_of_an_svm(ranker) -> None:
    heard: list[Progress] = []
    model = ranker.fit(TRAIN.X, TRAIN.y, TRAIN.qid, callbacks=[heard.append])
    assert [progress.step for progress in heard] == list(range(1, len(heard) + 1)) and len(heard) > len(model.history_) > 0
    assert all(before.seconds <= after.seconds for before, after in pairwise(heard))
    solved = {step.info["C"] for step in model.history_}
    assert solved == {svm.C_ for svm in getattr(model, "estimators_", [model])} and solved <= {p.info["C"] for p in heard}


def test_the_ramp_has_no_lower_bound() -> None:
    heard: list[Progress] = []
    model = SVMRanker("P@5", C=1.5).fit(TRAIN.X, TRAIN.y, TRAIN.qid, callbacks=[heard.append])
    assert not any("lower bound" in step.info for step in [*model.history_, *heard[-len(model.history_) :]])


@pytest.mark.parametrize("given", [measures.nDCG(k=5), measures.nDCG, "nDCG@5", ["nDCG@5"]], ids=str)
def test_one_further_measure_or_several(given) -> None:
    model = AdaRank("AP", n_estimators=1).fit(TRAIN.X, TRAIN.y, TRAIN.qid, eval_measures=given)
    assert [name.partition("@")[0] for name in model.evals_result_["training"]] == ["AP", "nDCG"]


@pytest.mark.parametrize("ranker", RANKERS, ids=ids)
@pytest.mark.filterwarnings("ignore:LambdaMART learned nothing")
def test_the_best_score_is_that_of_the_model(ranker) -> None:
    for given, part in (({}, TRAIN), ({"eval_set": EVAL_SETS[0]}, VALIDATION), ({"eval_set": EVAL_SETS}, VALIDATION)):
        model = clone(ranker).fit(TRAIN.X, TRAIN.y, TRAIN.qid, **given)
        assert hasattr(model, "best_score_") == hasattr(model, "best_iteration_") == model._has_rounds
        if model._has_rounds:
            wanted = model.score(part.X, part.y, part.qid)
            assert model.best_score_ == pytest.approx(wanted, abs=1e-9) and 0 <= model.best_iteration_ <= len(model.history_)


def test_continued_training_equals_more_rounds(tmp_path) -> None:
    whole = clone(TREES).fit(TRAIN.X, TRAIN.y, TRAIN.qid)
    first = clone(TREES).set_params(n_estimators=2).fit(TRAIN.X, TRAIN.y, TRAIN.qid)
    save_model(tmp_path / "first.json", first)
    rest = clone(TREES).set_params(n_estimators=4)
    for init_model in (first, first.model_, tmp_path / "first.json", first.booster_):
        both = clone(rest).fit(TRAIN.X, TRAIN.y, TRAIN.qid, init_model=init_model)
        assert both.best_iteration_ == 4 and both.booster_.num_trees() == 6
        np.testing.assert_allclose(both.predict(TEST.X), whole.predict(TEST.X), rtol=1e-12)
    trees = clone(rest).fit(TRAIN.X, TRAIN.y, TRAIN.qid, init_score=first.predict(TRAIN.X))
    np.testing.assert_allclose(trees.predict(TEST.X) + first.predict(TEST.X), whole.predict(TEST.X), rtol=1e-12)
    found, wanted = (model.evals_result_["training"]["nDCG@10"] for model in (trees, whole))
    assert found == pytest.approx(wanted[2:])


def test_going_on_from_lightgbms_own_model_by_name() -> None:
    names = [f"f {j}" for j in range(TRAIN.n_features)]
    frame = pd.DataFrame(TRAIN.X, columns=[name.replace(" ", "_") for name in names])
    theirs = lgb.LGBMRegressor(n_estimators=3, verbose=-1).fit(frame, TRAIN.y)
    turned = frame[frame.columns[::-1]]
    model = clone(TREES).fit(turned, TRAIN.y, TRAIN.qid, init_model=theirs)
    alone = clone(TREES).fit(turned, TRAIN.y, TRAIN.qid, init_score=theirs.predict(frame))
    np.testing.assert_allclose(model.predict(frame), alone.predict(frame) + theirs.predict(frame), rtol=1e-9)


def test_scores_to_start_from_count_on_every_set() -> None:
    offset = [part.X[:, 0] for part in (TRAIN, VALIDATION, TEST)]
    sets = [(*given, scores) for given, scores in zip(EVAL_SETS, offset[1:], strict=True)]
    for changed in ({}, {"lightgbm": {"data_sample_strategy": "goss"}, "learning_rate": 0.5}):
        model = clone(TREES).set_params(**changed)
        model.fit(TRAIN.X, TRAIN.y, TRAIN.qid, init_score=offset[0], eval_set=sets, eval_measures=["AP"])
        for name, part, scores in (("validation", VALIDATION, offset[1]), ("validation_2", TEST, offset[2])):
            wanted = evaluate(part.y, model.predict(part.X) + scores, part.qid, "AP")["AP"]
            assert model.evals_result_[name]["AP"][model.best_iteration_ - 1] == pytest.approx(wanted, abs=1e-12)
        assert model.history_[0].evals["validation"]["nDCG@10"] == model.evals_result_["validation"]["nDCG@10"][0]


def test_the_booster_has_the_trees_and_the_names_that_predict_uses() -> None:
    names = [f"BM25 of {j}:title" for j in range(TRAIN.n_features)]
    frame = pd.DataFrame(TRAIN.X, columns=names)
    model = LambdaMART("nDCG@10", n_estimators=40, early_stopping_rounds=3, min_child_samples=5, num_leaves=4, n_seeds=1)
    model.fit(frame, TRAIN.y, TRAIN.qid, eval_set=(pd.DataFrame(VALIDATION.X, columns=names), VALIDATION.y, VALIDATION.qid))
    assert model.booster_.num_trees() == model.best_iteration_ < len(model.history_)
    np.testing.assert_allclose(model.booster_.predict(TEST.X), model.model_.predict(TEST.X), rtol=1e-12)
    assert model.booster_.feature_name() == [f"BM25_of_{j}_title" for j in range(TRAIN.n_features)]


@pytest.mark.parametrize("init", [None, RankSVM(C=1)], ids=["trees", "from-a-line"])
@pytest.mark.filterwarnings("ignore:LambdaMART learned nothing", "ignore::PendingDeprecationWarning")
def test_shap_values_add_up_to_the_scores(init) -> None:
    import shap  # whose plots warn of deprecations

    model = LambdaMART("nDCG@10", n_estimators=40, early_stopping_rounds=5, min_child_samples=5, init=init)
    model.fit(TRAIN.X, TRAIN.y, TRAIN.qid, eval_set=EVAL_SETS[0])
    explainer = shap.TreeExplainer(model.booster_)
    explained = explainer.shap_values(TEST.X).sum(axis=1) + explainer.expected_value
    # SHAP values leave out a linear start, the trees of one leaf that come first.
    line = 0.0 if init is None else model_part(model, "linear").predict(TEST.X)
    np.testing.assert_allclose(explained + line, model.predict(TEST.X), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(model.booster_.predict(TEST.X, pred_contrib=True).sum(axis=1) + line, model.predict(TEST.X))


FRAMES = {
    "pandas": lambda X, names: pd.DataFrame(X, columns=names),
    "polars": lambda X, names: pl.DataFrame(X, schema=names),
}


@pytest.mark.parametrize("library", FRAMES)
def test_monotone_constraints_by_name(library: str) -> None:
    names = [f"f{j}" for j in range(TRAIN.n_features)]
    frame = FRAMES[library](TRAIN.X, names)
    plain = LambdaMART("AP", n_estimators=30, min_child_samples=3)
    wanted = clone(plain).set_params(lightgbm={"monotone_constraints": [0, -1, 1] + [0] * (TRAIN.n_features - 3)})
    found = clone(plain).set_params(lightgbm={"monotone_constraints": {"f2": 1, "f1": -1}})
    wanted.fit(frame, TRAIN.y, TRAIN.qid)
    found.fit(frame, TRAIN.y, TRAIN.qid)
    np.testing.assert_array_equal(found.model_.predict(TEST.X), wanted.model_.predict(TEST.X))
    rows = np.repeat(TEST.X[:20], 2, axis=0)
    rows[1::2, 2] += 1.0
    scores = found.model_.predict(rows)
    assert (scores[1::2] >= scores[::2]).all()
    assert found.model_.provenance.parameters["lightgbm"] == {"monotone_constraints": {"f2": 1, "f1": -1}}


@pytest.mark.parametrize(
    ("constraints", "sentence"),
    [
        ({"f_1": 1}, "there is no feature 'f_1'; did you mean 'f1'?"),
        ({"title": 1}, "name columns of the frame X"),
        ({"f1": 2}, "must be 1, 0 or -1, not 2"),
    ],
)
def test_constraints_that_make_no_sense(constraints: dict, sentence: str) -> None:
    frame = pd.DataFrame(TRAIN.X, columns=[f"f{j}" for j in range(TRAIN.n_features)])
    with pytest.raises(InputError, match=sentence.replace("?", r"\?")):
        LambdaMART("AP", lightgbm={"monotone_constraints": constraints}).fit(frame, TRAIN.y, TRAIN.qid)
    with pytest.raises(InputError, match="X has no names"):
        LambdaMART("AP", lightgbm={"monotone_constraints": constraints}).fit(TRAIN.X, TRAIN.y, TRAIN.qid)


@pytest.mark.parametrize(
    "name", ["lambdarank_truncation_level", "label_gain", "lambdarank_norm", "eval_at", "ndcg_eval_at", "sigmoid", "metric"]
)
def test_parameters_of_lightgbms_own_ranking_are_rejected(name: str) -> None:
    with pytest.raises(TypeError, match=f"LambdaMART has no parameter '{name}'; .+"):
        LambdaMART(**{name: 1})
    with pytest.raises(InputError, match=f"lightgbm does not take '{name}'; .+"):
        LambdaMART(lightgbm={name: 1}).fit(TRAIN.X, TRAIN.y, TRAIN.qid)


def test_score_by_another_measure() -> None:
    model = RankSVM(C=1).fit(TRAIN.X, TRAIN.y, TRAIN.qid)
    for measure in ("nDCG@5", "RR"):
        assert model.score(TEST.X, TEST.y, TEST.qid, measure=measure) == pytest.approx(measured(model, TEST, measure))


def test_a_measure_as_a_scorer() -> None:
    rows = list(QueryKFold(3).split(TRAIN.X, qid=TRAIN.qid))
    wanted = []
    for train, test in rows:
        model = AdaRank("AP", n_estimators=5).fit(TRAIN.X[train], TRAIN.y[train], TRAIN.qid[train])
        wanted.append(evaluate(TRAIN.y[test], model.predict(TRAIN.X[test]), TRAIN.qid[test], "nDCG@5")["nDCG@5"])
    with routing():
        by = {"cv": QueryKFold(3), "scoring": ranking_scorer("nDCG@5")}
        found = cross_val_score(AdaRank("AP", n_estimators=5), TRAIN.X, TRAIN.y, params={"qid": TRAIN.qid}, **by)
        search = GridSearchCV(AdaRank("AP"), {"n_estimators": [1, 5]}, **by)
        search.fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid)
    np.testing.assert_allclose(found, wanted)
    assert search.cv_results_["mean_test_score"][1] == pytest.approx(np.mean(wanted))


def test_a_scorer_of_classifiers_and_one_without_queries() -> None:
    y, scaled = (TRAIN.y > 0).astype(int), StandardScaler().fit_transform(TRAIN.X)
    classifier = MultivariateSVC("AUC").fit(scaled, y)
    wanted = evaluate(y, classifier.decision_function(scaled), None, "AUC")["AUC"]
    assert ranking_scorer("AUC")(classifier, scaled, y) == pytest.approx(wanted)
    ranker = RankSVM(C=1).fit(TRAIN.X, TRAIN.y, TRAIN.qid)
    with pytest.warns(UserWarning, match="nDCG@5 is scored without qid"):
        ranking_scorer("nDCG@5")(ranker, TEST.X, TEST.y)


def test_dart_follows_its_seed() -> None:
    """It used to depend on memory that LightGBM leaves as it was: in most processes not all of these were the same."""
    dart = clone(TREES).set_params(lightgbm={"boosting": "dart", "drop_rate": 0.5, "skip_drop": 0.5})
    first, *others = (clone(dart).fit(TRAIN.X, TRAIN.y, TRAIN.qid).predict(TEST.X) for _ in range(6))
    for scores in others:
        np.testing.assert_array_equal(scores, first)
