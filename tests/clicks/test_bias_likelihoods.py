"""The likelihoods behind position bias, against brute force; EM never lowers them."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import minimize
from scipy.special import expit
from tests.clicks.simulated_sessions import power, sessions_of, simulate

from directrank.arrays import Floats, Ints
from directrank.clicks.bias_estimation.harvesting import Harvesting
from directrank.clicks.bias_estimation.position_based_em import PositionBasedEM, Probabilities
from directrank.clicks.bias_estimation.rank_counts import CellRows, Cells
from directrank.clicks.bias_estimation.rank_exchanges import exchanged_rows
from directrank.clicks.bias_estimation.regression_em import Regression, RegressionEM
from directrank.clicks.bias_estimation.session_bootstrap import bootstrap_intervals
from directrank.clicks.bias_estimation.trust_bias_em import (
    TrustBiasEM,
    TrustCounts,
    TrustParameters,
    accelerated_step,
    trust_log_likelihood,
    trust_step,
)

SEEDS = st.integers(0, 2**32 - 1)


def counted_cells(random: np.random.Generator, n_pairs: int, n_ranks: int, most: int) -> tuple[Cells, Floats, Floats]:
    """Cells of all pairs and ranks with random counts, some of them 0."""
    pair, rank = np.divmod(np.arange(n_pairs * n_ranks), n_ranks)
    shown = random.integers(0, most + 1, pair.size)
    clicks = random.binomial(shown, random.uniform(0.1, 0.9, pair.size))
    return Cells(pair, rank, np.arange(n_pairs), np.arange(1, n_ranks + 1)), shown.astype(float), clicks.astype(float)


def well_counted(random: np.random.Generator, n_pairs: int, n_ranks: int) -> tuple[Cells, Floats, Floats]:
    """Counts of many impressions, whose maximum is not at a bound."""
    cells, _, _ = counted_cells(random, n_pairs, n_ranks, 1)
    shown = random.integers(50, 200, cells.size)
    theta, gamma = random.uniform(0.3, 0.8, n_ranks), random.uniform(0.2, 0.8, n_pairs)
    clicks = random.binomial(shown, theta[cells.rank] * gamma[cells.pair])
    return cells, shown.astype(float), clicks.astype(float)


def plain_log_likelihood(cells: Cells, shown: Floats, clicks: Floats, theta: Floats, gamma: Floats) -> float:
    total = 0.0
    for pair, rank, n, c in zip(cells.pair, cells.rank, shown, clicks, strict=True):
        click = min(theta[rank] * gamma[pair], 1 - 1e-9)
        total += (c * np.log(click) if c else 0.0) + (n - c) * np.log(1 - click)
    return total


@given(SEEDS)
def test_compared_counts_by_loops(seed: int) -> None:
    cells, shown, clicks = counted_cells(np.random.default_rng(seed), 3, 4, 5)
    compared, impressions = cells.compared_counts(shown, clicks)
    counts = {(p, k): (n, c) for p, k, n, c in zip(cells.pair, cells.rank, shown, clicks, strict=True)}
    for link, (k, other) in enumerate(combinations(range(4), 2)):
        assert cells.comparisons.links[link].tolist() == [k, other]
        at_both = [(counts[p, k], counts[p, other]) for p in range(3)]
        weights = [n * m / (n + m) if n + m else 0 for (n, _), (m, _) in at_both]
        rates = [(c / n if n else 0, d / m if m else 0) for (n, c), (m, d) in at_both]
        assert impressions[link] == pytest.approx(sum(weights))
        assert compared[link] == pytest.approx(np.dot(weights, rates))


def test_comparisons_are_unbiased_over_all_click_patterns() -> None:
    theta, gamma = np.array([1.0, 0.4]), np.array([0.9, 0.2])
    impressions = [
        (0, 0),
        (0, 0),
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
        (1, 1),
    ]  # of the first pair most at rank 1, of the other at 2
    pair, rank = np.array(impressions).T
    probability = theta[rank] * gamma[pair]
    expected = np.zeros(2)
    for pattern in product([0, 1], repeat=len(impressions)):
        click = np.array(pattern)
        cells = Cells(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.arange(2), np.array([1, 2]))
        clicks = np.bincount(pair * 2 + rank, click, 4)
        compared, _ = cells.compared_counts(np.bincount(pair * 2 + rank).astype(float), clicks)
        expected += np.prod(np.where(click, probability, 1 - probability)) * compared[0]
    assert expected[1] / expected[0] == pytest.approx(0.4)
    assert np.sum(gamma[pair[rank == 1]] * 0.4) / 3 / (np.sum(gamma[pair[rank == 0]]) / 4) < 0.3  # click rates are biased


@settings(max_examples=8)
@given(SEEDS, st.integers(1, 4), st.integers(2, 4))
def test_the_position_based_model_is_fitted_by_maximum_likelihood(seed: int, n_pairs: int, n_ranks: int) -> None:
    random = np.random.default_rng(seed)
    cells, shown, clicks = well_counted(random, n_pairs, n_ranks)
    fit = PositionBasedEM.of_cells(cells).fit(shown, clicks)
    found = plain_log_likelihood(cells, shown, clicks, *fit.parameters)

    def objective(logits: Floats) -> float:
        values = expit(logits)
        return -plain_log_likelihood(cells, shown, clicks, values[:n_ranks], values[n_ranks:])

    best = -minimize(objective, random.normal(size=n_ranks + n_pairs), method="L-BFGS-B").fun
    assert found >= best - 1e-5


def test_all_pairs_likelihood_against_the_formula() -> None:
    cells, shown, clicks = well_counted(np.random.default_rng(5), 6, 3)
    compared, impressions = cells.compared_counts(shown, clicks)
    links = [(0, 1), (0, 2), (1, 2)]

    def objective(logs: Floats) -> float:
        p, r = np.exp(np.concatenate([[0.0], logs[:2]])), np.exp(logs[2:])
        total = 0.0
        for link, ranks in enumerate(links):
            for side, k in enumerate(ranks):
                c = compared[link, side]
                total += c * np.log(p[k] * r[link]) + (impressions[link] - c) * np.log(max(1 - p[k] * r[link], 1e-9))
        return -total

    best = minimize(objective, np.full(5, -1.0), method="Nelder-Mead", options=dict(maxiter=20_000, xatol=1e-9, fatol=1e-11))
    assert Harvesting(cells).fit(shown, clicks).alpha == pytest.approx(np.exp([0, *best.x[:2]]), abs=1e-5)


def test_two_ranks_have_a_closed_form() -> None:
    cells, shown, clicks = well_counted(np.random.default_rng(1), 20, 2)
    compared, _ = cells.compared_counts(shown, clicks)
    assert Harvesting(cells).fit(shown, clicks).alpha[1] == pytest.approx(compared[0, 1] / compared[0, 0], rel=1e-6)


@given(SEEDS)
def test_em_of_the_position_based_model_never_lowers_the_likelihood(seed: int) -> None:
    random = np.random.default_rng(seed)
    cells, shown, clicks = counted_cells(random, 5, 4, random.integers(1, 30))
    model = PositionBasedEM.of_cells(cells)
    start = Probabilities(random.uniform(0.01, 1, 4), random.uniform(0.01, 1, 5))
    for iterate in (model.em_step, model.step):
        now = start
        for _ in range(20):
            before, now = now, iterate(shown, clicks, now)
            assert np.all((now.examination >= 0) & (now.examination <= 1))
            assert np.all((now.attractiveness >= 0) & (now.attractiveness <= 1))
            assert model.log_likelihood(shown, clicks, now) >= model.log_likelihood(shown, clicks, before) - 1e-7
    assert model.log_likelihood(shown, clicks, now) == pytest.approx(plain_log_likelihood(cells, shown, clicks, *now))


@settings(max_examples=8)
@given(SEEDS)
def test_regression_em_never_lowers_its_objective_and_finds_the_maximum(seed: int) -> None:
    random = np.random.default_rng(seed)
    cells, shown, clicks = well_counted(random, 12, 3)
    model = RegressionEM(cells, random.normal(size=(12, 2)))
    start = Regression(np.array([1, *random.uniform(0.05, 1, 2)]), random.normal(size=3))
    for iterate in (model.em_step, model.step):
        now = start
        for _ in range(20):
            before, now = now, iterate(shown, clicks, now)
            assert model.objective(shown, clicks, now) >= model.objective(shown, clicks, before) - 1e-7

    def objective(values: Floats) -> float:
        return -model.objective(shown, clicks, Regression(np.array([1, *expit(values[:2])]), values[2:]))

    best = -minimize(objective, np.zeros(5), method="L-BFGS-B").fun
    assert model.objective(shown, clicks, model.fit(shown, clicks).parameters) >= best - 1e-4


@given(SEEDS)
def test_em_of_trust_bias_never_lowers_the_likelihood(seed: int) -> None:
    random = np.random.default_rng(seed)
    cells, shown, clicks = counted_cells(random, 6, 3, random.integers(1, 30))
    counts = TrustCounts.of(cells, shown, clicks)
    levels = np.array([0, *np.sort(random.random(3)), 1])
    start = TrustParameters(
        random.uniform(0.1, 0.9, 3), random.uniform(0.1, 0.9, 3), levels, random.dirichlet(np.ones(5), 3)
    )
    for iterate in (trust_step, accelerated_step):
        now = start
        for _ in range(10):
            before, now = now, iterate(counts, now)
            assert trust_log_likelihood(counts, now) >= trust_log_likelihood(counts, before) - 1e-7


def test_likelihood_of_trust_bias_by_loops() -> None:
    random = np.random.default_rng(3)
    cells, shown, clicks = counted_cells(random, 4, 2, 9)
    now = TrustParameters(
        np.array([0.9, 0.5]), np.array([0.3, 0.1]), np.array([0.0, 0.4, 1.0]), random.dirichlet(np.ones(3), 2)
    )
    total = 0.0
    for pair in range(4):
        of_pair = cells.pair == pair
        mean_rank = round(np.dot(shown[of_pair], cells.rank[of_pair]) / max(shown[of_pair].sum(), 1))
        likelihood = 0.0
        for level, share in zip(now.levels, now.shares[mean_rank], strict=True):
            click = (now.relevant * level + now.irrelevant * (1 - level))[cells.rank[of_pair]]
            c, n = clicks[of_pair], shown[of_pair]
            likelihood += share * np.prod(click**c * (1 - click) ** (n - c))
        total += np.log(likelihood)
    assert trust_log_likelihood(TrustCounts.of(cells, shown, clicks), now) == pytest.approx(total)


def test_trust_bias_is_fitted_to_exact_counts() -> None:
    """Where click rates are what the model says, and each level has pairs, alpha and beta are exact."""
    alpha, beta, levels = np.array([0.35, 0.4, 0.3]), np.array([0.6, 0.2, 0.1]), np.array([0, 0.25, 0.5, 0.75, 1])
    pair, rank = np.divmod(np.arange(15), 3)
    cells = Cells(pair, rank, np.arange(5), np.arange(1, 4))
    shown = np.full(15, 1e6)
    fit = TrustBiasEM(cells, tolerance=1e-9).fit(shown, shown * (alpha[rank] * levels[pair] + beta[rank]))
    assert fit.alpha == pytest.approx(alpha, abs=1e-4)
    assert fit.beta == pytest.approx(beta, abs=1e-4)


def test_ranks_are_linked_by_chains_of_comparisons_with_clicks_at_both() -> None:
    pair = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    rank = np.array([0, 1, 1, 3, 2, 4, 3, 5])  # 1-2, 2-4, 3-5, and 4-6 without clicks at 6
    cells = Cells(pair, rank, np.arange(4), np.arange(1, 7))
    clicks = np.array([1.0, 1, 1, 1, 1, 1, 1, 0])
    assert cells.linked_ranks(np.full(8, 2.0), clicks).tolist() == [True, True, False, True, False, False]
    assert not cells.linked_ranks(np.full(8, 2.0), np.zeros(8)).any()


def exchanged_by_loops(docs: Ints, query: Ints) -> set[tuple[int, int]]:
    """Session and rank of the impressions of exchanged documents."""
    n_ranks = docs.shape[1]
    swaps = {(i, j) for i, j in combinations(range(n_ranks), 2) if i == 0 or j == i + 1}
    found = set()
    for a, b in product(range(len(docs)), repeat=2):
        for i, j in swaps:
            if query[a] == query[b] and docs[a, i] == docs[b, j] and docs[a, j] == docs[b, i]:
                found |= {(a, i), (a, j)}
    return found


@given(SEEDS)
def test_exchanges_by_loops(seed: int) -> None:
    random = np.random.default_rng(seed)
    docs = np.stack([random.permutation(5)[:4] for _ in range(8)])
    query = random.integers(2, size=8)
    rows = exchanged_rows(sessions_of(docs, query, np.zeros(docs.shape), 5))
    assert {divmod(int(row), 4) for row in np.flatnonzero(rows)} == exchanged_by_loops(docs, query)


def test_resamples_count_what_drawn_sessions_hold() -> None:
    log = simulate(0, n_sessions=40, n_queries=3, alpha=power(1, 4))
    rows = CellRows.of_log(log).at_several_ranks()
    seen = []

    class Recorded(PositionBasedEM):
        def fit(self, shown: Floats, clicks: Floats, start: Probabilities | None = None):  # type: ignore[no-untyped-def]
            seen.append((shown, clicks))
            return super().fit(shown, clicks, start)

    model = Recorded.of_cells(rows.cells)
    bootstrap_intervals(model, rows, model.fit(rows.shown, rows.clicks), 40, 10, random_state=7)
    random = np.random.default_rng(7)
    for shown, clicks in seen[1:]:
        drawn = log.select_sessions(random.integers(40, size=40))
        for cell in range(rows.cells.size):
            place = drawn.pair == rows.cells.pairs[rows.cells.pair[cell]]
            place &= drawn.rank == rows.cells.ranks[rows.cells.rank[cell]]
            assert (shown[cell], clicks[cell]) == (place.sum(), drawn.clicked[place].sum())
