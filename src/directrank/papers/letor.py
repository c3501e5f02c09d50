"""LETOR's five folds: ``python -m directrank.papers.letor FOLDER [LEARNER...]``.

FOLDER holds ``Fold1`` to ``Fold5``, each with train, vali and test files. What a learner leaves open (C, the number of
rounds, which of several starts) is chosen by MAP on the validation queries, and the test queries are measured; the table
gives means over the folds.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from sklearn.exceptions import ConvergenceWarning

from ..data import RankingData, letor_folds
from ..data.splits import Split
from ..evaluation import evaluate
from ..features import QueryMinMax, QueryPercentile
from ..learners import AdaRank, CoordinateAscent, OneVsRestSVM, RankBoost, RankSVM, SVMRanker
from ..measures import AP
from .accuracy_svms import accuracy_path

#: Scores of some data by each of the models that a learner leaves to choose from.
Candidates = Callable[[RankingData], Iterable[NDArray[np.float64]]]

#: The values of C that are tried.
CS = tuple(10.0 ** np.arange(-2, 4.5, 0.5))

MEASURES = ["AP", "nDCG@10", "RR", "P@10", "AUC", "MAUC"]

#: MAP on LETOR as published with the collections, by folder name.
PUBLISHED = {
    "OHSUMED": "RankSVM 0.4334, RankBoost 0.4411, ListNet 0.4457, AdaRank-MAP 0.4487",
}


def path_of_C(learner: SVMRanker) -> Callable[[Split], Candidates]:
    def fit(fold: Split) -> Candidates:
        path = learner.path(fold[0].X, fold[0].y, fold[0].qid, CS)
        return lambda data: (data.X @ w for w in path.coefs)

    return fit


def rounds_of_adarank(learner: AdaRank) -> Callable[[Split], Candidates]:
    def fit(fold: Split) -> Candidates:
        model = learner.fit(fold[0].X, fold[0].y, fold[0].qid)
        steps = np.zeros((model.features_.size, model.coef_.size))
        steps[np.arange(model.features_.size), model.features_] = model.alphas_
        return lambda data: (data.X @ w for w in np.cumsum(steps, axis=0))

    return fit


def rounds_of_rankboost(learner: RankBoost) -> Callable[[Split], Candidates]:
    def fit(fold: Split) -> Candidates:
        model = learner.fit(fold[0].X, fold[0].y, fold[0].qid)
        return lambda data: model.staged_predict(data.X)

    return fit


def by_validation(learner: CoordinateAscent) -> Callable[[Split], Candidates]:
    def fit(fold: Split) -> Candidates:
        train, validation, _ = fold
        model = learner.fit(train.X, train.y, train.qid, eval_set=(validation.X, validation.y, validation.qid))
        return lambda data: [model.predict(data.X)]

    return fit


def each_C(make: Callable[[float], Any]) -> Callable[[Split], Candidates]:
    def fit(fold: Split) -> Candidates:
        models = [make(C).fit(fold[0].X, fold[0].y, fold[0].qid) for C in (0.1, 1.0, 10.0, 100.0)]
        return lambda data: (model.predict(data.X) for model in models)

    return fit


def accuracy_svm(scaler: Any = None, weighted: bool = False) -> Callable[[Split], Candidates]:
    """SVM-acc; with `weighted`, errors on relevant documents cost more, as there are fewer of them (SVM-acc2)."""

    def scaled(data: RankingData) -> RankingData:
        return data if scaler is None else RankingData(scaler().fit_transform(data.X, qid=data.qid), data.y, data.qid)

    def fit(fold: Split) -> Candidates:
        relevant = fold[0].y > 0
        ratio = float(np.sum(~relevant) / np.sum(relevant)) if weighted else 1.0
        coefs = accuracy_path(scaled(fold[0]), CS, ratio=ratio)
        return lambda data: (scaled(data).X @ w for w in coefs)

    return fit


LEARNERS: dict[str, Callable[[Split], Candidates]] = {
    "SVM-map": path_of_C(SVMRanker("AP", bound="convex")),
    "SVM-roc": path_of_C(SVMRanker("AUC", bound="convex")),
    "SVM-ndcg": path_of_C(SVMRanker("nDCG", bound="convex")),
    "SVM-rr": path_of_C(SVMRanker("RR", bound="convex")),
    "SVM-p@10": path_of_C(SVMRanker("P@10", bound="convex")),
    "RankSVM": path_of_C(RankSVM()),
    "AdaRank-MAP": rounds_of_adarank(AdaRank("AP")),
    "AdaRank-NDCG": rounds_of_adarank(AdaRank("nDCG@5")),
    "AdaRank-MAP, Figure 1": rounds_of_adarank(AdaRank("AP", set_aside=False)),
    "RankBoost": rounds_of_rankboost(RankBoost(500)),
    "CoordinateAscent-MAP": by_validation(CoordinateAscent("AP")),
    "OneVsRestSVM": each_C(OneVsRestSVM),
    "SVM-acc": accuracy_svm(),
    "SVM-acc2": accuracy_svm(weighted=True),
    "SVM-acc3": accuracy_svm(QueryPercentile),
    "SVM-acc4": accuracy_svm(QueryMinMax),
}


def run(folder: Path, names: Iterable[str] = tuple(LEARNERS)) -> dict[str, dict[str, float]]:
    """Mean test values of each learner over the folds."""
    folds = list(letor_folds(folder))
    return {name: _mean([_one_fold(name, fold) for fold in folds]) for name in names}


def test_scores(fit: Callable[[Split], Candidates], fold: Split) -> tuple[NDArray[np.float64], float]:
    """The test scores of the model that has the best MAP on the validation queries; and the seconds to find it."""
    start = time.perf_counter()
    _, validation, test = fold
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        candidates = fit(fold)
    queries = validation.by_query()
    grades, offsets = queries.to_query_order(validation.y), queries.offsets
    on_validation = [np.mean(AP().evaluate(queries.to_query_order(s), grades, offsets)) for s in candidates(validation)]
    seconds = time.perf_counter() - start
    chosen = int(np.argmax(on_validation))
    return next(scores for number, scores in enumerate(candidates(test)) if number == chosen), seconds


def _one_fold(name: str, fold: Split) -> dict[str, float]:
    scores, seconds = test_scores(LEARNERS[name], fold)
    return {**evaluate(fold[2].y, scores, fold[2].qid, MEASURES).means, "seconds": seconds}


def _mean(folds: list[dict[str, float]]) -> dict[str, float]:
    return {name: float(np.mean([fold[name] for fold in folds])) for name in folds[0]}


def main() -> None:
    if len(sys.argv) < 2:
        print("usage: python -m directrank.papers.letor FOLDER [LEARNER ...]", file=sys.stderr)
        sys.exit(2)
    folder = Path(sys.argv[1])
    results = run(folder, sys.argv[2:] or LEARNERS)
    table = Table(title=f"{folder.name}: test means over the folds, choices by validation MAP; seconds to train a fold")
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
