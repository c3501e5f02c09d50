"""Section 4 of the paper: training, parameter selection and evaluation in each trial.

Queries are split at random into four equal subsets; each is the test set once, for models trained on the other three.
BM25's parameters maximise MAP on the training queries of the first trial. AdaRank stops when the measure no longer improves
on the training queries. The paper does not say how C of Ranking SVM and the number of RankBoost's rounds were chosen; here
they maximise MAP on one of the three training subsets, after training on the other two; then the model is trained on all
three.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ...arrays import Floats, Ints
from ...data import QueryKFold, RankingData
from ...evaluation import evaluate
from ...learners import AdaRank, RankBoost, RankSVM
from ...measures import AP, Measure, PairAccuracy, nDCG
from ...measures.pair_accuracy import BoundPairAccuracy
from ...retrieval import BM25
from ..letor.candidate_models import CS
from ..rows import Rows
from .collection import Collection

N_TRIALS = 4
CUTS = (1, 3, 5, 10)
N_ROUNDS = 500

#: Names of the methods in the paper.
SVM, BOOST, MAP, NDCG = "Ranking SVM", "RankBoost", "AdaRank.MAP", "AdaRank.NDCG"

Row = dict[str, Any]


class Trial(NamedTuple):
    """Rows of a trial; the three training subsets are split into two for `fitting` and one for `selection`."""

    training: Ints
    fitting: Ints
    selection: Ints
    test: Ints


class Task(NamedTuple):
    """Arguments of a method.

    Attributes
    ----------
    data : RankingData
        Data of all queries.
    bm25 : array
        Scores of all documents.
    trial : Trial
    measure : AP
        Measure for parameter selection.
    quick : bool
    """

    data: RankingData
    bm25: Floats
    trial: Trial
    measure: AP
    quick: bool

    def part(self, rows: Ints) -> tuple[Any, Floats, Any]:
        """X, y and qid of some rows."""
        return self.data.X[rows], self.data.y[rows], None if self.data.qid is None else self.data.qid[rows]


class Trained(NamedTuple):
    """Scores of all documents by a method, and the parameters it chose."""

    scores: Floats
    chosen: dict[str, float]


def bm25(task: Task) -> Trained:
    return Trained(task.bm25, {})


def ranking_svm(task: Task) -> Trained:
    """C is chosen on the selection subset; then it is trained on all three."""
    Cs = CS[::4] if task.quick else CS
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # usually at the largest C, which are not chosen
        path = RankSVM(scaling="none").path(*task.part(task.trial.fitting), Cs)
        C = Cs[int(np.argmax([_selection_value(task, task.data.X @ w) for w in path.coefs]))]
        model = RankSVM(C=C, scaling="none").fit(*task.part(task.trial.training))
    return Trained(model.predict(task.data.X), {"C": C})


def rankboost(task: Task) -> Trained:
    """The number of rounds is chosen on the selection subset; then it is trained on all three."""
    max_rounds = N_ROUNDS // 10 if task.quick else N_ROUNDS
    selected = RankBoost(task.measure, n_estimators=max_rounds)
    selected.fit(*task.part(task.trial.fitting), eval_set=task.part(task.trial.selection))
    rounds = max(selected.best_iteration_, 1)
    model = RankBoost(n_estimators=rounds).fit(*task.part(task.trial.training))
    return Trained(model.predict(task.data.X), {"rounds": rounds})


def adarank(measure: Callable[[Task], Measure], task: Task) -> Trained:
    """Trained until no feature improves the measure on the training queries."""
    model = AdaRank(measure(task), scaling="none").fit(*task.part(task.trial.training))
    return Trained(model.predict(task.data.X), {"rounds": int(model.alphas_.size)})


METHODS: dict[str, Callable[[Task], Trained]] = {
    "BM25": bm25,
    SVM: ranking_svm,
    BOOST: rankboost,
    MAP: partial(adarank, lambda task: task.measure),
    NDCG: partial(adarank, lambda _: nDCG(k=5)),
}


def trials(data: RankingData) -> list[Trial]:
    """Four trials from one random split of the queries; the selection subset of a trial is the test subset of the next."""
    folds = QueryKFold(N_TRIALS, shuffle=True, random_state=0).split(data.X, qid=data.qid)
    subsets = [test for _, test in folds]

    def union(*indices: int) -> Ints:
        return np.sort(np.concatenate([subsets[i % N_TRIALS] for i in indices]))

    return [Trial(union(i + 1, i + 2, i + 3), union(i + 2, i + 3), union(i + 1), union(i)) for i in range(N_TRIALS)]


def tune_bm25(collection: Collection, rows: Rows, quick: bool) -> BM25:
    """BM25 with the parameters of the highest MAP on the training queries of trial 1."""
    settings = {setting.label: setting for setting in collection.settings[:: 5 if quick else 1]}
    if len(settings) == 1:
        return next(iter(settings.values()))
    training, data = trials(collection.data)[0].training, collection.data

    def value(label: str) -> float:
        return _mean(data, collection.bm25(settings[label]), training, collection.average_precision)

    found = rows.get_or_compute("BM25 on the training queries of trial 1", list(settings), value)
    return settings[max(found, key=lambda label: found[label])]


def run_trials(
    collection: Collection, rows: Rows, quick: bool, methods: tuple[str, ...] = tuple(METHODS)
) -> dict[str, list[Row]]:
    """Rows of the trials, by method."""
    function = tune_bm25(collection, rows, quick)
    parts, measure = trials(collection.data), collection.average_precision

    @cache
    def prepared() -> tuple[RankingData, Floats]:
        return collection.features(function), collection.bm25(function)

    def compute(method: str, name: str) -> Row:
        (data, scores), trial = prepared(), parts[int(name) - 1]
        start = time.perf_counter()
        found = METHODS[method](Task(data, scores, trial, measure, quick))
        seconds = time.perf_counter() - start
        return {"chosen": found.chosen, "seconds": seconds, **evaluate_trial(data, found.scores, trial, measure)}

    names = [str(i + 1) for i in range(N_TRIALS)]
    return {
        method: list(rows.get_or_compute(f"{method}, trial", names, partial(compute, method)).values()) for method in methods
    }


def evaluate_trial(data: RankingData, scores: Floats, trial: Trial, average_precision: AP) -> Row:
    """MAP and NDCG per query, on the test queries and the training queries, and pair accuracy on the test queries."""
    measures: dict[str, Measure] = {"MAP": average_precision, **{f"NDCG@{k}": nDCG(k=k) for k in CUTS}}
    return {
        "test": _by_query(data, scores, trial.test, measures),
        "training": _by_query(data, scores, trial.training, {name: measures[name] for name in ("MAP", "NDCG@5")}),
        "pairs": {name: _pair_accuracy(data, scores, trial.test, *grades) for name, grades in grade_pairs(data).items()},
    }


def grade_pairs(data: RankingData) -> dict[str, tuple[float, float]]:
    """Pairs of OHSUMED's grades, definitely (d), possibly (p) and not relevant (n); empty unless there are three grades."""
    grades = sorted(set(data.y.tolist()))
    if len(grades) != 3:
        return {}
    n, p, d = grades
    return {"d-n": (d, n), "d-p": (d, p), "p-n": (p, n)}


def _by_query(data: RankingData, scores: Floats, rows: Ints, measures: dict[str, Measure]) -> dict[str, dict[str, float]]:
    part = data.select(rows)
    found = evaluate(part.y, scores[rows], part.qid, list(measures.values()))
    queries = [str(qid) for qid in found.qid.tolist()]
    return {name: dict(zip(queries, found.values(measure).tolist(), strict=True)) for name, measure in measures.items()}


def _pair_accuracy(data: RankingData, scores: Floats, rows: Ints, high: float, low: float) -> float | None:
    """Accuracy over the pairs of all queries; None without pairs."""
    part = data.select(rows)
    queries = part.by_query()
    bound = BoundPairAccuracy(PairAccuracy(high=high, low=low), queries.to_query_order(part.y), queries.offsets)
    values = bound.evaluate(queries.to_query_order(scores[rows]))
    return float(np.average(values, weights=bound.pairs)) if bound.pairs.any() else None


def _selection_value(task: Task, scores: Floats) -> float:
    return _mean(task.data, scores, task.trial.selection, task.measure)


def _mean(data: RankingData, scores: Floats, rows: Ints, measure: Measure) -> float:
    part = data.select(rows)
    return evaluate(part.y, scores[rows], part.qid, measure)[measure]
