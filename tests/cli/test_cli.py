"""The command, as a user runs it."""

from __future__ import annotations

import gzip
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from directrank import RankingData, __version__, read_letor, read_parquet, read_qrels, read_run, write_letor
from directrank.data import make_ranking, train_validation_test, write_scores


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "directrank", *map(str, arguments)], capture_output=True, text=True, check=False
    )


def good(*arguments: object) -> str:
    out = run(*arguments)
    assert out.returncode == 0, out.stderr
    return out.stdout


def refused(*arguments: object) -> str:
    """The one sentence that bad input gets."""
    out = run(*arguments)
    assert out.returncode == 2
    assert out.stdout == "" and "Traceback" not in out.stderr
    assert out.stderr.startswith("directrank: ") and out.stderr.count("\n") == 1
    return out.stderr


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 a 2\n2 0 c 0\n3 0 a 0\n")
    (tmp_path / "one.run").write_text("1 Q0 a 1 2.0 one\n1 Q0 b 2 1.0 one\n2 Q0 c 1 2.0 one\n2 Q0 a 2 1.0 one\n")
    (tmp_path / "two.run.gz").write_bytes(gzip.compress(b"1 Q0 b 1 2.0 two\n1 Q0 a 2 2.0 two\n"))
    return tmp_path


@pytest.fixture
def letor(tmp_path: Path) -> Path:
    data = RankingData(np.array([[1.0, 5], [2, 5], [3, 5]]), [1, 0, 2], [7, 7, 8], ["a", "b", "c"])
    write_letor(tmp_path / "data.txt", data)
    write_scores(tmp_path / "scores", np.array([0.5, 1.5, 0.0]))
    return tmp_path


def test_evaluate_runs(runs: Path) -> None:
    out = good("evaluate", "--qrels", runs / "qrels", runs / "one.run", runs / "two.run.gz", "-m", "AP", "-m", "RR@1")
    assert "mean of 3 queries" in out and "one" in out and "0.5000" in out and "0.2500" in out
    assert "1 of 3 queries have no relevant document." in out


def test_tags_that_look_like_markup_and_runs_of_the_same_tag(runs: Path) -> None:
    for name in ("x", "y"):
        (runs / f"{name}.run").write_text("1 Q0 a 1 2.0 tag[/b]\n")
    out = good("evaluate", "--qrels", runs / "qrels", runs / "x.run", runs / "y.run", "--per-query")
    assert "tag[/b]" in out and "y.run" in out
    good("convert", "--qrels", runs / "qrels", runs / "x.run", runs / "y.run", runs / "joined.txt")
    assert [name[-5:] for name in read_letor(runs / "joined.txt").feature_names] == ["x.run", "y.run"]


def test_a_run_that_lacks_queries_is_remarked_on(runs: Path) -> None:
    out = run("evaluate", "--qrels", runs / "qrels", runs / "two.run.gz")
    assert "two has nothing for 2 of the judged queries; they count 0." in out.stderr


def test_many_measures_fit_the_screen(runs: Path) -> None:
    names = ["AP", "RR", "P@1", "P@2", "P@3", "P@4", "P@5", "nDCG"]
    out = good("evaluate", "--qrels", runs / "qrels", runs / "one.run", *(word for name in names for word in ("-m", name)))
    assert max(map(len, out.splitlines())) < 80


def test_evaluate_runs_as_json(runs: Path) -> None:
    out = json.loads(
        good(
            "evaluate", "--qrels", runs / "qrels", runs / "one.run", runs / "two.run.gz", "-m", "AP", "--json", "--per-query"
        )
    )
    assert out["one"]["means"] == {"AP": 0.5} and out["two"]["means"] == {"AP": 0.25}
    assert out["one"]["queries"] == 3 and out["one"]["no_relevant"] == {"AP": 1}
    assert out["two"]["per_query"] == {"1": {"AP": 0.75}, "2": {"AP": 0.0}, "3": {"AP": 0.0}}


def test_evaluate_with_trec_ties(runs: Path) -> None:
    out = json.loads(
        good("evaluate", "--qrels", runs / "qrels", runs / "two.run.gz", "-m", "RR", "--ties", "trec", "--json")
    )
    assert out["two"]["means"]["RR"] == pytest.approx(0.5 / 3)


def test_evaluate_scores(letor: Path) -> None:
    out = json.loads(
        good("evaluate", letor / "data.txt", "--scores", letor / "scores", "-m", "map", "-m", "ndcg@1", "--json")
    )
    assert out[str(letor / "scores")]["means"] == {"AP": 0.75, "nDCG@1": 0.5}
    assert "query" in good("evaluate", letor / "data.txt", "--scores", letor / "scores", "--per-query")


