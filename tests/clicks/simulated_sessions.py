"""Logs of simulated sessions, for tests of position bias."""

from __future__ import annotations

import numpy as np

from directrank.arrays import Floats, Ints
from directrank.clicks.click_log import ClickLog, Pairs

#: Relevance of documents.
LEVELS = (0.1, 0.3, 0.5, 0.7, 0.9)


def sessions_of(docs: Ints, query: Ints, click: Floats, n_docs: int, ranker: Ints | None = None) -> ClickLog:
    """A log with a row of documents and of clicks for each session; a query has documents 0 to n_docs - 1."""
    n_sessions, n_ranks = docs.shape
    n_queries = int(query.max()) + 1
    names = [] if ranker is None else [f"ranker {number}" for number in range(int(ranker.max()) + 1)]
    return ClickLog(
        offsets=np.arange(n_sessions + 1) * n_ranks,
        sessions=np.arange(n_sessions).astype(object),
        queries=np.arange(n_queries).astype(object),
        query=query,
        pairs=Pairs(np.repeat(np.arange(n_queries), n_docs), np.tile(np.arange(n_docs), n_queries).astype(object)),
        pair=(query[:, None] * n_docs + docs).ravel(),
        rank=np.tile(np.arange(1, n_ranks + 1), n_sessions),
        click=click.astype(np.float64).ravel(),
        rankers=np.array(names, object),
        ranker=np.zeros(0, np.int64) if ranker is None else ranker,
    )


def simulate(
    seed: int,
    *,
    n_sessions: int,
    n_queries: int = 50,
    n_rankers: int = 2,
    alpha: Floats,
    beta: Floats | None = None,
    levels: tuple[float, ...] = LEVELS,
    shares: list[float] | None = None,
    logged: bool = True,
) -> ClickLog:
    """Sessions of rankers that rank by relevance and noise, with clicks of the probability alpha * relevance + beta."""
    random = np.random.default_rng(seed)
    n_ranks = alpha.size
    relevance = random.choice(levels, size=(n_queries, n_ranks))
    orders = np.stack([np.argsort(0.5 * random.normal(size=relevance.shape) - relevance) for _ in range(n_rankers)])
    query = random.integers(n_queries, size=n_sessions)
    ranker = random.choice(n_rankers, n_sessions, p=shares)
    docs = orders[ranker, query]
    probability = alpha * relevance[query[:, None], docs] + (0 if beta is None else beta)
    click = random.random(docs.shape) < probability
    return sessions_of(docs, query, click, n_ranks, ranker if logged else None)


def power(eta: float, n_ranks: int = 10) -> Floats:
    return (1 / np.arange(1, n_ranks + 1)) ** eta
