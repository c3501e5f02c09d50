"""Section 4 of the paper: what is trained in a trial, how it is chosen, and what is measured.

Queries are divided at random into four even subsets; each is tested once by what was trained on the other three. BM25's
parameters are those of the highest MAP on the training queries of the first trial. AdaRank stops when the measure no longer
improves on the training queries. The paper does not say how C of Ranking SVM and the number of RankBoost's rounds were
chosen; here they are those of the highest MAP on one of the three training subsets, after training on the other two, and
then all three train.
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

#: The paper's names of what is trained.
SVM, BOOST, MAP, NDCG = "Ranking SVM", "RankBoost", "AdaRank.MAP", "AdaRank.NDCG"

Row = dict[str, Any]


class Trial(NamedTuple):
    """The rows of a trial; `fitting` and `choosing` are two and one of the three training subsets."""

    training: Ints
    fitting: Ints
    choosing: Ints
    test: Ints


class Task(NamedTuple):
    """What a method has to do.

    Attributes
    ----------
    data : RankingData
        Of all queries.
    bm25 : array
        The scores of all documents.
    trial : Trial
    measure : AP
        By which choices are made.
    quick : bool
    """

    data: RankingData
    bm25: Floats
    trial: Trial
    measure: AP
    quick: bool

    def part(self, rows: Ints) -> tuple[Any, Floats, Any]:
        """What `fit` takes."""
        return self.data.X[rows], self.data.y[rows], None if self.data.qid is None else self.data.qid[rows]


class Trained(NamedTuple):
    """The scores that a method gives all documents, and what it chose."""

    scores: Floats
    chosen: dict[str, float]


def bm25(task: Task) -> Trained:
    return Trained(task.bm25, {})


def ranking_svm(task: Task) -> Trained:
    """C by the choosing subset, then trained on all three."""
    Cs = CS[::4] if task.quick else CS
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of the largest C, as a rule, which are not chosen then
        path = RankSVM().path(*task.part(task.trial.fitting), Cs)
        C = Cs[int(np.argmax([_chosen_by(task, task.data.X @ w) for w in path.coefs]))]
        model = RankSVM(C=C).fit(*task.part(task.trial.training))
    return Trained(model.predict(task.data.X), {"C": C})


def rankboost(task: Task) -> Trained:
    """The number of rounds by the choosing subset, then trained on all three."""
    most = N_ROUNDS // 10 if task.quick else N_ROUNDS
    tried = RankBoost(task.measure, n_estimators=most)
    tried.fit(*task.part(task.trial.fitting), eval_set=task.part(task.trial.choosing))
    rounds = max(tried.best_iteration_, 1)
    model = RankBoost(n_estimators=rounds).fit(*task.part(task.trial.training))
    return Trained(model.predict(task.data.X), {"rounds": rounds})


def adarank(measure: Callable[[Task], Measure], task: Task) -> Trained:
    """Until no feature improves the measure on the training queries."""
    model = AdaRank(measure(task)).fit(*task.part(task.trial.training))
    return Trained(model.predict(task.data.X), {"rounds": int(model.alphas_.size)})


METHODS: dict[str, Callable[[Task], Trained]] = {
    "BM25": bm25,
    SVM: ranking_svm,
    BOOST: rankboost,
    MAP: partial(adarank, lambda task: task.measure),
    NDCG: partial(adarank, lambda _: nDCG(k=5)),
}


def trials(data: RankingData) -> list[Trial]:
    """Four, from one random division of the queries; a trial chooses on the subset that the next one tests."""
    division = QueryKFold(N_TRIALS, shuffle=True, random_state=0).split(data.X, qid=data.qid)
    subsets = [test for _, test in division]

    def joined(*which: int) -> Ints:
        return np.sort(np.concatenate([subsets[i % N_TRIALS] for i in which]))

    return [Trial(joined(i + 1, i + 2, i + 3), joined(i + 2, i + 3), joined(i + 1), joined(i)) for i in range(N_TRIALS)]


def tuned(collection: Collection, rows: Rows, quick: bool) -> BM25:
    """BM25 with the parameters of the highest MAP on the training queries of trial 1."""
    settings = {setting.label: setting for setting in collection.settings[:: 5 if quick else 1]}
    if len(settings) == 1:
        return next(iter(settings.values()))
    training, data = trials(collection.data)[0].training, collection.data

    def value(label: str) -> float:
        return _mean(data, collection.bm25(settings[label]), training, collection.average_precision)

    found = rows.each("BM25 on the training queries of trial 1", list(settings), value)
    return settings[max(found, key=lambda label: found[label])]


def run_trials(
    collection: Collection, rows: Rows, quick: bool, methods: tuple[str, ...] = tuple(METHODS)
) -> dict[str, list[Row]]:
    """The row of each trial, by method."""
    function = tuned(collection, rows, quick)
    parts, measure = trials(collection.data), collection.average_precision

    @cache
    def prepared() -> tuple[RankingData, Floats]:
        return collection.features(function), collection.bm25(function)

    def compute(method: str, name: str) -> Row:
        (data, scores), trial = prepared(), parts[int(name) - 1]
        start = time.perf_counter()
        found = METHODS[method](Task(data, scores, trial, measure, quick))
        seconds = time.perf_counter() - start
        return {"chosen": found.chosen, "seconds": seconds, **measured(data, found.scores, trial, measure)}

    names = [str(i + 1) for i in range(N_TRIALS)]
    return {method: list(rows.each(f"{method}, trial", names, partial(compute, method)).values()) for method in methods}


def measured(data: RankingData, scores: Floats, trial: Trial, average_precision: AP) -> Row:
    """By query, MAP and NDCG on the test queries and on the training queries; on the former also the accuracy on pairs."""
    measures: dict[str, Measure] = {"MAP": average_precision, **{f"NDCG@{k}": nDCG(k=k) for k in CUTS}}
    return {
        "test": _by_query(data, scores, trial.test, measures),
        "training": _by_query(data, scores, trial.training, {name: measures[name] for name in ("MAP", "NDCG@5")}),
        "pairs": {name: _pair_accuracy(data, scores, trial.test, *grades) for name, grades in grade_pairs(data).items()},
    }


def grade_pairs(data: RankingData) -> dict[str, tuple[float, float]]:
    """The pairs of OHSUMED's grades, definitely, possibly and not relevant; none where there are not three grades."""
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
    """Over the pairs of all queries; None if there are none."""
    part = data.select(rows)
    queries = part.by_query()
    bound = BoundPairAccuracy(PairAccuracy(high=high, low=low), queries.to_query_order(part.y), queries.offsets)
    values = bound.evaluate(queries.to_query_order(scores[rows]))
    return float(np.average(values, weights=bound.pairs)) if bound.pairs.any() else None


def _chosen_by(task: Task, scores: Floats) -> float:
    return _mean(task.data, scores, task.trial.choosing, task.measure)


def _mean(data: RankingData, scores: Floats, rows: Ints, measure: Measure) -> float:
    part = data.select(rows)
    return evaluate(part.y, scores[rows], part.qid, measure)[measure]
