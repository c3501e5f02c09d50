"""Click models: counts by hand, probabilities by enumeration, perplexity, other logs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from latent_variables import Document, by_docno, every_pattern, random_log, ranked_log, session_probability, simulated_log

from directrank.clicks.click_log import ClickLog
from directrank.clicks.click_models import (
    CLICK_MODELS,
    CascadeModel,
    ClickModel,
    DependentClickModel,
    DynamicBayesianModel,
    PositionBasedModel,
    SimplifiedDynamicModel,
    UserBrowsingModel,
    fit_click_model,
)
from directrank.data import InputError

#: Clicks on documents a, b, c at ranks 1, 2, 3 of four sessions.
BY_HAND = ranked_log(np.tile(list("abc"), (4, 1)), np.array([[1, 0, 1], [0, 1, 0], [0, 0, 0], [1, 0, 0]]))


def test_the_cascade_by_hand() -> None:
    """a: 2 clicks of 4; b: 1 of 2 without a click above; c: 0 of 1."""
    model = CascadeModel.fit(BY_HAND)
    assert model.relevance.tolist() == [3 / 6, 2 / 4, 1 / 3]
    assert model.counts.tolist() == [4, 2, 1]
    assert model.click_probabilities(BY_HAND).tolist() == [
        *(1 / 2, 0, 0),  # nothing is examined below a click
        *(1 / 2, 1 / 2, 0),
        *(1 / 2, 1 / 2, 1 / 3),  # all was examined so far
        *(1 / 2, 0, 0),
    ]
    assert model.predict_clicks(BY_HAND)[:3] == pytest.approx([1 / 2, 1 / 2 * 1 / 2, 1 / 2 * 1 / 2 * 1 / 3])
    assert model.history.size == 0


def test_the_dcm_by_hand() -> None:
    """Down to the last click, or all: a 2 of 4, b 1 of 3, c 1 of 2. After 2, 1, 1 clicks at the ranks came 1, 0, 0."""
    model = DependentClickModel.fit(BY_HAND)
    assert model.relevance.tolist() == [3 / 6, 2 / 5, 2 / 4]
    assert model.counts.tolist() == [4, 3, 2]
    assert model.continuation.tolist() == [2 / 4, 1 / 3, 1 / 3]


def test_the_sdbn_by_hand() -> None:
    model = SimplifiedDynamicModel.fit(BY_HAND)
    assert model.attractiveness.values.tolist() == [3 / 6, 2 / 5, 2 / 4]
    assert model.satisfaction.values.tolist() == [2 / 4, 2 / 3, 2 / 3]
    assert model.satisfaction.counts.tolist() == [2, 1, 1]
    assert model.relevance == pytest.approx([1 / 4, 4 / 15, 1 / 3])
    assert SimplifiedDynamicModel.fit(BY_HAND, prior=(0.5, 1.5)).satisfaction.values.tolist() == [1.5 / 4, 1.5 / 3, 1.5 / 3]


def test_one_document_always_at_the_first_rank() -> None:
    """With a single rank and pair, every model predicts the click rate."""
    log = ranked_log(np.full((100, 1), "a"), np.arange(100)[:, None] < 30)
    for name in CLICK_MODELS:
        model = fit_click_model(log, name, prior=(1e-6, 1e-6))
        assert model.predict_clicks(log) == pytest.approx(0.3, abs=1e-3), name
        assert model.counts.tolist() == [100]
    assert PositionBasedModel.fit(log, prior=(1e-6, 1e-6)).relevance == pytest.approx([0.3], abs=1e-3)


@pytest.mark.parametrize("name", CLICK_MODELS)
@pytest.mark.parametrize("ranks", [[1, 2, 3, 4], [1, 3, 4, 9], [2]])
def test_probabilities_of_all_patterns_of_clicks(name: str, ranks: list[int]) -> None:
    """They sum to 1, and their marginals are the predicted clicks."""
    model = fit_click_model(random_log(4, 30), name)
    n = len(ranks)
    log = every_pattern(["q0"] * n, [f"d{i}" for i in range(n)], ranks)
    given_clicks = model.click_probabilities(log).reshape(-1, n)
    clicked = log.clicked.reshape(-1, n)
    pattern = np.where(clicked, given_clicks, 1 - given_clicks).prod(axis=1)
    assert pattern.min() >= 0
    assert pattern.sum() == pytest.approx(1, abs=1e-12)
    assert model.predict_clicks(log).reshape(-1, n) == pytest.approx(np.tile(pattern @ clicked, (2**n, 1)), abs=1e-12)


def as_dbn(model: ClickModel, log: ClickLog) -> list[Document]:
    """Documents of the first session of a log, with the parameters of a DBN that is the same model."""
    pairs = model.pairs_of(log)[log.pair]
    n = log.offsets[1]
    satisfaction = np.ones(n) if isinstance(model, CascadeModel) else np.zeros(n)
    if isinstance(model, DependentClickModel):
        satisfaction = 1 - model.continuation[log.rank[:n] - 1]
    if isinstance(model, SimplifiedDynamicModel | DynamicBayesianModel):
        satisfaction = model.satisfaction.at(pairs)
    gamma = model.perseverance if isinstance(model, DynamicBayesianModel) else 1.0
    return [Document(a, s, gamma) for a, s in zip(model.attractiveness.at(pairs)[:n], satisfaction[:n], strict=True)]


@settings(max_examples=5)
@given(st.integers(0, 1000))
@pytest.mark.parametrize("name", ["cascade", "DCM", "SDBN", "DBN"])
def test_the_probability_of_a_session_over_all_courses(name: str, seed: int) -> None:
    model = fit_click_model(random_log(seed, 20), name)
    log = every_pattern(["q1"] * 3, ["d2", "d0", "new"], [1, 2, 3])
    given_clicks = model.click_probabilities(log)
    found = np.where(log.clicked, given_clicks, 1 - given_clicks).reshape(-1, 3).prod(axis=1)
    for clicks, probability in zip(log.clicked.reshape(-1, 3), found, strict=True):
        session = [document._replace(clicked=bool(c)) for document, c in zip(as_dbn(model, log), clicks, strict=True)]
        assert probability == pytest.approx(session_probability(session), abs=1e-12)


def test_the_ubm_by_hand() -> None:
    """Probabilities of clicks from examination by rank and distance, for the patterns of two documents."""
    model = UserBrowsingModel.fit(random_log(1, 50))
    log = every_pattern(["q0", "q0"], ["d0", "d1"], [1, 3])
    t = model.examination
    first, second = model.predict_relevance(log)[log.pair[:2]]
    at_1, alone, after = t[0, 0] * first, t[2, 2] * second, t[2, 1] * second
    assert model.click_probabilities(log) == pytest.approx([at_1, alone, at_1, alone, at_1, after, at_1, after])
    assert model.predict_clicks(log)[:2] == pytest.approx([at_1, at_1 * after + (1 - at_1) * alone])


@pytest.mark.parametrize("name", CLICK_MODELS)
def test_perplexity_and_likelihood_by_their_definitions(name: str) -> None:
    """PyClick's ``Perplexity`` and ``PerplexityCond`` are these sums over sessions of one length."""
    model = fit_click_model(random_log(0, 40), name)
    log = simulated_log(1, 50, [(0.5, 0.5, 0.9)] * 6, 4)
    for given_clicks, probabilities in ((True, model.click_probabilities(log)), (False, model.predict_clicks(log))):
        total, log_likelihood = [0.0] * 4, 0.0
        for row, p in enumerate(probabilities.tolist()):
            p = min(max(p, 1e-6), 1 - 1e-6)
            outcome = p if log.click[row] else 1 - p
            total[log.rank[row] - 1] += math.log2(outcome)
            log_likelihood += math.log(outcome)
        by_rank = [2 ** (-value / log.n_sessions) for value in total]
        found = model.perplexity(log, given_clicks=given_clicks)
        assert found.by_rank == pytest.approx(by_rank) and found.mean == pytest.approx(sum(by_rank) / 4)
        if given_clicks:
            assert model.log_likelihood(log) == pytest.approx(log_likelihood)


