"""Welleck's Tables 1 and 2 on LETOR's five folds: ``python -m directrank.papers.welleck FOLDER``.

LambdaMART for MAUC, its learning rate chosen by validation MAUC, beside one ROC-area SVM for each grade, trained on the
pooled documents as SVM-perf does and with its C chosen in the same way (section 5 of the paper).

The paper does not say over what its MAUC is taken. On mq2008 only that of all test documents of a fold, pooled as one set,
gives the published figures; the table also has the mean over the queries that have two grades, and over all queries.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from ..data import RankingData, letor_folds
from ..data.splits import Split
from ..evaluation import evaluate
from ..learners import LambdaMART, OneVsRestSVM

#: MAUC and MAP as published, by folder name.
PUBLISHED = {"MQ2008": {"LambdaMART-MAUC": (0.734, 0.474), "SVM-perf": (0.737, 0.458)}}

COLUMNS = ["MAUC, pooled", "MAUC, queries with two grades", "MAUC, all queries", "MAP"]


def lambdamart(fold: Split) -> list[Any]:
    """A model for each learning rate of the paper, with as many trees as validation MAUC says."""
    train, validation, _ = fold
    return [
        LambdaMART(
            "MAUC", num_leaves=7, n_estimators=500, learning_rate=rate, extra_trees=False, early_stopping_rounds=50
        ).fit(train.X, train.y, train.qid, eval_set=(validation.X, validation.y, validation.qid))
        for rate in (0.1, 0.25, 0.5, 0.9)
    ]


def svm_perf(fold: Split) -> list[Any]:
    """A model for each C of the paper, over the pooled documents."""
    train = fold[0]
    return [OneVsRestSVM(C).fit(train.X, train.y) for C in (0.1, 1.0, 10.0, 100.0)]


LEARNERS: dict[str, Callable[[Split], list[Any]]] = {"LambdaMART-MAUC": lambdamart, "SVM-perf": svm_perf}


def run(folder: Path) -> dict[str, NDArray[np.float64]]:
    """Mean test values over the folds."""
    folds = list(letor_folds(folder))
    return {name: np.mean([_one_fold(models(fold), fold) for fold in folds], axis=0) for name, models in LEARNERS.items()}


def _one_fold(models: list[Any], fold: Split) -> list[float]:
    _, validation, test = fold
    best = max(models, key=lambda model: evaluate(validation.y, model.predict(validation.X), validation.qid, "MAUC")["MAUC"])
    return values(test, best.predict(test.X))


def values(data: RankingData, scores: NDArray[np.float64]) -> list[float]:
    """The columns of the table."""
    by_query = evaluate(data.y, scores, data.qid, ["MAUC", "AP"])
    queries = data.by_query()
    grades, starts = queries.to_query_order(data.y), queries.offsets[:-1]
    two_grades = np.maximum.reduceat(grades, starts) > np.minimum.reduceat(grades, starts)
    return [
        evaluate(data.y, scores, None, "MAUC")["MAUC"],
        float(by_query.per_query["MAUC"][two_grades].mean()),
        by_query["MAUC"],
        by_query["AP"],
    ]


def main() -> None:
    if len(sys.argv) != 2:
        print("usage: python -m directrank.papers.welleck FOLDER", file=sys.stderr)
        sys.exit(2)
    folder = Path(sys.argv[1])
    table = Table(title=f"{folder.name}: test means over the folds; choices by validation MAUC")
    for column in ("learner", *COLUMNS, "published MAUC", "published MAP"):
        table.add_column(column, justify="left" if column == "learner" else "right")
    for name, row in run(folder).items():
        published = PUBLISHED.get(folder.name, {}).get(name, ("", ""))
        table.add_row(name, *(f"{value:.4f}" for value in row), *map(str, published))
    Console().print(table)


if __name__ == "__main__":
    main()
