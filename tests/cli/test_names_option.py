"""How rankings are named: by run tags, by files where tags repeat or are absent, or by ``--names``, in every command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harness import error_of, run, stdout_of

from directrank import AdaRank, Report, read_letor, save_model, write_letor
from directrank.data import write_scores
from directrank.datasets import make_ranking


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Runs a and b with the same tag, c with another; data with two models of one file name, and scores."""
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("".join(f"{q} 0 d{i} {i % 2}\n" for q in range(4) for i in range(4)))
    for name, tag in (("a", "same"), ("b", "same"), ("c", "other")):
        lines = (f"{q} Q0 d{i} 1 {(i * 7 + len(name + tag)) % 5} {tag}\n" for q in range(4) for i in range(4))
        Path(f"{name}.run").write_text("".join(lines))
    data = make_ranking(6, (5, 8), random_state=0)
    write_letor("data.txt", data)
    for name in ("x", "y"):
        Path(name).mkdir()
        save_model(f"{name}/model.json", AdaRank("AP").fit(data.X, data.y, data.qid))
    write_scores("scores.txt", data.X[:, 0])
    return tmp_path


RUNS = ("a.run", "b.run", "c.run", "--qrels", "qrels")
DATA = ("data.txt", "--scores", "scores.txt", "--model", "x/model.json", "--model", "y/model.json")


def names(command: str, *arguments: str) -> list[str]:
    """Names of the rankings of a command, as its JSON has them."""
    printed = json.loads(stdout_of(command, *arguments, "--json"))
    return list(printed) if command == "evaluate" else list(printed["rankings"])


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports are written without charts, which take long."""

    def save(self: Report, path: Path, **content: Any) -> None:
        Path(path).write_text("page")

    monkeypatch.setattr(Report, "save", save)


@pytest.mark.parametrize("command", [("evaluate",), ("compare",), ("report", "-o", "page.html")], ids=lambda c: c[0])
@pytest.mark.usefixtures("pages")
def test_the_rule_is_the_same_in_every_command(command: tuple[str, ...]) -> None:
    assert names(*command, *RUNS) == ["a", "b", "other"]
    assert names(*command, "a.run", "c.run", "--qrels", "qrels") == ["same", "other"]
    assert names(*command, *RUNS, "--names", "one, two,three") == ["one", "two", "three"]
    assert names(*command, *DATA) == ["x/model", "y/model", "scores"]
    assert names(*command, *DATA, "--names", "m,n,s") == ["m", "n", "s"]


def test_fuse_and_convert_have_the_rule_too() -> None:
    fuse = ("fuse", *RUNS, "--learner", "rrf", "-o", "fused.run")
    assert sorted(names(*fuse)) == ["a", "b", "other", "rrf"]
    assert sorted(names(*fuse, "--names", "one,two,rrf")) == ["one", "rrf", "rrf-fused", "two"]
    stdout_of("convert", *RUNS, "joined.txt")
    assert read_letor("joined.txt").feature_names == ["a", "b", "other"]


@pytest.mark.parametrize("command", ["evaluate", "compare", "report", "fuse"])
def test_invalid_names(command: str) -> None:
    output = {"report": ("-o", "page.html"), "fuse": ("-o", "fused.run")}.get(command, ())
    for given, sentence in (
        ("one,two", "--names one,two: this is 2 names for 3 rankings"),
        ("one,,two", "--names one,,two: one of the names is empty; separate names by commas"),
        ("one,two,one", "--names one,two,one: one is given twice; give each ranking a different name"),
    ):
        assert sentence in error_of(command, *RUNS, *output, "--names", given)
    assert "a.run is given twice; name each ranking once" in error_of(command, *RUNS, "./a.run", *output)
    if command != "fuse":
        assert "x/model.json is given twice" in error_of(command, *DATA, "--model", "x/model.json", *output)
        assert "which go with --qrels" in error_of(command, *DATA, "--queries", "run", *output)


def test_the_baseline_by_its_name_or_its_file() -> None:
    for baseline in ("other", "c.run", "c"):
        assert json.loads(stdout_of("compare", *RUNS, "--baseline", baseline, "--json"))["baseline"] == "other"


@pytest.mark.usefixtures("pages")
def test_report_evaluates_the_queries_of_the_runs() -> None:
    for name in ("a", "c"):
        Path(f"half-{name}.run").write_text("".join(Path(f"{name}.run").read_text().splitlines(keepends=True)[:8]))
    command = ("report", "half-a.run", "half-c.run", "--qrels", "qrels", "-o", "page.html", "--json")
    assert len(json.loads(stdout_of(*command))["queries"]) == 4
    ended = run(*command, "--queries", "run")
    assert len(json.loads(ended.out)["queries"]) == 2 and "count 0" not in ended.err


def test_queries_run_is_suggested_where_it_changes_something() -> None:
    for name in ("a", "c"):
        Path(f"half-{name}.run").write_text("".join(Path(f"{name}.run").read_text().splitlines(keepends=True)[:8]))
    sentence = "If the runs were made for only 2 of them, evaluate those alone with --queries run."
    assert sentence in run("compare", "--qrels", "qrels", "half-a.run", "half-c.run").err
    whole = run("compare", "--qrels", "qrels", "half-a.run", "c.run").err  # which has all queries
    assert "nothing for 2 of the 4 judged queries; they count 0" in whole and "--queries" not in whole
    alone = run("evaluate", "--qrels", "qrels", "half-a.run", "c.run").err.splitlines()
    assert len(alone) == 2 and alone[1].endswith("was made for only 2 of them, evaluate those alone with --queries run.")
