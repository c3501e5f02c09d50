"""Learners of LETOR's baselines and others, each with candidate models to choose from on validation queries.

The candidates differ in C or in the number of rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data import RankingData
from ...data.splits import Split
from ...learners import AdaRank, CoordinateAscent, OneVsRestSVM, RankBoost, RankSVM, SVMRanker

#: Function that scores data with each candidate model.
Candidates = Callable[[RankingData], Iterable[NDArray[np.float64]]]

#: Values of C to try.
CS = tuple(10.0 ** np.arange(-2, 4.5, 0.5))


def along_path(learner: SVMRanker) -> Callable[[Split], Candidates]:
    def fit(fold: Split) -> Candidates:
        path = learner.path(fold[0].X, fold[0].y, fold[0].qid, CS)
        return lambda data: (data.X @ w for w in path.coefs)

    return fit


def adarank_rounds(learner: AdaRank) -> Callable[[Split], Candidates]:
    def fit(fold: Split) -> Candidates:
        model = learner.fit(fold[0].X, fold[0].y, fold[0].qid)
        steps = np.zeros((model.features_.size, model.coef_.size))
        steps[np.arange(model.features_.size), model.features_] = model.alphas_
        return lambda data: (data.X @ w for w in np.cumsum(steps, axis=0))

    return fit


def rankboost_rounds(learner: RankBoost) -> Callable[[Split], Candidates]:
    def fit(fold: Split) -> Candidates:
        model = learner.fit(fold[0].X, fold[0].y, fold[0].qid)
        return lambda data: model.staged_predict(data.X)

    return fit


def early_stopped(learner: CoordinateAscent) -> Callable[[Split], Candidates]:
    def fit(fold: Split) -> Candidates:
        train, validation, _ = fold
        model = learner.fit(train.X, train.y, train.qid, eval_set=(validation.X, validation.y, validation.qid))
        return lambda data: [model.predict(data.X)]

    return fit


def grid_of_C(make: Callable[..., Any]) -> Callable[[Split], Candidates]:
    def fit(fold: Split) -> Candidates:
        models = [make(C=C).fit(fold[0].X, fold[0].y, fold[0].qid) for C in (0.1, 1.0, 10.0, 100.0)]
        return lambda data: (model.predict(data.X) for model in models)

    return fit


LEARNERS: dict[str, Callable[[Split], Candidates]] = {
    "SVM-map": along_path(SVMRanker("AP", bound="convex", scaling="none")),
    "SVM-roc": along_path(SVMRanker("AUC", bound="convex", scaling="none")),
    "SVM-ndcg": along_path(SVMRanker("nDCG", bound="convex", scaling="none")),
    "SVM-rr": along_path(SVMRanker("RR", bound="convex", scaling="none")),
    "RankSVM": along_path(RankSVM(scaling="none")),
    "AdaRank-MAP": adarank_rounds(AdaRank("AP", scaling="none")),
    "AdaRank-NDCG": adarank_rounds(AdaRank("nDCG@5", scaling="none")),
    "AdaRank-MAP, Figure 1": adarank_rounds(AdaRank("AP", set_aside=False, scaling="none")),
    "RankBoost": rankboost_rounds(RankBoost(n_estimators=500)),
    "CoordinateAscent-MAP": early_stopped(CoordinateAscent("AP", scaling="none")),
    "OneVsRestSVM": grid_of_C(partial(OneVsRestSVM, scaling="none")),
}
