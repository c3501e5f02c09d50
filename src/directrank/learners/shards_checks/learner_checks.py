"""Checks that every learner gives the same bits on a kind of shards as in one process."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from ...arrays import Floats
from ...data import InputError, RankingData
from ..boosting.adarank import AdaRank
from ..boosting.rankboost import RankBoost
from ..core.shards import PerShard, Shards
from ..core.task import Task
from ..lambdamart.learner import LambdaMART
from ..linear.coordinate_ascent import CoordinateAscent
from ..linear.ensemble_selection import EnsembleSelection
from ..linear.smooth_rank import SmoothRank
from ..svm.multivariate import MultivariateSVC
from ..svm.one_vs_rest import OneVsRestSVM
from ..svm.ranksvm import RankSVM
from ..svm.svm_ranker import SVMRanker
from .check_data import MakeShards, in_this_process, make_parts, require


def learners_to_check() -> list[Any]:
    """Every learner, in the forms that differ in their steps."""
    return [
        SVMRanker("AP", Cs=[0.1, 10.0], cv=2),
        SVMRanker("nDCG@3", Cs=[1.0], cv=2, bound="ramp"),
        SVMRanker("nDCG", C=10, kernel="rbf"),
        RankSVM(Cs=[0.1, 10.0], cv=2),
        OneVsRestSVM(C=10, scaling="query"),
        RankSVM(C=10, basis="piecewise"),
        OneVsRestSVM(C=10),
        AdaRank("nDCG@3", directions="both"),
        AdaRank("nDCG", weak_ranker=RankBoost(n_estimators=3), sample=0.7, early_stopping_rounds=2, n_estimators=3),
        RankBoost(n_estimators=10, thresholds=7),
        CoordinateAscent("AP", n_restarts=1, max_iter=2),
        EnsembleSelection("AP", n_estimators=5),
        SmoothRank("nDCG@3", cv=2, max_iter=2),
        MultivariateSVC("AUC", C=10),
    ]


def name_of_learner(learner: Any) -> str:
    """Name of a learner with the parameters that tell it from others of its class."""
    chosen = ("bound", "kernel", "weak_ranker", "scaling", "basis")
    given = {name: value for name, value in learner.get_params(deep=False).items() if name in chosen}
    default = type(learner)().get_params(deep=False)
    shown = [
        type(value).__name__ if name == "weak_ranker" else value for name, value in given.items() if value != default[name]
    ]
    return f"{type(learner).__name__}({', '.join([str(learner.measure), *shown])})"


def check_same_bits(learner: Any, make: MakeShards) -> None:
    parts = make_parts()
    if learner.joins_shards:
        found, wanted = (_fitted(learner, kind(parts)) for kind in (make, in_this_process))
    else:
        weights = PerShard([np.arange(part.n_queries) % 3.0 for part in parts])
        found, wanted = (_fitted(learner, kind(parts).map(_with_given, weights)) for kind in (make, in_this_process))
    _require_same(learner, found, wanted, parts)


def check_validated(learner: Any, make: MakeShards) -> None:
    parts, sets = make_parts(), (make_parts(1, (5, 6)), make_parts(2, (4,)))
    found, wanted = (
        _fitted(learner, kind(parts), [kind(one) for one in sets], eval_measures=["RR"]) for kind in (make, in_this_process)
    )
    _require_same(learner, found, wanted, parts)
    same = found.evals_result_ == wanted.evals_result_
    values = f"{found.evals_result_}, and in one process {wanted.evals_result_}"
    require(same, f"{name_of_learner(learner)} has the evals_result_ {values}")


def check_lost_memory(make: MakeShards) -> None:
    """Learners that remember most, with their memory cleared before each step."""
    parts = make_parts()
    for learner in (AdaRank("AP", n_estimators=3), RankBoost(n_estimators=5)):
        found = _fitted(learner, _Forgetful(make(parts)))
        _require_same(learner, found, _fitted(learner, make(parts)), parts)


def check_trees(make: MakeShards) -> None:
    """LambdaMART gives the same trees twice; or says in one sentence that it has no way to grow them from these shards."""
    parts, learner = make_parts(), LambdaMART("AP", n_estimators=3, n_seeds=1, min_child_samples=3)
    try:
        first, second = (_fitted(learner, make(parts), make(make_parts(1, (5, 6)))) for _ in range(2))
    except InputError as error:
        require(type(make(parts)).__name__ in str(error), f"LambdaMART does not say what it lacks: {error}")
        return
    _require_same(learner, second, first, parts)


def _fitted(learner: Any, training: Shards, *eval_set: Any, **given: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", UserWarning)
        return clone(learner).fit_shards(training, *eval_set, **given)


def _require_same(learner: Any, found: Any, wanted: Any, parts: Sequence[RankingData]) -> None:
    """Require that two models give the same scores, to the bit, after as many rounds."""
    name = name_of_learner(learner)
    for part in parts:
        scores, expected = (model.model_.predict(part.X, part.qid) for model in (found, wanted))
        far = float(np.max(np.abs(scores - expected)))
        require(np.array_equal(scores, expected), f"the scores of {name} differ from those in one process by {far:g}")
    require(
        len(found.history_) == len(wanted.history_), f"{name} takes {len(found.history_)} rounds, not {len(wanted.history_)}"
    )


class _Forgetful(Shards):
    """Shards of any kind whose tasks have lost their memory before each step."""

    def __init__(self, shards: Shards) -> None:
        self.shards, self.n_features, self.feature_names = shards, shards.n_features, shards.feature_names

    def each(self, step: Callable[..., Any], *args: Any) -> list[Any]:
        return self.shards.each(_without_memory, step, *args)

    def map(self, change: Callable[..., Task], *args: Any) -> _Forgetful:
        return _Forgetful(self.shards.map(change, *args))


def _without_memory(task: Task, step: Callable[..., Any], *args: Any) -> Any:
    task.memory.clear()
    return step(task, *args)


def _with_given(task: Task, given: Floats) -> Task:
    return replace(task, given=given, weights=given, memory={})
