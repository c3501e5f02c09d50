"""EM of click models: expectations by enumeration, an objective that never falls, parameters that come back."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from latent_variables import by_docno, courses, documents_of, random_log, ranked_log, simulated_log

from directrank import get_num_threads, set_num_threads
from directrank.clicks.click_log import ClickLog
from directrank.clicks.click_models import DynamicBayesianModel, PositionBasedModel, UserBrowsingModel, fit_click_model
from directrank.clicks.click_models.beta_prior import BetaPrior
from directrank.clicks.click_models.dynamic_bayesian import _Parameters, _Sessions
from directrank.clicks.click_models.examination_model import Cells
from directrank.core import click_models as kernels

ESTIMATED_BY_EM = ["PBM", "UBM", "DBN"]

seeds = st.integers(0, 10_000)


def expected_in_cells(log: ClickLog, place: np.ndarray, attractiveness: np.ndarray, examination: np.ndarray) -> tuple:
    """Expected numbers of attractive and examined impressions, and the log-likelihood, over both latent variables."""
    attractive, examined = np.zeros_like(attractiveness), np.zeros_like(examination)
    log_likelihood = 0.0
    for pair, where, clicked in zip(log.pair, place, log.clicked, strict=True):
        a, t = attractiveness[pair], examination[where]
        cases = {
            (is_examined, is_attractive): (t if is_examined else 1 - t) * (a if is_attractive else 1 - a)
            for is_examined, is_attractive in itertools.product([False, True], repeat=2)
            if (is_examined and is_attractive) == clicked
        }
        total = sum(cases.values())
        log_likelihood += math.log(total)
        for (is_examined, is_attractive), p in cases.items():
            attractive[pair] += is_attractive * p / total
            examined[where] += is_examined * p / total
    return attractive, examined, log_likelihood


def places_of(log: ClickLog, depth: int) -> np.ndarray:
    """Number of the place of each impression in the UBM, from all places in order."""
    numbers = {place: i for i, place in enumerate((k, d) for k in range(1, depth + 1) for d in range(1, k + 1))}
    found, above, session = [], 0, -1
    for row in range(log.n_impressions):
        if log.session[row] != session:
            above, session = 0, log.session[row]
        found.append(numbers[log.rank[row], log.rank[row] - above])
        if log.clicked[row]:
            above = log.rank[row]
    return np.array(found)


@settings(max_examples=30)
@given(seeds)
def test_expectations_of_examination_and_attractiveness(seed: int) -> None:
    log, random = random_log(seed, 12), np.random.default_rng(seed)
    depth = log.max_rank
    browsing = kernels.browsing_places(log.offsets, log.rank, log.clicked, depth)
    assert browsing.tolist() == places_of(log, depth).tolist()
    for place, n_places in ((log.rank - 1, depth), (browsing, depth * (depth + 1) // 2)):
        cells = Cells.count(log, place, n_places)
        a, t = random.uniform(0.01, 0.99, log.pairs.query.size), random.uniform(0.01, 0.99, n_places)
        found = kernels.examination_expectations(cells.offsets, cells.place, cells.shown, cells.clicked, a, t)
        for value, expected in zip(found, expected_in_cells(log, place, a, t), strict=True):
            assert value == pytest.approx(expected, rel=1e-12, abs=1e-12)


@settings(max_examples=15)
@given(seeds)
def test_an_iteration_of_the_dbn(seed: int) -> None:
    """An iteration sets parameters to shares of expected counts, which are sums over all courses of each session."""
    log, random = random_log(seed, 5), np.random.default_rng(seed)
    n_pairs, prior = log.pairs.query.size, BetaPrior(0.7, 1.3)
    a, s, gamma = random.uniform(0.05, 0.95, n_pairs), random.uniform(0.05, 0.95, n_pairs), random.uniform(0.05, 0.95)
    examined, satisfied, could_satisfy = np.zeros((3, n_pairs))
    went_on = could_go_on = log_likelihood = 0.0
    for session in range(log.n_sessions):
        documents = documents_of(log, session, [(a[p], s[p], gamma) for p in range(n_pairs)])
        clicked = [document.clicked for document in documents]
        seen = [course for course in courses(documents) if course.clicked == clicked]
        total, last = sum(course.probability for course in seen), len(documents) - 1
        log_likelihood += math.log(total)
        for course, i in itertools.product(seen, range(len(documents))):
            p, pair = course.probability / total, log.pair[log.offsets[session] + i]
            examined[pair] += p * course.examined[i]
            if i < last:  # what follows the document shown last is not seen
                satisfied[pair] += p * course.satisfied[i]
                could_satisfy[pair] += p * course.clicked[i]
                could_go_on += p * (course.examined[i] and not course.satisfied[i])
                went_on += p * course.went_on[i]

    sessions, parameters = _Sessions(log), _Parameters(a, s, gamma)
    expected = sessions.expectations(parameters)
    found = sessions.maximum(expected, prior)
    clicks = np.bincount(log.pair, log.clicked, n_pairs)
    assert found.attractiveness == pytest.approx((clicks + 0.7) / (examined + 2), rel=1e-12)
    assert found.satisfaction == pytest.approx((satisfied + 0.7) / (could_satisfy + 2), rel=1e-12)
    assert found.perseverance == pytest.approx((went_on + 0.7) / (could_go_on + 2), rel=1e-12)
    log_prior = sum(0.7 * np.log(p).sum() + 1.3 * np.log1p(-p).sum() for p in (a, s, np.array([gamma])))
    assert sessions.objective(parameters, expected, prior) == pytest.approx(log_likelihood + log_prior, rel=1e-12)


@settings(max_examples=20)
@given(seeds, st.sampled_from([(1.0, 1.0), (0.01, 0.01), (0.2, 3.0)]))
@pytest.mark.parametrize("name", ESTIMATED_BY_EM)
def test_no_iteration_lowers_the_objective(name: str, seed: int, prior: tuple[float, float]) -> None:
    model = fit_click_model(random_log(seed, 15), name, prior=prior, max_iter=40, tol=0.0)
    assert np.diff(model.history).min() >= -1e-10 * abs(model.history[0])
    assert model.history[-1] > model.history[0]


@pytest.mark.parametrize("name", ESTIMATED_BY_EM)
def test_em_ends_when_an_iteration_gains_little(name: str) -> None:
    log = random_log(3, 200)
    history = fit_click_model(log, name, tol=1e-4, max_iter=1000).history
    assert 2 < history.size < 1000
    gains = np.diff(history) / log.n_impressions
    assert gains[-1] < 1e-4 and (gains[:-1] >= 1e-4).all()
    assert fit_click_model(log, name, tol=0.0, max_iter=7).history.size == 7


def independent_clicks(seed: int, probability: np.ndarray, attractiveness: np.ndarray, n_sessions: int) -> ClickLog:
    """A log with documents in random order, whose clicks have the probability of the rank times the attractiveness."""
    random = np.random.default_rng(seed)
    order = np.argsort(random.random((n_sessions, attractiveness.size)), axis=1)[:, : probability.size]
    return ranked_log(order, random.random(order.shape) < probability * attractiveness[order])


ATTRACTIVENESS = np.array([0.9, 0.7, 0.5, 0.3, 0.2, 0.1])


def test_the_pbm_comes_back() -> None:
    examination = np.array([1.0, 0.5, 0.6, 0.25, 0.2])
    model = PositionBasedModel.fit(log := independent_clicks(1, examination, ATTRACTIVENESS, 100_000))
    assert model.examination == pytest.approx(examination, abs=0.015)
    assert by_docno(log, model.relevance) == pytest.approx(ATTRACTIVENESS, abs=0.015)
    assert model.examination[0] == 1


def test_a_rank_that_is_examined_more_than_the_first() -> None:
    """Examination is relative to rank 1, and may be above 1: relevance is the probability of a click at rank 1."""
    model = PositionBasedModel.fit(log := independent_clicks(1, np.array([0.4, 0.8]), ATTRACTIVENESS, 100_000))
    assert model.examination == pytest.approx([1, 2], abs=0.05)
    assert by_docno(log, model.relevance) == pytest.approx(0.4 * ATTRACTIVENESS, abs=0.015)


def test_the_ubm_comes_back() -> None:
    random, n, depth = np.random.default_rng(2), 200_000, 4
    examination = np.array([[1, 0, 0, 0], [0.9, 0.6, 0, 0], [0.8, 0.6, 0.4, 0], [0.7, 0.5, 0.4, 0.2]])
    order = np.argsort(random.random((n, ATTRACTIVENESS.size)), axis=1)[:, :depth]
    clicked, above = np.zeros(order.shape, bool), np.zeros(n, int)
    for i in range(depth):
        clicked[:, i] = random.random(n) < examination[i, i - above] * ATTRACTIVENESS[order[:, i]]
        above[clicked[:, i]] = i + 1
    model = UserBrowsingModel.fit(log := ranked_log(order, clicked))
    lower = np.tril_indices(depth)
    assert model.examination[lower] == pytest.approx(examination[lower], abs=0.03)
    assert np.isnan(model.examination[np.triu_indices(depth, 1)]).all()
    assert by_docno(log, model.relevance) == pytest.approx(ATTRACTIVENESS, abs=0.015)


def test_the_dbn_comes_back() -> None:
    satisfaction = np.array([0.6, 0.2, 0.8, 0.5, 0.4, 0.5])
    documents = [(a, s, 0.85) for a, s in zip(ATTRACTIVENESS, satisfaction, strict=True)]
    model = DynamicBayesianModel.fit(log := simulated_log(3, 100_000, documents, 5), max_iter=500, tol=1e-8)
    assert model.perseverance == pytest.approx(0.85, abs=0.01)
    assert by_docno(log, model.attractiveness.values) == pytest.approx(ATTRACTIVENESS, abs=0.015)
    assert by_docno(log, model.satisfaction.values) == pytest.approx(satisfaction, abs=0.05)
    assert by_docno(log, model.relevance) == pytest.approx(ATTRACTIVENESS * satisfaction, abs=0.03)


@pytest.fixture(scope="module")
def large() -> ClickLog:
    """A log of more cells and queries than one thread takes at a time."""
    random = np.random.default_rng(5)
    n, size = 40_000, 8
    query = np.repeat(random.integers(3000, size=n), size)
    documents = np.argsort(random.random((n, 12)), axis=1)[:, :size].ravel()
    rank, clicks = np.tile(np.arange(1, size + 1), n), random.random(n * size) < 0.2
    return ClickLog.from_arrays(np.repeat(np.arange(n), size), query, documents, rank, clicks)


@pytest.mark.parametrize("name", ESTIMATED_BY_EM)
def test_any_number_of_threads_and_order_of_sessions(name: str, large: ClickLog) -> None:
    shuffled = large.select_sessions(np.random.default_rng(0).permutation(large.n_sessions))
    before, found = get_num_threads(), []
    try:
        for threads in (1, 2, 5):
            set_num_threads(threads)
            model = fit_click_model(large, name, max_iter=6)
            found.append((model.relevance.tobytes(), model.history.tobytes(), model.predict_clicks(large).tobytes()))
    finally:
        set_num_threads(before)
    assert found[0] == found[1] == found[2]
    other = fit_click_model(shuffled, name, max_iter=6)
    assert other.relevance == pytest.approx(model.relevance, rel=1e-10)
    assert other.history == pytest.approx(model.history, rel=1e-10)
