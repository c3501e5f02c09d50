"""Ctrl-C in a fit: every learner stops at once and raises KeyboardInterrupt, with the model so far if asked to."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

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
from directrank.learners import Progress
from directrank.learners.core.monitoring import Monitor
from directrank.learners.core.shards import Folds, LocalShards, weighted_for_training
from directrank.learners.core.task import make_task
from directrank.learners.lambdamart.boosters import Boosters
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
    AdaRank(weak_ranker=RankBoost(n_estimators=3), early_stopping_rounds=5),
    RankBoost(),
    CoordinateAscent(),
    EnsembleSelection(n_estimators=5, n_bags=2),
    SmoothRank(cv=2),
    LambdaMART(),
]


class CtrlC:
    """A callback that interrupts at the n-th call, and must not be called again."""

    def __init__(self, n: int) -> None:
        self.left = n

    def __call__(self, progress: Progress) -> None:
        self.left -= 1
        assert self.left >= 0, "it went on"
        if self.left == 0:
            raise KeyboardInterrupt


class StopAt(CtrlC):
    """A callback that ends the training at the n-th call, and must not be called again."""

    def __call__(self, progress: Progress) -> bool:
        self.left -= 1
        assert self.left >= 0, "it went on"
        return self.left == 0


def fit(learner, validated: bool = False, **given):
    """The learner, fitted on the data of this file."""
    if isinstance(learner, MultivariateSVC):
        return learner.fit(DATA.X, DATA.y > 0, **given)
    return learner.fit(DATA.X, DATA.y, DATA.qid, **given | ({"eval_set": EVAL_SET} if validated else {}))


def interrupted(learner, callback, validated: bool = False):
    """The learner after a Ctrl-C, with its model so far."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(KeyboardInterrupt):
            fit(learner, validated, callbacks=[callback], keep_partial=True)
    return learner


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("validated", [False, True], ids=["", "eval_set"])
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_ctrl_c_stops_at_once_and_keeps_the_model(learner, validated: bool, n: int) -> None:
    callback = CtrlC(n)
    learner = interrupted(clone(learner), callback, validated)
    assert learner.interrupted_ and callback.left == 0
    assert np.all(np.isfinite(learner.predict(DATA.X)))


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_without_keep_partial_no_model_is_left(learner) -> None:
    learner = fit(clone(learner).set_params(**{"C": 1.0} if "C" in learner.get_params() else {}))
    assert not learner.interrupted_
    with pytest.raises(KeyboardInterrupt):
        fit(learner, callbacks=[CtrlC(1)])
    with pytest.raises(NotFittedError):
        learner.predict(DATA.X)


