"""Every record runs, and its claims hold on what was published as far as that can tell."""

from __future__ import annotations

import pytest

from directrank.data import InputError
from directrank.papers import Outcome, experiments
from directrank.papers.adarank import EXPERIMENTS
from directrank.papers.adarank.text_features import read_text_collection

RECORDS = {experiment.name: experiment for experiment in EXPERIMENTS}


@pytest.mark.parametrize("name", [name for name, each in RECORDS.items() if each.sources[0].name == "letor"])
def test_on_letor(name, letor, rows):
    outcome = RECORDS[name].measure(letor, rows, True)
    assert outcome.figures
    assert all(claim.holds(outcome) in (True, False, None) for claim in RECORDS[name].claims)


@pytest.mark.parametrize("name", ["adarank/table3", "adarank/figure3", "adarank/figure8", "adarank/figure11"])
def test_on_texts(name, text_folder, rows):
    collection = read_text_collection(text_folder)
    outcome = RECORDS[name].measure(collection, rows, True)
    again = RECORDS[name].measure(collection, rows, True)
    assert outcome.figures == again.figures
    if name == "adarank/table3":
        assert outcome.figures["statistics"] == {"documents": 60, "queries": 5, "retrieved": 150, "per query": 30.0}


def test_three_grades_are_needed_for_figure_6(text_folder, rows):
    with pytest.raises(InputError, match="three grades, as OHSUMED has; here they are of 0, 1"):
        RECORDS["adarank/figure6"].measure(read_text_collection(text_folder), rows, True)


@pytest.mark.parametrize("experiment", [each for each in experiments().values() if each.paper in ("adarank", "letor")])
def test_claims_hold_on_what_was_published(experiment):
    for figures in experiment.published.values():
        assert all(claim.holds(Outcome(figures)) is not False for claim in experiment.claims)


def test_the_learning_curve_is_drawn(letor, rows):
    pytest.importorskip("altair")
    outcome = RECORDS["adarank/figure11"].measure(letor, rows, True)
    (draw,) = outcome.charts.values()
    drawn = draw().to_dict()["data"]["values"]
    curve = [row["MAP"] for row in drawn if row["stopping"] == "set aside"]
    assert len(curve) == outcome.figures["rounds"]["set aside"]
    assert curve == sorted(curve) and curve[-1] == outcome.figures["peak"]["set aside"]
    trained = RECORDS["adarank/figure9"].measure(letor, rows, True).figures["AdaRank.MAP"]
    assert curve[-1] == pytest.approx(trained["MAP in trial 1"])
