"""AdaRank with custom weak rankers: weighted queries, samples of queries, saving, seeds and errors."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from directrank import AdaRank, InputError, LambdaMART, ModelError, RankBoost, RankSVM, SVMRanker
from directrank.data import RankingData
from directrank.datasets import make_ranking
from directrank.learners import Progress
from directrank.learners.boosting.trained_rankers import _drawn
from directrank.learners.core.shards import LocalShards
from directrank.measures import parse
from directrank.models import EstimatorModel, SumOfModels, dumps, loads

DATA = make_ranking(25, (3, 20), random_state=3)
FIVE = RankingData(DATA.X[:, 3:8], DATA.y, DATA.qid)  # features of which none does it all


class BestColumn:
    """A ranker of nobody's library: the column of the highest weighted mean AP."""

    def fit(self, X, y, qid, query_weight):
        X = X.toarray() if sparse.issparse(X) else X
        queries = RankingData(X, y, qid).by_query()
        weights = queries.to_query_order(query_weight)[queries.offsets[:-1]]
        grades = queries.to_query_order(y)
        values = [parse("AP").evaluate(queries.to_query_order(column), grades, queries.offsets) for column in X.T]
        self.column_ = int(np.argmax(np.round(np.array(values) @ weights, 9)))
        return self

    def predict(self, X):
        return X[:, [self.column_]].toarray().ravel() if sparse.issparse(X) else X[:, self.column_]


class Recorder(Ridge):
    """A regressor that tells what it was trained on, by a list that its clones share."""

    seen: list = []

    def fit(self, X, y, qid=None):
        Recorder.seen.append((X.copy(), y.copy(), qid.copy()))
        return super().fit(X, y)


@pytest.mark.parametrize("patience", [None, 6])
@pytest.mark.parametrize("matrix", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_a_weak_ranker_that_picks_the_best_feature_equals_single_features(matrix, patience: int | None) -> None:
    order = np.random.default_rng(0).permutation(len(FIVE))
    X, y, qid = matrix(FIVE.X[order]), FIVE.y[order], FIVE.qid[order]
    weight = 1.0 + (qid <= 10)
    given = {"set_aside": False, "early_stopping_rounds": patience, "n_estimators": 10}
    features = AdaRank("AP", **given, scaling="none").fit(X, y, qid, query_weight=weight)
    trained = AdaRank("AP", **given, weak_ranker=BestColumn()).fit(X, y, qid, query_weight=weight)
    np.testing.assert_allclose(trained.alphas_, features.alphas_, rtol=1e-9)
    assert [weak.estimator.column_ for weak in trained.model_.models] == features.features_.tolist()
    np.testing.assert_allclose(trained.predict(X), features.predict(X), rtol=1e-9)
    for one, other in zip(trained.history_, features.history_, strict=True):
        assert one.info["feature"] is None and one.info["bound"] == pytest.approx(other.info["bound"])
        assert one.evals["training"]["AP"] == pytest.approx(other.evals["training"]["AP"])


@settings(max_examples=15)
@given(st.integers(0, 10_000), st.sampled_from([None, 0.5]), st.sampled_from(["adarank", "adaboost"]))
def test_theorem_1_holds_for_any_weak_ranker(seed: int, sample: float | None, update: str) -> None:
    data = make_ranking(12, (3, 10), random_state=seed)
    for weak in (RankBoost(n_estimators=2), DecisionTreeRegressor(max_depth=2)):
        learner = AdaRank("AP", weak_ranker=weak, sample=sample, update=update, early_stopping_rounds=3, n_estimators=6)
        model = learner.fit(data.X, data.y, data.qid)
        values, bounds = model.evals_result_["training"]["AP"], [step.info["bound"] for step in model.history_]
        assert values and all(value >= bound - 1e-9 for value, bound in zip(values, bounds, strict=True))
        assert model.score(data.X, data.y, data.qid) == pytest.approx(max(values), abs=1e-9)


def test_the_model_is_the_weighted_sum_of_its_parts_and_is_saved_with_them() -> None:
    weak = LambdaMART("AP", n_estimators=3, num_leaves=4, min_child_samples=5)
    model = AdaRank("AP", weak_ranker=weak, n_estimators=3, early_stopping_rounds=3).fit(DATA.X, DATA.y, DATA.qid)
    wanted = sum(a * part.predict(DATA.X) for a, part in zip(model.alphas_, model.model_.models, strict=True))
    np.testing.assert_allclose(model.predict(DATA.X), wanted)
    again = loads(dumps(model))
    assert isinstance(again, SumOfModels) and again.provenance == model.model_.provenance
    np.testing.assert_array_equal(again.predict(DATA.X), model.predict(DATA.X))
    with pytest.raises(AttributeError, match=r"AdaRank has no coef_, for its model is not a weighted sum .*; see model_"):
        model.coef_  # noqa: B018
    assert not hasattr(model, "coef_") and model.features_.size == 0


def test_linear_weak_rankers_are_exported_as_one_weighted_sum() -> None:
    weak = SVMRanker("AP", C=0.1, bound="convex", scaling="standard")
    model = AdaRank("AP", weak_ranker=weak, early_stopping_rounds=2, n_estimators=3).fit(DATA.X, DATA.y, DATA.qid).model_
    whole = model.portable()
    np.testing.assert_allclose(DATA.X[:, whole.columns] @ whole.weights + whole.intercept, model.predict(DATA.X))


def test_estimators_of_other_libraries_can_be_pickled_but_not_saved_or_exported() -> None:
    model = AdaRank("AP", weak_ranker=Ridge(), n_estimators=2).fit(DATA.X, DATA.y, DATA.qid)
    assert isinstance(model.model_.models[0], EstimatorModel)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(DATA.X), model.predict(DATA.X))
    with pytest.raises(ModelError, match="Ridge is not a learner of directrank, so that its model cannot be saved"):
        dumps(model)
    with pytest.raises(ModelError, match="Ridge is not a learner of directrank, so that its model cannot be exported"):
        model.model_.importances()


