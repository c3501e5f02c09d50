"""Our learners, for each measure that they can be trained for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from directrank import AdaRank, CoordinateAscent, LambdaMART, OneVsRestSVM, RankBoost, RankSVM, SmoothRank, SVMRanker
from directrank.data.splits import Split

from . import MEASURES
from .contestant import Contestant, Scores
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

#: Parameters of the tuned LambdaMART.
GRID = [{"num_leaves": leaves, "extra_trees": is_random} for leaves in (7, 15, 31) for is_random in (True, False)]

#: Parameters of LambdaMART at the size that all libraries share.
EQUAL_SIZE = {
    "n_estimators": EQUAL.trees,
    "num_leaves": EQUAL.leaves,
    "learning_rate": EQUAL.rate,
    "colsample_bytree": EQUAL.columns,
    "lightgbm": {"bagging_fraction": EQUAL.rows, "bagging_freq": 1},
}


def ours() -> Iterator[Contestant]:
    for name, learner in FOR_ANY_MEASURE.items():
        for measure in MEASURES:
            yield _contestant(name, learner, measure)
    for measure in MEASURES:
        yield _contestant("LambdaMART, equal size", LambdaMART, measure, **EQUAL_SIZE)
        yield _contestant("LambdaMART from RankSVM", LambdaMART, measure, init=RankSVM())
        yield _tuned(measure)
    for name, learner in FIXED_OBJECTIVE.items():
        yield _contestant(name, learner, None)


def _contestant(name: str, learner: Any, measure: str | None, **parameters: Any) -> Contestant:
    given = parameters if measure is None else {"measure": measure, **parameters}
    is_random = "random_state" in learner().get_params()

    def scores(fold: Split, seed: int) -> Scores:
        model = learner(**given, **({"random_state": seed} if is_random else {}))
        model.fit(fold.train.X, fold.train.y, fold.train.qid, eval_set=eval_set(fold))
        return dict.fromkeys(MEASURES, model.predict(fold.test.X))

    return Contestant(name, measure, True, is_random, scores)


def _tuned(measure: str) -> Contestant:
    """Best of a grid by the measure on the validation queries, with one seed."""

    def scores(fold: Split, seed: int) -> Scores:
        models = [LambdaMART(measure, random_state=seed, **settings) for settings in GRID]
        for model in models:
            model.fit(fold.train.X, fold.train.y, fold.train.qid, eval_set=eval_set(fold))
        best = max(models, key=lambda model: model.score(*eval_set(fold)))
        return dict.fromkeys(MEASURES, best.predict(fold.test.X))

    return Contestant("LambdaMART, tuned", measure, True, False, scores)


def eval_set(fold: Split) -> tuple[Any, Any, Any]:
    return fold.validation.X, fold.validation.y, fold.validation.qid
