"""``directrank papers``: listing, showing and running experiments."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from harness import run

from directrank import compare_all
from directrank.data import InputError
from directrank.evaluation import Evaluation
from directrank.papers import Experiment, Outcome, Rows, Source, catalogue
from directrank.papers.claims import is_higher, is_significantly_higher

Command = Callable[..., str]


def read(folder: Path) -> float:
    if not (folder / "number.txt").exists():
        raise InputError(f"{folder}: there is no number.txt")
    return float((folder / "number.txt").read_text())


def compare_two(number: float, rows: Rows, quick: bool) -> Outcome:
    """Two methods, the first better by the number."""
    random = np.random.default_rng(0)

    def compute(name: str) -> list[float]:
        return (number * (name == "first") + random.random(12)).tolist()

    found = rows.get_or_compute("row", ["first", "second"], compute)
    parts = {name: Evaluation(np.arange(12), {"AP": np.array(row)}, {"AP": 0}) for name, row in found.items()}
    return Outcome(
        {name: {"MAP": part["AP"], "W/L": "3/2"} for name, part in parts.items()},
        compare_all(parts, "second"),
        remarks=("Mark.",),
    )


def interrupted(number: float, rows: Rows, quick: bool) -> Outcome:
    def compute(name: str) -> int:
        if name == "b":
            raise KeyboardInterrupt
        return 1

    rows.get_or_compute("row", ["a", "b"], compute)
    raise AssertionError


NUMBER = Source("number", "number.txt", "arithmetic", read)
CLAIMS = (is_higher("MAP", "first", "second"), is_significantly_higher("MAP", "AP", "second", "first"))
PUBLISHED = {"TREC 9": {"first": {"MAP": 0.25, "W/L": "39/11 **"}}, "TREC 10": {"second": {"MAP": 0.125}}}


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run the command with some arguments; gives its output, or its error where it is to end with a code."""
    known = [
        Experiment("yue/table6", "A table", (NUMBER,), compare_two, PUBLISHED, CLAIMS, "all of it"),
        Experiment("yue/table7", "Without a report", (NUMBER,), lambda *_: Outcome({"a": {"n": 3}}), has_report=False),
        Experiment("yue/table8", "Interrupted", (NUMBER,), interrupted),
    ]
    monkeypatch.setattr(catalogue, "experiments", lambda: {each.name: each for each in known})
    monkeypatch.setattr("directrank.cli.actions.papers.experiments", catalogue.experiments)
    monkeypatch.setattr("directrank.cli.actions.papers.PAPERS", {"yue": "Yue et al."})
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    Path("data/number.txt").write_text("0.5")

    def papers(*arguments: str, code: int = 0) -> str:
        ended = run("papers", *arguments)
        assert ended.code == code, ended.err
        return ended.err if code else ended.out

    return papers


def test_list_and_show(command: Command) -> None:
    listed = command("list")
    assert "Yue et al." in listed and "yue/table6" in listed and "A table" in listed and "number" in listed
    shown = command("show", "yue/table6")
    for words in ("number.txt", "arithmetic", "39/11 **", "0.1250", CLAIMS[0].text, "Differences from the paper: all of it"):
        assert words in shown
    assert "--data number=FOLDER" in shown


def test_run_prints_our_values_beside_published_ones(command: Command) -> None:
    printed = command("run", "yue/table6", "--data", "number=data")
    assert "ours, data" in printed and "published, TREC 9" in printed and "Mark." in printed
    (line,) = [line for line in printed.splitlines() if "first, W/L" in line]
    assert "3/2" in line and "39/11 **" in line
    claims = [line for line in printed.splitlines() if "higher MAP" in line]
    assert "yes" in claims[0] and "no" in claims[1] and "first compared with second" in printed


def test_json(command: Command) -> None:
    assert "Quick run" in command("run", "yue/table6", "--data", "number=data", "--quick")
    content = json.loads(command("run", "yue/table6", "--data", "number=data", "--json", "--quick"))
    assert content["experiment"] == "yue/table6" and content["quick"] is True
    found = content["data"]["data"]
    assert found["ours"]["first"]["MAP"] > found["ours"]["second"]["MAP"] and found["published"] == PUBLISHED
    assert [claim["holds"] for claim in found["claims"]] == [True, False] and found["comparison"]["baseline"] == "second"


def test_several_collections(command: Command) -> None:
    Path("other").mkdir()
    Path("other/number.txt").write_text("-0.5")
    content = json.loads(command("run", "yue/table6", "--data", "number=data", "--data", "number=other", "--json"))
    assert [each["claims"][0]["holds"] for each in content["data"].values()] == [True, False]
    assert "one --data" in command(
        "run", "yue/table6", "--data", "number=data", "--data", "number=other", "--report", "a.html", code=2
    )


def test_page(command: Command) -> None:
    pytest.importorskip("vl_convert")
    command("run", "yue/table6", "--data", "number=data", "--report", "page.html")
    page = Path("page.html").read_text()
    assert "published, TREC 9" in page and CLAIMS[0].text in page and "directrank papers run yue/table6" in page
    assert "no HTML report" in command("run", "yue/table7", "--data", "number=data", "--report", "page.html", code=2)


def test_finished_rows_are_saved(command: Command) -> None:
    said = command("run", "yue/table8", "--data", "number=data", code=130)
    assert "1 finished rows are in directrank-papers" in said and "continues from there" in said
    (file,) = Path("directrank-papers").iterdir()
    assert json.loads(file.read_text()) == {"key": "row: a", "row": 1}
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler  # this process goes on, and hears it


def test_rows_of_other_code_are_computed_again(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    command("run", "yue/table6", "--data", "number=data")
    assert "2 finished rows, which are not computed again" in run("papers", "run", "yue/table6", "--data", "number=data").err
    monkeypatch.setattr("directrank.papers.rows.code_digest", lambda: "other")
    said = run("papers", "run", "yue/table6", "--data", "number=data").err
    assert "is not used: its rows were computed by other code or libraries" in said and "finished rows" not in said
    assert len(list(Path("directrank-papers").iterdir())) == 2


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["run", "yue/table9", "--data", "number=data"], "there is no experiment 'yue/table9'; there are yue/table6"),
        (["run", "yue/table6", "--data", "data"], "write NAME=FOLDER; yue/table6 can be run on number"),
        (["run", "yue/table6", "--data", "letor=data"], "can be run on number"),
        (["run", "yue/table6", "--data", "number=nowhere"], "nowhere does not exist; name a folder with number.txt"),
        (["run", "yue/table6", "--data", "number=data/number.txt"], "is a file; name a folder with number.txt"),
        (["run", "yue/table6", "--data", "number=data", "--data", "number=./data"], "is given twice"),
        (["run", "yue/table6", "--data", "number=."], "there is no number.txt"),
        (["show", "yue"], "there are yue/table6"),
    ],
)
def test_errors_are_one_sentence(arguments: list[str], wanted: str, command: Command) -> None:
    said = command(*arguments, code=2)
    assert wanted in said and said.count("\n") == 1
