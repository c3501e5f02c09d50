"""Learners that LETOR has figures of, and others, each with what it leaves to be chosen on validation queries.

That is C, the number of rounds, or which of several starts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data import RankingData
from ...data.splits import Split
from ...learners import AdaRank, CoordinateAscent, OneVsRestSVM, RankBoost, RankSVM, SVMRanker

#: Scores of some data by each of the models that a learner leaves to choose from.
Candidates = Callable[[RankingData], Iterable[NDArray[np.float64]]]

#: The values of C that are tried.
CS = tuple(10.0 ** np.arange(-2, 4.5, 0.5))


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


def each_C(make: Callable[..., Any]) -> Callable[[Split], Candidates]:
    def fit(fold: Split) -> Candidates:
        models = [make(C=C).fit(fold[0].X, fold[0].y, fold[0].qid) for C in (0.1, 1.0, 10.0, 100.0)]
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
    "RankBoost": rounds_of_rankboost(RankBoost(n_estimators=500)),
    "CoordinateAscent-MAP": by_validation(CoordinateAscent("AP")),
    "OneVsRestSVM": each_C(OneVsRestSVM),
}
