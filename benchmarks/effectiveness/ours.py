"""Our learners, each for each measure that it can be trained for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from directrank import AdaRank, CoordinateAscent, LambdaMART, OneVsRestSVM, RankBoost, RankSVM, SmoothRank, SVMRanker
from directrank.data.splits import Split

from . import MEASURES
from .contestant import Contestant, Scores
from .size import EQUAL

#: Those that take a measure, as they come out of the box.
FOR_ANY_MEASURE = {
    "SVMRanker": SVMRanker,
    "SmoothRank": SmoothRank,
    "CoordinateAscent": CoordinateAscent,
    "AdaRank": AdaRank,
    "LambdaMART": LambdaMART,
}

WITHOUT_CHOICE = {"RankSVM": RankSVM, "RankBoost": RankBoost, "OneVsRestSVM": OneVsRestSVM}

#: LambdaMART in the size that all libraries have in common.
OF_EQUAL_SIZE = {
    "n_estimators": EQUAL.trees,
    "num_leaves": EQUAL.leaves,
    "learning_rate": EQUAL.rate,
    "bagging_fraction": EQUAL.rows,
    "bagging_freq": 1,
    "feature_fraction": EQUAL.columns,
}


def ours() -> Iterator[Contestant]:
    for name, learner in FOR_ANY_MEASURE.items():
        for measure in MEASURES:
            yield _contestant(name, learner, measure)
    for measure in MEASURES:
        yield _contestant("LambdaMART, equal size", LambdaMART, measure, **OF_EQUAL_SIZE)
    for name, learner in WITHOUT_CHOICE.items():
        yield _contestant(name, learner, None)


def _contestant(name: str, learner: Any, measure: str | None, **parameters: Any) -> Contestant:
    given = parameters if measure is None else {"measure": measure, **parameters}
    is_random = "random_state" in learner().get_params()

    def scores(fold: Split, seed: int) -> Scores:
        model = learner(**given, **({"random_state": seed} if is_random else {}))
        model.fit(fold.train.X, fold.train.y, fold.train.qid, eval_set=tuple_of(fold))
        return dict.fromkeys(MEASURES, model.predict(fold.test.X))

    return Contestant(name, measure, True, is_random, scores)


def tuple_of(fold: Split) -> tuple[Any, Any, Any]:
    return fold.validation.X, fold.validation.y, fold.validation.qid