def test_evaluate_by_a_measure_of_ones_own(letor: Path) -> None:
    (letor / "own.py").write_text(
        "import numpy as np\nfrom directrank import Measure\n"
        "class Size(Measure):\n    def evaluate(self, scores, grades, offsets):\n        return np.diff(offsets)\n"
    )
    out = subprocess.run(
        [Path(sys.executable).parent / "directrank", "evaluate", "data.txt", "--scores", "scores", "-m", "own:Size",
         "--json"],
        capture_output=True, text=True, check=True, cwd=letor,
    )  # fmt: skip
    assert json.loads(out.stdout)["scores"]["means"] == {"Size": 1.5}


def test_bad_input_to_evaluate(runs: Path, letor: Path) -> None:
    assert "none.run: No such file" in refused("evaluate", "--qrels", runs / "qrels", runs / "none.run")
    assert "there is no measure 'nDGC'; did you mean nDCG" in refused(
        "evaluate", "--qrels", runs / "qrels", runs / "one.run", "-m", "nDGC"
    )
    assert "say which: --qrels" in refused("evaluate", letor / "data.txt")
    assert "give one of them" in refused(
        "evaluate", letor / "data.txt", "--qrels", runs / "qrels", "--scores", letor / "scores"
    )
    write_scores(letor / "short", np.zeros(2))
    assert "short has 2 scores, and" in refused("evaluate", letor / "data.txt", "--scores", letor / "short")
    (runs / "other.run").write_text("051 Q0 a 1 2.0 one\n")
    out = refused("evaluate", "--qrels", runs / "qrels", runs / "other.run")
    assert "are the runs and the qrels of the same collection?" in out
    assert "nofile.parquet: No such file" in refused("describe", letor / "nofile.parquet")
    assert "is a TREC file by its name" in refused("describe", runs / "one.run")
    (letor / "bad.txt").write_text("1 qid:1 1:1\nx\n")
    assert "bad.txt:2: the line must start with a grade" in refused(
        "evaluate", letor / "bad.txt", "--scores", letor / "scores"
    )


def test_convert_there_and_back(letor: Path) -> None:
    good("convert", letor / "data.txt", letor / "data.parquet")
    good("convert", letor / "data.parquet", letor / "again.txt.gz")
    a, b = read_letor(letor / "data.txt"), read_letor(letor / "again.txt.gz")
    assert np.array_equal(a.X, b.X) and a.qid.tolist() == b.qid.tolist() and a.docno.tolist() == b.docno.tolist()
    assert read_parquet(letor / "data.parquet").feature_names == ["f1", "f2"]


def test_convert_runs_to_data_and_data_to_a_run(runs: Path, letor: Path) -> None:
    good("convert", "--qrels", runs / "qrels", runs / "one.run", runs / "two.run.gz", runs / "joined.txt", "--missing", "-1")
    joined = read_letor(runs / "joined.txt")
    assert joined.feature_names == ["one", "two"] and joined.X.tolist() == [[2, 2], [1, 2], [1, -1], [2, -1]]
    good("convert", letor / "data.txt", "--scores", letor / "scores", letor / "out.run")
    assert read_run(letor / "out.run").docno.tolist() == ["b", "a", "c"]
    good("convert", letor / "data.txt", letor / "judged", "--to", "qrels")
    assert read_qrels(letor / "judged").grade.tolist() == [1, 0, 2]


def test_bad_input_to_convert(runs: Path, letor: Path) -> None:
    assert "several sources are TREC runs and need --qrels" in refused(
        "convert", letor / "data.txt", letor / "scores", letor / "x"
    )
    assert "choose another name" in refused("convert", letor / "data.txt", letor / "data.txt")
    assert "give its scores with --scores" in refused("convert", letor / "data.txt", letor / "x.run")
    assert "--missing must be a number or 'lowest', not 'high'" in refused(
        "convert", "--qrels", runs / "qrels", runs / "one.run", runs / "x.txt", "--missing", "high"
    )
    assert "choose another name" in refused("convert", "--qrels", runs / "qrels", runs / "one.run", runs / "qrels")
    assert "a Parquet file is compressed in itself" in refused("convert", letor / "data.txt", letor / "x.parquet.gz")
    assert "No space left" in refused("convert", letor / "data.txt", "/dev/full")
    before = sorted(letor.iterdir())
    (letor / "bad.txt").write_text("x\n")
    refused("convert", letor / "bad.txt", letor / "out.txt")
    assert sorted(letor.iterdir()) == sorted([*before, letor / "bad.txt"])


def test_describe(letor: Path) -> None:
    out = good("describe", letor / "data.txt")
    assert "features with one value only" in out and "1: 2" in out and "! 1 queries have one grade only" in out
    out = json.loads(good("describe", letor / "data.txt", "--json"))
    assert out["n_queries"] == 2 and out["constant_features"] == ["2"] and out["grades"] == {"0.0": 1, "1.0": 1, "2.0": 1}


