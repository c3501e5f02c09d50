"""Ctrl-C in the middle of a fit: every learner stops at once, keeps what it has and says so."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from directrank import (
    AdaRank,
    CoordinateAscent,
    EnsembleSelection,
    LambdaMART,
    MultivariateSVC,
    OneVsRestSVM,
    RankBoost,
    RankSVM,
    SmoothRank,
    SVMRanker,
)
from directrank.datasets import make_ranking
from directrank.learners.core.folds import Folds
from directrank.learners.core.interruption import Interruptible, watching
from directrank.learners.core.shards import LocalShards, weighted_for_training
from directrank.learners.core.task import make_task
from directrank.learners.svm.risk import Risk
from directrank.measures import parse

DATA, HELD_OUT = make_ranking(30, (5, 30), random_state=0), make_ranking(12, (5, 30), random_state=1)
EVAL_SET = (HELD_OUT.X, HELD_OUT.y, HELD_OUT.qid)

LEARNERS = [
    SVMRanker("AP", C=100),
    SVMRanker("AP", C="auto"),
    SVMRanker("AP", C="auto", bound="convex"),
    SVMRanker("P@5", C=10, bound="ramp"),
    SVMRanker("AP", kernel="rbf"),
    RankSVM(C="auto"),
    OneVsRestSVM(),
    OneVsRestSVM(C="auto"),
    MultivariateSVC(C=100),
    AdaRank(),
    AdaRank(weak_ranker=RankBoost(3), early_stopping_rounds=5),
    RankBoost(),
    CoordinateAscent(),
    EnsembleSelection(max_rounds=5, n_bags=2),
    SmoothRank(cv=2),
    LambdaMART(),
]


class CtrlC:
    """A callback that interrupts at the n-th call, and must not be called again."""

    def __init__(self, n: int) -> None:
        self.left = n

    def __call__(self, number: int, step: object) -> None:
        self.left -= 1
        assert self.left >= 0, "it went on"
        if self.left == 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("validated", [False, True], ids=["", "eval_set"])
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_ctrl_c_stops_at_once_and_keeps_the_model(learner, validated: bool, n: int) -> None:
    learner = clone(learner).set_params(callback=CtrlC(n))
    is_classifier = isinstance(learner, MultivariateSVC)
    given = {"eval_set": EVAL_SET} if validated and not is_classifier else {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        learner.fit(DATA.X, DATA.y > 0, **given) if is_classifier else learner.fit(DATA.X, DATA.y, DATA.qid, **given)
    assert {(warning.filename, warning.category) for warning in caught} == {(__file__, ConvergenceWarning)}
    assert all(" was interrupted" in str(warning.message) for warning in caught)
    assert any(str(warning.message).startswith(type(learner).__name__) for warning in caught)
    assert learner.interrupted_ and learner.callback.left == 0
    assert np.all(np.isfinite(learner.predict(DATA.X)))


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_an_undisturbed_fit_says_so(learner) -> None:
    learner = clone(learner)
    if "C" in learner.get_params():
        learner.set_params(C=1.0)
    learner.fit(DATA.X, DATA.y > 0) if isinstance(learner, MultivariateSVC) else learner.fit(DATA.X, DATA.y, DATA.qid)
    assert not learner.interrupted_


class Tries:
    """A callback that counts the values of C begun, and interrupts at the n-th of them."""

    def __init__(self, n: int) -> None:
        self.left = n

    def __call__(self, number: int, step: object) -> None:
        self.left -= number == 1
        if self.left == 0:
            raise KeyboardInterrupt


@pytest.mark.parametrize("tried", [1, 2, 3])
def test_C_is_the_best_of_those_tried_on_an_eval_set(tried: int) -> None:
    Cs = [0.01, 0.1, 1.0, 10.0]
    wanted = SVMRanker("AP", bound="convex", Cs=Cs[:tried]).fit(DATA.X, DATA.y, DATA.qid, eval_set=EVAL_SET)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = SVMRanker("AP", bound="convex", Cs=Cs, callback=Tries(tried + 1)).fit(
            DATA.X, DATA.y, DATA.qid, eval_set=EVAL_SET
        )
    said = f"SVMRanker was interrupted while choosing C: {model.C_:g} is the best of the values tried until then"
    assert said in [str(warning.message) for warning in caught]
    assert model.interrupted_ and model.score(*EVAL_SET) >= wanted.score(*EVAL_SET)


def test_C_is_the_best_of_those_tried_on_folds() -> None:
    Cs = [0.01, 0.1, 1.0, 10.0]
    wanted = SVMRanker("AP", bound="convex", Cs=Cs[:2], cv=3).fit(DATA.X, DATA.y, DATA.qid)
    said = rf"while choosing C: {wanted.C_:g} is the best of the values tried until then, and the model is that of one fold$"
    with pytest.warns(ConvergenceWarning, match=said):
        model = SVMRanker("AP", bound="convex", Cs=Cs, cv=3, callback=Tries(2 * 3 + 2)).fit(DATA.X, DATA.y, DATA.qid)
    assert model.C_ == wanted.C_ and model.coef_.any()


def test_ctrl_c_between_two_values_of_C(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the values on the held-out queries are computed, not in the solver."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("directrank.learners.core.folds.Folds.value", interrupt)
    monkeypatch.setattr("directrank.learners.svm.choice.mean_value", interrupt)
    for given in ({}, {"eval_set": EVAL_SET}):
        with pytest.warns(ConvergenceWarning, match="was interrupted while choosing C"):
            model = SVMRanker("AP", bound="convex", Cs=[0.1, 1.0]).fit(DATA.X, DATA.y, DATA.qid, **given)
        assert model.interrupted_ and model.coef_.any()


def test_the_final_fit_after_folds_may_be_interrupted_too() -> None:
    counting = Tries(10**6)
    SVMRanker("AP", bound="convex", Cs=[0.1, 1.0], cv=2, callback=counting).fit(DATA.X, DATA.y, DATA.qid)
    last = Tries(10**6 - counting.left)
    with pytest.warns(ConvergenceWarning, match="SVMRanker was interrupted: after 1 iterations"):
        SVMRanker("AP", bound="convex", Cs=[0.1, 1.0], cv=2, callback=last).fit(DATA.X, DATA.y, DATA.qid)


class AtCall:
    """A method of the risk that interrupts when it is called for the n-th time, and counts its calls."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, name: str, n: int) -> None:
        self.original, self.left = getattr(Risk, name), n
        monkeypatch.setattr(Risk, name, lambda risk, *given: self(risk, *given))

    def __call__(self, risk: Risk, *given: object) -> object:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt
        return self.original(risk, *given)


