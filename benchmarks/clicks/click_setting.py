"""A production ranking learned from few grades, and clicks on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from directrank import RankingData, RankSVM, evaluate
from directrank.clicks import ClickLog, PositionBias, simulate_clicks
from directrank.clicks.bias_estimation.estimate import estimate_bias
from directrank.data.splits import Split

from . import REPORTED

#: Share of the training queries that the production ranking is learned from, and their smallest number.
GRADED_SHARE, MIN_GRADED = 0.05, 5

#: Added to the seed of the training sessions for those of the validation queries.
OTHER_SESSIONS = 1_000_000


class Setting(NamedTuple):
    """How clicks are simulated.

    Attributes
    ----------
    user : str
        "pbm" or "cascade".
    eta : float
        Strength of the position bias, of "pbm".
    n_sessions : int
        Number of sessions of the training queries; the validation queries have as many for each query.
    n_ranks : int
        Number of documents that are shown, at most.
    randomised : float
        Share of sessions that are shuffled.
    """

    user: str
    eta: float
    n_sessions: int
    n_ranks: int
    randomised: float

    def __str__(self) -> str:
        eta = f", eta {self.eta:g}" if self.user == "pbm" else ""
        return f"{self.user}{eta}, {self.n_sessions:,} sessions"


@dataclass(frozen=True)
class Production:
    """A production ranking of the documents of a fold, which are named by their rows.

    Attributes
    ----------
    fold : Split
    model : RankSVM
    value : float
        Its value on the test queries.
    """

    fold: Split
    model: RankSVM
    value: float


class Clicked(NamedTuple):
    """Clicks on the documents of a part of a fold."""

    data: RankingData
    log: ClickLog


class Simulated(NamedTuple):
    """All that a contender may learn from, and the test data.

    Attributes
    ----------
    train, validation : Clicked
    test : RankingData
    true_bias : PositionBias or None
        None for users whose clicks are not those of a position bias.
    estimated_bias : PositionBias
        Estimated from the training sessions.
    """

    train: Clicked
    validation: Clicked
    test: RankingData
    true_bias: PositionBias | None
    estimated_bias: PositionBias


def produce(fold: Split, seed: int) -> Production:
    """Learn a production ranking from a few training queries with grades."""
    train, validation = (part.replace(docno=np.arange(len(part)).astype(str)) for part in (fold.train, fold.validation))
    differing = [number for number, rows in enumerate(train.by_query().each()) if np.ptp(train.y[rows]) > 0]
    n_graded = max(MIN_GRADED, round(GRADED_SHARE * train.n_queries))
    graded = train.select_queries(np.random.default_rng(seed).permutation(differing)[:n_graded])
    model = RankSVM().fit(graded.X, graded.y, graded.qid)
    return Production(Split(train, validation, fold.test), model, reported_value(fold.test, model.predict(fold.test.X)))


def simulate(production: Production, setting: Setting, seed: int) -> Simulated:
    """Simulate clicks on the production ranking, and estimate the position bias from them."""
    train, validation, test = production.fold
    n_validation = max(1, setting.n_sessions * validation.n_queries // train.n_queries)
    clicked = [
        Clicked(data, _simulate(production, data, setting._replace(n_sessions=n), random_state))
        for data, n, random_state in ((train, setting.n_sessions, seed), (validation, n_validation, seed + OTHER_SESSIONS))
    ]
    true_bias = PositionBias.power(setting.eta, setting.n_ranks) if setting.user == "pbm" else None
    return Simulated(clicked[0], clicked[1], test, true_bias, estimate_bias(clicked[0].log, n_bootstrap=0))


def reported_value(test: RankingData, scores: np.ndarray) -> float:
    """Value of a ranking of the test documents, by their true grades."""
    return float(evaluate(test.y, scores, test.qid, REPORTED).means[REPORTED])


def _simulate(production: Production, data: RankingData, setting: Setting, random_state: int) -> ClickLog:
    return simulate_clicks(
        data,
        production.model.predict(data.X),
        model=setting.user,
        eta=setting.eta,
        n_sessions=setting.n_sessions,
        n_ranks=setting.n_ranks,
        randomised=setting.randomised,
        random_state=random_state,
    )
