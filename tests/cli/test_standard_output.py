"""``-o -``: standard output has the file and nothing else."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from directrank import RankingData, load_model, read_letor, write_letor
from directrank.cli import main
from directrank.datasets import make_ranking
from directrank.models import loads

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Command:
    """Its exit code and what it wrote to both streams, files included."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])  # main adds to it
    data = make_ranking(10, (5, 8), random_state=0)
    write_letor(tmp_path / "data.txt", RankingData(data.X, data.y, data.qid))

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["directrank", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        return end.value.code or 0, *capfd.readouterr()  # type: ignore[return-value]

    return run


def test_every_file_that_is_written(command: Command, tmp_path: Path) -> None:
    code, model, said = command("train", "data.txt", "--set", "C=1", "-o", "-")
    assert code == 0 and loads(model).n_features == 16 and "data.txt" in said and "gap" in said
    (tmp_path / "m.json").write_text(model)
    code, scores, said = command("predict", "m.json", "data.txt", "-o", "-")
    assert code == 0 and len(list(map(float, scores.split()))) == len(read_letor("data.txt")) and said == ""
    code, text, said = command("convert", "data.txt", "-")
    (tmp_path / "again.txt").write_text(text)
    assert code == 0 and read_letor("again.txt").X.tolist() == read_letor("data.txt").X.tolist()
    assert said.startswith("standard output: RankingData(10 queries")
    code, text, said = command("export", "m.json", "--to", "python", "-o", "-", "--check", "data.txt")
    assert code == 0 and compile(text, "m.py", "exec") and "The export ranks as the model does" in said
    (tmp_path / "scores").write_text(scores)
    code, page, said = command("compare", "data.txt", "--model", "m.json", "--scores", "scores", "-o", "-")
    assert code == 0 and page.lower().startswith("<!doctype html>")


def test_features(command: Command, tmp_path: Path) -> None:
    (tmp_path / "docs.tsv").write_text("".join(f"d{i}\tword{i} cat\n" for i in range(5)))
    (tmp_path / "queries.tsv").write_text("1\tcat\n")
    (tmp_path / "qrels").write_text("1 0 d3 1\n")
    code, text, said = command("features", "docs.tsv", "queries.tsv", "qrels", "-o", "-", "--features", "adarank")
    (tmp_path / "data.txt").write_text(text)
    assert code == 0 and read_letor("data.txt").n_features == 7 and "standard output: " in said
    code, text, _ = command("features", "docs.tsv", "queries.tsv", "qrels", "-o", "x.txt", "--json")
    assert code == 0 and json.loads(text)["documents"] == 5 and json.loads(text)["features"] == 15


def test_json_has_no_place_there(command: Command, tmp_path: Path) -> None:
    sentence = "so --json has no place there; name a file (-o FILE)\n"
    for arguments in (("train", "data.txt", "-o", "-"), ("predict", "m.json", "data.txt", "-o", "/dev/stdout")):
        code, out, said = command(*arguments, "--json")
        assert code == 2 and out == "" and said == f"directrank: standard output is the file to write, {sentence}"
    code, out, said = command("convert", "data.txt", "-", "--json")
    assert code == 2 and said.endswith(sentence)
    (tmp_path / "m.json").write_text(command("train", "data.txt", "--set", "C=1", "-o", "-")[1])
    code, out, said = command("export", "m.json", "--to", "solr", "--json")
    assert code == 2 and out == "" and said.endswith(sentence)


def test_json_says_what_was_written(command: Command) -> None:
    out = json.loads(command("train", "data.txt", "--learner", "adarank", "-o", "m.json", "--json")[1])
    history = load_model("m.json").provenance.history
    assert out["model"] == "m.json" and out["learner"] == "AdaRank" and out["parameters"]["measure"] == "AP"
    assert out["history"] == history and history and len(next(iter(history.values()))) == out["rounds"]
    out = json.loads(command("predict", "m.json", "data.txt", "-o", "s", "--json")[1])
    scores = [float(line) for line in Path("s").read_text().split()]
    assert out == {"scores": "s", "rows": len(scores), "lowest": min(scores), "highest": max(scores)}
    out = json.loads(command("convert", "data.txt", "d.parquet", "--json")[1])
    assert out == {
        "output": "d.parquet", "format": "parquet", "queries": 10, "documents": len(scores), "features": 16,
        "feature_names": None,
    }  # fmt: skip
    out = json.loads(command("export", "m.json", "--to", "python", "-o", "m.py", "--json", "--check", "data.txt")[1])
    assert out["to"] == "python" and out["output"] == "m.py" and out["check"]["n_reversed"] == 0
    out = json.loads(command("report", "data.txt", "--model", "m.json", "--scores", "s", "-o", "p.html", "--json")[1])
    assert out["page"] == "p.html" and set(out["rankings"]) == {"m", "s"}
    assert json.loads(command("papers", "show", "joachims/table1", "--json")[1])["experiment"] == "joachims/table1"
    assert "joachims/table1" in json.loads(command("papers", "list", "--json")[1])