def test_the_ubm_of_deep_rankings() -> None:
    """Ranks from 100 on are one rank, whose distances to a click above are at most 99."""
    n = 300
    log = ranked_log(np.tile(np.arange(n), (3, 1)), np.isin(np.arange(3 * n).reshape(3, n), [150, 470, 600]))
    model = UserBrowsingModel.fit(log)
    relevance = model.predict_relevance(log)[log.pair]
    assert model.examination.shape == (100, 100)
    t = model.examination_by_place
    none_above, at_99, just_above = t[-1], t[-2], t[99 * 100 // 2]
    found = model.click_probabilities(log) / relevance
    assert found[[99, 120, 150]] == pytest.approx(none_above)
    assert found[151] == pytest.approx(just_above)
    assert found[[249, 299]] == pytest.approx(at_99)
    assert model.predict_clicks(log)[:n] == pytest.approx(model.predict_clicks(log)[n : 2 * n])


def test_perplexity_of_ranks_that_were_not_shown() -> None:
    log = every_pattern(["q"] * 2, ["a", "b"], [2, 4])
    model = PositionBasedModel.fit(log, prior=(1e-6, 1e-6))
    found = model.perplexity(log)
    assert np.isnan(found.by_rank).tolist() == [True, False, True, False]
    assert found.by_rank[[1, 3]] == pytest.approx(2, abs=1e-4)  # each is clicked in half of the sessions
    assert found.mean == pytest.approx(2, abs=1e-4)
    assert model.examination == pytest.approx([1, 1, 1, 1])  # relative to the first that was shown


@pytest.mark.parametrize("kind", [str, int])
@pytest.mark.parametrize("name", CLICK_MODELS)
def test_pairs_of_another_log(name: str, kind: type) -> None:
    """They are found by query and document; a pair without evidence has the mean of those with, by their evidence."""
    names = {"a": 3, "b": 1, "c": 2, "q": 7, "r": 8}
    code = (lambda text: names[text]) if kind is int else str

    def log_of(*rows: tuple[int, str, str, int, int]) -> ClickLog:
        return ClickLog.from_arrays(*zip(*((s, code(q), code(d), k, c) for s, q, d, k, c in rows), strict=True))

    log = log_of((0, "q", "a", 1, 1), (0, "q", "b", 2, 0), (1, "q", "b", 1, 1), (2, "r", "a", 1, 0), (2, "r", "b", 2, 1))
    other = log_of((0, "r", "c", 1, 0), (0, "r", "b", 2, 0), (1, "q", "a", 1, 1), (1, "q", "c", 2, 0), (2, "r", "a", 1, 0))
    model = fit_click_model(log, name)
    numbers = {(log.queries[q], d): i for i, (q, d) in enumerate(zip(*log.pairs, strict=True))}
    expected = [numbers.get((other.queries[q], d), -1) for q, d in zip(*other.pairs, strict=True)]
    assert expected.count(-1) == 2 and len(set(expected)) == 4
    assert model.pairs_of(other).tolist() == expected
    for parameter in (model.attractiveness, getattr(model, "satisfaction", model.attractiveness)):
        mean = (parameter.values * parameter.counts).sum() / parameter.counts.sum()
        assert parameter.at(model.pairs_of(other))[np.array(expected) < 0] == pytest.approx(mean)
    assert model.predict_relevance(log).tolist() == model.relevance.tolist()
    assert model.click_probabilities(other).shape == (5,)


@pytest.mark.parametrize("name", CLICK_MODELS)
def test_a_part_of_a_log_is_another_log(name: str) -> None:
    """Sessions that are selected keep the numbers of pairs, some of which have no evidence."""
    log = simulated_log(1, 100, [(0.5, 0.5, 0.9)] * 20, 5)
    part = log.select_sessions(np.arange(3))
    model = fit_click_model(part, name)
    is_seen = np.bincount(part.pair, minlength=20) > 0
    assert 3 <= is_seen.sum() < 20
    assert model.relevance[~is_seen] == pytest.approx(
        model.predict_relevance(ranked_log(np.array([["new"]]), np.zeros((1, 1))))[0]
    )
    assert (model.counts[~is_seen] == 0).all()
    assert model.pairs_of(log).tolist() == list(range(20))
    assert np.isfinite(model.log_likelihood(log))


@pytest.mark.parametrize("name", CLICK_MODELS)
def test_ranks_below_those_of_the_fit(name: str) -> None:
    model = fit_click_model(simulated_log(1, 200, [(0.5, 0.5, 0.9)] * 6, 3), name)
    deep = every_pattern(["q"] * 4, [0, 1, 2, 3], [2, 3, 4, 9])
    probabilities = model.click_probabilities(deep)
    assert ((probabilities >= 0) & (probabilities <= 1)).all()
    if isinstance(model, PositionBasedModel):
        relevance = model.predict_relevance(deep)
        assert probabilities[2:4] == pytest.approx(model.examination[-1] * relevance[2:])


def test_rewards_count_as_clicks() -> None:
    log = random_log(2, 40)
    paid = ClickLog.from_arrays(
        log.session, log.queries[log.query][log.session], log.pairs.docno[log.pair], log.rank, 12.5 * log.click
    )
    assert PositionBasedModel.fit(paid).relevance.tolist() == PositionBasedModel.fit(log).relevance.tolist()


def test_the_relevance_of_more_attractive_documents_is_higher() -> None:
    """All models order documents by attractiveness where nothing else differs."""
    documents = [(a, 0.6, 0.9) for a in (0.8, 0.5, 0.3, 0.1)]
    log = simulated_log(0, 4000, documents, 4)
    for name in CLICK_MODELS:
        relevance = by_docno(log, fit_click_model(log, name).relevance)
        assert (np.diff(relevance) < 0).all(), name


@pytest.mark.parametrize("prior", [(0.0, 1.0), (1.0, -1.0), (1.0, math.inf), (math.nan, 1.0), (1.0,)])
@pytest.mark.parametrize("name", CLICK_MODELS)
def test_an_invalid_prior(name: str, prior: tuple[float, float]) -> None:
    with pytest.raises(InputError, match="prior must be two pseudo-counts above 0"):
        fit_click_model(BY_HAND, name, prior=prior)


def test_invalid_names_options_and_logs() -> None:
    with pytest.raises(InputError, match="there is no click model 'CCM', but PBM, cascade, DCM, SDBN, DBN, UBM"):
        fit_click_model(BY_HAND, "CCM")
    with pytest.raises(InputError, match="max_iter must be at least 1"):
        fit_click_model(BY_HAND, "dbn", max_iter=0)
    with pytest.raises(InputError, match="tol at least 0"):
        fit_click_model(BY_HAND, "ubm", tol=math.nan)
    nothing = BY_HAND.select_sessions([])
    for name in CLICK_MODELS:
        with pytest.raises(InputError, match="the click log has no impressions"):
            fit_click_model(nothing, name)
        model = fit_click_model(BY_HAND, name.upper())
        assert model.name == name and model.click_probabilities(nothing).size == 0
        with pytest.raises(InputError, match="the click log has no impressions"):
            model.perplexity(nothing)
