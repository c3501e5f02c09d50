"""What every learner does: scikit-learn's checks, any order of rows and queries, any number of threads, clear errors."""

from __future__ import annotations

import itertools
import pickle
import warnings

import numba
import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from directrank import (
    AdaRank,
    CoordinateAscent,
    InputError,
    LambdaMART,
    Measure,
    MultivariateSVC,
    OneVsRestSVM,
    RankBoost,
    RankSVM,
    SVMRanker,
    routing,
)
from directrank.data import QueryKFold
from directrank.datasets import make_ranking
from directrank.measures import as_measure, parse
from directrank.models import dumps, loads

pytestmark = pytest.mark.filterwarnings("ignore:SVMRanker learned nothing")

RANKERS = [
    SVMRanker("AP"),
    SVMRanker("nDCG", C=10),
    SVMRanker("nDCG@5"),
    SVMRanker("RR"),
    SVMRanker("P@3"),
    SVMRanker("Rprec"),
    SVMRanker("AUC", C=10),
    RankSVM(C=10),
    OneVsRestSVM(C=10),
    AdaRank("AP"),
    AdaRank("nDCG@5", directions="both"),
    RankBoost(50),
    CoordinateAscent("AP", n_restarts=1),
    LambdaMART("AUC", n_estimators=20, num_leaves=7, min_data_in_leaf=5),
    LambdaMART("AP", n_estimators=20, num_leaves=7, min_data_in_leaf=5),
]
ids = [f"{type(ranker).__name__}-{ranker.measure}" for ranker in RANKERS]

DATA = make_ranking(30, (5, 30), random_state=0)


