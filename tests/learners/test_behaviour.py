"""Behaviour of all learners: scikit-learn's checks, any order of rows and queries, any number of threads, clear errors."""

from __future__ import annotations

import itertools
import pickle
import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import directrank
from directrank import (
    AdaRank,
    CoordinateAscent,
    EnsembleSelection,
    InputError,
    LambdaMART,
    Measure,
    MultivariateSVC,
    OneVsRestSVM,
    RankBoost,
    RankSVM,
    SmoothRank,
    SVMRanker,
    evaluate,
    load_model,
    routing,
    save_model,
)
from directrank.data import QueryKFold, RankingData
from directrank.datasets import make_ranking
from directrank.learners import LEARNERS
from directrank.learners.core.shards import LocalShards
from directrank.measures import as_measure, parse
from directrank.models import dumps, loads

pytestmark = pytest.mark.filterwarnings("ignore:SVMRanker learned nothing")

RANKERS = [
    SVMRanker("AP", C=1),
    SVMRanker("nDCG", C=10, bound="convex"),
    SVMRanker("nDCG@5", C=1, bound="convex"),
    SVMRanker("nDCG@5", C=10, bound="ramp"),
    SVMRanker("RR", C=1, bound="convex"),
    SVMRanker("RR", C=1, bound="ramp"),
    SVMRanker("P@3", C=1, bound="convex"),
    SVMRanker("Rprec", C=10, bound="ramp"),
    SVMRanker("AUC", C=10),
    SVMRanker("nDCG", C=10, kernel="rbf"),
    SVMRanker("AP", C=10, kernel="poly", coef0=1.0, bound="ramp"),
    RankSVM(C=10),
    OneVsRestSVM(C=10),
    AdaRank("AP"),
    AdaRank("nDCG@5", directions="both"),
    AdaRank("RR", early_stopping_rounds=5, update="adaboost"),
    AdaRank("AUC", weak_ranker=RankSVM(C=1, tol=1e-6), early_stopping_rounds=2, n_estimators=4),
    AdaRank("nDCG", weak_ranker=RankBoost(n_estimators=3), sample=0.7, early_stopping_rounds=4, n_estimators=6),
    RankBoost(n_estimators=50),
    CoordinateAscent("AP", n_restarts=1, max_iter=5),
    EnsembleSelection("AP", n_estimators=10),
    EnsembleSelection("nDCG@5", n_estimators=5, n_bags=3),
    SmoothRank("nDCG@5", cv=2, max_iter=2),
    LambdaMART("AUC", n_estimators=20, num_leaves=7, min_child_samples=5),
    LambdaMART("AP", n_estimators=20, num_leaves=7, min_child_samples=5),
    LambdaMART(
        "nDCG@5",
        n_estimators=10,
        num_leaves=7,
        min_child_samples=5,
        n_seeds=2,
        lightgbm={"bagging_fraction": 0.7, "bagging_freq": 1},
    ),
    LambdaMART("Success@3", n_estimators=20, num_leaves=7, min_child_samples=5, init=RankBoost(n_estimators=2)),
]
ids = [f"{type(ranker).__name__}-{ranker.measure}" for ranker in RANKERS]

#: One ranker of each class, for what all classes inherit and one might override.
KINDS = list({type(ranker): ranker for ranker in reversed(RANKERS)}.values())

DATA = make_ranking(30, (5, 30), random_state=0)
EVAL_SET = (DATA.X, DATA.y, DATA.qid)
SPARSE = sparse.csr_array(DATA.X)


def test_every_learner_is_tested() -> None:
    classes = {entry.class_name for entry in LEARNERS.values() if entry.learns_queries}
    assert classes == {type(ranker).__name__ for ranker in RANKERS}


# Tests share fitted rankers and leave them as they are.


@cache
def fitted(ranker):
    return clone(ranker).fit(DATA.X, DATA.y, DATA.qid)


@cache
def fitted_with_validation(ranker):
    return clone(ranker).fit(DATA.X, DATA.y, DATA.qid, eval_set=EVAL_SET)


@cache
def fitted_to_sparse_rows(ranker):
    return clone(ranker).fit(SPARSE, DATA.y, DATA.qid)