def test_a_sample_is_of_whole_queries_each_copy_with_a_qid_of_its_own() -> None:
    Recorder.seen = []
    order = np.random.default_rng(0).permutation(len(FIVE))
    X, y, qid = FIVE.X[order], FIVE.y[order], FIVE.qid[order]
    AdaRank("AP", weak_ranker=Recorder(), sample=0.4, n_estimators=1).fit(X, y, qid)
    ((rows, grades, queries),) = Recorder.seen
    graded = [q for q in np.unique(qid) if 0 < np.mean(y[qid == q] > 0) < 1]
    assert np.unique(queries).size == round(0.4 * len(graded))
    table, drawn = np.column_stack((X, y)), np.column_stack((rows, grades))
    whole = [sorted(table[qid == q].tolist()) for q in graded]
    assert all(sorted(drawn[queries == q].tolist()) in whole for q in np.unique(queries))


def test_without_query_weight_all_queries_are_drawn_from() -> None:
    Recorder.seen = []
    AdaRank("AP", weak_ranker=Recorder(), n_estimators=1).fit(FIVE.X, FIVE.y, FIVE.qid)
    graded = [q for q in np.unique(FIVE.qid) if 0 < np.mean(FIVE.y[FIVE.qid == q] > 0) < 1]
    assert np.unique(Recorder.seen[0][2]).size == len(graded)


def test_queries_are_drawn_by_P() -> None:
    P, keys = np.array([0.0, 0.1, 0.6, 0.3]), np.array([7, 3, 9, 1], np.uint64)
    counts = sum(_drawn(P, keys, 10, np.random.default_rng(seed)) for seed in range(400))
    assert counts[0] == 0
    np.testing.assert_allclose(counts / 4000, P, atol=0.03)
    order = np.array([2, 0, 3, 1])
    one, other = (_drawn(P[o], keys[o], 10, np.random.default_rng(0)) for o in (np.arange(4), order))
    np.testing.assert_array_equal(one[order], other)


