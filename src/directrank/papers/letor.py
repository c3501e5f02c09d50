"""LETOR's five folds: ``python -m directrank.papers.letor FOLDER``.

FOLDER holds ``Fold1`` to ``Fold5``, each with train, vali and test files. Every learner is trained for all values of C, the
best is chosen by MAP on the validation queries, and the test queries are measured; the table gives means over the folds.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from ..data import letor_folds
from ..data.splits import Split
from ..evaluation import evaluate
from ..learners import RankSVM, SVMRanker

LEARNERS = {
    "SVM-map": SVMRanker("AP"),
    "SVM-roc": SVMRanker("AUC"),
    "SVM-ndcg": SVMRanker("nDCG"),
    "SVM-rr": SVMRanker("RR"),
    "SVM-p@10": SVMRanker("P@10"),
    "RankSVM": RankSVM(),
}
MEASURES = ["AP", "nDCG@10", "RR", "P@10", "AUC"]

#: MAP on LETOR as published with the collections, by folder name.
PUBLISHED = {
    "OHSUMED": "RankSVM 0.4334, RankBoost 0.4411, ListNet 0.4457, AdaRank-MAP 0.4487",
}


def run(folder: Path) -> dict[str, dict[str, float]]:
    """Mean test values of each learner over the folds."""
    folds = list(letor_folds(folder))
    return {name: _mean([_one_fold(name, fold) for fold in folds]) for name in LEARNERS}


def _one_fold(name: str, fold: Split) -> dict[str, float]:
    start = time.perf_counter()
    train, validation, test = fold
    path = LEARNERS[name].path(train.X, train.y, train.qid)
    on_validation = [evaluate(validation.y, validation.X @ w, validation.qid, "AP")["AP"] for w in path.coefs]
    best = path.coefs[int(np.argmax(on_validation))]
    seconds = time.perf_counter() - start
    return {**evaluate(test.y, test.X @ best, test.qid, MEASURES).means, "seconds": seconds}


def _mean(folds: list[dict[str, float]]) -> dict[str, float]:
    return {name: float(np.mean([fold[name] for fold in folds])) for name in folds[0]}


def main() -> None:
    folder = Path(sys.argv[1])
    results = run(folder)
    table = Table(
        title=f"{folder.name}: test means over the folds, C by validation MAP; seconds for a fold's whole path of C"
    )
    for column in ("learner", *next(iter(results.values()))):
        table.add_column(column, justify="left" if column == "learner" else "right")
    for row in _rows(results):
        table.add_row(*row)
    console = Console()
    console.print(table)
    console.print(f"Published MAP: {PUBLISHED.get(folder.name, 'none known')}")


def _rows(results: dict[str, dict[str, float]]) -> Iterator[list[str]]:
    for name, values in results.items():
        yield [name, *(f"{value:.4f}" for value in values.values())]


if __name__ == "__main__":
    main()
