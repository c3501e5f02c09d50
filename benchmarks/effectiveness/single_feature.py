"""The best single feature: the least that any learner should reach."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from directrank import RankingData, evaluate
from directrank.data.splits import Split
from directrank.evaluation import feature_scores

from . import MEASURES
from .contestant import Contestant, Scores, Side


def single_feature() -> Contestant:
    return Contestant("Best single feature", None, Side.NOBODYS, False, _train)


def _train(fold: Split, seed: int) -> Callable[[], Scores]:
    """For each measure, the feature and direction that are best by it on the training queries."""
    train = fold.train
    values = [evaluate(train.y, scores, train.qid, MEASURES).means for scores in _rankings(train)]
    best = {measure: int(np.argmax([value[measure] for value in values])) for measure in MEASURES}
    test = list(_rankings(fold.test))
    return lambda: {measure: test[ranking] for measure, ranking in best.items()}


def _rankings(data: RankingData) -> list[np.ndarray]:
    """Scores by each feature, descending and ascending."""
    columns = np.asarray(data.X, np.float64).T
    return [feature_scores(column, ascending=is_ascending) for column in columns for is_ascending in (False, True)]
