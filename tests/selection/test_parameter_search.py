"""`tune`: trials, their values, pruning, and how a search ends."""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from directrank import InputError, LambdaMART, RankingData, RankSVM, SVMRanker, evaluate
from directrank.data import train_validation_test
from directrank.data.splits import fold_rows
from directrank.datasets import make_ranking
from directrank.learners import LEARNERS, Progress
from directrank.measures import parse
from directrank.selection import AlongPath, Between, OneOf, Trial, cross_validate, tune


@pytest.fixture(scope="module")
def data() -> RankingData:
    return make_ranking(20, random_state=0)


def test_path_values_match_fits_at_each_C(data: RankingData) -> None:
    """Compared with a loop: the mean over all queries, each scored by a model of the training part of its fold."""
    found = tune(RankSVM(tol=1e-6), data, "AP", space={"C": OneOf((0.1, 10.0))})
    assert [trial.parameters for trial in found.trials] == [{}, {"C": 0.1}, {"C": 10.0}]
    for trial in found.trials[1:]:
        values = []
        for rows in fold_rows(data, 5):
            train, test = data.select(rows.train), data.select(rows.test)
            model = RankSVM(C=trial.parameters["C"], tol=1e-6).fit(train.X, train.y, train.qid)
            values.append(evaluate(test.y, model.predict(test.X), test.qid, "AP").values("AP"))
        by_hand = np.concatenate(values)
        assert trial.value == pytest.approx(by_hand.mean(), abs=5e-3)
        assert trial.standard_error == pytest.approx(by_hand.std(ddof=1) / np.sqrt(20), abs=5e-3)
    assert found.best.value == max(trial.value for trial in found.trials if trial.value is not None)
    assert found.best.parameters.get("C", "auto") == found.learner.C
    assert repr(found).startswith("Tuning(RankSVM(") and "the best of 3 trials" in repr(found)


