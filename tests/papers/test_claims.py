"""Claims as predicates; published figures satisfy the claims made for them."""

from __future__ import annotations

import numpy as np
import pytest

from directrank import compare_all
from directrank.evaluation import Evaluation
from directrank.papers import PAPERS, Experiment, Outcome, experiments
from directrank.papers.claims import is_higher, is_not_lower, is_significantly_higher


def outcome(first: np.ndarray, second: np.ndarray) -> Outcome:
    parts = {
        name: Evaluation(np.arange(values.size), {"AP": values}, {"AP": 0})
        for name, values in {"first": first, "second": second}.items()
    }
    return Outcome({name: {"MAP": float(part["AP"])} for name, part in parts.items()}, compare_all(parts))


def test_higher() -> None:
    figures = {"a": {"MAP": 0.3, "W/L": "3/2"}, "b": {"MAP": 0.2}, "c": {"MAP": 0.3}}
    claim = is_higher("MAP", "a", "b")
    assert claim.text == "a has a higher MAP than b." and claim.holds(Outcome(figures)) is True
    assert is_higher("MAP", "a", "b", "c").holds(Outcome(figures)) is False
    assert is_higher("MAP", "a", "d").holds(Outcome(figures)) is None
    assert is_higher("W/L", "a", "b").holds(Outcome(figures)) is None
    assert is_not_lower("MAP", 0.1, "b", "a").holds(Outcome(figures)) is True
    assert is_not_lower("MAP", 0.05, "b", "a").holds(Outcome(figures)) is False
    assert is_not_lower("MAP", 0.05, "b", "d").holds(Outcome(figures)) is None


def test_significantly_higher() -> None:
    noise = np.random.default_rng(0).random(30) / 10
    claim = is_significantly_higher("MAP", "AP", "first", "second")
    assert claim.holds(outcome(0.5 + noise, 0.4 + noise[::-1])) is True
    assert claim.holds(outcome(0.5 + noise, 0.5 + np.roll(noise, 1) - 1e-6)) is False
    assert claim.holds(outcome(0.4 + noise, 0.5 + noise)) is False
    assert claim.holds(Outcome(outcome(0.5 + noise, 0.4 + noise).figures)) is None


@pytest.mark.parametrize("experiment", experiments().values(), ids=lambda e: e.name)
def test_published_figures_satisfy_the_claims(experiment: Experiment) -> None:
    """For at least one collection: papers generalise. Figures without values cannot decide."""
    values = [value for figures in experiment.published.values() for row in figures.values() for value in row.values()]
    has_figures = any(isinstance(value, (int, float)) for value in values)
    for claim in experiment.claims:
        holds = {claim.holds(Outcome(figures)) for figures in experiment.published.values()}
        assert True in holds if has_figures else holds <= {None}, claim.text


def test_every_experiment_is_complete() -> None:
    for name, experiment in experiments().items():
        assert name.partition("/")[0] in PAPERS and experiment.title and experiment.sources
        assert all(source.contents and source.origin for source in experiment.sources)
    assert {name.partition("/")[0] for name in experiments()} == set(PAPERS)
