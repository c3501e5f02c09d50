"""What the page of a report holds; tests/evaluation/browser has what it does."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from directrank import InputError, evaluate
from directrank.evaluation.report import Report, compare_all
from directrank.evaluation.report.page import packed_rankings as packing
from directrank.evaluation.report.page.model_section import model_section, opening_measure
from directrank.evaluation.report.page.packed_rankings import packed_rankings
from directrank.models import LinearModel, Provenance


def unpacked(packed: str) -> Any:
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def content_of(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="content">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def report_of(grades: list[float], qid: list[Any], *scores: list[float], docno: list[str] | None = None) -> Report:
    names = "abcdefgh"
    found = {names[i]: evaluate(grades, s, qid, "AP", docno=docno) for i, s in enumerate(scores)}
    return compare_all(found, n_resamples=100)


@pytest.fixture
def report() -> Report:
    grades, qid = [1, 0, 2, 0, 0, 1], ["x", "y", "x", "x", "y", "y"]
    first, second = [3, 1, 1, 2, 2, 0.5], [1, 1, 3, 2, 2, -np.inf]
    return report_of(grades, qid, first, second, docno=list("ABCDEF"))


def test_rankings_are_packed_by_query(report: Report) -> None:
    found = unpacked(packed_rankings(report, 2, None))
    names = found["names"]
    shown = []
    for query in found["queries"]:
        names_of = [names[i] for i in query["documents"]]
        shown.append([[names_of[i] for i in order] for order in query["order"]])
        grades = dict(zip(names_of, query["grades"], strict=True))
        assert grades.items() <= {"A": 1, "B": 0, "C": 2, "D": 0, "E": 0, "F": 1}.items()
        assert len(grades) == 3  # the two first of each, and what is relevant besides
        assert {name for name, grade in grades.items() if grade} == {"A", "C"} & set("ACD") & set(names_of) | (
            {"F"} & set(names_of)
        )
    assert shown == [[["A", "D"], ["C", "D"]], [["E", "B"], ["E", "B"]]]
    assert [query["ranked"] for query in found["queries"]] == [[3, 3], [3, 2]]


@given(st.data())
def test_packed_orders_are_those_of_the_scores(data: Any) -> None:
    n = data.draw(st.integers(2, 25))
    qid = data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    grades = data.draw(st.lists(st.sampled_from([0.0, 1.0, 2.5]), min_size=n, max_size=n))
    scores = [data.draw(st.permutations(range(n))) for _ in range(2)]
    depth = data.draw(st.integers(1, 6))
    report = report_of(grades, qid, *([float(s) for s in each] for each in scores))
    found = unpacked(packed_rankings(report, depth, None))
    for q, query in zip(report.qid, found["queries"], strict=True):
        rows = [row for row in range(n) if qid[row] == q]
        for order, score in zip(query["order"], scores, strict=True):
            best = sorted(rows, key=lambda row: -score[row])[:depth]
            assert [found["names"][query["documents"][i]] for i in order] == [f"row {row + 1}" for row in best]
            assert [query["grades"][i] for i in order] == [grades[row] for row in best]


def test_texts_of_the_best_ranked_come_first(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = {name: f"title {name}\n" + f"text  {name} " * 200 for name in "ABCDEFG"}
    found = unpacked(packed_rankings(report, 3, documents))
    assert len(found["texts"]) == 6
    title, text = found["texts"][str(found["names"].index("A"))]
    assert title == "title A" and text.startswith("text A text A") and text.endswith("…")
    assert packing.SNIPPET - 5 < len(text) <= packing.SNIPPET
    monkeypatch.setattr(packing, "MAX_CHARACTERS", 3 * (len(title) + len(text)))
    few = unpacked(packed_rankings(report, 3, iter(documents.items())))
    assert {few["names"][int(i)] for i in few["texts"]} == {"A", "C", "E"}  # the first of some ranking


def test_texts_of_other_queries_or_documents_are_an_error(report: Report, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none of the queries with texts \(01, 02\) is in the report, which has x, "):
        report.save(tmp_path / "page.html", queries={"01": "a", "02": "b"})
    with pytest.raises(InputError, match="none of the documents with texts is in the report, which has A, "):
        report.save(tmp_path / "page.html", documents={"doc-A": "a"})
    assert not (tmp_path / "page.html").exists()


def test_a_page_is_one_file_whose_policy_names_its_parts(report: Report, tmp_path: Path) -> None:
    report.save(tmp_path / "page.html", title="</script><b>", queries={"x": "</script><!--<script>"})
    page = (tmp_path / "page.html").read_text()
    policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1])  # type: ignore[index]
    for tag in ("script", "style"):
        for part in re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL):
            assert base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() in policy
    assert re.findall(r"(?:src|href)=\"?(?!#|\{|x)[a-z]+:", page[: page.index("<script>")]) == []
    content = content_of(page)
    assert content["title"] == "</script><b>" and content["texts"][0] == "</script><!--<script>"
    assert page.count("</script>") == 4  # two blocks of data and two scripts


def test_the_page_has_the_figures_of_the_report(report: Report, tmp_path: Path) -> None:
    report.save(tmp_path / "page.html", command="directrank report …")
    content = content_of((tmp_path / "page.html").read_text())
    assert content["queries"] == ["x", "y"] and content["measures"] == ["AP"] and content["rankings"] == ["a", "b"]
    assert content["means"]["AP"][0]["mean"] == report.means["AP"]["a"].value
    np.testing.assert_allclose(content["values"]["AP"], report.values["AP"], atol=5e-6)
    (compared,) = content["compared"]["AP"]
    found = report.comparisons["AP"]["b", "a"]
    assert compared[:2] == [1, 0] and compared[2]["p"] == found.p
    assert compared[2]["tally"] == [found.wins, found.ties, found.losses]
    assert content["about"]["command"] == "directrank report …"


def test_odd_input(report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"must end in \.html"):
        report.save(tmp_path / "page.csv")
    with pytest.raises(InputError, match="depth must be at least 1"):
        report.save(tmp_path / "page.html", depth=0)
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    (tmp_path / "page.html").write_text("old")
    with pytest.raises(InputError, match=r"directrank\[report\]"):
        report.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == "old"


def test_names_that_are_no_text(tmp_path: Path) -> None:
    report = report_of([1, 0], [1, 1], [2, 1], [1, 2], docno=["a", "ü"])
    report.save(tmp_path / "page.html", title="half \ud800 of a pair", queries={"1": "\ud800"})
    assert "half" in (tmp_path / "page.html").read_text()


def test_the_same_page_from_the_same_report(report: Report) -> None:
    assert packed_rankings(report, 3, None) == packed_rankings(report, 3, None)


def test_a_model_without_curves_of_its_training() -> None:
    history: dict[str, list[float | None]] = {"training": [None, float("nan")]}
    origin = Provenance("Other", {"C": 1.0, "tol": None, "cv": 5}, "AP", training={"C": 1.0}, history=history)
    found = model_section("m", LinearModel(np.ones(1), provenance=origin), {})
    assert [chart["title"] for chart in found["charts"]] == ["Weights of the features"]
    assert found["facts"] == [["learner", "Other"], ["optimised for", "AP"], ["C", "1"], ["cv", "5"]]


@pytest.mark.parametrize(
    ("trained", "opening"),
    [([], "AP"), (["P@1"], "P@1"), (["P@1", "P@1"], "P@1"), (["P@1", "AP"], "AP"), (["nDCG@10"], "AP"), ([""], "AP")],
)
def test_the_page_opens_on_the_measure_that_models_were_trained_for(trained: list[str], opening: str) -> None:
    found = evaluate([1, 0, 1, 0], [3, 2, 1, 0], [1, 1, 2, 2], ["AP", "P@1"])
    report = compare_all({"a": found, "b": found}, n_resamples=100)
    models = {
        str(i): LinearModel(np.ones(1), provenance=Provenance("RankSVM", measure=name)) for i, name in enumerate(trained)
    }
    assert opening_measure(report, models) == opening
