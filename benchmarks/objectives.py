"""What is trained for against what is measured: ``python -m benchmarks.objectives FOLDER``.

FOLDER holds LETOR's five folds. LambdaMART is trained for each of five measures, and so are LightGBM's own objective and
XGBoost's three, all with the same number of trees, leaves, learning rate, sampling and seeds; each takes the number of trees
that is best on the validation queries by the measure it is trained for (nDCG@10 where it has no measure of its own). The
table gives test means over folds and seeds; in each column the best of ours is marked *, the best of all +.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import lightgbm as lgb
import numpy as np
import xgboost as xgb
from rich.console import Console
from rich.table import Table

from directrank import LambdaMART, RankingData, evaluate
from directrank.data import letor_folds
from directrank.data.splits import Split

MEASURES = ["AUC", "MAUC", "AP", "nDCG@10", "RR"]
TREES, LEAVES, RATE, SEEDS, ROWS, COLUMNS = 300, 7, 0.05, 5, 0.7, 0.5
STEP = 5  # the peers are validated after so many trees each time

Scores = Callable[[RankingData, int], np.ndarray]


def ours(measure: str, fold: Split, seed: int) -> np.ndarray:
    train, validation, test = fold
    model = LambdaMART(
        measure,
        n_estimators=TREES,
        num_leaves=LEAVES,
        learning_rate=RATE,
        random_state=seed,
        bagging_fraction=ROWS,
        bagging_freq=1,
        feature_fraction=COLUMNS,
    )
    model.fit(train.X, train.y, train.qid, eval_set=(validation.X, validation.y, validation.qid))
    return model.predict(test.X)


def lightgbm(fold: Split, seed: int) -> np.ndarray:
    settings = {
        "objective": "lambdarank",
        "num_leaves": LEAVES,
        "learning_rate": RATE,
        "seed": seed,
        "bagging_fraction": ROWS,
        "bagging_freq": 1,
        "feature_fraction": COLUMNS,
        "verbosity": -1,
    }
    train = fold[0]
    booster = lgb.train(settings, lgb.Dataset(train.X, train.y, group=sizes(train)), TREES)
    return best_of_stages(fold, "nDCG@10", lambda data, trees: booster.predict(data.X, num_iteration=trees))


def xgboost(objective: str, measure: str, fold: Split, seed: int) -> np.ndarray:
    settings = {
        "objective": objective,
        "max_leaves": LEAVES,
        "grow_policy": "lossguide",
        "max_depth": 0,
        "tree_method": "hist",
        "eta": RATE,
        "seed": seed,
        "subsample": ROWS,
        "colsample_bytree": COLUMNS,
    }
    train = fold[0]
    grades = (train.y > 0).astype(float) if objective == "rank:map" else train.y  # it takes binary grades only
    matrix = xgb.DMatrix(train.X, grades)
    matrix.set_group(sizes(train))
    booster = xgb.train(settings, matrix, TREES)
    return best_of_stages(
        fold, measure, lambda data, trees: booster.predict(xgb.DMatrix(data.X), iteration_range=(0, trees))
    )


def sizes(data: RankingData) -> np.ndarray:
    return np.diff(data.by_query().offsets)


def best_of_stages(fold: Split, measure: str, scores: Scores) -> np.ndarray:
    """The test scores after as many trees as are best on the validation queries."""
    _, validation, test = fold

    def value(trees: int) -> float:
        return evaluate(validation.y, scores(validation, trees), validation.qid, measure)[measure]

    return scores(test, max(range(STEP, TREES + 1, STEP), key=value))


def learners() -> Iterator[tuple[str, Callable[[Split, int], np.ndarray]]]:
    for measure in MEASURES:
        yield f"LambdaMART {measure}", lambda fold, seed, measure=measure: ours(measure, fold, seed)
    yield "LightGBM lambdarank", lightgbm
    for objective, measure in (("rank:ndcg", "nDCG@10"), ("rank:map", "AP"), ("rank:pairwise", "nDCG@10")):
        yield f"XGBoost {objective}", lambda fold, seed, o=objective, m=measure: xgboost(o, m, fold, seed)


def run(folder: Path) -> dict[str, np.ndarray]:
    """Test means over the folds and seeds, a row for each learner."""
    folds = list(letor_folds(folder))
    results = {}
    for name, scores in learners():
        rows = [
            list(evaluate(fold[2].y, scores(fold, seed), fold[2].qid, MEASURES).means.values())
            for fold in folds
            for seed in range(SEEDS)
        ]
        results[name] = np.mean(rows, axis=0)
    return results


def main() -> None:
    folder = Path(sys.argv[1])
    results = run(folder)
    values = np.array(list(results.values()))
    table = Table(title=f"{folder.name}: trained for (rows) against measured by (columns); test means")
    table.add_column("trained for")
    for measure in MEASURES:
        table.add_column(measure, justify="right")
    for row, name in enumerate(results):
        cells = [
            f"{values[row, k]:.4f}"
            + ("*" if row == np.argmax(values[: len(MEASURES), k]) else "")
            + ("+" if row == np.argmax(values[:, k]) else "")
            for k in range(len(MEASURES))
        ]
        table.add_row(name, *cells)
    own = sum(int(np.argmax(values[: len(MEASURES), k])) == k for k in range(len(MEASURES)))
    Console().print(table)
    Console().print(f"In {own} of {len(MEASURES)} columns the best of ours is the one trained for that measure.")


if __name__ == "__main__":
    main()
