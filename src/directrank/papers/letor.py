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
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.utils.metadata_routing import get_routing_for_object

from ..data import RankingData, letor_folds
from ..data.splits import Split
from ..evaluation import evaluate
from ..features import QueryMinMax, QueryPercentile
from ..learners import AdaRank, CoordinateAscent, OneVsRestSVM, RankBoost, RankSVM, SVMRanker, routing
from ..measures import AP

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


def accuracy_svm(*scalers: Any, class_weight: str | None = None) -> Callable[[Split], Candidates]:
    """With the squared hinge loss: on LETOR w = 0 often minimises the hinge loss itself, to within a gap of 0.001."""

    def fit(fold: Split) -> Candidates:
        svms = [LinearSVC(C=C, class_weight=class_weight, random_state=0, max_iter=10_000) for C in (0.01, 0.1, 1.0, 10.0)]
        models = [make_pipeline(*scalers, svm) for svm in svms]
        with routing():
            for model in models:
                model.fit(fold[0].X, fold[0].y > 0, **_metadata(model, "fit", fold[0]))
        return lambda data: (_decided(model, data) for model in models)

    return fit


def _decided(model: Any, data: RankingData) -> Any:
    with routing():
        return model.decision_function(data.X, **_metadata(model, "decision_function", data))


def _metadata(model: Any, method: str, data: RankingData) -> dict[str, Any]:
    """The qid, for pipelines that have a use for it: scikit-learn refuses it for others."""
    wanted = get_routing_for_object(model).consumes(method, ["qid"])
    return dict.fromkeys(wanted, data.qid)


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
    "SVM-acc2": accuracy_svm(class_weight="balanced"),
    "SVM-acc3": accuracy_svm(QueryPercentile()),
    "SVM-acc4": accuracy_svm(QueryMinMax()),
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
