"""`best`: no leaks between folds, the same folds for all candidates, and a summary that matches the figures."""

from __future__ import annotations

import itertools
import re
import time
import warnings
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline

from directrank import (
    AdaRank,
    InputError,
    LambdaMART,
    MeasureError,
    Qrels,
    RankBoost,
    RankingData,
    RankSVM,
    SVMRanker,
    evaluate,
    evaluate_run,
    load_model,
    routing,
    save_model,
)
from directrank.data import as_run
from directrank.data.splits import fold_rows
from directrank.datasets import make_ranking
from directrank.evaluation import Comparison, Evaluation, compare_all, compare_values
from directrank.evaluation.detectable import smallest_detectable
from directrank.features import QueryMinMax
from directrank.learners import LEARNERS, Progress
from directrank.measures import parse
from directrank.models import ModelError
from directrank.selection import best, cross_validation, model_search, time_budget
from directrank.selection.candidates import Candidate, default_candidates
from directrank.selection.time_budget import TimeBudget
from directrank.selection.verdict import format_p, is_above_chance, verdict


def generated(seed: int, n_queries: int = 30, *, weights: tuple[float, ...] = (), noise: float = 1.0) -> RankingData:
    """Grades from a weighted sum of the first features plus noise; eight features, ten documents per query."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(10 * n_queries, 8))
    utility = X[:, : len(weights)] @ np.array(weights) + noise * random.normal(size=len(X))
    return RankingData(X, (utility > 0.8).astype(float), np.repeat(np.arange(n_queries), 10))


@pytest.mark.parametrize("seed", range(4))
def test_noise_is_not_significant(seed: int) -> None:
    """The best of eight features and two learners is above a random order by chance; the summary says so."""
    found = best(generated(seed), "AP", learners={"ranksvm": RankSVM(C=1.0), "adarank": AdaRank("AP", directions="both")})
    assert found.summary.startswith("No ranking is significantly better than a random order (30 queries): ")
    against = best(generated(seed), "AP", learners={}, baseline=("perfect", generated(seed).y))
    assert against.summary.startswith("No ranking that was tried is significantly better than a random order (30 queries): ")
    assert f"Nothing that was tried is better than perfect: {against.winner} is behind by " in against.summary
    assert "the best of 10, " in found.summary


def test_random_order_is_the_mean_over_all_orders() -> None:
    data = RankingData([[1.0], [2], [3], [1], [2], [4], [5], [6], [7]], [0, 1, 1, 1, 0, 0, 2, 0, 1], np.repeat([1, 2, 3], 3))
    found = best(data, "AP", learners={}, n_folds=3)
    values = []
    for start in (0, 3, 6):
        orders = [evaluate(data.y[start : start + 3], order, None, "AP")["AP"] for order in itertools.permutations(range(3))]
        values.append(np.mean(orders))
    assert found.report.means["AP"]["random order"].value == pytest.approx(np.mean(values))


def test_single_feature_can_win() -> None:
    data = generated(0, 60, weights=(2.0,))
    found = best(data, "AP", learners={"ranksvm": RankSVM(C=1.0)})
    assert found.features[0].name == "feature 1 alone"
    assert found.winner == "feature 1 alone"
    assert found.summary.startswith("feature 1 alone has the highest mean AP, 0.9293: the best learner, ranksvm, is behind")
    alone = best(data, "AP", learners={})
    assert alone.winner == "feature 1 alone" and alone.summary.startswith("feature 1 alone has the highest mean AP")
    assert alone.model.coef.tolist() == [1.0, 0, 0, 0, 0, 0, 0, 0]  # type: ignore[attr-defined]
    assert alone.report.means["AP"]["feature 1 alone"].value == pytest.approx(
        evaluate(data.y, data.X[:, 0], data.qid, "AP")["AP"]
    )


def test_ascending_feature(tmp_path: Any) -> None:
    data = generated(1, weights=(-3.0,))
    named = RankingData(data.X, data.y, data.qid, None, ["price", *"bcdefgh"])
    found = best(named, "AP", learners={})
    assert found.winner == "price alone, ascending" and found.features[0].directions.tolist() == [-1] * 5
    assert found.features[0].value == pytest.approx(evaluate(data.y, -data.X[:, 0], data.qid, "AP")["AP"])
    save_model(tmp_path / "model.json", found.model)
    model = load_model(tmp_path / "model.json")
    assert np.array_equal(model.predict(data.X), -data.X[:, 0]) and model.feature_names == ("price", *"bcdefgh")


def test_feature_direction_is_chosen_on_other_folds() -> None:
    """Compared with a loop, on noise, where folds disagree."""
    data = generated(5)
    found, folds = best(data, "AP", learners={}), fold_rows(data, 5)
    assert any(len(set(alone.directions.tolist())) == 2 for alone in found.features)
    for alone in found.features:
        values = []
        for number, (train, validation, test) in enumerate(folds):
            others = np.union1d(train, validation)
            assert data.qid is not None
            high, low = (
                evaluate(data.y[others], sign * data.X[others, alone.feature], data.qid[others], "AP")["AP"]
                for sign in (1, -1)
            )
            assert alone.directions[number] == (1 if high >= low else -1)
            scores = alone.directions[number] * data.X[test, alone.feature]
            values.append(evaluate(data.y[test], scores, data.qid[test], "AP").values("AP"))
        assert alone.value == pytest.approx(np.concatenate(values).mean())


def test_significantly_better_learner() -> None:
    data = generated(2, 80, weights=(1.0, 1.0, 1.0, 1.0, -1.0), noise=0.5)
    found = best(data, "AP", learners={"ranksvm": RankSVM(C=1.0), "short": RankSVM(C=1e-9)}, measures=["nDCG@5", "AP"])
    assert found.winner in ("ranksvm", "short") and found.report.measures == ["AP", "nDCG@5"]
    assert found.summary.startswith(f"{found.winner} is significantly better than feature ")
    assert "(p < 0.0001)" in found.summary
    against = found.report.comparison("AP", found.winner, found.features[0].name)
    assert against is not None and f"by {against.difference:.4f} AP" in found.summary
    assert repr(found).startswith(f"Choice({found.winner!r}: {found.winner} is significantly better")
    by_all = RankSVM(C=1.0 if found.winner == "ranksvm" else 1e-9).fit(data.X, data.y, data.qid)
    np.testing.assert_allclose(found.model.predict(data.X), by_all.predict(data.X))


def test_row_order_does_not_matter_and_results_are_reproducible() -> None:
    data = generated(3, weights=(1.0, 1.0))
    order = np.random.default_rng(0).permutation(len(data))
    learners = {"ranksvm": RankSVM(C=1.0), "lambdamart": LambdaMART("AP", n_estimators=10)}
    one, two, again = (best(some, "AP", learners=learners) for some in (data, data.select(order), data))
    assert one.summary == two.summary == again.summary
    assert [alone.name for alone in one.features] == [alone.name for alone in two.features]
    np.testing.assert_allclose(one.model.predict(data.X), two.model.predict(data.X), rtol=1e-6)
    assert np.array_equal(one.model.predict(data.X), again.model.predict(data.X))


def test_learners_that_fail_are_skipped_unless_required() -> None:
    data = generated(4, weights=(1.0,))
    with pytest.raises(MeasureError):
        best(data, "ERR", learners={"svm": SVMRanker("ERR")}, n_folds=3)
    found = best(data, "ERR", seconds=60, n_folds=3)
    assert "svm" not in found.results and "ranksvm" in found.results
    assert any(line.startswith("svm was skipped: SVMRanker needs most_violated") for line in found.notes)
    assert found.not_tried == [] and "Not tried" not in found.summary


def test_a_likely_winner_is_kept_unless_another_learner_leads_by_more_than_a_standard_error(monkeypatch) -> None:
    data = make_ranking(60, random_state=0)
    learners = {"lucky": SVMRanker("AP", C=1.0), "other": SVMRanker("nDCG", C=1.0), "worse": RankBoost(n_estimators=50)}
    means = {name: found.means["AP"] for name, found in best(data, "AP", learners=learners, n_folds=3).results.items()}
    assert means["lucky"] - 0.01 < means["other"] < means["lucky"]

    def chosen(*names: str, favourite: str):
        candidates = [Candidate(name, learners[name], 1, name == favourite, is_required=False) for name in names]
        monkeypatch.setattr(model_search, "default_candidates", lambda measure: candidates)
        return best(data, "AP", n_folds=3)

    kept = chosen("lucky", "other", favourite="other")
    assert kept.winner == "other" and "The mean of lucky is 0.00" in kept.summary
    assert "less than a standard error of the difference; other is preferred" in kept.summary
    ahead = chosen("lucky", "worse", favourite="worse")
    assert ahead.winner == "lucky" and "preferred" not in ahead.summary
    refitted = clone(learners["other"]).fit(data.X, data.y, data.qid)
    np.testing.assert_array_equal(kept.model.predict(data.X), refitted.predict(data.X))


def test_missing_values_rank_last() -> None:
    data = generated(4, 40, weights=(2.0,))
    filled = data.X.copy()
    data.X[data.y == 0, 0] = np.nan  # no match in an irrelevant document
    filled[data.y == 0, 0] = -1e3
    found, expected = (best(RankingData(X, data.y, data.qid), "AP", learners={}) for X in (data.X, filled))
    assert found.winner == "feature 1 alone" and found.features[0].value == 1.0
    for one, other in zip(found.features, expected.features, strict=True):
        assert np.array_equal(one.values, other.values) and one.name == other.name
    assert evaluate(data.y, found.model.predict(data.X), data.qid, "AP")["AP"] == 1.0


def test_likely_winners_are_tried_first() -> None:
    names = [candidate.name for candidate in default_candidates(parse("nDCG@10"))]
    assert names[:3] == ["ranksvm", "lambdamart", "ranksvm+lambdamart"] and len(names) == 10
    costs = [LEARNERS[name].cost for name in names[3:]]
    assert costs == sorted(costs)


class Greedy(BaseEstimator):  # type: ignore[misc]
    """Takes all the time it is given, a millisecond of a clock at each step."""

    clock: ClassVar[float] = 0.0

    def fit(self, X: Any, y: Any, qid: Any = None, *, callbacks: Any = ()) -> Greedy:
        ended = False
        while not ended:
            Greedy.clock += 0.001
            ended = any(callback(Progress(1, None, {}, 0.0)) for callback in callbacks)
        return self

    def predict(self, X: Any) -> Any:
        return X[:, 0]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time passes only while `Greedy` learns."""
    for module in (time_budget, cross_validation):
        monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: Greedy.clock))