@pytest.mark.parametrize("validated", [False, True], ids=["", "eval_set"])
@pytest.mark.parametrize(("name", "n"), [("ramp", 1), ("ramp", 2), ("ramp", 3), ("ramp", 4), ("along", 1), ("along", 2)])
def test_ctrl_c_within_the_ramp(monkeypatch: pytest.MonkeyPatch, name: str, n: int, validated: bool) -> None:
    """Outside of the cutting-plane method, which has its own way of ending."""
    interrupting = AtCall(monkeypatch, name, n)
    given = {"eval_set": EVAL_SET} if validated else {}
    with pytest.warns(ConvergenceWarning, match="SVMRanker was interrupted"):
        model = SVMRanker("AP", Cs=[1.0, 10.0], cv=2).fit(DATA.X, DATA.y, DATA.qid, **given)
    assert interrupting.left <= 0 and model.interrupted_ and model.coef_.any()
    assert 0 <= model.slack_ <= 1


def test_ctrl_c_in_the_start_of_a_fold_leaves_a_bound_of_the_loss() -> None:
    """The choice of the start's C, and its last fit, call back as often as those of `RankSVM` do; then come the folds."""
    counting = Tries(10**6)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        RankSVM(cv=2, callback=counting).fit(DATA.X, DATA.y, DATA.qid)
        first_of_folds = Tries(10**6 - counting.left + 1)
        model = SVMRanker("P@5", cv=2, callback=first_of_folds).fit(DATA.X, DATA.y, DATA.qid)
    assert model.interrupted_ and model.C_ == 0 == model.objective_ and model.history_ == []
    training = weighted_for_training(LocalShards([make_task(DATA.X, DATA.y, DATA.qid, parse("P@5"))]))
    assert model.slack_ == pytest.approx(Risk(Folds(training, 2).without(0)).ramp(model.coef_).slack)
    said = [str(warning.message) for warning in caught]
    assert said[0].startswith("SVMRanker was interrupted while choosing C: 0 is the best")
    assert said[1:] == ["SVMRanker was interrupted"]


def test_the_choice_of_the_starts_C_is_named() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        SVMRanker("AP", callback=CtrlC(2)).fit(DATA.X, DATA.y, DATA.qid, eval_set=EVAL_SET)
    said = [str(warning.message) for warning in caught]
    assert said[0].startswith("SVMRanker was interrupted while choosing the C of its start: ")
    assert said[1:] == ["SVMRanker was interrupted"]


def test_a_watch_notices_what_is_interrupted_within_another() -> None:
    with watching() as outer:
        with watching() as first, Interruptible():
            pass
        assert not first.interrupted and not outer.interrupted
        with watching() as second, Interruptible():
            raise KeyboardInterrupt
        assert second.interrupted
    assert outer.interrupted and not first.interrupted