@pytest.mark.parametrize(
    "learner", [AdaRank(), RankBoost(), EnsembleSelection(), CoordinateAscent(), LambdaMART(init=None)], ids=str
)
def test_before_the_first_round_there_is_no_model_to_keep(learner, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*given: object, **more: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("directrank.learners.core.monitoring.TrainingMonitor.round", interrupt)
    if isinstance(learner, CoordinateAscent):  # it has a start
        monkeypatch.setattr("directrank.learners.linear.coordinate_ascent.spread_within_queries", interrupt)
    learner = clone(learner)
    with pytest.raises(KeyboardInterrupt):
        fit(learner, keep_partial=True)
    assert learner.interrupted_ and not hasattr(learner, "model_")


@pytest.mark.parametrize("n_grown", [1, 50, 150])
@pytest.mark.parametrize("learner", [LambdaMART(), LambdaMART(init=None), LambdaMART(init=RankSVM())], ids=str)
def test_before_the_rounds_are_chosen_there_is_no_model_to_keep(
    learner: LambdaMART, n_grown: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither Ctrl-C in the trees that RankSVM is compared with nor in those of the folds begins another training."""
    grown = list[Boosters]()

    def grow(boosters: Boosters) -> None:
        grown.append(boosters)
        if len(grown) == n_grown:
            raise KeyboardInterrupt

    monkeypatch.setattr(Boosters, "grow", grow)
    learner = interrupted(clone(learner), CtrlC(1))
    assert len(grown) == n_grown and learner.interrupted_ and not hasattr(learner, "model_")


def test_ctrl_c_in_the_start_of_a_fold_begins_no_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    told = list[Progress]()

    def tell(monitor: Monitor, progress: Progress) -> bool:
        told.append(progress)
        if len(told) == 5:
            raise KeyboardInterrupt
        return False

    monkeypatch.setattr(Monitor, "tell", tell)
    monkeypatch.setattr(Boosters, "grow", lambda boosters: pytest.fail("it went on"))
    learner = interrupted(LambdaMART(), CtrlC(1))
    assert len(told) == 5 and learner.interrupted_ and not hasattr(learner, "model_")


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_a_callback_ends_the_training(learner, n: int) -> None:
    callback = StopAt(n)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learner = fit(clone(learner), callbacks=[callback])
    assert callback.left == 0 and not learner.interrupted_
    assert np.all(np.isfinite(learner.predict(DATA.X)))


class Tries:
    """A callback that interrupts at the n-th value of C."""

    def __init__(self, n: int) -> None:
        self.n, self.tried = n, set[float]()

    def __call__(self, progress: Progress) -> None:
        self.tried.add(progress.info["C"])
        if len(self.tried) == self.n:
            raise KeyboardInterrupt


@pytest.mark.parametrize("tried", [1, 2, 3])
def test_C_is_the_best_of_those_tried_on_an_eval_set(tried: int) -> None:
    Cs = [0.01, 0.1, 1.0, 10.0]
    wanted = fit(SVMRanker("AP", bound="convex", Cs=Cs[:tried]), validated=True)
    model = interrupted(SVMRanker("AP", bound="convex", Cs=Cs), Tries(tried + 1), validated=True)
    assert model.score(*EVAL_SET) >= wanted.score(*EVAL_SET)


def test_C_is_the_best_of_those_tried_on_folds() -> None:
    Cs = [0.01, 0.1, 1.0, 10.0]
    wanted = fit(SVMRanker("AP", bound="convex", Cs=Cs[:2], cv=3))
    model = interrupted(SVMRanker("AP", bound="convex", Cs=Cs, cv=3), Tries(3))
    assert model.C_ == wanted.C_ and model.coef_.any()


@pytest.mark.parametrize("validated", [False, True], ids=["", "eval_set"])
def test_ctrl_c_between_two_values_of_C(monkeypatch: pytest.MonkeyPatch, validated: bool) -> None:
    """Ctrl-C during evaluation on held-out queries, outside of the solver."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("directrank.learners.core.shards.Folds.value", interrupt)
    monkeypatch.setattr("directrank.learners.svm.model_selection.mean_value", interrupt)
    model = interrupted(SVMRanker("AP", bound="convex", Cs=[0.1, 1.0], scaling="standard"), lambda progress: None, validated)
    assert model.interrupted_ and model.coef_.any()


def test_the_final_fit_after_folds_may_be_interrupted_too() -> None:
    heard, svm = list[Progress](), SVMRanker("AP", bound="convex", Cs=[0.1, 1.0], cv=2)
    fit(svm, callbacks=[heard.append])
    model = interrupted(svm, CtrlC(len(heard) - svm.n_iter_ + 1))
    assert model.n_iter_ == 1


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
    model = interrupted(SVMRanker("AP", bound="ramp", Cs=[1.0, 10.0], cv=2), lambda progress: None, validated)
    assert interrupting.left <= 0 and model.interrupted_ and model.coef_.any()
    assert 0 <= model.slack_ <= 1


def test_ctrl_c_in_the_start_of_a_fold_keeps_a_model() -> None:
    """The choice of the start's C, and its last fit, call back as often as those of `RankSVM` do; then come the folds."""
    heard, task = list[Progress](), make_task(DATA.X, DATA.y, DATA.qid, parse("P@5"))
    learned_from = dict(zip(task.queries.ids.tolist(), task.bound.informative.astype(float), strict=True))
    fit(RankSVM(cv=2, scaling="none"), callbacks=[heard.append], query_weight=learned_from)
    model = interrupted(SVMRanker("P@5", bound="ramp", cv=2, scaling="none"), CtrlC(len(heard) + 1))
    assert model.interrupted_ and model.C_ == 0 and model.coef_.any() and model.history_ == []
    training = weighted_for_training(LocalShards([task]))
    assert model.slack_ == pytest.approx(Risk(Folds(training, 2).without(0)).ramp(model.coef_).slack)