@pytest.mark.parametrize(
    "learner",
    [
        SVMRanker(max_iter=50),
        RankSVM(max_iter=50),
        MultivariateSVC(max_iter=200),
        OneVsRestSVM(max_iter=50),
        AdaRank(),
        RankBoost(20),
        CoordinateAscent(n_restarts=1, max_iter=2),
        LambdaMART(n_estimators=5),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_scikit_learns_checks(learner) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(learner)


@pytest.mark.parametrize("ranker", RANKERS, ids=ids)
def test_shuffled_rows_and_renamed_queries_change_rounding_only(ranker) -> None:
    ranker = clone(ranker)
    if "C" in ranker.get_params():
        ranker.set_params(tol=1e-6)
    wanted = clone(ranker).fit(DATA.X, DATA.y, DATA.qid).predict(DATA.X)
    order = np.random.default_rng(0).permutation(len(DATA))
    names = np.array([f"q{(q * 7) % 31}" for q in DATA.qid.tolist()])
    found = clone(ranker).fit(DATA.X[order], DATA.y[order], names[order]).predict(DATA.X)
    np.testing.assert_allclose(found, wanted, atol=5e-3 * np.abs(wanted).max())


@pytest.mark.parametrize("ranker", RANKERS, ids=ids)
def test_one_thread_gives_the_same_model(ranker) -> None:
    many = clone(ranker).fit(DATA.X, DATA.y, DATA.qid).predict(DATA.X)
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        one = clone(ranker).fit(DATA.X, DATA.y, DATA.qid).predict(DATA.X)
    finally:
        numba.set_num_threads(before)
    np.testing.assert_array_equal(one, many)


@pytest.mark.parametrize("ranker", RANKERS, ids=ids)
def test_dense_sparse_and_mapped_give_the_same_model(ranker, tmp_path) -> None:
    model = clone(ranker).fit(DATA.X, DATA.y, DATA.qid)
    wanted = model.predict(DATA.X)
    np.save(tmp_path / "x.npy", DATA.X)
    for X in (sparse.csr_array(DATA.X), np.load(tmp_path / "x.npy", mmap_mode="r")):
        found = clone(ranker).fit(X, DATA.y, DATA.qid)
        np.testing.assert_allclose(found.predict(X), wanted, atol=1e-6 * np.abs(wanted).max())
    if hasattr(model, "coef_"):
        np.testing.assert_allclose(wanted, DATA.X @ model.coef_, atol=1e-9)
    X = DATA.X.astype(np.float32)
    single = clone(ranker).fit(X, DATA.y, DATA.qid).predict(X)
    np.testing.assert_allclose(single, wanted, atol=1e-2 * np.abs(wanted).max())


@pytest.mark.parametrize("ranker", RANKERS, ids=ids)
def test_pickling_saving_and_cloning(ranker) -> None:
    model = clone(ranker).fit(DATA.X, DATA.y, DATA.qid)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(DATA.X), model.predict(DATA.X))
    again = loads(dumps(model))
    np.testing.assert_array_equal(again.predict(DATA.X), model.predict(DATA.X))
    with pytest.raises(NotFittedError):
        clone(model).predict(DATA.X)


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
        scores = cross_validate(SVMRanker(), DATA.X, DATA.y, cv=QueryKFold(3), params={"qid": DATA.qid})
        search = GridSearchCV(make_pipeline(StandardScaler(), SVMRanker()), {"svmranker__C": [0.1, 10.0]}, cv=QueryKFold(3))
        search.fit(DATA.X, DATA.y, qid=DATA.qid)
        grid = GridSearchCV(SVMRanker(), {"C": [0.1, 10.0]}, cv=QueryKFold(3)).fit(DATA.X, DATA.y, qid=DATA.qid)
    assert not sklearn.get_config()["enable_metadata_routing"]
    for i, (train, test) in enumerate(QueryKFold(3).split(DATA.X, qid=DATA.qid)):
        model = SVMRanker().fit(DATA.X[train], DATA.y[train], DATA.qid[train])
        assert scores["test_score"][i] == model.score(DATA.X[test], DATA.y[test], DATA.qid[test])
    assert search.best_params_["svmranker__C"] in (0.1, 10.0) and grid.best_score_ > 0.3


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
            "MultivariateSVC needs joachims_scale, which AP does not have; measures",
        ),
        (
            SVMRanker("AP@10"),
            (DATA.X, DATA.y, DATA.qid),
            "AP@10: the most violated ranking is known for AP without a cut-off",
        ),
        (SVMRanker(), (DATA.X, np.ones(len(DATA)), DATA.qid), "there is nothing to learn from"),
        (SVMRanker(), (DATA.X, DATA.y - 1, DATA.qid), "grades must not be negative"),
        (SVMRanker(), (DATA.X, DATA.y, DATA.qid[:-1]), "qid has"),
        (SVMRanker(), (np.where(DATA.X > 2, np.nan, DATA.X), DATA.y, DATA.qid), "contains NaN"),
        (SVMRanker(C=-1), (DATA.X, DATA.y, DATA.qid), "C must be a number above 0 or 'auto', not -1"),
        (MultivariateSVC(), (DATA.X, np.ones(len(DATA))), "y has one class only"),
        (SVMRanker(max_iter="many"), (DATA.X, DATA.y, DATA.qid), "max_iter must be a whole number from 1 up, not 'many'"),
        (SVMRanker(C="auto", cv=1), (DATA.X, DATA.y, DATA.qid), "cv must be a whole number from 2 up, not 1"),
        (AdaRank(max_rounds=-1), (DATA.X, DATA.y, DATA.qid), "max_rounds must be a whole number from 1 up, not -1"),
        (AdaRank(tol=np.nan), (DATA.X, DATA.y, DATA.qid), "tol must be a number from 0 up, not nan"),
        (AdaRank(set_aside="no"), (DATA.X, DATA.y, DATA.qid), "set_aside must be True or False, not 'no'"),
        (RankBoost(n_rounds=0), (DATA.X, DATA.y, DATA.qid), "n_rounds must be a whole number from 1 up, not 0"),
        (RankBoost(measure="nonsense"), (DATA.X, DATA.y, DATA.qid), "there is no measure 'nonsense'"),
        (CoordinateAscent(max_iter=2.5), (DATA.X, DATA.y, DATA.qid), "max_iter must be a whole number from 1 up, not 2.5"),
        (LambdaMART(n_estimators=0), (DATA.X, DATA.y, DATA.qid), "n_estimators must be a whole number from 1 up, not 0"),
        (LambdaMART(sigma=0), (DATA.X, DATA.y, DATA.qid), "sigma must be a number above 0, not 0"),
    ],
)
def test_bad_input_gets_a_clear_sentence(learner, arguments: tuple, sentence: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011
        learner.fit(*arguments)
    assert sentence in str(error.value)


def test_query_weights_must_be_those_of_queries() -> None:
    with pytest.raises(InputError, match="query_weight differs within a query"):
        SVMRanker().fit(DATA.X, DATA.y, DATA.qid, query_weight=np.arange(len(DATA)))
    for wrong in (-1.0, np.inf):
        with pytest.raises(InputError, match="query_weight has weights that are negative or infinite"):
            SVMRanker().fit(DATA.X, DATA.y, DATA.qid, query_weight=np.full(len(DATA), wrong))


@pytest.mark.parametrize(
    "ranker", [r for r in RANKERS if not isinstance(r, LambdaMART)], ids=[i for i in ids if "MART" not in i]
)
def test_an_eval_set_that_predict_would_refuse_is_refused(ranker) -> None:
    ranker = clone(ranker)
    if "C" in ranker.get_params():
        ranker.set_params(C="auto", Cs=[1.0])
    missing = DATA.X.copy()
    missing[0, 0] = np.nan
    with pytest.raises(InputError, match="eval_set: Input X contains NaN"):
        ranker.fit(DATA.X, DATA.y, DATA.qid, eval_set=(missing, DATA.y, DATA.qid))


@pytest.mark.parametrize("learner", [AdaRank, CoordinateAscent])
def test_a_measure_that_is_no_number_in_a_query(learner) -> None:
    class Gap(Measure):
        def evaluate(self, scores, grades, offsets):
            values = parse("AP").evaluate(scores, grades, offsets)
            values[2] = np.nan
            return values

    try:
        # That query then teaches nothing; on a validation set it is an error.
        learner(Gap()).fit(DATA.X, DATA.y, DATA.qid)
        with pytest.raises(InputError, match="Gap is nan in query 3; a learner needs a number"):
            learner(Gap()).fit(DATA.X, DATA.y, DATA.qid, eval_set=(DATA.X, DATA.y, DATA.qid))
    finally:
        del Measure.registry["gap"]


@pytest.mark.parametrize("ranker", [SVMRanker("AP", tol=1e-6), RankSVM(tol=1e-6)], ids=["SVMRanker", "RankSVM"])
def test_a_weight_of_two_is_a_query_twice(ranker) -> None:
    twice = DATA.qid <= 10
    weighted = clone(ranker).fit(DATA.X, DATA.y, DATA.qid, query_weight=1.0 + twice).coef_
    X, y, qid = (
        np.vstack((DATA.X, DATA.X[twice])),
        np.append(DATA.y, DATA.y[twice]),
        np.append(DATA.qid, DATA.qid[twice] + 1000),
    )
    np.testing.assert_allclose(weighted, clone(ranker).fit(X, y, qid).coef_, atol=5e-3)


@pytest.mark.parametrize("learner", [AdaRank, CoordinateAscent, LambdaMART, RankBoost], ids=lambda learner: learner.__name__)
def test_a_measure_of_ones_own_gets_documents_by_falling_score(learner) -> None:
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
            model = learner(measure=FirstGrade()).fit(data.X, data.y, data.qid, eval_set=(data.X, data.y, data.qid))
        assert model.score(data.X, data.y, data.qid) >= 0
    finally:
        del Measure.registry["firstgrade"]