def test_regularization_path_needs_no_optuna(data: RankingData, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    found = tune(SVMRanker("AP"), data, n_folds=3)
    assert {trial.parameters.get("bound") for trial in found.trials} == {None, "convex", "ramp"}
    assert len(found.trials) == 1 + 9 + 7
    ranged = tune(RankSVM(), data, n_folds=3, space={"C": Between(0.1, 10, log=True)})
    tried = [trial.parameters["C"] for trial in ranged.trials[1:]]
    np.testing.assert_allclose(tried, np.geomspace(0.1, 10, 13))


def test_kernel_without_path_fits_each_C(data: RankingData) -> None:
    train, validation, _ = train_validation_test(data, random_state=0)
    space = {"kernel": OneOf(["linear", "rbf"]), "C": OneOf([0.5, 5.0])}
    found = tune(SVMRanker("AP", C=1.0, bound="convex", tol=1e-5), train, validation=validation, space=space)
    assert [trial.parameters.get("kernel") for trial in found.trials] == [None, "linear", "linear", "rbf", "rbf"]
    for trial in found.trials:
        model = SVMRanker("AP", **{"C": 1.0, "bound": "convex", "tol": 1e-5, **trial.parameters}).fit(
            train.X, train.y, train.qid
        )
        assert trial.value == pytest.approx(model.score(validation.X, validation.y, validation.qid), abs=0.01)


def test_range_without_optuna_is_an_error(data: RankingData, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(InputError, match=r"needs Optuna: pip install 'directrank\[tune\]'"):
        tune(LambdaMART("AP"), data)
    with pytest.raises(InputError, match="needs Optuna"):
        tune(LambdaMART("AP"), data, space={"num_leaves": OneOf(tuple(range(2, 40)))})


def test_same_seed_gives_same_trials(data: RankingData) -> None:
    learner, space = (
        LambdaMART("AP", n_seeds=1, n_estimators=8),
        {"num_leaves": Between(2, 16, log=True), "sigma": Between(0.5, 2.0)},
    )
    one, two, other = (tune(learner, data, space=space, n_trials=3, n_folds=3, random_state=seed) for seed in (0, 0, 1))
    assert [(t.parameters, t.value) for t in one.trials] == [(t.parameters, t.value) for t in two.trials]
    assert [t.parameters for t in one.trials] != [t.parameters for t in other.trials]
    assert all(2 <= trial.parameters["num_leaves"] <= 16 for trial in one.trials[1:])
    assert all(type(trial.parameters["num_leaves"]) is int for trial in one.trials[1:])
    assert not hasattr(learner, "model_") and learner.num_leaves == "auto"


def test_learner_has_the_median_rounds_of_the_folds(data: RankingData) -> None:
    learner = LambdaMART("AP", n_seeds=1, n_estimators=30, learning_rate=0.5)
    found = tune(learner, data, space={"num_leaves": OneOf((2, 4))}, n_folds=3)
    assert found.learner.n_estimators < 30
    assert found.learner.num_leaves == found.best.parameters.get("num_leaves", 7)


def test_validation_set_chooses_rounds_and_evaluates_trials(data: RankingData) -> None:
    train, validation, _ = train_validation_test(data, random_state=0)
    found = tune(
        LambdaMART("AP", n_seeds=1, n_estimators=12), train, validation=validation, space={"num_leaves": OneOf((2, 4))}
    )
    for trial in found.trials:
        model = LambdaMART("AP", n_seeds=1, n_estimators=12, **trial.parameters)
        model.fit(train.X, train.y, train.qid, eval_set=(validation.X, validation.y, validation.qid))
        assert trial.value == pytest.approx(model.score(validation.X, validation.y, validation.qid))
    assert found.learner.n_estimators == 12  # a refit chooses again on the validation set


def reached(number: int, value: float) -> Progress:
    return Progress(number, None, {"validation": {"AP": value}}, 0.0)


class Fake(BaseEstimator):  # type: ignore[misc]
    """Reaches the value of its parameter in four rounds, with callbacks; ranks well if it is large."""

    measure = parse("AP")

    def __init__(self, good: float = 0.5, wait: float = 0.0, interrupt_at: float | None = None) -> None:
        self.good = good
        self.wait = wait
        self.interrupt_at = interrupt_at

    def fit(self, X: Any, y: Any, qid: Any = None, *, eval_set: Any = None, callbacks: Any = ()) -> Fake:
        for number in (25, 50, 75, 100):
            time.sleep(self.wait)
            for callback in callbacks:
                callback(reached(number, self.good))
        if self.good == self.interrupt_at:
            raise KeyboardInterrupt
        return self

    def predict(self, X: Any) -> Any:
        return X[:, 0] * (self.good - 0.3)


def test_bad_trials_are_pruned(data: RankingData) -> None:
    found = tune(Fake(), data, space={"good": Between(0.0, 1.0)}, n_trials=25, n_folds=3)
    given_up = [trial.parameters["good"] for trial in found.trials if trial.value is None]
    finished = [trial.parameters["good"] for trial in found.trials[1:] if trial.value is not None]
    for number, trial in enumerate(found.trials[1:]):
        earlier = [each.parameters["good"] for each in found.trials[1:][:number]]
        is_pruned = number >= 5 and np.mean(np.array(earlier) > trial.parameters["good"]) >= 0.75
        assert is_pruned == (trial.value is None)
    assert given_up and finished and all(trial.value is not None for trial in found.leading(3))


def test_trials_are_pruned_in_later_folds_too(data: RankingData) -> None:
    """The first fold is easy for all trials, so its values are never reached again."""
    assert data.qid is not None
    easy = set(data.qid[fold_rows(data, 3)[0].validation].tolist())

    class EasyAtFirst(Fake):
        fits: list[float] = []

        def fit(self, X: Any, y: Any, qid: Any = None, *, eval_set: Any = None, callbacks: Any = ()) -> EasyAtFirst:
            is_easy = eval_set[2][0] in easy
            EasyAtFirst.fits += [] if is_easy else [self.good]
            for callback in callbacks:
                callback(reached(25, 0.9 if is_easy else 0.1 * self.good))
            return self

    found = tune(EasyAtFirst(), data, space={"good": Between(0.0, 1.0)}, n_trials=15, n_folds=3)
    given_up = [trial.parameters["good"] for trial in found.trials if trial.value is None]
    assert given_up and all(EasyAtFirst.fits.count(good) == 1 for good in given_up)


class Picky(Fake):
    """Rejects some combinations, before or during training."""

    def __init__(self, good: float = 0.5, even: bool = False, wait: float = 0.0, interrupt_at: float | None = None) -> None:
        super().__init__(good, wait, interrupt_at)
        self.even = even

    def _check_parameters(self, has_validation: bool) -> None:
        if self.good > 1:
            raise InputError("good must be at most 1")
        if self.even and self.good > 0.7:
            raise InputError("even is for good below 0.7")

    def fit(self, X: Any, y: Any, **given: Any) -> Picky:  # type: ignore[override]
        if not self.even and self.good < 0.3:
            raise ValueError("odd is for good above 0.3\nas all know")
        return self


def test_invalid_combination_is_a_trial_without_value(data: RankingData) -> None:
    space = {"even": OneOf((True, False)), "good": OneOf((0.8, 0.5, 0.2))}
    found = tune(Picky(), data, space=space, n_folds=3)
    invalid = {tuple(trial.parameters.values()): trial.error for trial in found.trials if trial.error is not None}
    assert invalid == {(True, 0.8): "even is for good below 0.7", (False, 0.2): "odd is for good above 0.3"}
    assert len(found.trials) == 7 and all((trial.value is None) == (trial.error is not None) for trial in found.trials)


def test_learner_as_given_can_be_invalid(data: RankingData) -> None:
    found = tune(Picky(good=0.8, even=True), data, space={"good": OneOf((0.5, 0.9))}, n_folds=3)
    assert [trial.error is None for trial in found.trials] == [False, True, False] and found.learner.good == 0.5
    with pytest.raises(InputError, match="good must be at most 1"):
        tune(Picky(), data, space={"good": OneOf((0.5, 2.0))})
    with pytest.raises(InputError, match=r"all 3 trials were invalid; the first: even is for good below 0\.7"):
        tune(Picky(good=0.8, even=True), data, space={"wait": OneOf((0.0, 0.1)), "even": OneOf((True,))}, n_folds=3)
    with pytest.raises(ValueError, match="odd is for good above"):
        tune(Picky(good=0.1), data, space={"good": OneOf((0.5,))}, n_folds=3)


def test_seeds_with_subsampling(data: RankingData) -> None:
    """The learner as given, and fractions of 1, are invalid; other fractions are valid."""
    space = {"colsample_bytree": OneOf((1.0, 0.5)), "extra_trees": OneOf((False, True))}
    found = tune(LambdaMART("AP", n_seeds=2, n_estimators=2, extra_trees=False), data, space=space, n_folds=3)
    assert [trial.error is None for trial in found.trials] == [False, False, True, True, True]
    assert found.trials[0].error is not None and "n_seeds=2 would grow the same trees" in found.trials[0].error


@pytest.mark.parametrize("learner", [LinearRegression(), make_pipeline(StandardScaler(), RankSVM(C=1.0))])
def test_value_matches_cross_validate(learner: Any, data: RankingData) -> None:
    """Also for a learner without `eval_set`, which trains on all queries that are not held out."""
    name = next(name for name in learner.get_params() if name.endswith(("fit_intercept", "with_mean")))
    found = tune(learner, data, "AP", space={name: OneOf((True,))}, n_folds=3)
    expected = cross_validate(learner, data, "AP", n_folds=3)
    assert [trial.value for trial in found.trials] == pytest.approx([expected.means["AP"]] * 2)
    with pytest.raises(InputError, match="does not optimise a measure"):
        tune(learner, data, space={name: OneOf((True,))})


def test_search_keeps_the_time_limit(data: RankingData) -> None:
    began = time.perf_counter()
    found = tune(Fake(wait=0.01), data, space={"good": OneOf(tuple(np.linspace(0, 1, 30).tolist()))}, seconds=0.5, n_folds=3)
    assert 1 <= len(found.trials) < 31 and time.perf_counter() - began < 5
    with pytest.raises(InputError, match=r"no trial was finished within 0\.001 s"):
        tune(Fake(wait=0.01), data, space={"good": OneOf((0.1,))}, seconds=0.001)


def test_ctrl_c_returns_the_best_so_far(data: RankingData) -> None:
    trials_seen: list[Trial] = []
    space = {"good": OneOf((0.6, 0.7, 0.8))}
    found = tune(Fake(interrupt_at=0.7), data, space=space, n_folds=3, callback=trials_seen.append)
    assert found.interrupted and [trial.parameters for trial in found.trials] == [{}, {"good": 0.6}]
    assert trials_seen == found.trials
    with pytest.raises(KeyboardInterrupt):
        tune(Fake(interrupt_at=0.5), data, space={"good": OneOf((0.6,))})


def test_callback_can_end_the_search(data: RankingData) -> None:
    space = {"good": OneOf((0.6, 0.7, 0.8))}
    found = tune(Fake(), data, space=space, n_folds=3, callback=lambda trial: trial.parameters == {"good": 0.7})
    assert [trial.parameters for trial in found.trials] == [{}, {"good": 0.6}, {"good": 0.7}] and not found.interrupted


@pytest.mark.parametrize(
    ("space", "sentence"),
    [
        (
            {"num_leafs": Between(2, 9)},
            "LambdaMART has no parameter 'num_leafs'; did you mean num_leaves",
        ),
        ({"sigma": OneOf((1.0, -1.0))}, "sigma must be"),
        ({}, "say which parameters to try"),
    ],
)
def test_invalid_space_is_an_error_before_any_training(
    data: RankingData, space: Any, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LambdaMART, "_train", pytest.fail)
    with pytest.raises(InputError, match=sentence):
        tune(LambdaMART("AP"), data, space=space)


def test_unknown_parameter_is_named(data: RankingData) -> None:
    with pytest.raises(InputError, match=r"RankSVM: Invalid parameter 'gamma'"):
        tune(RankSVM(), data, space={"gamma": Between(0.1, 1.0)})


def test_invalid_ranges_are_errors() -> None:
    with pytest.raises(InputError, match="from a lower to a higher number, not from 3 to 3"):
        Between(3, 3)
    with pytest.raises(InputError, match="logarithmic range has numbers above 0 only"):
        Between(0, 1, log=True)


@pytest.mark.parametrize(
    "entry", [entry for entry in LEARNERS.values() if entry.learns_queries], ids=lambda entry: entry.name
)
def test_every_learner_accepts_its_search_space(entry: Any, data: RankingData) -> None:
    learner = entry.make(parse("AP"), {})
    for name, values in learner.search_space.items():
        if isinstance(values, AlongPath):
            assert callable(learner.path)
            continue
        for value in (values.low, values.high) if isinstance(values, Between) else values.values:
            entry.make(parse("AP"), {name: value})._check_parameters(True)
