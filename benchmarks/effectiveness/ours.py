"""Our learners, for each measure that they can be trained for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from directrank import AdaRank, CoordinateAscent, LambdaMART, OneVsRestSVM, RankBoost, RankSVM, SmoothRank, SVMRanker
from directrank.data.splits import Split
from directrank.learners.core.scaling import SCALINGS

from . import MEASURES
from .contestant import Contestant, Scores, Side
from .size import EQUAL

#: Learners that take a measure, with default parameters.
FOR_ANY_MEASURE = {
    "SVMRanker": SVMRanker,
    "SmoothRank": SmoothRank,
    "CoordinateAscent": CoordinateAscent,
    "AdaRank": AdaRank,
    "LambdaMART": LambdaMART,
}

FIXED_OBJECTIVE = {"RankSVM": RankSVM, "RankBoost": RankBoost, "OneVsRestSVM": OneVsRestSVM}

#: Parameters of LambdaMART at the size that all libraries share.
EQUAL_SIZE = {
    "n_estimators": EQUAL.trees,
    "num_leaves": EQUAL.leaves,
    "learning_rate": EQUAL.rate,
    "colsample_bytree": EQUAL.columns,
    "lightgbm": {"bagging_fraction": EQUAL.rows, "bagging_freq": 1},
}

#: Linear learners, and the measure for which they are trained with each scaling.
LINEAR, LINEAR_MEASURE = ("SVMRanker", "SmoothRank", "CoordinateAscent", "AdaRank", "RankSVM", "OneVsRestSVM"), "nDCG@10"


def ours() -> Iterator[Contestant]:
    for name, learner in FIXED_OBJECTIVE.items():
        yield _contestant(name, learner, None)
    for name, learner in FOR_ANY_MEASURE.items():
        for measure in MEASURES:
            yield _contestant(name, learner, measure)
    for measure in MEASURES:
        yield _contestant("LambdaMART from RankSVM", LambdaMART, measure, init=RankSVM())
    for measure in MEASURES:
        yield _contestant("LambdaMART, equal size", LambdaMART, measure, **EQUAL_SIZE)
    for name in LINEAR:
        yield from scaled(name)


def scaled(name: str) -> Iterator[Contestant]:
    """A linear learner with each scaling other than its default."""
    learner = (FOR_ANY_MEASURE | FIXED_OBJECTIVE)[name]
    measure = LINEAR_MEASURE if name in FOR_ANY_MEASURE else None
    for scaling in SCALINGS[1:]:
        yield replace(_contestant(name, learner, measure, scaling=scaling), scaling=scaling)


def _contestant(name: str, learner: Any, measure: str | None, **parameters: Any) -> Contestant:
    given = parameters if measure is None else {"measure": measure, **parameters}
    is_random = "random_state" in learner().get_params()

    def train(fold: Split, seed: int) -> Callable[[], Scores]:
        model = learner(**given, **({"random_state": seed} if is_random else {}))
        model.fit(fold.train.X, fold.train.y, fold.train.qid, eval_set=_eval_set(fold))
        return lambda: dict.fromkeys(MEASURES, model.predict(fold.test.X, fold.test.qid))

    return Contestant(name, measure, Side.OURS, is_random, train)


def _eval_set(fold: Split) -> tuple[Any, Any, Any]:
    return fold.validation.X, fold.validation.y, fold.validation.qid
