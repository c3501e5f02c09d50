"""Estimates of position bias from simulated logs: recovered, within its intervals, refused if not identified."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import expit
from tests.clicks.simulated_sessions import LEVELS, power, sessions_of, simulate

from directrank.arrays import Floats
from directrank.clicks.bias_estimation.estimate import estimate_bias
from directrank.clicks.click_log import ClickLog
from directrank.clicks.position_bias import PositionBias
from directrank.data import InputError


def one_ranking(n_sessions: int = 2000, seed: int = 0) -> ClickLog:
    return simulate(seed, n_sessions=n_sessions, n_rankers=1, alpha=power(1))


def neighbours_swapped(seed: int, n_sessions: int, share: float = 1.0) -> ClickLog:
    """Fixed rankings of decreasing relevance, in a share of which two neighbours are swapped: those of "ranker 1"."""
    random = np.random.default_rng(seed)
    n_queries, n_ranks = 20, 5
    docs = np.tile(np.arange(n_ranks), (n_sessions, 1))
    swapped = random.random(n_sessions) < share
    place, session = random.integers(n_ranks - 1, size=n_sessions), np.arange(n_sessions)
    coin = swapped & (random.random(n_sessions) < 0.5)
    docs[session[coin], place[coin]], docs[session[coin], place[coin] + 1] = place[coin] + 1, place[coin]
    relevance = -np.sort(-random.choice(LEVELS, size=(n_queries, n_ranks)), axis=1)
    query = random.integers(n_queries, size=n_sessions)
    click = random.random(docs.shape) < power(1, n_ranks) * relevance[query[:, None], docs]
    return sessions_of(docs, query, click, n_ranks, swapped.astype(np.int64))


def standard_errors(bias: PositionBias, truth: Floats) -> Floats:
    """Errors of the logarithms in standard errors, of all ranks below the first."""
    assert bias.low is not None
    assert bias.high is not None
    return np.log(bias.alpha / truth)[1:] / (np.log(bias.high / bias.low)[1:] / 3.92)


@pytest.mark.parametrize("eta", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("method", ["harvesting", "pbm"])
def test_the_bias_is_recovered(eta: float, method: str) -> None:
    bias = estimate_bias(simulate(1, n_sessions=100_000, alpha=power(eta)), method, n_bootstrap=50)
    assert (bias.method, bias.n_sessions, bias.n_ranks) == (method, 100_000, 10)
    assert bias.alpha == pytest.approx(power(eta), rel=0.25 if eta == 2 else 0.06)
    assert bias.alpha[:5] == pytest.approx(power(eta)[:5], rel=0.05)
    assert np.abs(standard_errors(bias, power(eta))).max() < 3.5
    assert not bias.has_trust_bias


@pytest.mark.parametrize("method", ["harvesting", "pbm"])
def test_intervals_cover_the_truth_at_their_rate(method: str) -> None:
    truth, covered = power(1, 5), []
    for seed in range(100):
        log = simulate(seed, n_sessions=3000, n_queries=10, alpha=truth)
        bias = estimate_bias(log, method, n_bootstrap=30, random_state=seed)
        assert bias.n_ranks == 5
        assert bias.low is not None
        assert bias.high is not None
        covered.append((bias.low <= truth)[1:] & (truth <= bias.high)[1:])
    assert 0.9 <= np.mean(covered) <= 0.99


def test_rare_queries_and_rankers_of_unequal_shares() -> None:
    """Three sessions for each query, and one ranker in ten sessions: the position-based model is far off and says so."""
    log = simulate(0, n_sessions=60_000, n_queries=20_000, alpha=power(1, 4), shares=[0.9, 0.1])
    harvested = estimate_bias(log, n_bootstrap=30)
    assert np.abs(standard_errors(harvested, power(1, 4))).max() < 3.5
    assert harvested.alpha == pytest.approx(power(1, 4), rel=0.1)
    fitted = estimate_bias(log, "pbm", n_bootstrap=0)
    assert fitted.alpha[1] > 1.15 * max(harvested.alpha[1], 0.5)
    assert "impressions each, where the position-based model overstates" in fitted.notes[1]


def test_position_bias_differs_from_click_rates() -> None:
    log = simulate(0, n_sessions=50_000, alpha=power(1))
    rates = np.bincount(log.rank - 1, log.click)
    assert rates[9] / rates[0] < 0.075 < estimate_bias(log, n_bootstrap=0).alpha[9]


def test_swaps_of_neighbours() -> None:
    bias = estimate_bias(neighbours_swapped(0, 60_000), "swaps", n_bootstrap=30)
    assert bias.alpha == pytest.approx(power(1, 5), rel=0.1)
    assert "By swaps: 100 query-document pairs exchanged ranks" in bias.notes[0]


def test_a_randomised_share_is_used_alone() -> None:
    log = neighbours_swapped(1, 100_000, share=0.3)
    chosen = log.select_sessions(np.flatnonzero(log.ranker == 1))
    bias = estimate_bias(log, randomised="ranker 1", n_bootstrap=30)
    assert bias.method == "swaps"
    assert bias.alpha == pytest.approx(power(1, 5), rel=0.12)
    assert bias.alpha.tolist() == estimate_bias(chosen, "swaps", randomised="ranker 1", n_bootstrap=0).alpha.tolist()


def test_regression_em() -> None:
    random = np.random.default_rng(2)
    n_sessions, n_queries, n_ranks = 60_000, 200, 6
    features = random.normal(size=(n_queries * n_ranks, 3))
    relevance = expit(features @ [1.0, -0.5, 0.0] - 1).reshape(n_queries, n_ranks)
    order = np.argsort(features[:, 2].reshape(relevance.shape) - relevance)  # relevant ones stand higher
    query = random.integers(n_queries, size=n_sessions)
    docs = order[query]
    click = random.random(docs.shape) < power(1, n_ranks) * relevance[query[:, None], docs]
    log = sessions_of(docs, query, click, n_ranks)
    bias = estimate_bias(log, X=features, n_bootstrap=30)
    assert bias.method == "regression"
    assert bias.alpha == pytest.approx(power(1, n_ranks), rel=0.05)
    assert np.abs(standard_errors(bias, power(1, n_ranks))).max() < 3.5
    assert "relevance is a function of the features alone" in bias.notes[0]


def test_trust_bias_is_recovered() -> None:
    rank = np.arange(1, 7)
    alpha, beta = (1 - (rank + 1) / 100 - 0.65 / rank) / rank, 0.65 / rank**2
    log = simulate(0, n_sessions=100_000, n_queries=200, n_rankers=3, alpha=alpha, beta=beta, levels=(0, 0.25, 0.5, 1))
    bias = estimate_bias(log, "trust", n_bootstrap=10)
    assert bias.has_trust_bias
    assert bias.alpha == pytest.approx(alpha, rel=0.06)
    assert bias.beta == pytest.approx(beta, rel=0.1)
    assert bias.low is not None
    assert bias.high is not None
    assert np.all((bias.low < bias.alpha) & (bias.alpha < bias.high))
    plain = estimate_bias(log, n_bootstrap=0)
    assert plain.alpha[1] < 0.75 * (alpha[1] / alpha[0])  # the model without trust bias is not right here


@pytest.mark.parametrize(
    ("log", "method", "message"),
    [
        (one_ranking, "auto", "^one ranking was shown for each query, so that nothing tells position from relevance: show"),
        (
            one_ranking,
            "harvesting",
            "small random share, swap neighbours, or log two rankers .*; assume=True, or directrank clicks bias --assume",
        ),
        (one_ranking, "pbm", "one ranking was shown"),
        (one_ranking, "trust", "one ranking was shown"),
        (one_ranking, "swaps", "^no two documents of a query exchanged ranks, so that nothing"),
        (one_ranking, "regression", "needs X, the features of the pairs"),
        (one_ranking, "guess", "method must be one of auto, harvesting, swaps, pbm, regression, trust, not 'guess'"),
        (lambda: simulate(0, n_sessions=50, alpha=power(1) * 1e-9), "auto", "the log has no clicks"),
    ],
)
def test_what_nothing_identifies_is_refused(log: Callable[[], ClickLog], method: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        estimate_bias(log(), method)


def test_other_refusals() -> None:
    log = one_ranking()
    with pytest.raises(InputError, match=r"randomised='b' must be the name of a ranker, and the log has ranker 0"):
        estimate_bias(log, randomised="b")
    with pytest.raises(InputError, match=r"^in the sessions of 'ranker 0', one ranking was shown"):
        estimate_bias(log, randomised="ranker 0")
    with pytest.raises(InputError, match="n_bootstrap must be 0"):
        estimate_bias(log, n_bootstrap=1)
    with pytest.raises(InputError, match="X must have a row of features for each of the 500 pairs of the log"):
        estimate_bias(log, X=np.ones((3, 2)))
    with pytest.raises(InputError, match="X has a missing or infinite value for pair 7"):
        estimate_bias(log, X=np.where(np.arange(500) == 7, np.nan, 1.0)[:, None])


def test_equal_relevance_is_assumed_only_if_told_so() -> None:
    log = one_ranking()
    bias = estimate_bias(log, assume=True)
    rates = np.bincount(log.rank - 1, log.click)
    assert bias.method == "click rates"
    assert bias.alpha == pytest.approx(rates / rates[0])
    assert "it was assumed that documents at all ranks are equally relevant" in bias.notes[0]
    several = simulate(0, n_sessions=2000, alpha=power(1))
    assert estimate_bias(several, assume=True, n_bootstrap=0).method == "harvesting"


def test_ranks_without_comparisons() -> None:
    """Documents change between ranks 1, 2 and 4; that at rank 3 and those from rank 5 stay."""
    random = np.random.default_rng(0)
    docs = np.tile(np.arange(7), (4000, 1))
    docs[:, [0, 1, 3]] = random.permuted(docs[:, [0, 1, 3]], axis=1)
    click = random.random(docs.shape) < 0.5 * power(1, 7)
    bias = estimate_bias(sessions_of(docs, np.zeros(4000, np.int64), click, 7))
    assert bias.n_ranks == 4
    assert bias.alpha[2] == pytest.approx(np.exp(np.interp(np.log(3), np.log([2, 4]), np.log(bias.alpha[[1, 3]]))))
    assert bias.low is not None
    assert np.isnan(bias.low).tolist() == [False, False, True, False]
    assert bias.notes[1:] == (
        "Rank 3 cannot be estimated, and has values between those of the neighbours.",
        "Ranks 5 to 7 cannot be estimated, and have the bias of rank 4.",
    )


def test_ranks_with_few_clicks_are_noted() -> None:
    bias = estimate_bias(simulate(0, n_sessions=400, n_queries=4, alpha=power(1)))
    assert any("fewer than 30 effective clicks" in note for note in bias.notes)
    bias = estimate_bias(simulate(0, n_sessions=20_000, n_queries=4, alpha=power(0.5, 3)))
    assert not any("effective clicks" in note for note in bias.notes)


def test_notes_name_the_cause_of_comparisons() -> None:
    logged = estimate_bias(simulate(0, n_sessions=2000, alpha=power(1)), n_bootstrap=0)
    assert logged.notes[0].endswith("this is right if the ranker of each session, of 2, was drawn at random.")
    unlogged = estimate_bias(simulate(0, n_sessions=2000, alpha=power(1), logged=False), n_bootstrap=0)
    assert unlogged.notes[0].endswith("right if ranks changed for reasons other than the user and the time of the session.")
    assert unlogged.alpha.tolist() == logged.alpha.tolist()


def test_a_ranker_whose_ranks_change_is_noted() -> None:
    log = neighbours_swapped(0, 5000, share=0.5)
    notes = estimate_bias(log, n_bootstrap=0).notes
    assert any("100% of these pairs were shown at several ranks by the same ranker" in note for note in notes)


def test_the_same_seed_gives_the_same_intervals() -> None:
    log = simulate(0, n_sessions=500, n_queries=5, alpha=power(1, 4))
    first, again, other = (estimate_bias(log, n_bootstrap=20, random_state=seed) for seed in (3, 3, 4))
    assert first.high is not None
    assert again.high is not None
    assert other.high is not None
    assert first.high.tolist() == again.high.tolist() != other.high.tolist()
    assert first.alpha.tolist() == other.alpha.tolist()
    assert estimate_bias(log, n_bootstrap=0).high is None
