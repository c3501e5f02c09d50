"""Cross-validation: which queries a learner sees, and the values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from directrank import AdaRank, InputError, LambdaMART, Qrels, RankingData, RankSVM, evaluate, evaluate_run, routing
from directrank.data import as_run
from directrank.data.splits import fold_rows
from directrank.datasets import make_ranking
from directrank.features import QueryMinMax
from directrank.learners import Progress
from directrank.selection import cross_validate


@pytest.fixture(scope="module")
def data() -> RankingData:
    return make_ranking(20, random_state=0)


def shuffled(data: RankingData, seed: int = 0) -> tuple[RankingData, Any]:
    order = np.random.default_rng(seed).permutation(len(data))
    return data.select(order), order


@pytest.mark.parametrize("n_folds", [3, 5, 20])
def test_folds_keep_queries_whole_and_rotate_roles(data: RankingData, n_folds: int) -> None:
    folds = fold_rows(data, n_folds, random_state=1)
    qid = data.qid
    assert qid is not None
    for rows in folds:
        queries = [set(qid[part].tolist()) for part in rows]
        assert not (queries[0] & queries[1] or queries[0] & queries[2] or queries[1] & queries[2])
        assert sorted(np.concatenate(rows).tolist()) == list(range(len(data)))
    for role in (1, 2):
        assert sorted(np.concatenate([rows[role] for rows in folds]).tolist()) == list(range(len(data)))
    sizes = [np.unique(qid[rows.test]).size for rows in folds]
    assert max(sizes) - min(sizes) <= 1


def test_folds_match_letor(data: RankingData) -> None:
    """The validation part of fold i is the test part of fold i - 1."""
    folds = fold_rows(data, 5)
    for before, rows in zip(folds, folds[1:], strict=False):
        assert rows.validation.tolist() == before.test.tolist()


def test_row_order_does_not_matter(data: RankingData) -> None:
    other, order = shuffled(data)
    one, two = (cross_validate(RankSVM(C=1.0), some, "AP") for some in (data, other))
    assert one.folds[order].tolist() == two.folds.tolist()
    np.testing.assert_allclose(one.scores[order], two.scores, rtol=1e-6)
    assert one.means["AP"] == pytest.approx(two.means["AP"], abs=1e-9)


def test_errors_about_features_name_the_place_in_the_data(data: RankingData) -> None:
    """Not in the rows of a fold, nor of a validation set."""
    missing, large = data.X.copy(), data.X.copy()
    missing[[-1, -2], [1, 0]] = np.nan
    large[:, 2] = np.where(data.y > 0, 1e308, -1e308)
    place = rf"feature 1 of query {data.qid[-2]} \(row {len(data) - 1:,}\) is missing \(NaN\)"
    with pytest.raises(InputError, match=place + ", and this learner does not accept missing values; fill them in, or use"):
        cross_validate(LinearRegression(), RankingData(missing, data.y, data.qid), "AP")
    named = RankingData(large, data.y, data.qid, feature_names=[f"f{j}" for j in range(data.n_features)])
    with pytest.raises(InputError, match="feature 'f2' has values too large to be summed in double precision; scale it"):
        cross_validate(RankSVM(C=1.0), named)


def test_another_seed_gives_other_folds(data: RankingData) -> None:
    assert any(
        a.test.tolist() != b.test.tolist()
        for a, b in zip(fold_rows(data, 5, random_state=0), fold_rows(data, 5, random_state=1), strict=True)
    )


def test_values_match_an_explicit_loop(data: RankingData) -> None:
    learner = LambdaMART("nDCG@5", n_seeds=1, n_estimators=15, num_leaves=4)
    result = cross_validate(learner, data, ["nDCG@5", "AP"], n_folds=4, random_state=3)
    by_hand: dict[Any, float] = {}
    for number, (train, validation, test) in enumerate(fold_rows(data, 4, random_state=3), 1):
        a, b, c = data.select(train), data.select(validation), data.select(test)
        model = LambdaMART("nDCG@5", n_seeds=1, n_estimators=15, num_leaves=4).fit(
            a.X, a.y, a.qid, eval_set=(b.X, b.y, b.qid)
        )
        found = evaluate(c.y, model.predict(c.X), c.qid, "nDCG@5")
        by_hand |= dict(zip(found.qid.tolist(), found.values("nDCG@5").tolist(), strict=True))
        assert result.per_fold["nDCG@5"][number - 1] == pytest.approx(found["nDCG@5"], abs=1e-12)
        assert np.array_equal(result.scores[test], model.predict(c.X))
    assert dict(zip(result.evaluation.qid.tolist(), result.evaluation.values("nDCG@5").tolist(), strict=True)) == by_hand
    values = np.array(list(by_hand.values()))
    assert result.means["nDCG@5"] == pytest.approx(values.mean())
    assert result.standard_errors["nDCG@5"] == pytest.approx(np.sqrt(np.sum((values - values.mean()) ** 2) / 19 / 20))
    assert repr(result).startswith("CrossValidation(LambdaMART: nDCG@5 0.") and "4 folds of 20 queries" in repr(result)
    assert result.to_frame().shape == (4, 2)
    assert not hasattr(learner, "model_")


class Spy(BaseEstimator):  # type: ignore[misc]
    """Records its arguments; predicts the first feature."""

    seen: list[tuple[set[Any], set[Any]]] = []

    def __init__(self, interrupted: bool = False) -> None:
        self.interrupted = interrupted

    def fit(self, X: Any, y: Any, qid: Any = None, *, eval_set: Any = None, callbacks: Any = ()) -> Spy:
        Spy.seen.append((set(qid.tolist()), set() if eval_set is None else set(eval_set[2].tolist())))
        self.stopped_ = [callback("a step") for callback in callbacks]
        if self.interrupted:
            raise KeyboardInterrupt
        return self

    def predict(self, X: Any) -> Any:
        return X[:, 0]


class WithoutEvalSet(Spy):
    def fit(self, X: Any, y: Any, qid: Any = None) -> WithoutEvalSet:  # type: ignore[override]
        super().fit(X, y, qid)
        return self


@pytest.fixture(autouse=True)
def forgotten() -> None:
    Spy.seen = []


def test_nothing_is_chosen_on_held_out_queries(data: RankingData) -> None:
    assert data.qid is not None
    result = cross_validate(Spy(), data, "AP")
    for number, (train, validation) in enumerate(Spy.seen, 1):
        test = set(data.qid[result.folds == number].tolist())
        assert not (test & train or test & validation or train & validation)
        assert len(train | validation | test) == 20 and len(train) == 12


def test_learner_without_eval_set_trains_on_all_other_folds(data: RankingData) -> None:
    cross_validate(WithoutEvalSet(), data, "AP")
    assert [len(train) for train, _ in Spy.seen] == [16] * 5


def test_partial_model_counts_only_if_the_callback_ended_training(data: RankingData) -> None:
    with pytest.raises(KeyboardInterrupt):
        cross_validate(Spy(interrupted=True), data, "AP")
    steps: list[tuple[int, Any]] = []

    def callback(fold: int, progress: Any) -> bool:
        steps.append((fold, progress))
        return True

    assert len(cross_validate(Spy(), data, "AP", callback=callback).estimators) == 5
    assert steps == [(fold, "a step") for fold in range(1, 6)]


def test_ctrl_c_in_a_directrank_learner_ends_the_cross_validation(data: RankingData) -> None:
    def press(fold: int, progress: Progress) -> None:
        if (fold, progress.step) == (2, 3):
            raise KeyboardInterrupt
        assert fold <= 2, "it went on"

    with pytest.raises(KeyboardInterrupt):
        cross_validate(LambdaMART("AP", n_seeds=1, n_estimators=5), data, callback=press)


def test_callback_stops_a_directrank_learner(data: RankingData) -> None:
    result = cross_validate(
        LambdaMART("AP", n_seeds=1, n_estimators=50), data, n_folds=3, callback=lambda fold, progress: progress.step == 4
    )
    assert [len(estimator.history_) for estimator in result.estimators] == [4, 4, 4]


class ThreeRounds(LambdaMART):
    def fit(self, X: Any, y: Any, qid: Any = None, *, eval_set: Any = None) -> ThreeRounds:  # type: ignore[override]
        super().fit(X, y, qid, eval_set=eval_set, callbacks=[lambda progress: progress.step == 3])
        return self


def test_learner_can_have_its_own_stopping_callback(data: RankingData) -> None:
    result = cross_validate(ThreeRounds("AP", n_estimators=50), data, n_folds=3)
    assert [len(estimator.history_) for estimator in result.estimators] == [3, 3, 3]


def test_pipeline_learns_by_query(data: RankingData) -> None:
    """Compared with an explicit loop: scaled and ranked within queries."""
    scaled = RankingData(QueryMinMax().fit_transform(data.X, qid=data.qid), data.y, data.qid)
    plain = cross_validate(WithoutEvalSetSVM(), scaled, "AP")
    piped = cross_validate(make_pipeline(QueryMinMax(), RankSVM(C=1.0)), data, "AP")
    np.testing.assert_allclose(piped.scores, plain.scores, rtol=1e-6)
    assert piped.estimators[0][-1].n_queries_ == 16


class WithoutEvalSetSVM(RankSVM):
    def __init__(self) -> None:
        super().__init__(C=1.0)

    def fit(self, X: Any, y: Any, qid: Any = None) -> WithoutEvalSetSVM:  # type: ignore[override]
        super().fit(X, y, qid)
        return self


def test_meta_estimator_that_drops_qid_is_an_error(data: RankingData) -> None:
    with pytest.raises(InputError, match=r"Pipeline does not pass qid to its Spy, .*set_fit_request\(qid=True\) on Spy"):
        cross_validate(make_pipeline(StandardScaler(), Spy()), data, "AP")
    with pytest.raises(InputError, match=r"Holding does not pass qid to its RankSVM, .*use RankSVM without Holding"):
        cross_validate(Holding(RankSVM(C=1.0)), data, "AP")
    cross_validate(make_pipeline(StandardScaler(), LinearRegression()), data, "AP")


class Holding(BaseEstimator):  # type: ignore[misc]
    """A meta-estimator that passes nothing to its inner estimator."""

    def __init__(self, inner: Any = None) -> None:
        self.inner = inner

    def fit(self, X: Any, y: Any) -> Holding:
        self.inner.fit(X, y)
        return self

    def predict(self, X: Any) -> Any:
        return self.inner.predict(X)


def test_ctrl_c_in_a_pipeline_step(data: RankingData) -> None:
    with routing():
        last = Spy(interrupted=True).set_fit_request(qid=True, eval_set=False, callbacks=False)
    with pytest.raises(KeyboardInterrupt):
        cross_validate(make_pipeline(StandardScaler(), last), data, "AP")


def test_learner_without_measure_needs_one(data: RankingData) -> None:
    with pytest.raises(InputError, match="Pipeline does not optimise a measure; name one to evaluate it by, such as 'AP'"):
        cross_validate(make_pipeline(StandardScaler(), RankSVM()), data)


class FirstRelevant:
    """A custom measure: whether the first document, in row order, is relevant."""

    def evaluate(self, scores: Any, grades: Any, offsets: Any) -> Any:
        return (grades[offsets[:-1]] > 0).astype(float)


def test_row_order_does_not_leak_into_a_custom_measure(data: RankingData) -> None:
    class Constant(Spy):
        def predict(self, X: Any) -> Any:
            return np.zeros(len(X))

    by_grade = data.select(np.lexsort((-data.y, data.qid)))
    assert evaluate(by_grade.y, np.zeros(len(data)), by_grade.qid, FirstRelevant())["FirstRelevant"] == 0.9
    found = cross_validate(Constant(), by_grade, [FirstRelevant(), "AP"])
    assert found.means["FirstRelevant"] < 0.6
    assert found.means["AP"] == evaluate(by_grade.y, np.zeros(len(data)), by_grade.qid, "AP")["AP"]


def test_refit_learner_has_the_median_rounds_of_the_folds(data: RankingData) -> None:
    result = cross_validate(LambdaMART("AP", n_seeds=1, early_stopping_rounds=5, n_estimators=30), data)
    rounds = [estimator.refit_params()["n_estimators"] for estimator in result.estimators]
    ready = result.refit_learner()
    assert ready.n_estimators == int(np.median(rounds)) and ready.early_stopping_rounds is None
    assert ready.fit(data.X, data.y, data.qid).best_iteration_ == ready.n_estimators
    assert cross_validate(RankSVM(), data, n_folds=3).refit_learner().C == "auto"
    boosted = cross_validate(AdaRank("AP"), data, n_folds=3).refit_learner()
    assert boosted.n_estimators == AdaRank().n_estimators  # its rule ends the training without a validation set


def test_judged_documents_without_a_row_count_as_not_retrieved(data: RankingData) -> None:
    docno = [f"d{row}" for row in range(len(data))]
    named = RankingData(data.X, data.y, data.qid, docno, data.feature_names)
    assert data.qid is not None
    queries = [str(qid) for qid in np.unique(data.qid)]
    qid = [*map(str, data.qid.tolist()), *queries, "another"]
    qrels = Qrels(qid, [*docno, *(["not found"] * len(queries)), "d0"], [*data.y.tolist(), *([1.0] * len(queries)), 1.0])
    plain, result = (cross_validate(RankSVM(C=1.0), named, "AP", qrels=each) for each in (None, qrels))
    assert np.array_equal(plain.scores, result.scores) and result.evaluation.qid.size == 20
    found, before = (each.evaluation.values("AP") for each in (result, plain))
    assert np.all((found < before) | (before == 0))
    mine = Qrels(qid[:-1], qrels.docno[:-1], qrels.grade[:-1])
    assert result.means["AP"] == evaluate_run(as_run(named, result.scores), mine, "AP")["AP"]
    assert np.mean(result.per_fold["AP"]) == pytest.approx(result.means["AP"])


def test_too_few_queries_for_the_folds_is_an_error(data: RankingData) -> None:
    with pytest.raises(InputError, match="20 queries cannot make 21 folds"):
        cross_validate(RankSVM(), data, n_folds=21)
    with pytest.raises(InputError, match="2 folds are too few"):
        cross_validate(RankSVM(), data, n_folds=2)
    with pytest.raises(InputError, match="has no qid"):
        cross_validate(RankSVM(), RankingData(data.X, data.y))
