"""Comparison of values per query."""

from __future__ import annotations

import pytest

from directrank.papers.per_query import as_evaluation, compare_rankings, mean, merge


def test_queries_are_matched_by_name() -> None:
    rankings = {
        "ours": {"a": 0.5, "b": 0.25, "c": 0.75},
        "theirs": {"d": 1.0, "c": 0.5, "b": 0.5, "a": 0.25},
    }
    report = compare_rankings(rankings, "AP", "ours", correction="none")
    assert list(report.qid) == ["a", "b", "c"] and report.baseline == "ours" and report.measures == ["AP"]
    means = {name: each.value for name, each in report.means["AP"].items()}
    assert means == pytest.approx({"ours": mean(rankings["ours"]), "theirs": 1.25 / 3})
    found = report.comparison("AP", "ours", "theirs")
    assert found is not None and (found.wins, found.losses) == (2, 1)
    with pytest.raises(KeyError, match="d"):
        compare_rankings(dict(reversed(rankings.items())), "AP")


def test_several_measures_of_one_ranking() -> None:
    found = as_evaluation({"AP": {"a": 0.5, "b": 1.0}, "RR": {"b": 0.25, "a": 1.0}})
    assert found.qid.tolist() == ["a", "b"] and found.values("RR").tolist() == [1.0, 0.25]
    assert found["AP"] == 0.75


def test_merge_folds() -> None:
    assert merge([{"a": 0.5}, {"b": 1.0}]) == {"a": 0.5, "b": 1.0}