def test_each_clone_has_a_seed_of_its_own_and_all_depend_on_random_state() -> None:
    def seeds(random_state: int) -> list[int]:
        weak = make_pipeline(StandardScaler(), DecisionTreeRegressor(max_depth=2, random_state=5))
        weak.fit(FIVE.X, FIVE.y)  # a clone is not fitted
        learner = AdaRank("AP", weak_ranker=OfRows(weak), random_state=random_state, n_estimators=3, early_stopping_rounds=3)
        learner.fit(FIVE.X, FIVE.y, FIVE.qid)
        return [part.estimator.model.steps[-1][1].random_state for part in learner.model_.models]

    assert seeds(0) == seeds(0) != seeds(1)[: len(seeds(0))]
    assert len(set(seeds(0))) == len(seeds(0))


class OfRows(Ridge):
    """An estimator of rows as one that takes queries."""

    def __init__(self, model=None) -> None:
        self.model = model

    def fit(self, X, y, qid, query_weight):
        self.model = clone(self.model).fit(X, y, decisiontreeregressor__sample_weight=query_weight)
        return self

    def predict(self, X):
        return self.model.predict(X)


def test_sample_weights_are_P_scaled_to_mean_1() -> None:
    seen = []

    class Weighed(BestColumn):
        def fit(self, X, y, qid, query_weight):
            seen.append(np.array([query_weight[qid == q][0] for q in np.unique(qid)]))
            return super().fit(X, y, qid, query_weight)

    model = AdaRank("AP", weak_ranker=Weighed(), n_estimators=2, early_stopping_rounds=5).fit(FIVE.X, FIVE.y, FIVE.qid)
    assert len(seen) == 2 and np.ptp(seen[0]) == 0
    column = model.model_.models[0].estimator.column_
    queries = FIVE.by_query()
    values = parse("AP").evaluate(FIVE.X[:, column], FIVE.y, queries.offsets)
    informative = np.array([0 < np.mean(FIVE.y[rows] > 0) < 1 for rows in queries.each()])
    wanted = np.exp(-values[informative])
    np.testing.assert_allclose(np.sort(seen[1]), np.sort(wanted / wanted.mean()))


def test_a_pipeline_gets_the_arguments_that_its_steps_accept() -> None:
    """A regressor a sample of rows, a ranker weighted queries; where the scale of features does not matter, as without."""
    given = {"n_estimators": 3, "early_stopping_rounds": 5}
    for weak in (DecisionTreeRegressor(max_depth=2), RankSVM(C=1.0)):
        bare, piped = (
            AdaRank("AP", weak_ranker=ranker, **given).fit(FIVE.X, FIVE.y, FIVE.qid)
            for ranker in (weak, make_pipeline(StandardScaler(with_mean=False, with_std=False), weak))
        )
        np.testing.assert_allclose(piped.predict(FIVE.X), bare.predict(FIVE.X), rtol=1e-6, atol=1e-9)
    search = GridSearchCV(make_pipeline(StandardScaler(), Ridge()), {"ridge__alpha": [0.1, 10.0]}, cv=2)
    assert AdaRank("AP", weak_ranker=search, **given).fit(FIVE.X, FIVE.y, FIVE.qid).score(FIVE.X, FIVE.y, FIVE.qid) > 0.3


def test_a_perfect_weak_ranker_is_the_whole_model() -> None:
    X = np.column_stack((DATA.X, DATA.y + 0.01 * np.arange(len(DATA)) / len(DATA)))
    model = AdaRank("AP", weak_ranker=BestColumn(), early_stopping_rounds=5).fit(X, DATA.y, DATA.qid)
    assert model.alphas_.tolist() == [1.0] and len(model.history_) == 1


