"""EM of the position-based and the user browsing model, against the same iterations in plain loops, as PyClick has them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from directrank.clicks.click_log import ClickLog
from directrank.clicks.click_models import PositionBasedModel, UserBrowsingModel

from .timing import Result, best_of, faster

SESSIONS, QUERIES, DOCUMENTS, SHOWN = 100_000, 2_000, 15, 10
ITERATIONS = 20


def run() -> list[Result]:
    log = _simulated()
    pair, rank, clicked = log.pair.tolist(), log.rank.tolist(), log.clicked.tolist()
    places = _browsing_places(log)
    results = []
    for model, where in ((PositionBasedModel, rank), (UserBrowsingModel, places)):
        options = {"max_iter": ITERATIONS, "tol": 0.0}
        fitted = model.fit(log, **options)
        assert np.allclose(fitted.relevance, _plain_em(pair, where, clicked), rtol=1e-9)
        our_time = best_of(10, lambda model=model, options=options: model.fit(log, **options))
        their_time = best_of(1, lambda where=where: _plain_em(pair, where, clicked))
        what = f"{model.name}, {log.n_impressions:,} impressions, {ITERATIONS} iterations of EM, plain loops"
        results.append(faster(what, our_time, their_time, 100))
    return results


def _simulated() -> ClickLog:
    """Sessions of queries of Zipf's frequencies, ranked by scores with noise, with clicks of a position-based model."""
    random = np.random.default_rng(0)
    frequency = 1 / np.arange(1, QUERIES + 1)
    query = random.choice(QUERIES, SESSIONS, p=frequency / frequency.sum())
    attractiveness = random.beta(1, 4, (QUERIES, DOCUMENTS))
    noisy = attractiveness[query] + random.normal(0, 0.2, (SESSIONS, DOCUMENTS))
    shown = np.argsort(-noisy, axis=1)[:, :SHOWN]
    examination = 1 / np.arange(1, SHOWN + 1)
    clicked = random.random(shown.shape) < examination * np.take_along_axis(attractiveness[query], shown, axis=1)
    rank = np.tile(np.arange(1, SHOWN + 1), SESSIONS)
    session = np.repeat(np.arange(SESSIONS), SHOWN)
    return ClickLog.from_arrays(session, np.repeat(query, SHOWN), shown.ravel(), rank, clicked.ravel())


def _browsing_places(log: ClickLog) -> list[tuple[int, int]]:
    """Rank of each impression, and rank of the click above it."""
    places, above = [], 0
    for rank, clicked in zip(log.rank.tolist(), log.clicked.tolist(), strict=True):
        above = 0 if rank == 1 else above
        places.append((rank, above))
        above = rank if clicked else above
    return places


def _plain_em(pair: Sequence[int], place: Sequence[Hashable], clicked: Sequence[bool]) -> list[float]:
    """Probability of a click on each pair at the first place."""
    attractiveness = dict.fromkeys(pair, 0.5)
    examination = dict.fromkeys(place, 0.5)
    for _ in range(ITERATIONS):
        attractive, examined = dict.fromkeys(attractiveness, 1.0), dict.fromkeys(examination, 1.0)
        of_pair, at_place = dict.fromkeys(attractiveness, 2), dict.fromkeys(examination, 2)
        for p, k, is_clicked in zip(pair, place, clicked, strict=True):
            a, t = attractiveness[p], examination[k]
            if is_clicked:
                attractive[p] += 1
                examined[k] += 1
            else:
                attractive[p] += (1 - t) * a / (1 - t * a)
                examined[k] += (1 - a) * t / (1 - t * a)
            of_pair[p] += 1
            at_place[k] += 1
        attractiveness = {p: attractive[p] / of_pair[p] for p in attractive}
        examination = {k: examined[k] / at_place[k] for k in examined}
    first = min(examination)
    return [attractiveness[p] * examination[first] for p in sorted(attractiveness)]
