"""Linear learners with ``scaling="query"``: the model of a pipeline by hand, in one piece."""

from __future__ import annotations

import pickle
from functools import cache

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from directrank import (
    AdaRank,
    CoordinateAscent,
    InputError,
    LambdaMART,
    MultivariateSVC,
    OneVsRestSVM,
    RankSVM,
    SmoothRank,
    SVMRanker,
    load_model,
    routing,
    save_model,
)
from directrank.datasets import make_ranking
from directrank.features import QueryMinMax
from directrank.fusion import select_models
from directrank.learners.core.shards import LocalShards
from directrank.measures import AP
from directrank.models import ModelError, as_model

DATA = make_ranking(30, (5, 30), random_state=0)
RAW = np.where(DATA.X > -1, np.exp(2 * DATA.X), 0.0)
OTHER = make_ranking(5, (5, 30), random_state=1)

LEARNERS = [
    SVMRanker("AP", C=1, scaling="query"),
    SVMRanker("nDCG", C=10, kernel="rbf", scaling="query"),
    RankSVM(C=10, scaling="query"),
    OneVsRestSVM(C=10, scaling="query"),
    CoordinateAscent("AP", n_restarts=1, max_iter=3, scaling="query"),
    SmoothRank("nDCG@5", cv=2, max_iter=2, scaling="query"),
]
each_learner = pytest.mark.parametrize(
    "learner", LEARNERS, ids=["SVMRanker", "kernel", "RankSVM", "OneVsRestSVM", "CoordinateAscent", "SmoothRank"]
)


@cache
def fitted(learner):
    return clone(learner).fit(RAW, DATA.y, DATA.qid, eval_set=(np.exp(OTHER.X), OTHER.y, OTHER.qid))


@each_learner
def test_the_model_is_that_of_a_pipeline(learner) -> None:
    scaler, plain = QueryMinMax(), clone(learner).set_params(scaling="none")
    eval_set = (scaler.fit_transform(np.exp(OTHER.X), qid=OTHER.qid), OTHER.y, OTHER.qid)
    plain.fit(scaler.fit_transform(RAW, qid=DATA.qid), DATA.y, DATA.qid, eval_set=eval_set)
    wanted = plain.predict(scaler.transform(OTHER.X, qid=OTHER.qid))
    found = fitted(learner)
    np.testing.assert_array_equal(found.predict(OTHER.X, OTHER.qid), wanted)
    for name, values in plain.evals_result_["validation"].items():
        assert found.evals_result_["validation"][name] == pytest.approx(values)
    if getattr(learner, "kernel", "linear") == "linear":
        np.testing.assert_array_equal(found.coef_, plain.coef_)


