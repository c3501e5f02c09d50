"""AdaRank against sorting and evaluating, RankBoost against passes over X.

RankLib's AdaRank took 10.8 s for a whole fit of this data. The limit is about 0.3 s on the same machine: twice the time that
NumPy takes to sort each feature within each query.
"""

from __future__ import annotations

import time

import numpy as np

from directrank import AdaRank, RankBoost
from directrank.learners.boosting.weak_rankers import weak_values
from directrank.learners.core.task import make_task
from directrank.measures import AP

from .structural_svm import DOCUMENTS, FEATURES, QUERIES, ranking
from .timing import Result, at_most, best_of

MEASURES = ("AP", "nDCG@10")


def run() -> list[Result]:
    X, y, qid = ranking()
    twice = ranking(2 * QUERIES)
    for measure in MEASURES:  # warm-up
        AdaRank(measure, n_estimators=2).fit(X[:1200], y[:1200], qid[:1200])
    RankBoost(n_estimators=2).fit(X[:1200], y[:1200], qid[:1200])
    return [
        *_adarank(X, y, qid),
        *_rankboost(X, y, qid),
        _doubling("AdaRank, 10 rounds", AdaRank(n_estimators=10), (X, y, qid), twice),
        _doubling("RankBoost, 50 rounds", RankBoost(n_estimators=50), (X, y, qid), twice),
    ]


def _adarank(X: np.ndarray, y: np.ndarray, qid: np.ndarray) -> list[Result]:
    task = make_task(X, y, qid, AP())

    def make_table() -> None:
        task.memory.clear()
        weak_values(task, both=False)

    table = best_of(3, make_table)
    scores = X[:, 0].astype(np.float64)
    evaluation = best_of(20, lambda: task.bound.evaluate(scores))
    sorting = min(_sort_by_query(X), _lexsort(X, qid))
    fits = {measure: best_of(3, lambda measure=measure: AdaRank(measure).fit(X, y, qid)) for measure in MEASURES}
    return [
        *(at_most(f"AdaRank, {measure}: a whole fit", fits[measure], sorting, "sorting", 2) for measure in MEASURES),
        at_most("AdaRank, AP: the table of E", table, sorting, "sorting", 1),
        at_most("AdaRank, AP: one weak ranker, mean over a fit", _seconds_per_try(X, y, qid), evaluation, "evaluation", 3),
    ]


def _seconds_per_try(X: np.ndarray, y: np.ndarray, qid: np.ndarray) -> float:
    """Mean seconds of a fit per weak ranker that was tried, chosen or set aside, after the table was made."""
    times: list[float] = []

    class TimedBound(AP.bound):  # type: ignore[misc, name-defined]
        def evaluate(self, scores: np.ndarray) -> np.ndarray:
            times.append(time.perf_counter())
            return super().evaluate(scores)

    class _TimedAP(AP):
        bound = TimedBound

    AdaRank(_TimedAP()).fit(X, y, qid)
    tries = times[FEATURES:-2]  # the first are for the table, the last two check the result
    return (tries[-1] - tries[0]) / (len(tries) - 1)


def _sort_by_query(X: np.ndarray) -> float:
    """Sort each feature within each query, in a loop over queries."""
    return best_of(2, lambda: [np.argsort(X[lo : lo + DOCUMENTS], axis=0) for lo in range(0, len(X), DOCUMENTS)])


def _lexsort(X: np.ndarray, qid: np.ndarray) -> float:
    """The same for all queries at once, extrapolated from ten features."""
    part = 10
    return best_of(1, lambda: [np.lexsort((X[:, j], qid)) for j in range(part)]) * FEATURES / part


def _rankboost(X: np.ndarray, y: np.ndarray, qid: np.ndarray) -> list[Result]:
    w = np.ones(FEATURES, np.float32)
    product = best_of(20, lambda: X @ w)
    results = []
    for thresholds in (10, 255):
        ends = [step.seconds for step in RankBoost(n_estimators=50, thresholds=thresholds).fit(X, y, qid).history_]
        one_round = float(np.median(np.diff(ends)))
        results.append(at_most(f"RankBoost, {thresholds} thresholds: one round", one_round, product, "X @ w", 6))
    return results


def _doubling(what: str, learner: AdaRank | RankBoost, once: tuple, twice: tuple) -> Result:
    before = best_of(3, lambda: learner.fit(*once))
    return at_most(f"{what}: twice the queries", best_of(3, lambda: learner.fit(*twice)), before, "before", 2.1)
