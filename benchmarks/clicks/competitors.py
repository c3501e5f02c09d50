"""LightGBM and XGBoost on clicks, with their own corrections of the position bias.

Both learn from sessions: a row for each impression, with its click as the label. Their number of trees is chosen by inverse
propensity scores of the validation sessions, which they do not offer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import lightgbm as lgb
import numpy as np
import xgboost as xgb

from benchmarks.effectiveness.size import EQUAL
from directrank import RankingData, evaluate

from . import OBJECTIVE
from .click_setting import Clicked, Simulated, reported_value
from .contenders import Contender, shown_documents

#: The number of trees is a multiple of this.
STEP = 25

#: Function of features and a number of trees that gives scores.
Predict = Callable[[np.ndarray, int], np.ndarray]


def _lightgbm(clicked: Clicked, seed: int) -> Predict:
    """LambdaRank with an additive bias for each position."""
    settings: dict[str, Any] = {"objective": "lambdarank", "seed": seed, "verbosity": -1, "num_threads": 1}
    settings |= {"num_leaves": EQUAL.leaves, "learning_rate": EQUAL.rate, "feature_fraction": EQUAL.columns}
    settings |= {"bagging_fraction": EQUAL.rows, "bagging_freq": 1}
    log = clicked.log
    data = lgb.Dataset(_rows(clicked), log.click, group=np.diff(log.offsets), position=log.rank)
    booster = lgb.train(settings, data, EQUAL.trees)
    return lambda X, n_trees: booster.predict(X, num_iteration=n_trees)


def _xgboost(clicked: Clicked, seed: int) -> Predict:
    """LambdaMART with ratios of propensities that are estimated as it learns; a row's place in its group is its position."""
    settings: dict[str, Any] = {"objective": "rank:ndcg", "lambdarank_unbiased": True, "seed": seed, "nthread": 1}
    settings |= {"max_leaves": EQUAL.leaves, "grow_policy": "lossguide", "max_depth": 0, "eta": EQUAL.rate}
    settings |= {"subsample": EQUAL.rows, "colsample_bytree": EQUAL.columns, "tree_method": "hist"}
    matrix = xgb.DMatrix(_rows(clicked), clicked.log.click)
    matrix.set_group(np.diff(clicked.log.offsets))
    booster = xgb.train(settings, matrix, EQUAL.trees)
    return lambda X, n_trees: booster.predict(xgb.DMatrix(X), output_margin=True, iteration_range=(0, n_trees))


def _contender(train: Callable[[Clicked, int], Predict]) -> Contender:
    def learn(simulated: Simulated, seed: int) -> float:
        predict = train(simulated.train, seed)
        held_out = shown_documents(simulated.validation, simulated.estimated_bias, "ips")
        n_trees = max(_stages(), key=lambda n: _gain(held_out, predict(held_out.X, n)))
        return reported_value(simulated.test, predict(simulated.test.X, n_trees).astype(np.float64))

    return learn


def _stages() -> Iterator[int]:
    yield from range(STEP, EQUAL.trees + 1, STEP)


def _gain(held_out: RankingData, scores: np.ndarray) -> float:
    return float(evaluate(held_out.y, scores.astype(np.float64), held_out.qid, OBJECTIVE).means[OBJECTIVE])


def _rows(clicked: Clicked) -> np.ndarray:
    """Features of each impression."""
    row_of_pair = clicked.log.pairs.docno.astype(np.int64)
    return clicked.data.X[row_of_pair[clicked.log.pair]].astype(np.float32)


#: Contenders, by name.
PEERS: dict[str, Contender] = {
    "LightGBM lambdarank, position": _contender(_lightgbm),
    "XGBoost lambdarank_unbiased": _contender(_xgboost),
}
