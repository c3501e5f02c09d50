"""Estimates of relevance from clicks: unbiased, by all click patterns of small logs; the doubly robust one twice over."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from directrank.clicks.click_log import ClickLog
from directrank.clicks.estimators import SHRINKAGES, calibrate, choose_shrinkage, clip_for, effective_clicks, gains
from directrank.clicks.position_bias import PositionBias
from directrank.data import InputError

ALPHA, BETA = np.array([1.0, 0.5, 0.2]), np.array([0.3, 0.1, 0.05])
GAMMA = {"x": 0.6, "y": 0.1, "z": 0.4}

#: Three result pages of a query, in which documents have several ranks and z is shown twice.
PAGES = ["xyz", "yx", "xz"]


def log_of(pages, clicks) -> ClickLog:
    rows = [(i, d, k) for i, page in enumerate(pages) for k, d in enumerate(page, 1)]
    session, document, rank = zip(*rows, strict=True)
    log = ClickLog.from_arrays(session, ["q"] * len(rows), document, rank, np.zeros(len(rows)))
    return replace(log, click=np.asarray(clicks, np.float64))


def expectation(estimate, alpha, beta) -> np.ndarray:
    """Mean of an estimate over all click patterns, each weighted by its probability."""
    documents, ranks = zip(*[(d, k) for page in PAGES for k, d in enumerate(page)], strict=True)
    chance = np.array([alpha[k] * GAMMA[d] + beta[k] for d, k in zip(documents, ranks, strict=True)])
    total = np.zeros(3)
    for pattern in itertools.product([0, 1], repeat=chance.size):
        clicks = np.array(pattern)
        total += np.prod(np.where(clicks, chance, 1 - chance)) * estimate(log_of([*PAGES], clicks.astype(float)))
    return total


@pytest.mark.parametrize("beta", [np.zeros(3), BETA * (1 - ALPHA)], ids=["position", "trust"])
@pytest.mark.parametrize("estimator", ["ips", "snips", "dr"])
def test_estimates_are_unbiased(estimator: str, beta) -> None:
    bias = PositionBias(ALPHA, beta, None, None, "given", 0, ())
    given = {"shrinkage": 0.0, "predicted": [0.9, 0.2, 0.5]} if estimator == "dr" else {}
    found = expectation(lambda log: gains(log, bias, estimator, clip=0.0, **given), ALPHA, beta)
    np.testing.assert_allclose(found, [GAMMA[d] for d in "xyz"], rtol=1e-12)


def test_click_rates_are_biased() -> None:
    found = expectation(lambda log: gains(log, estimator="naive"), ALPHA, np.zeros(3))
    assert found[0] == pytest.approx(GAMMA["x"] * (1 + 0.5 + 1) / 3) and found[2] < GAMMA["z"] / 2


@pytest.mark.parametrize("clip", [0.3, 1.0])
def test_a_right_prediction_is_unbiased_with_any_clip_and_shrinkage(clip: float) -> None:
    bias, right = PositionBias(ALPHA, np.zeros(3), None, None, "given", 0, ()), [GAMMA[d] for d in "xyz"]

    def estimate(log):
        return gains(log, bias, "dr", clip=clip, predicted=right, shrinkage=3.0)

    np.testing.assert_allclose(expectation(estimate, ALPHA, np.zeros(3)), right, rtol=1e-12)
    clipped = expectation(lambda log: gains(log, bias, "ips", clip=clip), ALPHA, np.zeros(3))
    assert clipped[2] < right[2] - 0.05


def test_values_of_a_small_log_by_hand() -> None:
    log = log_of(["xy", "yx", "x"], [1, 0, 1, 1, 0])  # x: ranks 1, 2, 1, clicks 1, 1, 0; y: ranks 2, 1, clicks 0, 1
    bias = PositionBias(np.array([1.0, 0.25]), np.zeros(2), None, None, "given", 0, ())
    assert gains(log, bias, "naive").tolist() == [2 / 3, 1 / 2]
    assert gains(log, bias, "ips", clip=0.0).tolist() == [(1 + 4) / 3, 1 / 2]
    assert gains(log, bias, "ips", clip=0.5).tolist() == [(1 + 2) / 3, 1 / 2]
    assert gains(log, bias, "snips", clip=0.0).tolist() == [2 / 2.25, 1 / 1.25]
    assert gains(log, bias, "snips", clip=0.8).tolist() == pytest.approx([2 / 2.4, 1 / 1.6])
    predicted = [0.5, 0.1]
    by_hand = [0.5 + (2 - 2.25 * 0.5) / (2.25 + 3), 0.1 + (1 - 1.25 * 0.1) / (1.25 + 3)]
    np.testing.assert_allclose(gains(log, bias, "dr", clip=0.0, predicted=predicted, shrinkage=3.0), by_hand)
    assert effective_clicks(log, bias, 0.0) == pytest.approx((1 + 1 + 4) ** 2 / (1 + 1 + 16))


def test_pairs_that_were_not_shown() -> None:
    log = log_of(["xy", "yz"], [1, 0, 1, 0]).select_sessions([0])
    bias = PositionBias.power(1.0, 2)
    assert gains(log, bias, "ips")[2] == gains(log, bias, "snips")[2] == 0.0
    assert gains(log, bias, "dr", predicted=[0.1, 0.2, 0.3], shrinkage=1.0)[2] == 0.3


def test_affine_estimates_may_be_negative() -> None:
    bias = PositionBias(np.array([0.5]), np.array([0.2]), None, None, "given", 0, ())
    assert gains(log_of(["x"], [0]), bias, "snips").tolist() == pytest.approx([-0.4])


def random_log(n_sessions: int, seed: int) -> tuple[ClickLog, PositionBias, np.ndarray]:
    """Rankings at random of ten documents each of 40 queries, of whose relevance the prediction knows half."""
    random = np.random.default_rng(seed)
    relevance, bias = random.beta(0.5, 2.0, (40, 10)), PositionBias.power(1.0, 10)
    query = random.integers(40, size=n_sessions)
    shown = random.permuted(np.tile(np.arange(10), (n_sessions, 1)), axis=1)
    click = random.random(shown.shape) < bias.alpha * relevance[query[:, None], shown]
    session, rank = np.repeat(np.arange(n_sessions), 10), np.tile(np.arange(1, 11), n_sessions)
    log = ClickLog.from_arrays(session, np.repeat(query, 10), shown.ravel().astype(str), rank, click.ravel().astype(float))
    return log, bias, relevance[log.queries.astype(int)[log.pairs.query], log.pairs.docno.astype(int)]


def test_shrinkage_is_less_with_more_sessions_and_better_than_none() -> None:
    chosen, errors = [], {"auto": [], 0.0: []}
    for n_sessions in (500, 50_000):
        log, bias, truth = random_log(n_sessions, 0)
        predicted = np.full(truth.size, truth.mean())
        chosen.append(choose_shrinkage(log, bias, predicted, 0.0))
        for shrinkage, found in errors.items():
            estimate = gains(log, bias, "dr", clip=0.0, predicted=predicted, shrinkage=shrinkage)
            found.append(np.mean((estimate - truth) ** 2))
    assert SHRINKAGES[-1] > chosen[0] >= chosen[1]
    assert errors["auto"][0] < 0.7 * errors[0.0][0] and errors["auto"][1] < 1.02 * errors[0.0][1]


def test_a_calibrated_score_predicts_relevance() -> None:
    log, bias, truth = random_log(20_000, 1)
    found = calibrate(np.log(truth) * 7 + 3, log, bias)
    assert np.mean((found - truth) ** 2) < 0.002 < np.var(truth) / 5
    assert found.min() >= 0 and found.max() <= 1
    flat = calibrate(np.zeros(truth.size), log, bias)
    assert np.ptp(flat) == 0 and abs(flat[0] - truth.mean()) < 0.02


def test_clips() -> None:
    log, _, _ = random_log(400, 0)
    assert clip_for(log, "auto") == 0.1 and clip_for(random_log(40_000, 0)[0], "auto") == pytest.approx(0.05)
    assert clip_for(log, 0) == 0.0


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"estimator": "best"}, "estimator must be one of naive, ips, snips, dr, not 'best'"),
        ({"bias": None}, "estimator='snips' needs a position bias; see estimate_bias, or take 'naive'"),
        ({"clip": 2.0}, "clip must be a number from 0 to 1, or 'auto', not 2.0"),
        (
            {"estimator": "dr", "predicted": [0.1]},
            r"3 pairs in the log, and the predictions are of the shape \(1,\)",
        ),
        ({"estimator": "dr", "predicted": [0.1, np.nan, 1]}, "the prediction of pair 1 is not a finite number"),
        ({"clip": None}, "clip must be a number from 0 to 1, or 'auto', not None"),
        ({"estimator": "dr", "shrinkage": None}, "shrinkage must be a number of at least 0, or 'auto', not None"),
        ({"estimator": "dr", "shrinkage": -1}, "shrinkage must be a number of at least 0, or 'auto', not -1"),
    ],
)
def test_errors(given, sentence: str) -> None:
    log = log_of(PAGES, [1, 0, 0, 0, 1, 1, 0])
    with pytest.raises(InputError, match=sentence):
        gains(log, **{"bias": PositionBias.power(1.0, 3), **given})


def test_nothing_is_calibrated_from_no_sessions() -> None:
    log = log_of(PAGES, [1, 0, 0, 0, 1, 1, 0]).select_sessions([])
    with pytest.raises(InputError, match="the log has no impressions, from which nothing can be calibrated"):
        gains(log, PositionBias.power(1.0, 3), "dr")


def test_rewards_are_estimated_as_clicks_are() -> None:
    log, bias = log_of(PAGES, [1, 0, 0, 0, 1, 1, 0]), PositionBias.power(1.0, 3)
    doubled = replace(log, click=2 * log.click)
    np.testing.assert_allclose(gains(doubled, bias), 2 * gains(log, bias))
