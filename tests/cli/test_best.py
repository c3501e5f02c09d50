"""``directrank best``: a table, a sentence, a model."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from harness import error_of, run, stdout_of

from directrank import RankingData, RankSVM, evaluate, load_model, write_letor, write_parquet
from directrank.cli.actions import best as command
from directrank.cli.options.search import parse_time
from directrank.datasets import make_ranking
from directrank.selection import best

DATA = make_ranking(15, random_state=0)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_letor(tmp_path / "data.txt", DATA)
    return tmp_path / "data.txt"


def test_output_and_files(file: Path) -> None:
    model, page = file.parent / "model.json", file.parent / "page.html"
    out = stdout_of("best", file, "--learner", "RankSVM", "-m", "AP,nDCG@5", "--folds", 3, "-o", model, "--report", page)
    found = best(DATA, "AP", learners={"ranksvm": RankSVM()}, measures=["nDCG@5"], n_folds=3)
    assert found.summary in out and "AP, against" in out and "nDCG@5, against" not in out and "random order" in out
    assert "Single features, the best 10 of 16" in out and found.features[0].name in out
    np.testing.assert_allclose(load_model(model).predict(DATA.X), found.model.predict(DATA.X))
    assert "<html" in page.read_text()[:500]


def test_json_and_little_time(file: Path) -> None:
    found = json.loads(stdout_of("best", file, "--time", "0.000001s", "--json"))
    assert len(found["features"]) >= 1 and found["seconds"] == {} and found["winner"] in found["features"]
    assert len(found["not_tried"]) == 10 and found["stopped"] == {} and found["notes"] == []


def test_all_learners_at_once(file: Path) -> None:
    found = json.loads(stdout_of("best", file, "--folds", 3, "--json"))
    assert len(found["seconds"]) == 10 and found["not_tried"] == [] and "was skipped" not in " ".join(found["notes"])


def test_present_ranking_to_beat(tmp_path: Path) -> None:
    data = make_ranking(40, random_state=0)
    title = data.X[:, 0].copy()
    title[::4] = np.nan  # no match
    names = ["title_bm25", "price", "ranksvm", *(f"f{j}" for j in range(13))]
    named = RankingData(np.column_stack([title, data.X[:, 1:]]), data.y, data.qid, None, names)
    write_parquet(tmp_path / "d.parquet", named)
    common = ("best", "d.parquet", "--learner", "ranksvm", "--folds", 3)
    found = json.loads(stdout_of(*common, "--feature", "title_bm25", "--json", folder=tmp_path))
    last = np.where(np.isnan(title), -1e9, title)
    assert found["report"]["baseline"] == "title_bm25" and "title_bm25" in found["summary"]
    (value,) = [row["mean"] for row in found["report"]["means"] if row["ranking"] == "title_bm25"]
    assert value == pytest.approx(evaluate(data.y, last, data.qid, "AP")["AP"])
    same_name = json.loads(stdout_of(*common, "--feature", "ranksvm", "--json", folder=tmp_path))
    assert same_name["report"]["baseline"] == "feature ranksvm"
    assert "AP, against price, ascending" in stdout_of(*common, "--ascending", "price", folder=tmp_path)
    assert "there is no feature 'prise'; did you mean price?" in error_of(*common, "--feature", "prise", folder=tmp_path)
    given = ("--feature", "price", "--ascending", "price")
    assert "each name the present ranking; give one of them" in error_of("best", "nowhere.txt", *given)


@pytest.mark.parametrize(("keeps", "said"), [(True, "has the best model so far"), (False, "is unchanged")])
def test_ctrl_c(file: Path, monkeypatch: pytest.MonkeyPatch, keeps: bool, said: str) -> None:
    """The tables are printed, and the command ends as `train` does."""
    found = replace(best(DATA, learners={}, n_folds=3), interrupted=True)
    monkeypatch.setattr(command, "find_best", lambda *given, **how: found)
    model = file.parent / "model.json"
    ended = run("best", file, "-o", model, *(["--keep-partial"] if keeps else []))
    assert ended.code == 130 and model.exists() == keeps
    assert said in ended.err and found.summary in ended.out


@pytest.mark.parametrize(
    ("time", "seconds"),
    [("90", 90), ("90s", 90), ("10m", 600), ("10min", 600), ("1h30m", 5400), ("1.5s", 1.5), ("2h", 7200)],
)
def test_times(time: str, seconds: float) -> None:
    assert parse_time(time) == seconds


def test_error_messages(file: Path) -> None:
    write_letor(file.parent / "one.txt", RankingData(DATA.X, DATA.y))
    assert "one.txt has no qid" in error_of("best", file.parent / "one.txt")
    assert "15 queries cannot make 20 folds" in error_of("best", file, "--folds", 20)
    assert "--time 5 apples" in error_of("best", file, "--time", "5 apples")
    assert "there is no learner 'rankswm'; did you mean ranksvm" in error_of("best", file, "--learner", "rankswm")
    assert "SVMRanker" in error_of("best", file, "--learner", "svm", "-m", "ERR")
    assert "is a folder" in error_of("best", file, "-o", file.parent)


def test_measures_of_labels_are_an_error_before_anything_is_read() -> None:
    assert "F1 judges which documents are labelled relevant" in error_of("best", "nowhere.txt", "-m", "AP,F1")
    assert "F1 judges which documents are labelled relevant" in error_of("demo", "--measure", "F1")