@pytest.mark.parametrize(
    "learner",
    [
        SVMRanker(max_iter=50),
        RankSVM(max_iter=50),
        MultivariateSVC(max_iter=200),
        SVMRanker(max_iter=50, kernel="rbf"),
        MultivariateSVC(max_iter=200, kernel="rbf"),
        OneVsRestSVM(max_iter=50),
        AdaRank(),
        RankBoost(n_estimators=20),
        CoordinateAscent(n_restarts=1, max_iter=2),
        EnsembleSelection(n_estimators=10),
        SmoothRank(cv=2, max_iter=1),
        LambdaMART(n_estimators=5),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_scikit_learns_checks(learner) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(learner)


#: Learners as they are by default, and with what is chosen by folds of the training queries.
BY_DEFAULT = [
    *(entry.load()() for entry in LEARNERS.values() if entry.learns_queries and entry.class_name != "LambdaMART"),
    SVMRanker("AP", bound="ramp"),
    SVMRanker("nDCG@5"),
    SVMRanker("AP", kernel="rbf", cv=2),
    LambdaMART(n_estimators=10),
    LambdaMART("AP", n_estimators=10, extra_trees=False, init=RankSVM()),
    LambdaMART("AP", n_estimators=10, lightgbm={"bin_construct_sample_cnt": 100}),
]


def shuffled(data: RankingData, seed: int) -> RankingData:
    """The same rows in another order, with other names of the queries."""
    order = np.random.default_rng(seed).permutation(len(data))
    names = np.array([f"q{(q * 7) % 31}" for q in data.qid.tolist()])
    return RankingData(data.X[order], data.y[order], names[order])


@pytest.mark.parametrize("ranker", [*RANKERS, *BY_DEFAULT], ids=[*ids, *(f"{ranker}" for ranker in BY_DEFAULT)])
def test_shuffled_rows_and_renamed_queries_change_no_bit(ranker) -> None:
    other = shuffled(DATA, 0)
    found = clone(ranker).fit(other.X, other.y, other.qid)
    np.testing.assert_array_equal(found.predict(DATA.X), fitted(ranker).predict(DATA.X))


@pytest.mark.parametrize("ranker", KINDS, ids=lambda ranker: type(ranker).__name__)
def test_shuffled_rows_with_ties_copies_and_weights_change_no_bit(ranker) -> None:
    """Values that occur often, documents and queries that occur twice, sparse rows, weights, a shuffled eval_set."""
    few = DATA.select(DATA.qid <= 12)
    X, copied = np.round(few.X), few.qid <= 4
    data = RankingData(
        np.vstack((X, X[copied], X[:5])),
        np.concatenate((few.y, few.y[copied], few.y[:5])),
        np.concatenate((few.qid, few.qid[copied] + 14, few.qid[:5])),
    )
    weights = {q: 1.0 + q % 3 for q in data.qid.tolist()}
    names = {f"q{(q * 7) % 31}": weight for q, weight in weights.items()}
    models = []
    for given, weight in ((data, weights), (shuffled(data, 0), names), (shuffled(data, 1), names)):
        held_out = shuffled(DATA, len(models))
        eval_set = (sparse.csr_array(held_out.X), held_out.y, held_out.qid)
        model = clone(ranker).fit(sparse.csr_array(given.X), given.y, given.qid, query_weight=weight, eval_set=eval_set)
        models.append(model.predict(DATA.X))
    np.testing.assert_array_equal(models[1], models[0])
    np.testing.assert_array_equal(models[2], models[0])


@pytest.mark.parametrize("measure", ["F1", "AUC", "PRBEP"])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_shuffled_rows_change_no_bit_of_a_classifier(measure: str, kernel: str) -> None:
    order = np.random.default_rng(0).permutation(len(DATA))
    one, other = (MultivariateSVC(measure, kernel=kernel).fit(DATA.X[o], DATA.y[o] > 0) for o in (slice(None), order))
    np.testing.assert_array_equal(one.decision_function(DATA.X), other.decision_function(DATA.X))


def test_shuffled_initial_scores_change_no_bit() -> None:
    """Documents that differ in nothing but their initial scores have an order too."""
    X, order = np.round(DATA.X[:, :2]), np.random.default_rng(0).permutation(len(DATA))
    before = np.random.default_rng(1).normal(size=len(DATA))
    learner = LambdaMART("AP", n_estimators=5, num_leaves=7, min_child_samples=5)
    one, other = (
        clone(learner).fit(X[o], DATA.y[o], DATA.qid[o], init_score=before[o]).predict(X) for o in (slice(None), order)
    )
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("ranker", RANKERS, ids=ids)
def test_one_thread_gives_the_same_model(ranker) -> None:
    before = directrank.get_num_threads()
    directrank.set_num_threads(1)
    try:
        one = clone(ranker).fit(DATA.X, DATA.y, DATA.qid).predict(DATA.X)
    finally:
        directrank.set_num_threads(before)
    np.testing.assert_array_equal(one, fitted(ranker).predict(DATA.X))


def parts_of(data: RankingData, n: int) -> list[RankingData]:
    """Data divided between queries."""
    return [data.select_queries(part) for part in np.array_split(np.arange(data.n_queries), n)]


class Forgetful(LocalShards):
    """Shards that are lost and made anew before each step, as those of a worker that dies."""

    def each(self, step, *args):
        for task in self.tasks:
            task.memory.clear()
        return super().each(step, *args)

    def map(self, change, *args):
        return Forgetful(super().map(change, *args).tasks)


def fit_shards(
    ranker, shards: type[LocalShards], train: list[RankingData], validation: list[RankingData] | None = None, **given
):
    ranker = clone(ranker)
    measure = as_measure("AP")  # any: they are bound to that of the ranker
    validation = validation and shards.from_data(validation, measure)
    return ranker.fit_shards(shards.from_data(train, measure), validation, **given)


@pytest.mark.parametrize("has_validation", [False, True], ids=["", "validation"])
@pytest.mark.parametrize("ranker", RANKERS, ids=ids)
def test_one_shard_gives_the_same_bits_and_several_the_same_model(ranker, has_validation: bool) -> None:
    if "C" in ranker.get_params() and has_validation:
        ranker = clone(ranker).set_params(C="auto", Cs=[0.1, 10.0])
    held_out = make_ranking(12, (5, 30), random_state=9)
    if has_validation:
        whole = clone(ranker).fit(DATA.X, DATA.y, DATA.qid, eval_set=(held_out.X, held_out.y, held_out.qid))
    else:
        whole = fitted(ranker)
    one = fit_shards(ranker, LocalShards, [DATA], [held_out] if has_validation else None)
    np.testing.assert_array_equal(one.predict(DATA.X), whole.predict(DATA.X))
    several = fit_shards(ranker, LocalShards, parts_of(DATA, 3), parts_of(held_out, 2) if has_validation else None)
    scale = np.abs(whole.predict(DATA.X)).max()
    np.testing.assert_allclose(several.predict(DATA.X), whole.predict(DATA.X), atol=1e-9 * scale)
    for one, other in zip(*(getattr(model, "estimators_", [model]) for model in (several, whole)), strict=True):
        assert len(one.history_) == len(other.history_)
        assert len(one.history_) > 0 or one.C_ == 0  # the start of the ramp


def raw(X: np.ndarray) -> np.ndarray:
    """Features of many scales, one with a heavy tail; some values are missing, at random or more often in bad documents."""
    random, X = np.random.default_rng(0), X * 10.0 ** (np.arange(DATA.n_features) % 5 - 2)
    X[:, 1] = np.exp(2 * DATA.X[:, 1])
    X[random.random(len(DATA)) < 0.2, 2] = np.nan
    X[random.random(len(DATA)) < np.where(DATA.y > 0, 0.1, 0.7), 3] = np.nan
    return X


RAW = RankingData(raw(DATA.X), DATA.y, DATA.qid)


@pytest.mark.parametrize("ranker", RANKERS, ids=ids)
def test_raw_features_with_missing_values(ranker, tmp_path) -> None:
    """Every learner takes them; shards, sparse rows and saving change nothing but rounding."""
    learner = clone(ranker)
    if isinstance(ranker, AdaRank) and ranker.weak_ranker is None:
        learner.set_params(tol=0.0)
    whole = learner.fit(RAW.X, RAW.y, RAW.qid, eval_set=(RAW.X, RAW.y, RAW.qid))
    scores = whole.predict(RAW.X)
    assert np.all(np.isfinite(scores)) and np.ptp(scores) > 0
    save_model(tmp_path / "m.json", whole)
    np.testing.assert_array_equal(load_model(tmp_path / "m.json").predict(RAW.X), scores)
    other = shuffled(RAW, 0)
    np.testing.assert_array_equal(
        clone(learner).fit(other.X, other.y, other.qid, eval_set=(RAW.X, RAW.y, RAW.qid)).predict(RAW.X), scores
    )
    one, several = (fit_shards(learner, LocalShards, parts_of(RAW, n), [RAW]) for n in (1, 3))
    np.testing.assert_array_equal(one.predict(RAW.X), scores)
    size = np.abs(scores).max()
    np.testing.assert_allclose(several.predict(RAW.X), scores, atol=1e-9 * size)
    of_entries = sparse.csr_array(RAW.X)
    by_entries = clone(learner).fit(of_entries, RAW.y, RAW.qid, eval_set=(of_entries, RAW.y, RAW.qid))
    np.testing.assert_allclose(by_entries.predict(of_entries), scores, atol=1e-6 * size)


@pytest.mark.parametrize("ranker", RANKERS, ids=ids)
def test_a_value_that_is_missing_for_the_first_time(ranker) -> None:
    """It counts as something, and always the same."""
    gaps = DATA.X.copy()
    gaps[::3, 5] = np.nan
    scores = fitted(ranker).predict(gaps)
    assert np.all(np.isfinite(scores))
    np.testing.assert_array_equal(scores, fitted(ranker).model_.predict(gaps))


@pytest.mark.parametrize("ranker", RANKERS, ids=ids)
def test_a_lost_shard_changes_no_bit(ranker) -> None:
    kinds, given = (LocalShards, Forgetful), {"eval_measures": "RR"}
    kept, lost = (fit_shards(ranker, kind, parts_of(DATA, 2), [DATA], **given) for kind in kinds)
    np.testing.assert_array_equal(lost.predict(DATA.X), kept.predict(DATA.X))
    assert lost.evals_result_ == kept.evals_result_ and "RR" in kept.evals_result_["training"]


CHOOSING_BY_FOLDS = [
    SVMRanker("AP", cv=2, bound="convex"),
    SVMRanker("AP", cv=2, bound="ramp"),
    SVMRanker("AP", cv=2, bound="ramp", kernel="rbf"),
    RankSVM(cv=2),
    SmoothRank("nDCG@5", cv=2, max_iter=2),
]


@pytest.mark.parametrize("ranker", CHOOSING_BY_FOLDS, ids=["convex", "ramp", "rbf", "RankSVM", "SmoothRank"])
def test_a_lost_shard_changes_no_bit_of_selection_by_folds(ranker) -> None:
    kept, lost = (fit_shards(ranker, shards, parts_of(DATA, 2)) for shards in (LocalShards, Forgetful))
    np.testing.assert_array_equal(lost.predict(DATA.X), kept.predict(DATA.X))


@pytest.mark.parametrize("ranker", KINDS, ids=lambda ranker: type(ranker).__name__)
def test_shards_do_not_inherit_the_names_of_an_earlier_frame(ranker) -> None:
    frame = pd.DataFrame(dict(zip(DATA.feature_names, DATA.X.T, strict=True)))
    frame["good1"] = frame["good1"].round().astype(int)
    few = DATA.qid <= 5
    model = clone(ranker).fit(frame[few], DATA.y[few], DATA.qid[few])
    narrow = RankingData(DATA.X[few, :5], DATA.y[few], DATA.qid[few])
    model.fit_shards(LocalShards.from_data([narrow], as_measure("AP")))
    assert model.model_.feature_names is None and model.n_features_in_ == 5
    np.testing.assert_array_equal(loads(dumps(model)).predict(narrow.X), model.predict(narrow.X))


def test_shards_are_of_one_width() -> None:
    with pytest.raises(InputError, match="there is no shard"):
        LocalShards([])
    with pytest.raises(InputError, match=r"shards must be of one width, not \[5, 16\]"):
        LocalShards.from_data([DATA, RankingData(DATA.X[:, :5], DATA.y, DATA.qid)], as_measure("AP"))


@pytest.mark.parametrize(
    "fit",
    [
        lambda: SVMRanker("AP", max_iter=1).fit(DATA.X, DATA.y, DATA.qid),
        lambda: SVMRanker("AP", max_iter=1).path(DATA.X, DATA.y, DATA.qid),
        lambda: OneVsRestSVM(max_iter=1).fit(DATA.X, DATA.y, DATA.qid),
        lambda: MultivariateSVC(max_iter=1).fit(DATA.X, DATA.y > 0),
        lambda: RankBoost().fit(np.ones((len(DATA), 1)), DATA.y, DATA.qid),
        lambda: AdaRank().fit(np.ones((len(DATA), 1)), DATA.y, DATA.qid),
        lambda: LambdaMART().fit(np.ones((len(DATA), 1)), DATA.y, DATA.qid),
        lambda: CoordinateAscent().fit(np.ones((len(DATA), 1)), DATA.y, DATA.qid),
        lambda: EnsembleSelection().fit(np.ones((len(DATA), 1)), DATA.y, DATA.qid),
    ],
)
def test_warnings_point_at_the_line_of_the_user(fit) -> None:
    with pytest.warns(UserWarning, match=r"converge|learned nothing") as caught:
        fit()
    assert {warning.filename for warning in caught} == {__file__}


@pytest.mark.parametrize("bound", ["convex", "ramp"])
def test_folds_do_not_depend_on_shards(bound: str) -> None:
    whole = SVMRanker("AP", C="auto", bound=bound, cv=3, scaling="none").fit(DATA.X, DATA.y, DATA.qid)
    several = fit_shards(whole, LocalShards, parts_of(DATA, 4))
    assert several.C_ == whole.C_
    np.testing.assert_allclose(several.coef_, whole.coef_, rtol=1e-9, atol=1e-9 * np.abs(whole.coef_).max())


@pytest.mark.parametrize(
    ("library", "ranker"),
    [*(("pandas", ranker) for ranker in RANKERS), *(("polars", ranker) for ranker in KINDS)],
    ids=[*(f"pandas-{i}" for i in ids), *(f"polars-{type(ranker).__name__}" for ranker in KINDS)],
)
def test_columns_of_a_frame_are_matched_by_name(library: str, ranker) -> None:
    frame = pytest.importorskip(library).DataFrame(dict(zip(DATA.feature_names, DATA.X.T, strict=True)))
    reverse = frame[DATA.feature_names[::-1]]
    model = clone(ranker).fit(frame, DATA.y, DATA.qid, eval_set=(reverse, DATA.y, DATA.qid))
    assert model.model_.feature_names == tuple(DATA.feature_names)
    wanted = model.predict(frame)
    assert np.ptp(wanted) > 0
    np.testing.assert_array_equal(wanted, fitted_with_validation(ranker).predict(DATA.X))
    np.testing.assert_array_equal(model.predict(reverse), wanted)
    np.testing.assert_array_equal(model.model_.predict(reverse), wanted)
    short = frame[DATA.feature_names[1:]]
    for score in (model.predict, model.model_.predict):
        with pytest.raises(InputError, match=DATA.feature_names[0]):
            score(short)
        with pytest.raises(InputError, match="other"):
            score(renamed(frame, DATA.feature_names[0], "other"))


def renamed(frame, old: str, new: str):
    columns = [new if name == old else name for name in frame.columns]
    frame = frame.copy() if hasattr(frame, "copy") else frame.clone()
    frame.columns = columns
    return frame


@pytest.mark.parametrize("learner", [*RANKERS, MultivariateSVC()], ids=[*ids, "MultivariateSVC"])
def test_a_failed_fit_leaves_nothing_to_predict_with(learner) -> None:
    X, y = DATA.X[DATA.qid <= 4], DATA.y[DATA.qid <= 4]
    one_query = () if isinstance(learner, MultivariateSVC) else (np.zeros(len(y)),)
    for failing in (clone(learner), clone(learner).fit(X, y > 0, *one_query)):
        with pytest.raises(ValueError, match=r"learn from|one class"):
            failing.fit(X, np.ones(len(y)), *one_query)
        with pytest.raises(NotFittedError):
            failing.predict(X)
        assert {name for name in vars(failing) if name.endswith("_")} <= {"n_features_in_", "classes_", "categories_"}


def test_weights_of_0_have_no_mean() -> None:
    with pytest.raises(InputError, match="query_weight has no weight above 0"):
        fitted(RANKERS[0]).score(DATA.X, DATA.y, DATA.qid, query_weight=np.zeros(len(DATA)))


@pytest.mark.parametrize("ranker", KINDS, ids=lambda ranker: type(ranker).__name__)
def test_a_validation_set_of_another_width_is_rejected(ranker) -> None:
    for other in (DATA.X[:, 1:], np.hstack((DATA.X, DATA.X))):
        with pytest.raises(InputError, match="eval_set: X has"):
            clone(ranker).fit(DATA.X, DATA.y, DATA.qid, eval_set=(other, DATA.y, DATA.qid))


@pytest.mark.parametrize("eval_set", ["garbage", 3, (DATA.X, DATA.y), (None, None, None)], ids=type)
def test_an_invalid_validation_set_is_rejected(eval_set) -> None:
    with pytest.raises(InputError, match="eval_set"):
        SVMRanker().fit(DATA.X, DATA.y, DATA.qid, eval_set=eval_set)


@pytest.mark.parametrize("ranker", RANKERS, ids=ids)
def test_entries_that_stand_twice_are_summed(ranker) -> None:
    twice = sparse.csr_array(
        (np.repeat(SPARSE.data / 2, 2), np.repeat(SPARSE.indices, 2), SPARSE.indptr * 2), shape=SPARSE.shape
    )
    found = clone(ranker).fit(twice, DATA.y, DATA.qid)
    np.testing.assert_array_equal(found.predict(DATA.X), fitted_to_sparse_rows(ranker).predict(DATA.X))


@pytest.mark.parametrize("ranker", RANKERS, ids=ids)
def test_dense_sparse_and_mapped_give_the_same_model(ranker, tmp_path) -> None:
    wanted = fitted(ranker).predict(DATA.X)
    np.save(tmp_path / "x.npy", DATA.X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    for X, model in ((SPARSE, fitted_to_sparse_rows(ranker)), (mapped, clone(ranker).fit(mapped, DATA.y, DATA.qid))):
        np.testing.assert_allclose(model.predict(X), wanted, atol=1e-6 * np.abs(wanted).max())
    if hasattr(fitted(ranker), "coef_") and not fitted(ranker).model_.portable().is_log.any():
        np.testing.assert_allclose(wanted, DATA.X @ fitted(ranker).coef_, atol=1e-9)
    if "penalty" in ranker.get_params():  # features scaled in single precision are other ones to deal queries by
        ranker = clone(ranker).set_params(scaling="none")
    if getattr(ranker, "init", None) == "auto":  # and start from other scores, from which trees diverge
        ranker = clone(ranker).set_params(init=None)
    X = DATA.X.astype(np.float32)
    single = clone(ranker).fit(X, DATA.y, DATA.qid).predict(X)
    given = {name for name, value in ranker.get_params().items() if value is not None} | {
        *(getattr(ranker, "lightgbm", 0) or ())
    }
    # Queries are drawn or dealt by their values, which are rounded here.
    if given & {"bagging_fraction", "sample", "penalty"} or getattr(ranker, "n_seeds", 1) == "auto":
        wanted = clone(ranker).fit(X.astype(np.float64), DATA.y, DATA.qid).predict(X)
    np.testing.assert_allclose(single, wanted, atol=1e-2 * np.abs(wanted).max())


@pytest.mark.parametrize("ranker", RANKERS, ids=ids)
def test_pickling_saving_and_cloning(ranker) -> None:
    model = fitted(ranker)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(DATA.X), model.predict(DATA.X))
    again = loads(dumps(model))
    np.testing.assert_array_equal(again.predict(DATA.X), model.predict(DATA.X))
    assert again.provenance == model.model_.provenance and again.provenance.learner == type(ranker).__name__
    with pytest.raises(NotFittedError):
        clone(model).predict(DATA.X)


@pytest.mark.parametrize("has_validation", [False, True], ids=["", "validation"])
@pytest.mark.parametrize("learner", [*RANKERS, MultivariateSVC()], ids=[*ids, "MultivariateSVC"])
def test_the_course_of_the_training_goes_with_the_model(learner, has_validation: bool, tmp_path) -> None:
    if isinstance(learner, MultivariateSVC):
        learner = clone(learner).fit(DATA.X, DATA.y > 0)
    else:
        learner = (fitted_with_validation if has_validation else fitted)(learner)
    history = learner.model_.provenance.history
    rounds = max((one.history_ for one in getattr(learner, "estimators_", [learner])), key=len)
    assert history and all(isinstance(name, str) and name for name in history)
    assert {len(curve) for curve in history.values()} == {len(rounds)}
    assert all(
        type(value) is float and np.isfinite(value) for curve in history.values() for value in curve if value is not None
    )
    measure = str(learner.measure)
    assert ("validation" in history) == (has_validation and learner._has_rounds)
    assert history.get("validation", [None])[-1] == rounds[-1].evals.get("validation", {}).get(measure)
    assert history.get("training", [None])[-1] == rounds[-1].evals.get("training", {}).get(measure)
    save_model(tmp_path / "model.json", learner)
    assert load_model(tmp_path / "model.json").provenance.history == history


@pytest.mark.parametrize("ranker", [r for r in RANKERS if "@" not in str(r.measure)], ids=[i for i in ids if "@" not in i])
def test_learns_something(ranker) -> None:
    train, test = make_ranking(60, random_state=1), make_ranking(60, random_state=2)
    model = clone(ranker)
    if "C" in model.get_params():
        model.set_params(C=100.0)
    model.fit(train.X, train.y, train.qid)
    best_feature = max(_mean(model, test, test.X[:, j]) for j in range(test.n_features))
    assert model.score(test.X, test.y, test.qid) > 0.97 * best_feature


def _mean(model, data, scores) -> float:
    queries = data.by_query()
    return float(
        as_measure(model.measure)
        .evaluate(queries.to_query_order(scores), queries.to_query_order(data.y), queries.offsets)
        .mean()
    )


def test_qid_is_routed_without_set_up() -> None:
    with routing():
        assert sklearn.get_config()["enable_metadata_routing"]
        scores = cross_validate(SVMRanker(C=1), DATA.X, DATA.y, cv=QueryKFold(3), params={"qid": DATA.qid})
        search = GridSearchCV(make_pipeline(StandardScaler(), SVMRanker()), {"svmranker__C": [0.1, 10.0]}, cv=QueryKFold(3))
        search.fit(DATA.X, DATA.y, qid=DATA.qid)
        grid = GridSearchCV(SVMRanker(), {"C": [0.1, 10.0]}, cv=QueryKFold(3)).fit(DATA.X, DATA.y, qid=DATA.qid)
    assert not sklearn.get_config()["enable_metadata_routing"]
    for i, (train, test) in enumerate(QueryKFold(3).split(DATA.X, qid=DATA.qid)):
        model = SVMRanker(C=1).fit(DATA.X[train], DATA.y[train], DATA.qid[train])
        assert scores["test_score"][i] == model.score(DATA.X[test], DATA.y[test], DATA.qid[test])
    assert search.best_params_["svmranker__C"] in (0.1, 10.0) and grid.best_score_ > 0.3


def test_a_weight_of_rows_is_not_routed_to_a_score() -> None:
    """A pipeline's `score` knows the name, and rankers weight queries."""
    with routing():
        pipeline = make_pipeline(StandardScaler(), SVMRanker(C=1)).fit(DATA.X, DATA.y, qid=DATA.qid)
        weight = {q: 1.0 + q % 2 for q in np.unique(DATA.qid).tolist()}
        weighted = pipeline.score(DATA.X, DATA.y, qid=DATA.qid, query_weight=weight)
        with pytest.raises(ValueError, match=r"sample_weight.* not explicitly set as requested"):
            pipeline.score(DATA.X, DATA.y, qid=DATA.qid, sample_weight=np.ones(len(DATA)))
    scaled = pipeline[0].transform(DATA.X)
    assert weighted == pipeline[1].score(scaled, DATA.y, DATA.qid, query_weight=weight)
    with pytest.raises(TypeError, match="unexpected keyword argument 'sample_weight'"):
        pipeline[1].score(scaled, DATA.y, DATA.qid, sample_weight=np.ones(len(DATA)))


@pytest.mark.parametrize(
    ("learner", "arguments", "sentence"),
    [
        (
            SVMRanker("MAUC"),
            (DATA.X, DATA.y, DATA.qid),
            "SVMRanker needs most_violated, which MAUC does not have; measures that do: Acc",
        ),
        (
            MultivariateSVC("AP"),
            (DATA.X, DATA.y > 0),
            "MultivariateSVC needs violation_units, which AP does not have; measures",
        ),
        (
            SVMRanker("AP@10"),
            (DATA.X, DATA.y, DATA.qid),
            "SVMRanker needs most_violated, which AP@10 does not have; the most violated ranking is known for AP without",
        ),
        (SVMRanker(), (DATA.X, np.ones(len(DATA)), DATA.qid), "there is nothing to learn from"),
        (SVMRanker(), (DATA.X, DATA.y - 1, DATA.qid), "AP takes grades of at least 0, and row"),
        (SVMRanker(), (DATA.X, DATA.y, DATA.qid[:-1]), "qid has"),
        (SVMRanker(), (np.where(DATA.X > 2, np.inf, DATA.X), DATA.y, DATA.qid), "X contains an infinite value in column"),
        (
            SVMRanker(scaling="log10"),
            (DATA.X, DATA.y, DATA.qid),
            "scaling must be 'auto' or 'none' or 'standard' or 'log' or 'query', not",
        ),
        (SVMRanker(C=-1), (DATA.X, DATA.y, DATA.qid), "C must be a number above 0 or 'auto', not -1"),
        (MultivariateSVC(), (DATA.X, np.ones(len(DATA))), "y has one class only"),
        (SVMRanker(max_iter="many"), (DATA.X, DATA.y, DATA.qid), "max_iter must be an integer of at least 1, not 'many'"),
        (SVMRanker(C="auto", cv=1), (DATA.X, DATA.y, DATA.qid), "cv must be an integer of at least 2, not 1"),
        (AdaRank(n_estimators=-1), (DATA.X, DATA.y, DATA.qid), "n_estimators must be an integer of at least 1, not -1"),
        (AdaRank(tol=np.nan), (DATA.X, DATA.y, DATA.qid), "tol must be a number of at least 0, not nan"),
        (AdaRank(set_aside="no"), (DATA.X, DATA.y, DATA.qid), "set_aside must be True or False, not 'no'"),
        (RankBoost(n_estimators=0), (DATA.X, DATA.y, DATA.qid), "n_estimators must be an integer of at least 1, not 0"),
        (RankBoost(measure="nonsense"), (DATA.X, DATA.y, DATA.qid), "there is no measure 'nonsense'"),
        (CoordinateAscent(max_iter=2.5), (DATA.X, DATA.y, DATA.qid), "max_iter must be an integer of at least 1, not 2.5"),
        (
            SmoothRank("F1"),
            (DATA.X, DATA.y, DATA.qid),
            "SmoothRank needs smooth, which F1 does not have; measures that do: AP",
        ),
        (SmoothRank(sigma=0), (DATA.X, DATA.y, DATA.qid), "sigma must be a number above 0, not 0"),
        (SmoothRank(penalty=-1), (DATA.X, DATA.y, DATA.qid), "penalty must be a number above 0 or 'auto', not -1"),
        (LambdaMART(n_estimators=0), (DATA.X, DATA.y, DATA.qid), "n_estimators must be an integer of at least 1, not 0"),
        (LambdaMART(sigma=0), (DATA.X, DATA.y, DATA.qid), "sigma must be a number above 0, not 0"),
    ],
)
def test_bad_input_gets_a_clear_sentence(learner, arguments: tuple, sentence: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011
        learner.fit(*arguments)
    assert sentence in str(error.value)


def test_query_weights_must_match_queries() -> None:
    with pytest.raises(InputError, match="query_weight differs within query "):
        SVMRanker().fit(DATA.X, DATA.y, DATA.qid, query_weight=np.arange(len(DATA)))
    for wrong in (-1.0, np.inf):
        with pytest.raises(InputError, match="query_weight has weights that are negative or infinite"):
            SVMRanker().fit(DATA.X, DATA.y, DATA.qid, query_weight=np.full(len(DATA), wrong))


#: Weight of each query of `SHUFFLED`, by qid, in the order of first rows, and of each row.
SHUFFLED = DATA.select(np.random.default_rng(0).permutation(len(DATA)))
BY_QID = {q: 0.25 * (q % 4) for q in SHUFFLED.qid.tolist()}
WEIGHTS = {
    "by qid": BY_QID,
    "of queries": [BY_QID[q] for q in dict.fromkeys(SHUFFLED.qid.tolist())],
    "of rows": np.array([BY_QID[q] for q in SHUFFLED.qid.tolist()]),
    "series by qid": pd.Series(BY_QID).sort_index(),
    "series of queries": pd.Series([BY_QID[q] for q in dict.fromkeys(SHUFFLED.qid.tolist())]),
    "series of rows": pd.Series([BY_QID[q] for q in SHUFFLED.qid.tolist()], index=np.arange(len(SHUFFLED))[::-1]),
}
assert list(BY_QID) != sorted(BY_QID), "the order of first rows is another one than that of the qid"


@pytest.mark.parametrize("ranker", KINDS, ids=lambda ranker: type(ranker).__name__)
def test_query_weights_by_qid_of_queries_and_of_rows_are_the_same(ranker) -> None:
    models = [clone(ranker).fit(SHUFFLED.X, SHUFFLED.y, SHUFFLED.qid, query_weight=weight) for weight in WEIGHTS.values()]
    scores = [model.predict(SHUFFLED.X) for model in models]
    unweighted = clone(ranker).fit(SHUFFLED.X, SHUFFLED.y, SHUFFLED.qid).predict(SHUFFLED.X)
    assert not np.array_equal(scores[0], unweighted)
    for found in scores[1:]:
        np.testing.assert_array_equal(found, scores[0])


@pytest.mark.parametrize("weight", WEIGHTS.values(), ids=WEIGHTS)
def test_a_score_is_weighted_by_qid_by_queries_or_by_rows(weight) -> None:
    model = fitted(RANKERS[0])
    values = evaluate(SHUFFLED.y, model.predict(SHUFFLED.X), SHUFFLED.qid, "AP")
    queries = SHUFFLED.by_query().ids.tolist()
    wanted = np.average(values.per_query["AP"], weights=[BY_QID[q] for q in queries])
    found = model.score(SHUFFLED.X, SHUFFLED.y, SHUFFLED.qid, query_weight=weight)
    assert found == pytest.approx(wanted) and found != model.score(SHUFFLED.X, SHUFFLED.y, SHUFFLED.qid)


def test_query_weights_of_queries_with_one_row_each() -> None:
    data = DATA.select(np.unique(DATA.qid, return_index=True)[1])
    by_qid = {q: float(q) for q in data.qid.tolist()}
    model = fitted(RANKERS[0])
    forms = (by_qid, list(by_qid.values()), pd.Series(by_qid), pd.Series(by_qid)[::-1])
    assert len({model.score(data.X, data.y, data.qid, query_weight=weight) for weight in forms}) == 1


def test_query_weights_by_names() -> None:
    names = np.array([f"q{q}" for q in SHUFFLED.qid.tolist()])
    by_name = {f"q{q}": weight for q, weight in BY_QID.items()}
    found = RankSVM(C=10).fit(SHUFFLED.X, SHUFFLED.y, names, query_weight=by_name | {"another": 5.0})
    wanted = RankSVM(C=10).fit(SHUFFLED.X, SHUFFLED.y, SHUFFLED.qid, query_weight=BY_QID)
    np.testing.assert_allclose(found.coef_, wanted.coef_, atol=1e-9)


@pytest.mark.parametrize(
    ("weight", "sentence"),
    [
        ({1: 1.0}, "query_weight has no weight for query"),
        (pd.Series({1: 1.0, 3: 3.0}), "query_weight has no weight for query"),
        (np.ones(7), r"query_weight has the shape \(7,\); give one weight for each of the 30 queries, or for each of the"),
        (2.0, r"query_weight has the shape \(\)"),
        ("balanced", "query_weight must hold numbers"),
        ([-1.0] * DATA.n_queries, "query_weight has weights that are negative or infinite"),
        (dict.fromkeys(BY_QID, np.inf), "query_weight has weights that are negative or infinite"),
        (dict.fromkeys(BY_QID, np.nan), "query_weight has weights that are negative or infinite, or NaN"),
        (np.where(np.arange(len(DATA)) == 3, np.nan, 1.0), "query_weight has weights that are negative or infinite, or NaN"),
        (dict.fromkeys(BY_QID, 0.0), "learn from|no weight above 0"),
    ],
)
def test_weights_that_make_no_sense(weight, sentence: str) -> None:
    for learn_or_score in (clone(RANKERS[0]).fit, fitted(RANKERS[0]).score):
        with pytest.raises(InputError, match=sentence):
            learn_or_score(DATA.X, DATA.y, DATA.qid, query_weight=weight)


RANDOM = [
    AdaRank("AP", weak_ranker=RankBoost(n_estimators=3), sample=0.5, early_stopping_rounds=4, n_estimators=4),
    CoordinateAscent("AP", n_restarts=1, max_iter=2),
    EnsembleSelection("nDCG@5", n_estimators=3, n_bags=3, bag_fraction=0.2),
    LambdaMART("AP", n_estimators=5, num_leaves=7, min_child_samples=5, n_seeds=2),
]


@pytest.mark.parametrize("ranker", RANDOM, ids=lambda ranker: type(ranker).__name__)
def test_random_states(ranker) -> None:
    def scores(random_state) -> np.ndarray:
        model = ranker.set_params(random_state=random_state).fit(DATA.X, DATA.y, DATA.qid)
        assert model.get_params()["random_state"] is random_state
        if not isinstance(random_state, (int, np.integer)):  # the same model cannot be learned from it again
            assert model.model_.provenance.parameters["random_state"] is None
        return model.predict(DATA.X)

    np.testing.assert_array_equal(scores(7), scores(np.int64(7)))
    for kind in (np.random.default_rng, np.random.RandomState):
        state = kind(0)
        first, second, again = scores(state), scores(state), scores(kind(0))
        assert not np.array_equal(first, second), "a generator moves on"
        np.testing.assert_array_equal(first, again)
    assert not np.array_equal(scores(None), scores(None))


@pytest.mark.parametrize("ranker", RANDOM, ids=lambda ranker: type(ranker).__name__)
@pytest.mark.parametrize("random_state", [-1, 0.5, "0", True, np.random.SeedSequence(0)], ids=str)
def test_an_invalid_random_state_is_rejected(ranker, random_state) -> None:
    with pytest.raises(InputError, match="random_state must be an integer of at least 0"):
        clone(ranker).set_params(random_state=random_state).fit(DATA.X, DATA.y, DATA.qid)


@pytest.mark.parametrize("ranker", RANDOM, ids=lambda ranker: type(ranker).__name__)
def test_a_seed_that_is_too_large_is_refused(ranker) -> None:
    with pytest.raises(InputError, match="random_state must be at most"):
        clone(ranker).set_params(random_state=2**40).fit(DATA.X, DATA.y, DATA.qid)


@pytest.mark.parametrize("ranker", KINDS, ids=lambda ranker: type(ranker).__name__)
def test_an_eval_set_that_predict_would_reject_is_rejected(ranker) -> None:
    infinite = DATA.X.copy()
    infinite[0, 0] = np.inf
    with pytest.raises(InputError, match=r"eval_set: X contains an infinite value in column 0, row 0 [(]counted from 0[)]"):
        clone(ranker).fit(DATA.X, DATA.y, DATA.qid, eval_set=(infinite, DATA.y, DATA.qid))


@pytest.mark.parametrize("learner", [AdaRank, CoordinateAscent, EnsembleSelection])
def test_a_measure_that_is_nan_for_a_query(learner) -> None:
    size = np.count_nonzero(DATA.qid == 3)
    assert np.count_nonzero(np.bincount(DATA.qid) == size) == 1

    class Gap(Measure):
        def evaluate(self, scores, grades, offsets):
            values = parse("AP").evaluate(scores, grades, offsets)
            values[np.diff(offsets) == size] = np.nan
            return values

    try:
        # That query is then not informative; on a validation set it is an error.
        learner(Gap()).fit(DATA.X, DATA.y, DATA.qid)
        with pytest.raises(InputError, match="Gap is nan in query 3; a learner needs a finite value"):
            learner(Gap()).fit(DATA.X, DATA.y, DATA.qid, eval_set=(DATA.X, DATA.y, DATA.qid))
    finally:
        del Measure.registry["gap"]


@pytest.mark.parametrize("ranker", [SVMRanker("AP", C=1, tol=1e-6), RankSVM(C=1, tol=1e-6)], ids=["SVMRanker", "RankSVM"])
def test_a_weight_of_two_is_a_query_twice(ranker) -> None:
    twice = DATA.qid <= 10
    weighted = clone(ranker).fit(DATA.X, DATA.y, DATA.qid, query_weight=1.0 + twice).coef_
    X, y, qid = (
        np.vstack((DATA.X, DATA.X[twice])),
        np.append(DATA.y, DATA.y[twice]),
        np.append(DATA.qid, DATA.qid[twice] + 1000),
    )
    np.testing.assert_allclose(weighted, clone(ranker).fit(X, y, qid).coef_, atol=5e-3)


@pytest.mark.parametrize(
    "learner", [AdaRank, CoordinateAscent, EnsembleSelection, LambdaMART, RankBoost], ids=lambda learner: learner.__name__
)
def test_a_custom_measure_gets_documents_by_descending_score(learner) -> None:
    """As docs/measures.md says; a measure may rely on it."""

    class FirstGrade(Measure):
        def evaluate(self, scores, grades, offsets):
            for lo, hi in itertools.pairwise(offsets):
                assert np.all(np.diff(scores[lo:hi]) <= 0)
            return grades[offsets[:-1]] / 4

    data = DATA.select(DATA.qid <= 8)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            few = {"n_estimators": 5} if learner is LambdaMART else {}  # it evaluates every swap
            model = learner(measure=FirstGrade(), **few).fit(data.X, data.y, data.qid, eval_set=(data.X, data.y, data.qid))
        assert model.score(data.X, data.y, data.qid) >= 0
    finally:
        del Measure.registry["firstgrade"]