def test_demo() -> None:
    out = good("demo", "--queries", "40")
    assert "good1" in out and "reversed" in out and "nDCG@10" in out and "SVMRanker(AP)" in out and "RankSVM" in out
    first = json.loads(good("demo", "--queries", "40", "--json"))
    assert first == json.loads(good("demo", "--queries", "40", "--json"))
    assert first["good1"]["AP"] > first["reversed"]["AP"]
    assert next(iter(json.loads(good("demo", "--queries", "40", "-m", "ndcg@3", "--json"))["good1"])) == "nDCG@3"


@pytest.fixture
def split(tmp_path: Path) -> Path:
    for name, part in zip(
        ("train", "vali", "test"), train_validation_test(make_ranking(40, random_state=0), random_state=0), strict=True
    ):
        write_letor(tmp_path / f"{name}.txt", part)
    return tmp_path


@pytest.mark.parametrize("learner", ["svm", "ranksvm", "adarank", "rankboost", "coordinate-ascent", "one-vs-rest"])
def test_train_and_predict(split: Path, learner: str) -> None:
    out = good(
        "train",
        split / "train.txt",
        "--validate",
        split / "vali.txt",
        "--learner",
        learner,
        "-m",
        "map",
        "-o",
        split / "m.json",
        "--json",
    )
    trained = json.loads(out)
    assert trained["measure"] == "AP" and (learner not in ("svm", "ranksvm") or trained["gap"] <= 1e-3)
    good("predict", split / "m.json", split / "vali.txt", "-o", split / "scores")
    again = json.loads(good("evaluate", split / "vali.txt", "--scores", split / "scores", "-m", "AP", "--json"))
    assert again[str(split / "scores")]["means"]["AP"] == pytest.approx(trained["values"][str(split / "vali.txt")])


def test_train_a_classifier(split: Path) -> None:
    data = read_letor(split / "train.txt")
    write_letor(split / "set.txt", RankingData(data.X, data.y > 0))
    out = good("train", split / "set.txt", "--learner", "multivariate", "-m", "F1", "--set", "C=0.1", "-o", split / "m.json")
    assert "F1" in out and "slack" in out
    good("predict", split / "m.json", split / "set.txt", "-o", split / "scores")


def test_bad_input_to_train_and_predict(split: Path) -> None:
    train = ("train", split / "train.txt", "-o", split / "m.json")
    assert "SVMRanker needs most_violated, which MAUC does not have" in refused(*train, "-m", "MAUC")
    assert "C must be a number above 0 or 'auto', not 'big'" in refused(*train, "--set", "C=big")
    assert "--set C: write NAME=VALUE" in refused(*train, "--set", "C")
    assert "--set D=1: svm has no parameter 'D'; it has C, " in refused(*train, "--set", "D=1")
    assert "takes the whole file as one set" in refused(*train, "--learner", "multivariate", "--set", "C=1")
    assert not (split / "m.json").exists()
    (split / "m.json").write_text("{}")
    assert "m.json: this is not a model of directrank" in refused(
        "predict", split / "m.json", split / "test.txt", "-o", split / "s"
    )
    good(*train, "--set", "C=1")
    write_letor(split / "narrow.txt", RankingData([[1.0]], [0]))
    good("predict", split / "m.json", split / "narrow.txt", "-o", split / "s")  # it leaves out the last features
    write_letor(split / "wide.txt", RankingData(np.ones((1, 20)), [0]))
    assert "wide.txt:1: '17:1.0' is beyond the 16 features" in refused(
        "predict", split / "m.json", split / "wide.txt", "-o", split / "s"
    )
    assert "wide.txt:1: " in refused(*train, "--validate", split / "wide.txt")


def test_version_and_help() -> None:
    assert good("--version").strip() == __version__
    for command in ("train", "predict", "evaluate", "convert", "describe", "demo"):
        assert "Usage" in good(command, "--help")


def test_wrong_use_exits_with_2() -> None:
    assert run("evaluate").returncode == 2
    assert run("nonsense").returncode == 2


@pytest.mark.skipif(not hasattr(pty, "fork"), reason="needs a terminal")
def test_tables_fit_a_terminal(letor: Path) -> None:
    main, other = pty.openpty()
    env = {**os.environ, "COLUMNS": "80", "TERM": "xterm"}
    subprocess.run(
        [sys.executable, "-m", "directrank", "describe", str(letor / "data.txt")],
        stdout=other,
        stderr=other,
        env=env,
        check=True,
    )
    os.close(other)
    shown = b""
    while True:
        try:
            part = os.read(main, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    assert b"queries" in shown
