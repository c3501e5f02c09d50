"""Simulated clicks: click probabilities by enumeration, and sessions against the rankings that they show."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import binomtest, chisquare

from directrank.clicks.click_log import ClickLog
from directrank.clicks.simulated_users import (
    CascadeUser,
    DBNUser,
    PositionBasedUser,
    TrustBiasUser,
    click_relevance,
)
from directrank.clicks.simulation import simulate_clicks
from directrank.data import InputError, RankingData

USERS = [PositionBasedUser(0.7), TrustBiasUser(0.5, 0.4), CascadeUser(), DBNUser(0.6, 0.8)]
RELEVANCE = (0.3, 0.9, 0.5, 0.25)

#: Simulations have fixed seeds: a smaller p-value is an error in the code, or in a test.
ALPHA = 0.001


def pattern_probability(user: Any, relevance: Sequence[float], pattern: Sequence[int]) -> float:
    """Probability of the clicks of a whole session, in slow and obvious code."""
    if isinstance(user, (PositionBasedUser, TrustBiasUser)):
        probability = 1.0
        for k, (gamma, click) in enumerate(zip(relevance, pattern, strict=True), 1):
            examined = (1 / k) ** user.eta
            if isinstance(user, PositionBasedUser):
                p = examined * gamma
            else:
                plus, minus = 1 - (min(k, 20) + 1) / 100, user.trust / min(k, 10)
                p = examined * (plus * gamma + minus * (1 - gamma))
            probability *= p if click else 1 - p
        return probability
    if not pattern:
        return 1.0
    gamma, rest = relevance[0], relevance[1:]
    ends_here = float(not any(pattern[1:]))
    if isinstance(user, CascadeUser):
        return gamma * ends_here if pattern[0] else (1 - gamma) * pattern_probability(user, rest, pattern[1:])
    next_examined = user.perseverance * pattern_probability(user, rest, pattern[1:])
    goes_on = next_examined + (1 - user.perseverance) * ends_here
    if not pattern[0]:
        return (1 - gamma) * goes_on
    satisfied = user.satisfaction * gamma
    return gamma * (satisfied * ends_here + (1 - satisfied) * goes_on)


def patterns(n_ranks: int) -> list[tuple[int, ...]]:
    return list(itertools.product((0, 1), repeat=n_ranks))


def one_query(grades: Sequence[float]) -> RankingData:
    return RankingData(np.zeros((len(grades), 1)), y=grades, qid=["a"] * len(grades))


def shown(log: ClickLog) -> list[tuple[Any, str, list[Any]]]:
    """Query, ranker and documents of each session, from the top."""
    docnos = np.split(log.pairs.docno[log.pair], log.offsets[1:-1])
    return [
        (log.queries[query], log.rankers[ranker], list(names))
        for query, ranker, names in zip(log.query.tolist(), log.ranker.tolist(), docnos, strict=True)
    ]


def clicks_by_session(log: ClickLog) -> list[tuple[int, ...]]:
    return [tuple(part.astype(int).tolist()) for part in np.split(log.click, log.offsets[1:-1])]


@pytest.mark.parametrize("user", USERS, ids=lambda user: type(user).__name__)
def test_click_probabilities_are_sums_over_all_patterns(user: Any) -> None:
    probability = {pattern: pattern_probability(user, RELEVANCE, pattern) for pattern in patterns(4)}
    assert sum(probability.values()) == pytest.approx(1, abs=1e-12)
    expected = [sum(p for pattern, p in probability.items() if pattern[k]) for k in range(4)]
    np.testing.assert_allclose(user.click_probabilities(np.array([RELEVANCE] * 2)), [expected] * 2, atol=1e-12)


@pytest.mark.parametrize("user", USERS, ids=lambda user: type(user).__name__)
def test_sessions_have_the_patterns_at_their_probabilities(user: Any) -> None:
    n = 100_000
    grades = [1, 3, 2, 0]
    log = simulate_clicks(one_query(grades), [4, 3, 2, 1], model=user, n_sessions=n, noise=0.2, random_state=1)
    relevance = [0.2 + 0.8 * (2**grade - 1) / 7 for grade in grades]
    expected = np.array([n * pattern_probability(user, relevance, pattern) for pattern in patterns(4)])
    counts = Counter(clicks_by_session(log))
    found = np.array([counts[pattern] for pattern in patterns(4)])
    assert not found[expected == 0].any()
    assert chisquare(found[expected > 0], expected[expected > 0]).pvalue > ALPHA


@pytest.mark.parametrize("user", [PositionBasedUser(1.3), TrustBiasUser(1.0), TrustBiasUser(0.0, 0.97)])
def test_the_bias_turns_click_probabilities_into_relevance(user: Any) -> None:
    relevance = np.array([np.linspace(0, 1, 25), np.linspace(1, 0.2, 25)])
    bias = user.bias(25)
    np.testing.assert_allclose((user.click_probabilities(relevance) - bias.beta) / bias.alpha, relevance, atol=1e-12)
    assert np.all(bias.alpha + bias.beta <= 1)


def test_a_session_of_a_cascade_has_at_most_one_click() -> None:
    log = simulate_clicks(one_query([2, 1, 0, 2, 1]), [1, 5, 4, 2, 3], model="cascade", n_ranks=3, n_sessions=5_000)
    clicks = np.add.reduceat(log.click, log.offsets[:-1])
    assert set(clicks.tolist()) == {0.0, 1.0}


def test_a_name_is_the_user_with_its_defaults() -> None:
    data = one_query([2, 1, 0, 2, 1])
    users = {"pbm": PositionBasedUser(2.0), "trust": TrustBiasUser(2.0), "cascade": CascadeUser(), "dbn": DBNUser()}
    for name, user in users.items():
        by_name = simulate_clicks(data, [1, 2, 3, 4, 5], model=name, eta=2.0, n_sessions=500)
        np.testing.assert_array_equal(
            by_name.click, simulate_clicks(data, [1, 2, 3, 4, 5], model=user, n_sessions=500).click
        )


def test_a_user_of_ones_own() -> None:
    class ClicksTheSecond:
        def click_probabilities(self, relevance: Any) -> Any:
            return np.broadcast_to(np.arange(relevance.shape[1]) == 1, relevance.shape) * 1.0

        def click(self, relevance: Any, random: Any) -> Any:
            return self.click_probabilities(relevance) > 0

    log = simulate_clicks(one_query([0, 0, 0]), [3, 2, 1], model=ClicksTheSecond(), n_sessions=4)
    assert clicks_by_session(log) == [(0, 1, 0)] * 4


@pytest.mark.parametrize("noise", [0.0, 0.1, 1.0])
def test_click_relevance(noise: float) -> None:
    grades = np.array([0, 0.5, 1, 2, 4])
    expected = [noise + (1 - noise) * (2**grade - 1) / 15 for grade in grades]
    np.testing.assert_allclose(click_relevance(grades, noise), expected, atol=1e-15)
    np.testing.assert_array_equal(click_relevance(np.zeros(3), noise), [noise] * 3)
    np.testing.assert_allclose(click_relevance(np.array([0.0, 4999, 5000]), noise), [noise, (1 + noise) / 2, 1])


@given(st.data())
def test_sessions_show_the_best_documents_in_order(cases: st.DataObject) -> None:
    n = cases.draw(st.integers(1, 12))
    column = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    qid, y, first, second = (np.array(cases.draw(column)) for _ in range(4))
    scores = {"one": first, "two": np.where(cases.draw(st.booleans()) & (second == 0), -np.inf, second)}
    if any(np.all(scores["two"][qid == query] == -np.inf) for query in qid):
        scores.pop("two")
    n_ranks = cases.draw(st.integers(1, 6))
    data = RankingData(np.zeros((n, 1)), y=y, qid=qid)
    log = simulate_clicks(data, scores, n_sessions=30, n_ranks=n_ranks, random_state=cases.draw(st.integers(0, 99)))
    for query, ranker, docnos in shown(log):
        given_ = scores[ranker]
        rows = [row for row in range(n) if qid[row] == query and given_[row] > -np.inf]
        assert docnos == sorted(rows, key=lambda row: (-given_[row], row))[:n_ranks]
    assert log.rank.tolist() == [rank for size in np.diff(log.offsets) for rank in range(1, size + 1)]
    np.testing.assert_array_equal(log.pairs.query[log.pair], np.repeat(log.query, np.diff(log.offsets)))
    assert sorted(set(log.pair.tolist())) == list(range(log.pairs.docno.size))
    assert sorted(set(log.query.tolist())) == list(range(log.queries.size))
    assert log.n_sessions == 30 and set(log.click.tolist()) <= {0.0, 1.0}


def test_the_columns_of_a_log_make_it_again() -> None:
    data = RankingData(np.zeros((7, 1)), y=[0, 1, 2, 0, 1, 0, 2], qid=list("abababb"), docno=list("tuvwxyz"))
    log = simulate_clicks(data, np.arange(7), n_sessions=200, n_ranks=3, randomised=0.3)
    repeated = {"session": log.sessions, "query": log.queries[log.query], "ranker": log.rankers[log.ranker]}
    columns = {name: values[log.session] for name, values in repeated.items()}
    again = ClickLog.from_arrays(docno=log.pairs.docno[log.pair], rank=log.rank, click=log.click, **columns)
    assert shown(again) == shown(log) and clicks_by_session(again) == clicks_by_session(log)
    assert again.sessions.tolist() == log.sessions.tolist() and again.notes == log.notes


def test_documents_are_named_by_docno_or_row() -> None:
    data = RankingData(np.zeros((3, 1)), y=[0, 1, 2], qid=["b", "a", "b"])
    assert shown(simulate_clicks(data, [1, 2, 3], n_sessions=1, query_weight=[1, 0])) == [("b", "production", [2, 0])]
    named = data.replace(docno=["x", "y", "z"])
    assert shown(simulate_clicks(named, [1, 2, 3], n_sessions=1, query_weight=[0, 1])) == [("a", "production", ["y"])]


def test_a_seed_makes_the_same_log_again() -> None:
    data = one_query([0, 1, 2, 0, 1])
    a, b, c = (simulate_clicks(data, [1, 2, 3, 4, 5], randomised=0.5, random_state=seed) for seed in (1, 1, 2))
    assert shown(a) == shown(b) != shown(c)
    assert clicks_by_session(a) == clicks_by_session(b) != clicks_by_session(c)


def test_queries_are_asked_equally_often_or_by_weight() -> None:
    data = RankingData(np.zeros((4, 1)), y=[0, 1, 0, 1], qid=[7, 5, 6, 5])
    asked = Counter(query for query, _, _ in shown(simulate_clicks(data, [1, 2, 3, 4], n_sessions=30_000)))
    assert chisquare([asked[7], asked[5], asked[6]]).pvalue > ALPHA
    log = simulate_clicks(data, [1, 2, 3, 4], n_sessions=30_000, query_weight=[3, 0, 1])
    asked = Counter(query for query, _, _ in shown(log))
    assert set(asked) == {7, 6} and binomtest(asked[7], 30_000, 0.75).pvalue > ALPHA
    assert log.queries.tolist() == [7, 6]


def test_rankers_serve_sessions_in_turn_at_random() -> None:
    log = simulate_clicks(one_query([0, 1, 2]), {"up": [1, 2, 3], "down": [3, 2, 1]}, n_sessions=10_000)
    counts = Counter((ranker, tuple(docnos)) for _, ranker, docnos in shown(log))
    assert set(counts) == {("up", (2, 1, 0)), ("down", (0, 1, 2))}
    assert binomtest(counts["up", (2, 1, 0)], 10_000, 0.5).pvalue > ALPHA


def randomised(kind: str) -> Counter[tuple[Any, ...]]:
    """Documents of randomised sessions, whose share is tested, of a query with 5 documents; 4 are shown."""
    n = 60_000
    options: dict[str, Any] = {"n_sessions": n, "n_ranks": 4, "randomised": 0.2, "randomisation": kind}
    sessions = shown(simulate_clicks(one_query([0, 1, 2, 0, 1]), [5, 4, 3, 2, 1], **options))
    assert all(docnos == [0, 1, 2, 3] for _, ranker, docnos in sessions if ranker == "production")
    found = Counter(tuple(docnos) for _, ranker, docnos in sessions if ranker == "random")
    assert binomtest(sum(found.values()), n, 0.2).pvalue > ALPHA
    return found


def test_shuffled_sessions_have_all_orders_of_the_top_equally_often() -> None:
    found = randomised("shuffle")
    assert set(found) == set(itertools.permutations(range(4)))
    assert chisquare(list(found.values())).pvalue > ALPHA


def test_swapped_sessions_have_neighbours_swapped_by_coins() -> None:
    found = randomised("swap")
    share = {(0, 1, 2, 3): 3 / 8, (1, 0, 2, 3): 1 / 8, (0, 1, 3, 2): 1 / 8, (1, 0, 3, 2): 1 / 8, (0, 2, 1, 3): 1 / 4}
    assert set(found) == set(share)
    total = sum(found.values())
    assert chisquare([found[order] for order in share], [total * p for p in share.values()]).pvalue > ALPHA


@pytest.mark.parametrize("kind", ["shuffle", "swap"])
def test_short_pages_are_randomised_within_themselves(kind: str) -> None:
    data = RankingData(np.zeros((7, 1)), y=[0, 1, 2, 1, 0, 0, 1], qid=[1, 1, 1, 1, 2, 2, 3])
    log = simulate_clicks(data, -np.arange(7), n_sessions=2_000, randomised=1.0, randomisation=kind)
    orders = {(query, tuple(docnos)) for query, _, docnos in shown(log)}
    assert {(2, (4, 5)), (2, (5, 4)), (3, (6,))} == {each for each in orders if each[0] > 1}
    assert all(sorted(docnos) == [0, 1, 2, 3] for query, docnos in orders if query == 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"scores": [1, 2]}, "the scores of ranker 'production' has 2 rows; expected 3"),
        ({"scores": {"new": [1, 2, math.nan]}}, "the scores of ranker 'new' is NaN in row 2"),
        ({"scores": {}}, "scores names no ranker"),
        ({"scores": {"new": [-np.inf, 1, -np.inf]}}, "ranker 'new' returns no document for query 7"),
        ({"scores": {"random": [1, 2, 3]}, "randomised": 0.1}, "a ranker is named 'random'"),
        ({"model": "clicks"}, "model must be pbm, cascade, dbn, trust, or a user with .*, not 'clicks'"),
        ({"model": PositionBasedUser}, "model must be pbm"),
        ({"n_sessions": 0}, "n_sessions must be at least 1, not 0"),
        ({"n_ranks": 0}, "n_ranks must be at least 1, not 0"),
        ({"eta": -1.0}, "eta must be a finite number of at least 0, not -1"),
        ({"eta": math.inf}, "eta must be a finite number"),
        ({"noise": 1.5}, "noise must be from 0 to 1, not 1.5"),
        ({"randomised": math.nan}, "randomised must be from 0 to 1, not nan"),
        ({"randomisation": "all"}, "randomisation must be shuffle or swap, not 'all'"),
        ({"query_weight": [1, 2, 3]}, "query_weight must be 2 numbers"),
        ({"query_weight": [0, 0]}, "query_weight must be 2 numbers"),
        ({"query_weight": [1, -1]}, "query_weight must be 2 numbers"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], message: str) -> None:
    data = RankingData(np.zeros((3, 1)), y=[0, 1, 2], qid=[7, 5, 7])
    with pytest.raises(InputError, match=message):
        simulate_clicks(data, **{"scores": [1, 2, 3], **arguments})


def test_bad_data() -> None:
    twice = RankingData(np.zeros((3, 1)), y=[0, 1, 2], qid=["a", "b", "a"], docno=["x", "x", "x"])
    with pytest.raises(InputError, match="document x is there twice for query a; keep one of its rows"):
        simulate_clicks(twice, [1, 2, 3])
    with pytest.raises(InputError, match="the data has no labels"):
        simulate_clicks(RankingData(np.zeros((3, 1)), y=None, qid=[7, 5, 7]), [1, 2, 3])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: DBNUser(satisfaction=1.5), "satisfaction must be a number from 0 to 1, not 1.5"),
        (lambda: DBNUser(perseverance=-0.1), "perseverance must be a number from 0 to 1, not -0.1"),
        (lambda: TrustBiasUser(trust=0.99), "trust must be a number from 0 to 0.97, not 0.99"),
    ],
)
def test_bad_users(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()
