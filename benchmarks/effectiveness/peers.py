"""LightGBM, XGBoost and CatBoost, at equal size and with defaults.

Their number of trees is chosen for each column, on the validation queries by the measure of that column: that is more than a
user who trains one model would get.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import lightgbm as lgb
import numpy as np
import xgboost as xgb

from directrank import RankingData, evaluate
from directrank.data.splits import Split

from . import MEASURES
from .contestant import Contestant, Scores, Side
from .size import EQUAL, Size

#: The number of trees is a multiple of this.
STEP = 5

#: Function that yields the scores of rows after every `STEP` trees.
Stages = Callable[[np.ndarray], Iterator[np.ndarray]]


#: Objectives at equal size; the first of each library is run with its defaults too.
OBJECTIVES = {
    "LightGBM": ("lambdarank", "rank_xendcg"),
    "XGBoost": ("rank:ndcg", "rank:map", "rank:pairwise"),
    "CatBoost": ("YetiRank", "YetiRank:mode=MAP", "QuerySoftMax"),
}


def peers() -> Iterator[Contestant]:
    """Cheap ones first."""
    train = {"LightGBM": _lightgbm, "XGBoost": _xgboost, "CatBoost": _catboost}
    for library, objectives in OBJECTIVES.items():
        for objective in objectives:
            yield _contestant(f"{library} {objective}, equal size", train[library], objective, EQUAL)
    for library, objectives in OBJECTIVES.items():
        yield _contestant(f"{library} {objectives[0]}, defaults", train[library], objectives[0], None)


def _contestant(
    name: str, train: Callable[[RankingData, str, Size | None, int], Stages], objective: str, size: Size | None
) -> Contestant:
    def train_fold(fold: Split, seed: int) -> Callable[[], Scores]:
        stages = train(_by_query(fold.train), objective, size, seed)
        return lambda: _best_stages(fold, stages)

    return Contestant(name, None, Side.THEIRS, True, train_fold)


def _best_stages(fold: Split, stages: Stages) -> Scores:
    """Test scores for each measure, with the number of trees that is best by it on the validation queries."""
    validation, test = fold.validation, fold.test
    values = [evaluate(validation.y, s, validation.qid, MEASURES).means for s in stages(validation.X)]
    test_scores = list(stages(test.X))
    return {measure: test_scores[int(np.argmax([value[measure] for value in values]))] for measure in MEASURES}


def _lightgbm(train: RankingData, objective: str, size: Size | None, seed: int) -> Stages:
    settings: dict[str, Any] = {"objective": objective, "seed": seed, "verbosity": -1, "num_threads": 1}
    if size is not None:
        settings |= {"num_leaves": size.leaves, "learning_rate": size.rate, "feature_fraction": size.columns}
        settings |= {"bagging_fraction": size.rows, "bagging_freq": 1}
    booster = lgb.train(settings, lgb.Dataset(train.X, train.y, group=_sizes(train)), size.trees if size else 100)
    return lambda X: _sums(lambda n: booster.predict(X, start_iteration=n, num_iteration=STEP), booster.current_iteration())


def _xgboost(train: RankingData, objective: str, size: Size | None, seed: int) -> Stages:
    settings: dict[str, Any] = {"objective": objective, "seed": seed, "nthread": 1, "tree_method": "hist"}
    if size is not None:
        settings |= {"max_leaves": size.leaves, "grow_policy": "lossguide", "max_depth": 0, "eta": size.rate}
        settings |= {"subsample": size.rows, "colsample_bytree": size.columns}
    grades = (train.y > 0).astype(float) if objective == "rank:map" else train.y  # binary grades only
    matrix = xgb.DMatrix(train.X, grades)
    matrix.set_group(_sizes(train))
    n_trees = size.trees if size else 100
    booster = xgb.train(settings, matrix, n_trees)

    def stages(X: np.ndarray) -> Iterator[np.ndarray]:
        rows = xgb.DMatrix(X)
        # Each part includes the constant base score, which changes no ranking.
        return _sums(lambda n: booster.predict(rows, output_margin=True, iteration_range=(n, n + STEP)), n_trees)

    return stages


def _catboost(train: RankingData, objective: str, size: Size | None, seed: int) -> Stages:
    import catboost  # not a dependency of the tests

    settings: dict[str, Any] = {"loss_function": objective, "random_seed": seed, "thread_count": 1, "verbose": False}
    settings |= {"allow_writing_files": False}
    if size is not None:
        depth = int(np.ceil(np.log2(size.leaves)))  # symmetric trees, with slightly more leaves than the others
        settings |= {"iterations": size.trees, "depth": depth, "learning_rate": size.rate, "rsm": size.columns}
        settings |= {"bootstrap_type": "Bernoulli", "subsample": size.rows}
    is_binary = "mode=M" in objective  # MAP and MRR
    grades = (train.y > 0).astype(float) if is_binary else train.y
    model = catboost.CatBoost(settings)
    model.fit(catboost.Pool(train.X, grades, group_id=np.repeat(np.arange(train.n_queries), _sizes(train))))
    return lambda X: model.staged_predict(X, eval_period=STEP)


def _sums(part: Callable[[int], np.ndarray], n_trees: int) -> Iterator[np.ndarray]:
    """Cumulative scores after every `STEP` trees."""
    total: np.ndarray | float = 0.0
    for first in range(0, n_trees, STEP):
        total = total + part(first).astype(np.float64)
        yield total


def _by_query(data: RankingData) -> RankingData:
    """Rows grouped by query, as these libraries require."""
    return data.select(data.by_query().order)


def _sizes(data: RankingData) -> np.ndarray:
    return np.diff(data.by_query().offsets)
