"""LambdaMART on gains that are estimated from clicks, and on the true grades."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from directrank import LambdaMART, RankingData
from directrank.clicks import PositionBias, calibrate, gains, label_by_clicks, scores_of_pairs
from directrank.clicks.click_labels import pairs_of_rows

from . import OBJECTIVE
from .click_setting import Clicked, Production, Simulated, reported_value

#: A contender takes what it may learn from and a seed, and gives its value on the test queries; None if it has to pass.
Contender = Callable[[Simulated, int], float | None]


def learn_from_grades(production: Production, seed: int) -> float:
    """Learn from the true grades of all training and validation queries: what unlimited clicks could teach."""
    train, validation, test = production.fold
    model = _train(*(part.replace(y=2**part.y - 1) for part in (train, validation)), seed)
    return reported_value(test, model.predict(test.X))


def learn_from_clicks(estimator: str, bias_name: str) -> Contender:
    """Learn from the gains of the documents that were shown."""

    def learn(simulated: Simulated, seed: int) -> float | None:
        bias: PositionBias | None = getattr(simulated, bias_name)
        if bias is None:
            return None
        model = _train_on_shown(simulated, estimator, bias, seed)
        return reported_value(simulated.test, model.predict(simulated.test.X))

    return learn


def learn_doubly_robust(simulated: Simulated, seed: int) -> float:
    """Learn from all documents, with the relevance that a model of inverse propensity scores predicts."""
    predictor = _train_on_shown(simulated, "ips", simulated.estimated_bias, seed)
    labelled = (_corrected(part, predictor, simulated.estimated_bias) for part in (simulated.train, simulated.validation))
    return reported_value(simulated.test, _train(*labelled, seed).predict(simulated.test.X))


#: Contenders, by name.
LEARNERS: dict[str, Contender] = {
    "naive clicks": learn_from_clicks("naive", "estimated_bias"),
    "IPS, true bias": learn_from_clicks("ips", "true_bias"),
    "IPS, estimated bias": learn_from_clicks("ips", "estimated_bias"),
    "self-normalised IPS, estimated bias": learn_from_clicks("snips", "estimated_bias"),
    "doubly robust, estimated bias": learn_doubly_robust,
}


def shown_documents(clicked: Clicked, bias: PositionBias, estimator: str) -> RankingData:
    """Rows of the documents that were shown, with their gains."""
    labelled = label_by_clicks(clicked.data, clicked.log, gains(clicked.log, bias, estimator)).data
    return labelled.select(pairs_of_rows(labelled, clicked.log) >= 0)


def _train_on_shown(simulated: Simulated, estimator: str, bias: PositionBias, seed: int) -> LambdaMART:
    parts = (shown_documents(clicked, bias, estimator) for clicked in (simulated.train, simulated.validation))
    return _train(*parts, seed)


def _corrected(clicked: Clicked, predictor: LambdaMART, bias: PositionBias) -> RankingData:
    """Doubly robust gains of the shown documents; the others have the relevance of shown ones with the same score."""
    data, log = clicked
    scores = predictor.predict(data.X)
    of_pairs = scores_of_pairs(data, log, scores)
    relevance = calibrate(of_pairs, log, bias)
    order = np.argsort(of_pairs)
    unshown = np.interp(scores, of_pairs[order], relevance[order])
    return label_by_clicks(data, log, gains(log, bias, "dr", predicted=relevance), unshown=unshown).data


def _train(train: RankingData, validation: RankingData, seed: int) -> Any:
    model = LambdaMART(OBJECTIVE, random_state=seed, lightgbm={"num_threads": 1})
    eval_set = (validation.X, validation.y, validation.qid)
    return model.fit(train.X, train.y, train.qid, query_weight=train.weight, eval_set=eval_set)
