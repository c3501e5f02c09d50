"""``directrank demo``: `best` on docstrings, evaluated by judgments of all documents."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest
from harness import error_of, run, stdout_of

from directrank import Measure, RankingData
from directrank.cli.actions import best, demo
from directrank.datasets import make_ranking
from directrank.selection import Choice, best as choose

PREPARED = cache(demo._prepared)


@pytest.fixture(autouse=True)
def prepared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "_prepared", PREPARED)


@pytest.mark.slow
def test_demo() -> None:
    out = stdout_of("demo", "--quick", "--learner", "svm", "--learner", "adarank", "-m", "ndcg@5")
    assert "15 retrieval functions" in out and "nDCG@5, against " in out and "AP, against" not in out
    assert "bm25 porter" in out and "●" in out and "corrected by Holm's method for 3 comparisons" in out
    assert "Single features, the best 10 of 15" in out and "directrank best" in out and "--measure ndcg@5 " in out


@pytest.mark.slow
def test_json(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rankings are measured by all judgments, also of documents that no function found."""

    def find(data: RankingData, measures: list[Measure], **how: Any) -> Choice:
        assert data.qid is not None and data.docno is not None
        found = set(zip(data.qid.tolist(), data.docno.tolist(), strict=True))
        judged = set(zip(how["qrels"].qid.tolist(), how["qrels"].docno.tolist(), strict=True))
        assert len(judged - found) > 100
        return best.choose(data, measures, **how)

    monkeypatch.setattr(demo, "choose", find)
    found = json.loads(stdout_of("demo", "--quick", "--learner", "svm", "--json"))
    assert len(found["features"]) == 15 and found["queries"] > 300
    values = list(found["features"].values())
    assert values == sorted(values, reverse=True)
    assert found["winner"] in ("svm", next(iter(found["features"]))) and found["summary"]


def test_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    data = make_ranking(6, random_state=0)
    found = replace(choose(data, learners={}, n_folds=3), interrupted=True)
    monkeypatch.setattr(demo, "_prepared", lambda quick: (SimpleNamespace(qrels=None), data))
    monkeypatch.setattr(demo, "choose", lambda *given, **how: found)
    ended = run("demo", "--quick", "--learner", "svm")
    assert ended.code == 130 and ended.out == "" and ended.err.endswith("directrank: interrupted\n")


def test_a_learner_of_one_set_is_an_error() -> None:
    assert "takes all rows as one set" in error_of("demo", "--learner", "multivariate")
