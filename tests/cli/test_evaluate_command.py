"""``directrank evaluate``: runs, scores and models."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from harness import error_of, stderr_of, stdout_of

from directrank import read_letor
from directrank.data import write_scores
from directrank.data.formats.trec.runs_and_qrels import QueryDocuments


def test_evaluate_runs(runs: Path) -> None:
    out = stdout_of("evaluate", "--qrels", runs / "qrels", runs / "one.run", runs / "two.run.gz", "-m", "AP", "-m", "RR@1")
    assert "mean of 3 queries" in out and "one" in out and "0.5000" in out and "0.2500" in out
    assert "1 of 3 queries have no relevant document." in out


def test_tags_that_look_like_markup_and_runs_of_the_same_tag(runs: Path) -> None:
    for name in ("x", "y"):
        (runs / f"{name}.run").write_text("1 Q0 a 1 2.0 tag[/b]\n")
    out = stdout_of("evaluate", "--qrels", runs / "qrels", runs / "x.run", runs / "y.run", "--per-query")
    assert "x" in out and "y" in out
    assert "tag[/b]" in stdout_of("evaluate", "--qrels", runs / "qrels", runs / "x.run")
    stdout_of("convert", "--qrels", runs / "qrels", runs / "x.run", runs / "y.run", runs / "joined.txt")
    assert read_letor(runs / "joined.txt").feature_names == ["x", "y"]


def test_missing_queries_are_noted(runs: Path) -> None:
    assert stderr_of("evaluate", "--qrels", runs / "qrels", runs / "two.run.gz") == (
        "two has the same score for all documents of a query, so it ranks nothing; as in trec_eval, ranks are not read.\n"
        "two has nothing for 2 of the 3 judged queries; they count 0.\n"
        "If two was made for only 1 of them, evaluate those alone with --queries run.\n"
    )


def test_queries_of_other_ids_are_noted(runs: Path) -> None:
    (runs / "zeros.run").write_text((runs / "one.run").read_text().replace("2 Q0", "02 Q0"))
    said = stderr_of("evaluate", "--qrels", runs / "qrels", runs / "zeros.run").splitlines()[0]
    assert said == "one has nothing for 2 of the 3 judged queries; they count 0. It has 1 without judgments (02)."


def test_missing_queries_are_noted_with_official_measures(runs: Path) -> None:
    official = ("evaluate", "--qrels", runs / "qrels", runs / "one.run", "--official")
    said = stderr_of(*official).splitlines()
    assert said[0] == "one has nothing for 1 of the 3 judged queries; they count 0." and "--queries run" in said[1]
    assert stderr_of(*official, "--queries", "run") == ""


def test_scores_that_rank_nothing_are_noted(runs: Path, letor: Path) -> None:
    (runs / "ranks.run").write_text("1 Q0 a 1 0 ranks\n1 Q0 b 2 0 ranks\n2 Q0 c 1 7 ranks\n2 Q0 a 2 7 ranks\n")
    for ties in ("trec", "average"):
        said = stderr_of("evaluate", "--qrels", runs / "qrels", runs / "ranks.run", "--ties", ties)
        assert said.startswith("ranks has the same score for all documents of a query, so it ranks nothing; as in trec_eval")
    assert "ranks nothing" not in stderr_of("evaluate", "--qrels", runs / "qrels", runs / "one.run")
    (letor / "equal").write_text("1\n1\n5\n")
    said = stderr_of("evaluate", letor / "data.txt", "--scores", letor / "equal", "--scores", letor / "scores")
    assert said == "equal has the same score for all documents of a query, so it ranks nothing.\n"


def test_scores_of_queries_whose_rows_are_apart(runs: Path) -> None:
    """Whether they rank something does not depend on the order of lines."""
    (runs / "ranked.run").write_text(
        "".join(f"{qid} Q0 {doc} 1 {score} x\n" for qid, doc, score in ("1a2", "1b2", "2c7", "1d1"))
    )
    assert "ranks nothing" not in stderr_of("evaluate", "--qrels", runs / "qrels", runs / "ranked.run")
    (runs / "equal.run").write_text(
        "".join(f"{qid} Q0 {doc} 1 {score} x\n" for qid, doc, score in ("1a0", "2c7", "1b0", "2a7"))
    )
    assert "ranks nothing" in stderr_of("evaluate", "--qrels", runs / "qrels", runs / "equal.run")


def test_many_measures_fit_the_screen(runs: Path) -> None:
    names = ["AP", "RR", "P@1", "P@2", "P@3", "P@4", "P@5", "nDCG"]
    out = stdout_of(
        "evaluate", "--qrels", runs / "qrels", runs / "one.run", *(word for name in names for word in ("-m", name))
    )
    assert max(map(len, out.splitlines())) < 80


def test_evaluate_runs_as_json(runs: Path) -> None:
    out = json.loads(
        stdout_of(
            "evaluate", "--qrels", runs / "qrels", runs / "one.run", runs / "two.run.gz", "-m", "AP", "--json", "--per-query"
        )
    )
    assert out["one"]["means"] == {"AP": 0.5} and out["two"]["means"] == {"AP": 0.25}
    assert out["one"]["queries"] == 3 and out["one"]["no_relevant"] == {"AP": 1}
    assert out["two"]["per_query"] == {"1": {"AP": 0.75}, "2": {"AP": 0.0}, "3": {"AP": 0.0}}


def test_evaluate_the_official_set_of_trec_eval(runs: Path) -> None:
    files = "--qrels", runs / "qrels", runs / "one.run", runs / "two.run.gz"
    out = stdout_of("evaluate", *files, "--official")
    assert [line.split()[1] for line in out.splitlines() if "_ret " in line] == ["num_ret", "num_rel_ret"]
    found = json.loads(stdout_of("evaluate", *files, "--official", "--json"))
    means = json.loads(stdout_of("evaluate", *files, "-m", "AP", "-m", "Bpref", "--ties", "trec", "--json"))
    for name, values in found.items():
        assert len(values) == 29 and list(values)[4] == "map"
        assert [values["map"], values["bpref"]] == list(means[name]["means"].values())
    for wrong in (("-m", "AP"), ("--per-query",), ("--ties", "average"), ("--scores", "x.txt")):
        said = error_of("evaluate", *files, "--official", *wrong)
        assert "--official goes with --qrels and runs, without --scores, --measure, --ties" in said


def test_evaluate_with_trec_ties(runs: Path) -> None:
    out = json.loads(
        stdout_of("evaluate", "--qrels", runs / "qrels", runs / "two.run.gz", "-m", "RR", "--ties", "trec", "--json")
    )
    assert out["two"]["means"]["RR"] == pytest.approx(0.5 / 3)


def test_evaluate_scores(letor: Path) -> None:
    out = json.loads(
        stdout_of("evaluate", letor / "data.txt", "--scores", letor / "scores", "-m", "map", "-m", "ndcg@1", "--json")
    )
    assert out["scores"]["means"] == {"map": 0.75, "nDCG@1": 0.5}
    assert "query" in stdout_of("evaluate", letor / "data.txt", "--scores", letor / "scores", "--per-query")


def test_a_custom_measure(letor: Path) -> None:
    """It is found in the folder where the command is started."""
    (letor / "own.py").write_text(
        "import numpy as np\nfrom directrank import Measure\n"
        "class Size(Measure):\n    def evaluate(self, scores, grades, offsets):\n        return np.diff(offsets)\n"
    )
    out = json.loads(stdout_of("evaluate", "data.txt", "--scores", "scores", "-m", "own:Size", "--json", folder=letor))
    assert out["scores"]["means"] == {"Size": 1.5}


def test_bad_input_to_evaluate(runs: Path, letor: Path) -> None:
    assert "none.run: No such file" in error_of("evaluate", "--qrels", runs / "qrels", runs / "none.run")
    assert "there is no measure 'nDGC'; did you mean nDCG" in error_of(
        "evaluate", "--qrels", runs / "qrels", runs / "one.run", "-m", "nDGC"
    )
    assert "give --qrels QRELS and runs" in error_of("evaluate", letor / "data.txt")
    assert "give one or the other" in error_of(
        "evaluate", letor / "data.txt", "--qrels", runs / "qrels", "--scores", letor / "scores"
    )
    write_scores(letor / "short", np.zeros(2))
    assert "short has 2 scores, and" in error_of("evaluate", letor / "data.txt", "--scores", letor / "short")
    (runs / "other.run").write_text("051 Q0 a 1 2.0 one\n")
    out = error_of("evaluate", "--qrels", runs / "qrels", runs / "other.run")
    assert "check that they belong to the same collection" in out
    assert "nofile.parquet: No such file" in error_of("describe", letor / "nofile.parquet")
    assert "is a TREC file by its name" in error_of("describe", runs / "one.run")
    (letor / "bad.txt").write_text("1 qid:1 1:1\nx\n")
    assert "bad.txt:2: the line must start with a grade" in error_of(
        "evaluate", letor / "bad.txt", "--scores", letor / "scores"
    )


def test_names_in_runs_are_not_decoded_for_notes(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Decoding a million names would double the time of the command."""
    monkeypatch.delattr(QueryDocuments, "__getattr__")
    notes = stderr_of("evaluate", "--qrels", "qrels", "two.run.gz", folder=runs)
    assert "has nothing for 2 of the 3 judged queries" in notes
    assert "AP" in stdout_of("compare", "--qrels", "qrels", "one.run", "two.run.gz", folder=runs)