@pytest.mark.usefixtures("clock")
def test_time_is_kept_for_the_likely_winners(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each takes all it can get: three get a third each, and there is nothing left for the others."""
    names = ["ranksvm", "lambdamart", "ranksvm+lambdamart", "adarank"]
    kept = [Candidate(name, Greedy(), 1, name != "adarank", False) for name in names]
    monkeypatch.setattr(model_search, "default_candidates", lambda measure: kept)
    found = best(generated(0), "AP", seconds=30, n_folds=3)
    assert {name: result.seconds.sum() for name, result in found.results.items()} == {
        name: pytest.approx(10, abs=0.1) for name in names[:3]
    }
    assert found.not_tried == ["adarank"] and set(found.stopped) == set(names[:3])
    assert "Not tried, because there was no time: adarank." in found.summary
    assert "Stopped early, and perhaps better with more time: ranksvm (in 3 of 3 folds), " in found.summary


def test_others_are_not_tried_if_a_cheaper_learner_took_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    favourite, slow = Candidate("a", RankSVM(C=1.0), 5, True, False), Slow()
    others = [Candidate(name, slow, cost, False, False) for name, cost in (("b", 4), ("c", 5), ("d", 6))]
    monkeypatch.setattr(model_search, "default_candidates", lambda measure: [favourite, *others])
    search = model_search._ModelSearch(generated(0), parse("AP"), (), 3, 0, None, TimeBudget(None))
    search.try_learners([favourite], lambda *given: None)
    monkeypatch.setattr(TimeBudget, "remaining", search.results["a"].seconds.sum() / 2)
    search.try_learners(others, lambda *given: None)
    assert list(search.results) == ["a", "b"]  # which costs less


@pytest.mark.usefixtures("clock")
def test_a_learner_that_fails_has_one_note() -> None:
    """Not that it was skipped and that it hit the time limit."""

    class Fails(Greedy):
        def fit(self, X: Any, y: Any, qid: Any = None, *, callbacks: Any = ()) -> Greedy:
            super().fit(X, y, qid, callbacks=callbacks)
            warnings.warn("slow", UserWarning, stacklevel=1)
            raise InputError("no swap changes it")

    search = model_search._ModelSearch(generated(0), parse("AP"), (), 3, 0, None, TimeBudget(0.3))
    search.try_learners([Candidate("fails", Fails(), 1, True, False)], lambda *given: None)
    assert search.notes == ["fails was skipped: no swap changes it"] and search.stopped == {}


def test_present_ranking_to_beat() -> None:
    data = generated(2, 80, weights=(1.0, 1.0, 1.0, 1.0, -1.0), noise=0.5)
    learners, now = {"ranksvm": RankSVM(C=1.0)}, data.X[:, 7]
    found = best(data, "AP", learners=learners, baseline=("now", now))
    assert found.summary.startswith("ranksvm is significantly better than now, by ")
    assert found.report.baseline == "now" and len(found.report.names) == 4
    assert found.report.means["AP"]["now"].value == pytest.approx(evaluate(data.y, now, data.qid, "AP")["AP"])
    perfect = best(data, "AP", learners=learners, baseline=("perfect", data.y))
    assert perfect.winner == "ranksvm"
    assert perfect.summary.startswith("Nothing that was tried is better than perfect: ranksvm is behind by ")
    alike = best(generated(0, 60, weights=(2.0,)), "AP", learners=learners, baseline=("f1", generated(0, 60).X[:, 0]))
    assert alike.winner == "f1" and alike.summary.startswith(
        "f1 has the highest mean AP, 0.9293: the best learner, ranksvm,"
    )
    assert "feature 1 alone" not in alike.report.names
    assert alike.model.coef.tolist() == [1.0, 0, 0, 0, 0, 0, 0, 0]  # type: ignore[attr-defined]
    for name in ("ranksvm", "random order", "feature 3 alone", "feature 3 alone, ascending"):
        with pytest.raises(InputError, match=f"the baseline has the name of another ranking, {name}; give it another"):
            best(data, "AP", learners=learners, baseline=(name, now))
    for name in ("random order", "feature 3 alone"):
        with pytest.raises(InputError, match=f"a learner has the name of another ranking, {name}; give it another"):
            best(data, "AP", learners={name: RankSVM()})
    with pytest.raises(InputError, match="the baseline now must have one score for each of the 800 rows"):
        best(data, "AP", learners=learners, baseline=("now", now[1:]))


def test_best_feature_against_another_baseline_is_corrected_for_all_features() -> None:
    data = generated(1, 60, weights=(0.4,))
    found = best(data, "AP", learners={}, baseline=("other", data.X[:, 5]))
    against = found.report.comparison("AP", found.winner, "other")
    assert against is not None and f"({format_p(min(1.0, 8 * against.p))}" in found.summary


def test_ties_go_to_the_single_feature() -> None:
    class First(BaseEstimator):  # type: ignore[misc]
        def fit(self, X: Any, y: Any) -> First:
            return self

        def predict(self, X: Any) -> Any:
            return X[:, 0]

    found = best(generated(0, 40, weights=(3.0,)), "AP", learners={"first": First()})
    assert found.winner == "feature 1 alone"
    assert ", as has the best learner, first. No learner is significantly below feature 1 alone" in found.summary
    alike = best(generated(0, 40, weights=(3.0,)), "AP", learners={}, baseline=("now", generated(0, 40).X[:, 0] * 2))
    assert "from now: feature 1 alone has the same mean (p = 1)." in alike.summary


def test_bonferroni_correction_against_random_order() -> None:
    above = Comparison(20, 10, 0, 0.1, 0.5, p=0.01, corrected_p=0.01, favours=1)
    assert is_above_chance(above, 4, 0.05) and not is_above_chance(above, 6, 0.05)
    assert not is_above_chance(above.reversed(), 1, 0.05)
    data = generated(0)
    for learners in ({}, {f"ranksvm {i}": RankSVM(C=1.0) for i in range(2)}):
        found = best(data, "AP", learners=learners)
        winner = compare_values(
            found.report.values["AP"][found.report.names.index(found.winner)],
            evaluate(data.y, np.zeros(len(data)), data.qid, "AP").values("AP"),
        )
        assert f"({format_p(min(1.0, winner.p * (8 + len(learners))))})" in found.summary


def test_significance_test_can_favour_the_lower_mean() -> None:
    """A few large wins, many small losses."""
    feature, learner = np.full(30, 0.5), np.full(30, 0.49)
    learner[:3] = 1.0
    evaluations = {
        name: Evaluation(np.arange(30), {"AP": values}, {"AP": 0})
        for name, values in {"learner": learner, "f alone": feature, "random order": np.zeros(30)}.items()
    }
    report = compare_all(evaluations, "f alone", test="wilcoxon")
    chance = compare_values(learner, np.zeros(30), "wilcoxon")
    said = verdict(report, "learner", ["learner"], chance, 2)
    against = report.comparison("AP", "learner", "f alone")
    assert against is not None and against.difference > 0 and against.favours < 0
    unseen = smallest_detectable(learner - feature, 0.05 / 2)
    assert said == (
        f"No significant difference (30 queries; a difference below {unseen:.2g} would not be seen) from f alone: learner "
        f"is ahead by 0.0410 AP ({format_p(against.corrected_p)}; the test favours f alone)."
    )


def test_features_are_evaluated_by_qrels() -> None:
    data = generated(6, 12, weights=(1.0,))
    assert data.qid is not None
    docno, qid = [f"d{row}" for row in range(len(data))], [str(query) for query in data.qid]
    named = RankingData(data.X, data.y, data.qid, docno)
    qrels = Qrels([*qid, *map(str, range(12))], [*docno, *["missed"] * 12], [*data.y, *[1.0] * 12])
    found = best(named, "AP", learners={}, n_folds=3, qrels=qrels)
    alone = next(alone for alone in found.features if alone.feature == 0)
    assert alone.directions.tolist() == [1, 1, 1]
    assert alone.value == evaluate_run(as_run(named, data.X[:, 0]), qrels, "AP")["AP"]
    assert alone.value < evaluate(data.y, data.X[:, 0], data.qid, "AP")["AP"]


@pytest.mark.parametrize(
    ("measure", "others"), [("F1", []), ("SetP", []), ("MicroPrecision", []), ("0.5*AP + 0.5*MCC", []), ("AP", ["Accuracy"])]
)
def test_measures_of_labels_or_sets_are_an_error_before_any_work(measure: str, others: list[str]) -> None:
    """F1 labels nothing positive at equal scores, so noise would be far above a random order."""
    name = others[0] if others else measure
    with pytest.raises(
        InputError, match=rf"^{re.escape(name)} judges which documents are labelled relevant or returned, not"
    ):
        best(generated(0), measure, learners={"any": Slow()}, measures=others, n_folds=3, callback=pytest.fail)


def test_auc_is_a_ranking_measure() -> None:
    assert best(generated(0, weights=(3.0,)), "AUC", learners={}, n_folds=3).winner == "feature 1 alone"


class ReciprocalRank:
    """A custom measure that takes documents of equal score in row order."""

    def evaluate(self, scores: Any, grades: Any, offsets: Any) -> Any:
        each = [grades[start:end] > 0 for start, end in itertools.pairwise(offsets.tolist())]
        return np.array([1 / (1 + np.argmax(found)) if found.any() else 0.0 for found in each])


def test_row_order_does_not_leak_into_a_custom_measure() -> None:
    data = generated(0, 40)
    constant = np.hstack([data.X[:, :2], np.ones((len(data), 1))])
    assert data.qid is not None
    sorted_by_grade = RankingData(constant, data.y, data.qid).select(np.lexsort((-data.y, data.qid)))
    found = best(sorted_by_grade, ReciprocalRank(), learners={}, measures=["RR"], n_folds=3)
    means = {name: of[found.report.baseline].value for name, of in found.report.means.items()}
    chance = {name: of["random order"].value for name, of in found.report.means.items()}
    assert chance["RR"] == evaluate(data.y, np.zeros(len(data)), data.qid, "RR")["RR"]
    assert chance["ReciprocalRank"] == pytest.approx(chance["RR"], abs=0.03)
    assert found.summary.startswith("No ranking is significantly better than a random order")
    assert means["ReciprocalRank"] < 0.7
    assert found.features[0].value == means["ReciprocalRank"]


class Slow(BaseEstimator):  # type: ignore[misc]
    """A hundred steps of 20 ms."""

    def fit(self, X: Any, y: Any, qid: Any = None, *, eval_set: Any = None, callbacks: Any = ()) -> Slow:
        self.steps_ = 0
        for number in range(1, 101):
            time.sleep(0.02)
            self.steps_ = number
            if any(callback(Progress(number, 100, {}, 0.02 * number)) for callback in callbacks):
                break
        return self

    def predict(self, X: Any) -> Any:
        return X[:, 0]


def test_time_is_divided_among_learners_and_folds() -> None:
    began = time.perf_counter()
    learners = {"slow": Slow(), "late": RankSVM(C=1.0)}
    found = best(generated(0), "AP", learners=learners, seconds=1.0, n_folds=3, callback=lambda *_: None)
    assert set(found.results) == {"slow", "late"} and all(each.steps_ < 40 for each in found.results["slow"].estimators)
    assert found.stopped["slow"] == 3 and "perhaps better with more time: slow (in 3 of 3 folds)" in found.summary
    assert time.perf_counter() - began < 10


def test_features_get_a_fraction_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 2.9 < TimeBudget(30).fraction(model_search.FEATURE_TIME_FRACTION).remaining <= 3
    monkeypatch.setattr(model_search, "FEATURE_TIME_FRACTION", 1e-9)
    found = best(generated(0, weights=(3.0,)), "AP", learners={"ranksvm": RankSVM(C=1.0)}, seconds=60, n_folds=3)
    assert list(found.results) == ["ranksvm"] and len(found.features) == 1
    assert found.notes == [] and found.summary.endswith("Not tried, because there was no time: 7 single features.")
    assert found.summary.startswith("feature 1 alone has the highest mean AP of all rankings evaluated, 0.")


def test_given_learners_are_not_skipped_for_a_slow_predecessor(monkeypatch: pytest.MonkeyPatch) -> None:
    learners = {"slow": Slow(), "fast": RankSVM(C=1.0)}
    best(generated(0), "AP", learners={"fast": learners["fast"]}, n_folds=3)  # imports before the clock starts
    monkeypatch.setattr(TimeBudget, "remaining", 0.2)  # less than the slow learner takes, enough for the other
    found = best(generated(0), "AP", learners=learners, n_folds=3)
    assert set(found.results) == {"slow", "fast"}


def test_estimator_of_another_library_can_win() -> None:
    data = generated(2, 40, weights=(1.0, 1.0, 1.0, 1.0), noise=0.3)
    found = best(data, "AP", learners={"linear": LinearRegression()}, n_folds=3)
    by_all = LinearRegression().fit(data.X, data.y)
    assert found.winner == "linear" and np.array_equal(found.model.predict(data.X), by_all.predict(data.X))


def test_pipeline_can_win() -> None:
    data = generated(2, 40, weights=(1.0, 1.0, 1.0, 1.0), noise=0.3)
    pipeline = make_pipeline(QueryMinMax(), RankSVM(C=1.0))
    found = best(data, "AP", learners={"scaled": pipeline}, n_folds=3)
    with routing():
        scores = clone(pipeline).fit(data.X, data.y, qid=data.qid).predict(data.X, qid=data.qid)
    assert found.winner == "scaled"
    np.testing.assert_allclose(found.model.predict(data.X, qid=data.qid), scores)  # type: ignore[call-arg]
    kept = best(data, "AP", learners={"scaled": make_pipeline(QueryMinMax(), PCA(), RankSVM(C=1.0))}, n_folds=3)
    assert kept.winner == "scaled"
    with pytest.raises(ModelError, match="a pipeline with PCA cannot be saved"):
        _ = kept.model


class Interrupted(Slow):
    def fit(self, X: Any, y: Any, qid: Any = None) -> Interrupted:  # type: ignore[override]
        raise KeyboardInterrupt


def test_ctrl_c_returns_the_best_so_far() -> None:
    learners = {"ranksvm": RankSVM(C=1.0), "interrupted": Interrupted(), "late": RankSVM(C=1.0)}
    data = generated(2, weights=(1.0, 1.0, 1.0))
    found = best(data, "AP", learners=learners)
    assert found.interrupted and list(found.results) == ["ranksvm"] and len(found.features) == 8
    assert found.summary.endswith("Not tried, because the search was interrupted: interrupted and late.")
    assert found.winner in found.report.names and found.model.predict(data.X).size == len(data)
    assert not best(data, "AP", learners={}).interrupted


def test_data_without_enough_queries_is_an_error() -> None:
    data = make_ranking(4, random_state=0)
    with pytest.raises(InputError, match="4 queries cannot make 5 folds"):
        best(data)
    with pytest.raises(InputError, match="has no qid"):
        best(RankingData(data.X, data.y))
