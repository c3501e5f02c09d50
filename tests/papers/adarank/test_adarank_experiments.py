"""Every experiment runs, and figures decide the claims."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from directrank.data import InputError
from directrank.papers import Outcome
from directrank.papers.adarank import EXPERIMENTS
from directrank.papers.adarank.learning_curves import largest_fall
from directrank.papers.adarank.text_features import read_text_collection

RECORDS = {experiment.name: experiment for experiment in EXPERIMENTS}


@pytest.mark.parametrize("name", [name for name, each in RECORDS.items() if each.sources[0].name == "letor"])
def test_on_letor(name, letor, rows):
    outcome = RECORDS[name].run(letor, rows, True)
    assert outcome.figures and (outcome.report is not None) == RECORDS[name].has_report
    judged = [claim.holds(outcome) for claim in RECORDS[name].claims]
    assert judged.count(None) == (1 if name == "adarank/figure8" else 0), judged  # all queries have few pairs


@pytest.mark.parametrize("name", ["adarank/table3", "adarank/figure3", "adarank/figure8", "adarank/figure11"])
def test_on_texts(name, text_folder, rows):
    collection = read_text_collection(text_folder)
    outcome = RECORDS[name].run(collection, rows, True)
    again = RECORDS[name].run(collection, rows, True)
    assert outcome.figures == again.figures
    if name == "adarank/table3":
        assert outcome.figures["statistics"] == {"documents": 60, "queries": 5, "retrieved": 150, "per query": 30.0}


def test_three_grades_are_needed_for_figure_6(text_folder, rows):
    with pytest.raises(InputError, match="three grades, as in OHSUMED; this collection has 0, 1"):
        RECORDS["adarank/figure6"].run(read_text_collection(text_folder), rows, True)


def _judged(name: str, figures) -> list[bool | None]:
    return [claim.holds(Outcome(figures)) for claim in RECORDS[f"adarank/{name}"].claims]


def _groups(*rows: tuple[str, float, float]):
    return {name: {"queries": 5, "AdaRank.MAP": ours, "RankBoost": theirs} for name, ours, theirs in rows}


@pytest.mark.parametrize(("column", "answers"), [("set aside", [True, None]), ("patient", [None, True])])
def test_every_round_decides_whether_a_curve_rises_to_its_peak(column, answers):
    def figures(*curve: float):
        return {
            "round 1": {column: curve[0]},
            "peak": {column: max(curve)},
            "largest fall up to the peak": {column: largest_fall(curve)},
            "rounds": {column: len(curve)},
        }

    assert _judged("figure11", figures(0.30, 0.31, 0.3095, 0.32, 0.2)) == answers  # falls after the peak do not count
    no = [None if answer is None else False for answer in answers]
    assert _judged("figure11", figures(0.30, 0.31, 0.308, 0.32)) == no
    assert _judged("figure11", figures(0.32, 0.31, 0.32)) == no  # no round exceeds the first
    assert _judged("figure11", figures(0.32)) == _judged("figure11", {}) == [None, None]


def test_largest_fall_is_before_the_peak():
    assert largest_fall([0.3, 0.35, 0.31, 0.33, 0.4, 0.1]) == pytest.approx(0.04)
    assert largest_fall([0.3, 0.3, 0.4]) == largest_fall([0.3]) == 0


def test_numbers_of_pairs_vary_if_no_group_has_half_of_the_queries():
    assert _judged("figure7", {"0-1k": {"queries": 4}, "1k-2k": {"queries": 3}, "7k-8k": {"queries": 2}}) == [True]
    assert _judged("figure7", {"0-1k": {"queries": 4}, "1k-2k": {"queries": 3}}) == [False]
    assert _judged("figure7", {"0-1k": {"queries": 7}}) == [False]
    assert _judged("figure7", {}) == [None]


def test_adarank_gains_most_with_few_pairs():
    groups = _groups(("0-1k", 0.4, 0.3), ("2k-3k", 0.3, 0.3), ("9k-10k", 0.34, 0.3))
    average = "average of the groups"
    assert _judged("figure8", {**groups, **_groups((average, 0.32, 0.3))}) == [True, True, True]
    assert _judged("figure8", {**groups, **_groups((average, 0.314, 0.3))}) == [True, False, True]
    assert _judged("figure8", {**groups, **_groups((average, 0.29, 0.3))}) == [False, False, True]
    assert _judged("figure8", _groups(("0-1k", 0.33, 0.3), ("9k-10k", 0.34, 0.3))) == [None, None, False]
    assert _judged("figure8", _groups(("0-1k", 0.2, 0.3), ("9k-10k", 0.1, 0.3))) == [
        None,
        None,
        False,
    ]  # a smaller loss is no gain


ACCURACIES = ("figure2", "figure3", "figure4", "figure5", "figure6", "figure9", "figure10")


@pytest.mark.parametrize("name", ACCURACIES)
def test_higher_figure_decides_the_other_claims(name):
    """Claims of significance need a comparison too: without one they can be refuted, not confirmed."""
    claims = RECORDS[f"adarank/{name}"].claims
    columns = {column for text in (claim.text for claim in claims) for column in _COLUMNS if f"{column} than" in text}

    def holds(adarank: Callable[[str], float]) -> set[bool | None]:
        figures = {
            method: {column: adarank(method) for column in columns}
            for method in ("BM25", "Ranking SVM", "RankBoost", "AdaRank.MAP", "AdaRank.NDCG")
        }
        return {claim.holds(Outcome(figures)) for claim in claims}

    assert columns
    assert holds(lambda method: 0.4) == {False}
    if name in ("figure9", "figure10"):
        best = "AdaRank.MAP" if name == "figure9" else "AdaRank.NDCG"
        assert holds(lambda method: 0.4 + 0.1 * (method == best)) == {True}
    else:
        wanted = {True, None} if any("significantly" in claim.text for claim in claims) else {True}
        assert holds(lambda method: 0.4 + 0.1 * method.startswith("AdaRank")) == wanted


_COLUMNS = [
    *("MAP", "NDCG@1", "NDCG@3", "NDCG@5", "NDCG@10", "accuracy on d-n", "accuracy on d-p"),
    *(f"{measure} in trial {i}" for measure in ("MAP", "NDCG@5") for i in range(1, 5)),
]


def test_learning_curve_chart(letor, rows):
    pytest.importorskip("altair")
    outcome = RECORDS["adarank/figure11"].run(letor, rows, True)
    (draw,) = outcome.charts.values()
    drawn = draw().to_dict()["data"]["values"]
    curve = [row["MAP"] for row in drawn if row["stopping"] == "set aside"]
    assert len(curve) == outcome.figures["rounds"]["set aside"]
    assert curve == sorted(curve) and curve[-1] == outcome.figures["peak"]["set aside"]
    trained = RECORDS["adarank/figure9"].run(letor, rows, True).figures["AdaRank.MAP"]
    assert curve[-1] == pytest.approx(trained["MAP in trial 1"])
