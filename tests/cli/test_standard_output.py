"""``-o -``: standard output has the file and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from harness import error_sentence, run, run_process, stdout_of

from directrank import RankingData, load_model, read_letor, write_letor
from directrank.datasets import make_ranking
from directrank.models import loads


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    data = make_ranking(10, (5, 8), random_state=0)
    write_letor(tmp_path / "data.txt", RankingData(data.X, data.y, data.qid))
    return tmp_path


def test_every_output_file_can_be_standard_output(folder: Path) -> None:
    code, model, said = run("train", "data.txt", "--set", "C=1", "-o", "-")
    assert code == 0 and loads(model).n_features == 16 and "data.txt" in said and "gap" in said
    (folder / "m.json").write_text(model)
    code, scores, said = run("predict", "m.json", "data.txt", "-o", "-")
    assert code == 0 and len(list(map(float, scores.split()))) == len(read_letor("data.txt")) and said == ""
    code, text, said = run("convert", "data.txt", "-")
    (folder / "again.txt").write_text(text)
    assert code == 0 and read_letor("again.txt").X.tolist() == read_letor("data.txt").X.tolist()
    assert said.startswith("standard output: RankingData(10 queries")
    code, text, said = run("export", "m.json", "--to", "python", "-o", "-", "--check", "data.txt")
    assert code == 0 and compile(text, "m.py", "exec") and "The export ranks as the model does" in said
    (folder / "scores").write_text(scores)
    code, page, said = run("compare", "data.txt", "--model", "m.json", "--scores", "scores", "--report", "-")
    assert code == 0 and page.lower().startswith("<!doctype html>")


def test_features(folder: Path) -> None:
    (folder / "docs.tsv").write_text("".join(f"d{i}\tword{i} cat\n" for i in range(5)))
    (folder / "queries.tsv").write_text("1\tcat\n")
    (folder / "qrels").write_text("1 0 d3 1\n")
    code, text, said = run("features", "docs.tsv", "queries.tsv", "qrels", "-o", "-", "--feature-set", "adarank")
    (folder / "data.txt").write_text(text)
    assert code == 0 and read_letor("data.txt").n_features == 7 and "standard output: " in said
    code, text, _ = run("features", "docs.tsv", "queries.tsv", "qrels", "-o", "x.txt", "--json")
    assert code == 0 and json.loads(text)["documents"] == 5 and json.loads(text)["features"] == 15


def test_json_and_a_file_on_standard_output_conflict(folder: Path) -> None:
    sentence = "so --json cannot be printed there; name a file (-o FILE)\n"
    for arguments in (("train", "data.txt", "-o", "-"), ("predict", "m.json", "data.txt", "-o", "/dev/stdout")):
        code, out, said = run(*arguments, "--json")
        assert code == 2 and out == "" and said == f"directrank: standard output is the file to write, {sentence}"
    code, out, said = run("convert", "data.txt", "-", "--json")
    assert code == 2 and said.endswith(sentence)
    (folder / "m.json").write_text(stdout_of("train", "data.txt", "--set", "C=1", "-o", "-"))
    code, out, said = run("export", "m.json", "--to", "solr", "--json")
    assert code == 2 and out == "" and said.endswith(sentence)


def test_json_summary_of_the_output() -> None:
    out = json.loads(stdout_of("train", "data.txt", "--learner", "adarank", "-o", "m.json", "--json"))
    history = load_model("m.json").provenance.history
    assert out["model"] == "m.json" and out["learner"] == "AdaRank" and out["parameters"]["measure"] == "AP"
    assert out["history"] == history and history and len(next(iter(history.values()))) == out["rounds"]
    out = json.loads(stdout_of("predict", "m.json", "data.txt", "-o", "s", "--json"))
    scores = [float(line) for line in Path("s").read_text().split()]
    assert out == {"scores": "s", "rows": len(scores), "lowest": min(scores), "highest": max(scores)}
    out = json.loads(stdout_of("convert", "data.txt", "d.parquet", "--json"))
    assert out == {
        "output": "d.parquet", "format": "parquet", "queries": 10, "documents": len(scores), "features": 16,
        "feature_names": None,
    }  # fmt: skip
    out = json.loads(stdout_of("export", "m.json", "--to", "python", "-o", "m.py", "--json", "--check", "data.txt"))
    assert out["to"] == "python" and out["output"] == "m.py" and out["check"]["n_reversed"] == 0
    out = json.loads(stdout_of("report", "data.txt", "--model", "m.json", "--scores", "s", "-o", "p.html", "--json"))
    assert out["page"] == "p.html" and set(out["rankings"]) == {"m", "s"}
    assert json.loads(stdout_of("papers", "show", "joachims/table1", "--json"))["experiment"] == "joachims/table1"
    assert "joachims/table1" in json.loads(stdout_of("papers", "list", "--json"))


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_standard_output_is_named(tmp_path: Path, unbuffered: str) -> None:
    write_letor(tmp_path / "data.txt", make_ranking(3, random_state=0))
    with open("/dev/full", "wb") as full:
        ended = run_process("describe", tmp_path / "data.txt", "--json", stdout=full, PYTHONUNBUFFERED=unbuffered)
    assert error_sentence(ended) == "standard output: No space left on device"


def test_an_error_without_a_file_leaves_standard_output_alone() -> None:
    """As errors of a cluster are: whether standard output is full is tried by writing to it."""
    code = """
from importlib import import_module
app = import_module("directrank.cli.app")
def fail():
    raise OSError("the cluster has no workers")
app.app = fail
app.main()
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=300)
    assert ended.returncode == 2 and ended.stdout == "" and "the cluster has no workers" in ended.stderr
