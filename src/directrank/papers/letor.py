"""LETOR's five folds (Qin et al. 2010), with learners that LETOR has figures of, and others.

What a learner leaves open (C, the number of rounds, which of several starts) is chosen by MAP on the validation queries, and
the test queries are measured; figures are means over the folds.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from ..data import RankingData, letor_folds
from ..data.splits import Split
from ..evaluation import Evaluation, Report, compare_all, evaluate
from ..learners import AdaRank, CoordinateAscent, OneVsRestSVM, RankBoost, RankSVM, SVMRanker
from ..measures import AP
from .claims import is_higher
from .experiment import Experiment, Outcome, Source
from .rows import Rows

#: Scores of some data by each of the models that a learner leaves to choose from.
Candidates = Callable[[RankingData], Iterable[NDArray[np.float64]]]

#: The values of C that are tried.
CS = tuple(10.0 ** np.arange(-2, 4.5, 0.5))

#: The columns of the table.
MEASURES = {"MAP": "AP", "nDCG@10": "nDCG@10", "RR": "RR", "P@10": "P@10", "AUC": "AUC", "MAUC": "MAUC"}


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


LEARNERS: dict[str, Callable[[Split], Candidates]] = {
    "SVM-map": path_of_C(SVMRanker("AP", bound="convex")),
    "SVM-roc": path_of_C(SVMRanker("AUC", bound="convex")),
    "SVM-ndcg": path_of_C(SVMRanker("nDCG", bound="convex")),
    "SVM-rr": path_of_C(SVMRanker("RR", bound="convex")),
    "RankSVM": path_of_C(RankSVM()),
    "AdaRank-MAP": rounds_of_adarank(AdaRank("AP")),
    "AdaRank-NDCG": rounds_of_adarank(AdaRank("nDCG@5")),
    "AdaRank-MAP, Figure 1": rounds_of_adarank(AdaRank("AP", set_aside=False)),
    "RankBoost": rounds_of_rankboost(RankBoost(500)),
    "CoordinateAscent-MAP": by_validation(CoordinateAscent("AP")),
    "OneVsRestSVM": each_C(OneVsRestSVM),
}


def run_folds(folds: Sequence[Split], rows: Rows, quick: bool) -> Outcome:
    """The means over the folds of each learner; the first fold alone if that is enough."""
    numbers = [str(i) for i in range(1, len(folds[:1] if quick else folds) + 1)]
    found = {name: list(rows.each(f"{name}, fold", numbers, partial(_one_fold, name, folds)).values()) for name in LEARNERS}
    figures = {
        name: {**{column: _mean(parts, column) for column in MEASURES}, "seconds": _mean(parts, "seconds")}
        for name, parts in found.items()
    }
    return Outcome(figures, _compared(found))


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


def _one_fold(name: str, folds: Sequence[Split], number: str) -> dict[str, Any]:
    fold = folds[int(number) - 1]
    scores, seconds = test_scores(LEARNERS[name], fold)
    found = evaluate(fold.test.y, scores, fold.test.qid, list(MEASURES.values()))
    queries = [str(qid) for qid in found.qid.tolist()]
    values = {column: found.values(measure).tolist() for column, measure in MEASURES.items()}
    return {**{column: dict(zip(queries, mine, strict=True)) for column, mine in values.items()}, "seconds": seconds}


def _mean(parts: Sequence[dict[str, Any]], column: str) -> float:
    """Over the folds, of the mean over the queries of a fold."""
    return float(np.mean([np.mean(list(part[column].values()) if column in MEASURES else part[column]) for part in parts]))


def _compared(found: dict[str, list[dict[str, Any]]]) -> Report:
    """The learners by the average precision of all test queries."""
    values = {name: {q: value for part in parts for q, value in part["MAP"].items()} for name, parts in found.items()}
    return compare_all(
        {
            name: Evaluation(np.array(list(mine)), {"MAP": np.array(list(mine.values()))}, {"MAP": 0})
            for name, mine in values.items()
        },
        "RankSVM",
    )


def _read(folder: Path) -> list[Split]:
    return list(letor_folds(folder))


EXPERIMENTS = [
    Experiment(
        "letor/map",
        "Means over the five test folds, all choices by MAP on the validation queries",
        (
            Source(
                "letor",
                "Fold1 to Fold5, each with train, vali and test files",
                "LETOR 3.0 and 4.0, Microsoft Research",
                _read,
            ),
        ),
        run_folds,
        {
            "OHSUMED": {
                "RankSVM": {"MAP": 0.4334},
                "RankBoost": {"MAP": 0.4411},
                "ListNet": {"MAP": 0.4457},
                "AdaRank-MAP": {"MAP": 0.4487},
            }
        },
        (is_higher("MAP", "RankBoost", "RankSVM"), is_higher("MAP", "AdaRank-MAP", "RankSVM", "RankBoost")),
        "There is no ListNet here; seconds are those of training and choosing in a fold.",
    )
]