@each_learner
def test_any_order_gives_the_same_bits_and_sparse_rows_the_same_model(learner) -> None:
    rows = np.random.default_rng(0).permutation(len(DATA))
    wanted = clone(learner).fit(RAW, DATA.y, DATA.qid)
    shuffled = clone(learner).fit(RAW[rows], DATA.y[rows], [f"q{q}" for q in DATA.qid[rows]])
    sparse_rows = clone(learner).fit(sparse.csr_array(RAW), DATA.y, DATA.qid)
    one_shard = clone(learner).fit_shards(LocalShards.from_data([DATA.replace(X=RAW)], AP()))
    scores = wanted.predict(RAW, DATA.qid)
    for other in (shuffled, one_shard):
        np.testing.assert_array_equal(other.predict(RAW, DATA.qid), scores)
    np.testing.assert_allclose(sparse_rows.predict(RAW, DATA.qid), scores, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(wanted.predict(sparse.csr_array(RAW), DATA.qid), scores, rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(wanted.predict(RAW[rows], DATA.qid[rows]), scores[rows])


@each_learner
def test_units_of_a_query_do_not_matter(learner) -> None:
    factors = 2.0 ** np.random.default_rng(0).integers(-5, 5, (DATA.n_queries + 1, DATA.n_features))[DATA.qid]
    other = clone(learner).fit(RAW * factors, DATA.y, DATA.qid)
    np.testing.assert_array_equal(
        other.predict(RAW, DATA.qid), clone(learner).fit(RAW, DATA.y, DATA.qid).predict(RAW, DATA.qid)
    )


@each_learner
def test_saving_pickling_and_cloning(learner, tmp_path) -> None:
    model, wanted = fitted(learner), fitted(learner).predict(OTHER.X, OTHER.qid)
    save_model(tmp_path / "model.json", model)
    for other in (load_model(tmp_path / "model.json"), pickle.loads(pickle.dumps(model)), as_model(model)):
        np.testing.assert_array_equal(other.predict(OTHER.X, OTHER.qid), wanted)
    assert clone(model).scaling == "query"


@each_learner
def test_missing_values_are_filled_in_after_scaling(learner) -> None:
    X = RAW.copy()
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    X[:, 3] = np.nan
    scaled = QueryMinMax().fit_transform(X, qid=DATA.qid)
    wanted = clone(learner).set_params(scaling="none").fit(scaled, DATA.y, DATA.qid).predict(scaled)
    for form in (np.asarray, sparse.csr_array):
        found = clone(learner).fit(form(X), DATA.y, DATA.qid).predict(form(X), DATA.qid)
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-11)


@each_learner
def test_a_forgotten_qid_is_an_error(learner) -> None:
    for predict in (fitted(learner).predict, fitted(learner).model_.predict, fitted(learner).model_.scores):
        with pytest.raises(InputError, match="scales features within each query and needs qid"):
            predict(OTHER.X)
    with pytest.warns(UserWarning, match="without qid"), pytest.raises(InputError, match="needs qid"):
        fitted(learner).score(OTHER.X, OTHER.y)
    assert fitted(learner).score(OTHER.X, OTHER.y, OTHER.qid) > 0


def test_rows_are_one_query_if_the_training_rows_were() -> None:
    model = RankSVM(C=1.0, scaling="query").fit(RAW, DATA.y, np.zeros(len(DATA)))
    np.testing.assert_array_equal(model.predict(OTHER.X), model.predict(OTHER.X, np.zeros(len(OTHER))))


def test_a_sparse_x_stays_sparse_unless_values_are_below_0() -> None:
    mixed = np.where(DATA.X > 1, DATA.X, np.minimum(DATA.X + 1, 0.0))
    with pytest.raises(InputError, match="a sparse X with values below 0 would no longer be sparse"):
        RankSVM(C=1.0, scaling="query").fit(sparse.csr_array(mixed), DATA.y, DATA.qid)
    wide = sparse.csr_array((np.ones(len(DATA)), (np.arange(len(DATA)), DATA.y.astype(int) * 10**6)), (len(DATA), 10**7))
    model = RankSVM(C=1.0, scaling="query").fit(wide, DATA.y, DATA.qid)
    perfect = RankSVM(C=1.0, scaling="none").fit(wide, DATA.y, DATA.qid).score(wide, DATA.y, DATA.qid)
    assert model.score(wide, DATA.y, DATA.qid) == pytest.approx(perfect) and model.coef_.size == 10**7


def test_a_mapped_x_is_scaled_in_a_file(tmp_path) -> None:
    np.save(tmp_path / "X.npy", RAW)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    wanted = clone(LEARNERS[2]).fit(RAW, DATA.y, DATA.qid).coef_
    np.testing.assert_array_equal(clone(LEARNERS[2]).fit(mapped, DATA.y, DATA.qid).coef_, wanted)


def test_pipelines_hand_qid_on() -> None:
    wanted = fitted(LEARNERS[2])
    wanted = clone(wanted).fit(StandardScaler().fit_transform(RAW), DATA.y, DATA.qid)
    with routing():
        pipeline = make_pipeline(StandardScaler(), clone(LEARNERS[2])).fit(RAW, DATA.y, qid=DATA.qid)
        scores = pipeline.predict(RAW, qid=DATA.qid)
        plain = make_pipeline(QueryMinMax(), RankSVM(C=10)).fit(RAW, DATA.y, qid=DATA.qid)
        assert plain.predict(RAW, qid=DATA.qid).shape == DATA.y.shape
    np.testing.assert_array_equal(scores, wanted.predict(StandardScaler().fit_transform(RAW), DATA.qid))
    np.testing.assert_allclose(as_model(pipeline).predict(RAW, DATA.qid), scores, rtol=1e-9)


def test_other_learners_build_on_it() -> None:
    ranker = RankSVM(C=1.0, scaling="query")
    boosted = AdaRank("AP", weak_ranker=ranker, n_estimators=3).fit(RAW, DATA.y, DATA.qid)
    assert boosted.score(RAW, DATA.y, DATA.qid) > 0.5
    chosen = select_models([fitted(LEARNERS[2]), fitted(LEARNERS[0])], RAW, DATA.y, DATA.qid)
    assert chosen.predict(RAW, DATA.qid).shape == DATA.y.shape
    with pytest.raises(ModelError, match="scales features within each query"):
        LambdaMART("AP", init=ranker, n_estimators=2).fit(RAW, DATA.y, DATA.qid)


def test_no_target_scales_within_queries() -> None:
    with pytest.raises(ModelError, match="elsewhere documents are scored one at a time"):
        fitted(LEARNERS[3]).model_.portable()


def test_a_classifier_has_no_queries() -> None:
    with pytest.raises(InputError, match="scaling='query' needs queries, and a classifier has none"):
        MultivariateSVC("F1", scaling="query").fit(DATA.X, DATA.y > 0)