def test_a_useless_weak_ranker_warns() -> None:
    class Constant(BestColumn):
        def predict(self, X):
            return np.zeros(X.shape[0])

    with pytest.warns(UserWarning, match="AdaRank learned nothing: no weak ranker has a mean AP above 0 and ranks at all"):
        model = AdaRank("AP", weak_ranker=Constant()).fit(DATA.X, DATA.y, DATA.qid)
    assert not model.predict(DATA.X).any()


def test_ctrl_c_while_a_weak_ranker_learns_ends_the_boosting() -> None:
    calls = []

    class Impatient(BestColumn):
        def fit(self, X, y, qid, query_weight):
            calls.append(1)
            if len(calls) == 2:
                raise KeyboardInterrupt
            return super().fit(X, y, qid, query_weight)

    def interrupt(progress: Progress) -> None:
        raise KeyboardInterrupt

    class Interrupted(RankBoost):
        def fit_shards(self, *shards, **given):
            return super().fit_shards(*shards, **given, callbacks=[interrupt])

    for weak, rounds in ((Impatient(), 1), (Interrupted(n_estimators=5), 0)):
        model = AdaRank("AP", weak_ranker=weak, early_stopping_rounds=5)
        with pytest.raises(KeyboardInterrupt):
            model.fit(DATA.X, DATA.y, DATA.qid, keep_partial=True)
        assert model.interrupted_ and len(model.history_) == rounds
        assert hasattr(model, "model_") == (rounds > 0)


@pytest.mark.parametrize(
    ("learner", "sentence"),
    [
        (AdaRank(weak_ranker=3), r"weak_ranker must have fit and predict, as RankSVM\(\) does, or be None, not 3"),
        (AdaRank(weak_ranker=RankSVM), "weak_ranker must have fit and predict"),
        (AdaRank(sample=0.5), "sample is for training a weak_ranker, and features are not trained; give a weak_ranker too"),
        (
            AdaRank(weak_ranker=RankSVM(), scaling="log"),
            "scaling='log' .* leave it at 'auto', and scale within the weak_ranker",
        ),
        (AdaRank(weak_ranker=RankSVM(), sample=0), "sample must be a number above 0, not 0"),
        (AdaRank(early_stopping_rounds=0), "early_stopping_rounds must be an integer of at least 1, not 0"),
        (AdaRank(update="logit"), "update must be 'adarank' or 'adaboost', not 'logit'"),
        (AdaRank(random_state=-1), "random_state must be an integer of at least 0, not -1"),
        (AdaRank("DCG", weak_ranker=RankSVM(C=1.0)), r"AdaRank needs a measure with values in \[-1, 1\], and DCG has"),
    ],
)
def test_invalid_parameters_are_rejected(learner, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        learner.fit(DATA.X, DATA.y, DATA.qid)


def test_invalid_predictions_are_rejected() -> None:
    class Wrong(BestColumn):
        def predict(self, X):
            return np.zeros((X.shape[0], 2))

    class Infinite(BestColumn):
        def predict(self, X):
            return np.full(X.shape[0], np.inf)

    with pytest.raises(InputError, match=r"Wrong predicts \(\d+, 2\) numbers for \d+ rows; a model gives each one score"):
        AdaRank(weak_ranker=Wrong()).fit(DATA.X, DATA.y, DATA.qid)
    with pytest.raises(InputError, match="Infinite predicts scores that are not finite"):
        AdaRank(weak_ranker=Infinite()).fit(DATA.X, DATA.y, DATA.qid)


def test_several_shards_need_a_ranker_that_takes_them() -> None:
    half = np.unique(DATA.qid).size // 2
    shards = LocalShards.from_data([DATA.select(DATA.qid <= half), DATA.select(DATA.qid > half)], parse("AP"))
    with pytest.raises(InputError, match="the rows are in 2 shards, and Ridge, the weak_ranker, learns from rows in one"):
        AdaRank("AP", weak_ranker=Ridge()).fit_shards(shards)
    assert AdaRank("AP", weak_ranker=RankBoost(n_estimators=3), sample=0.5, n_estimators=2).fit_shards(shards).alphas_.size
