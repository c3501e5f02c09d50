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
from harness import good, noted, refused, run

from directrank import RankingData, __version__, read_letor, read_parquet, read_qrels, read_run, write_letor, write_parquet
from directrank.data import train_validation_test, write_scores
from directrank.datasets import make_ranking


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
    assert noted("evaluate", "--qrels", runs / "qrels", runs / "two.run.gz") == (
        "two has nothing for 2 of the 3 judged queries; they count 0. "
        "If it was made for 1 of them only, count those alone with --queries run.\n"
    )


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


def test_evaluate_the_official_set_of_trec_eval(runs: Path) -> None:
    files = "--qrels", runs / "qrels", runs / "one.run", runs / "two.run.gz"
    out = good("evaluate", *files, "--official")
    assert [line.split()[1] for line in out.splitlines() if "_ret " in line] == ["num_ret", "num_rel_ret"]
    found = json.loads(good("evaluate", *files, "--official", "--json"))
    means = json.loads(good("evaluate", *files, "-m", "AP", "-m", "Bpref", "--ties", "trec", "--json"))
    for name, values in found.items():
        assert len(values) == 29 and list(values)[4] == "map"
        assert [values["map"], values["bpref"]] == list(means[name]["means"].values())
    for wrong in (("-m", "AP"), ("--per-query",), ("--ties", "average"), ("--scores", "x.txt")):
        said = refused("evaluate", *files, "--official", *wrong)
        assert "--official goes with --qrels and runs, without --scores, --measure, --ties" in said


def test_evaluate_with_trec_ties(runs: Path) -> None:
    out = json.loads(
        good("evaluate", "--qrels", runs / "qrels", runs / "two.run.gz", "-m", "RR", "--ties", "trec", "--json")
    )
    assert out["two"]["means"]["RR"] == pytest.approx(0.5 / 3)


def test_evaluate_scores(letor: Path) -> None:
    out = json.loads(
        good("evaluate", letor / "data.txt", "--scores", letor / "scores", "-m", "map", "-m", "ndcg@1", "--json")
    )
    assert out[str(letor / "scores")]["means"] == {"map": 0.75, "nDCG@1": 0.5}
    assert "query" in good("evaluate", letor / "data.txt", "--scores", letor / "scores", "--per-query")


def test_evaluate_by_a_measure_of_ones_own(letor: Path) -> None:
    """It is found in the folder where the command is started."""
    (letor / "own.py").write_text(
        "import numpy as np\nfrom directrank import Measure\n"
        "class Size(Measure):\n    def evaluate(self, scores, grades, offsets):\n        return np.diff(offsets)\n"
    )
    out = json.loads(good("evaluate", "data.txt", "--scores", "scores", "-m", "own:Size", "--json", folder=letor))
    assert out["scores"]["means"] == {"Size": 1.5}


def test_bad_input_to_evaluate(runs: Path, letor: Path) -> None:
    assert "none.run: No such file" in refused("evaluate", "--qrels", runs / "qrels", runs / "none.run")
    assert "there is no measure 'nDGC'; did you mean nDCG" in refused(
        "evaluate", "--qrels", runs / "qrels", runs / "one.run", "-m", "nDGC"
    )
    assert "give --qrels QRELS and runs" in refused("evaluate", letor / "data.txt")
    assert "give one or the other" in refused(
        "evaluate", letor / "data.txt", "--qrels", runs / "qrels", "--scores", letor / "scores"
    )
    write_scores(letor / "short", np.zeros(2))
    assert "short has 2 scores, and" in refused("evaluate", letor / "data.txt", "--scores", letor / "short")
    (runs / "other.run").write_text("051 Q0 a 1 2.0 one\n")
    out = refused("evaluate", "--qrels", runs / "qrels", runs / "other.run")
    assert "check that they belong to the same collection" in out
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
    assert "features with one value only" in out and "1: 2" in out and "! 1 queries have only one grade" in out
    out = json.loads(good("describe", letor / "data.txt", "--json"))
    assert out["n_queries"] == 2 and out["constant_features"] == ["2"] and out["grades"] == {"0.0": 1, "1.0": 1, "2.0": 1}


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    lines = [{"id": f"d{i}", "text": text} for i, text in enumerate(["a cat sat", "dogs and cats", "a cow", "the dog sat"])]
    (tmp_path / "docs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "queries.tsv").write_text("1\tcat\n2\tsitting dog\n3\tabsent\n4\tcow\n")
    (tmp_path / "qrels").write_text("1 0 d0 1\n2 0 d3 2\n3 0 d0 1\n")
    return tmp_path


def test_features(texts: Path) -> None:
    files = [texts / name for name in ("docs.jsonl", "queries.tsv", "qrels")]
    said = noted("features", *files, "-o", texts / "data.txt")
    assert "15 features" in said
    assert "1 of the judged queries have no text, or no document has a term of them" in said
    assert "1 of 3 relevant documents are not there: no function found them." in said
    data = read_letor(texts / "data.txt")
    assert data.n_queries == 2 and dict(zip(data.docno.tolist(), data.y, strict=True))["d3"] == 2
    good("features", *files, "-o", texts / "data.parquet", "--features", "adarank", "--depth", "1")
    assert read_parquet(texts / "data.parquet").feature_names[0] == "ln(c+1) porter+stop"
    (texts / "topics").write_text("<top><num>1<title>cow<desc>a cat</top>")
    good("features", files[0], texts / "topics", files[2], "-o", texts / "desc.txt", "--topic-field", "desc")
    assert set(read_letor(texts / "desc.txt").docno.tolist()) == {"d0", "d1", "d2"}


def test_features_refuses_bad_input(texts: Path) -> None:
    files = [texts / name for name in ("docs.jsonl", "queries.tsv", "qrels")]
    to = ("-o", texts / "data.txt")
    assert "name three files, DOCS QUERIES QRELS" in refused("features", files[0], *to)
    assert "has its own queries and qrels" in refused("features", "irds:vaswani", files[1], *to)
    assert "ir_datasets has no collection 'nonsense'" in refused("features", "irds:nonsense", *to)
    assert "no such folder" in refused("features", *files, "-o", texts / "nowhere" / "data.txt")
    assert "is a TREC file by its name" in refused("features", *files, "-o", texts / "data.run")
    for source in files:
        assert "is to be read and written" in refused("features", *files, "-o", source)
    (texts / "docs.jsonl").write_text("d0 no tab\n")
    assert "docs.jsonl:1: expected an id, a tab and a text" in refused("features", *files, *to)
    (texts / "docs.jsonl").write_text("d0\ta cat\nd0\ta cat\n")
    assert "docs.jsonl:2: document d0 is given more than once" in refused("features", *files, *to)
    assert not (texts / "data.txt").exists()


@pytest.fixture
def several_runs(tmp_path: Path) -> list[Path]:
    """Three runs of 20 judged queries and one that is not: two that know something, one that does not."""
    random, lines, qrels = np.random.default_rng(0), {"good": [], "fair": [], "bad": []}, []
    for qid in range(21):
        relevant = random.random(30) < 0.3
        qrels += [f"{qid} 0 d{i} {int(r)}\n" for i, r in enumerate(relevant) if qid < 20]
        for name, noise in {"good": 0.5, "fair": 0.8, "bad": 50.0}.items():
            scores = relevant + noise * random.standard_normal(30)
            lines[name] += [f"{qid} Q0 d{i} 0 {s} {name}\n" for i, s in enumerate(scores) if random.random() < 0.9]
    for name, mine in lines.items():
        (tmp_path / f"{name}.run").write_text("".join(mine))
    (tmp_path / "qrels").write_text("".join(qrels))
    return [tmp_path / f"{name}.run" for name in lines]


@pytest.mark.parametrize("learner", ["svm", "adarank", "lambdamart"])
def test_fuse_learns_from_judgments(several_runs: list[Path], learner: str) -> None:
    folder = several_runs[0].parent
    common = ("--qrels", folder / "qrels", *several_runs, "--learner", learner, "--folds", "3")
    fewer = {
        "svm": ("--set", "C=1"),
        "lambdamart": ("--set", "n_estimators=20", "--set", "min_child_samples=5", "--set", "max_bin=63"),
    }
    settings = fewer.get(learner, ())
    out = json.loads(good("fuse", *common, *settings, "--thresholds", "10", "-o", folder / "fused.run", "--json"))
    name = f"{learner}-AP"
    means = {row["ranking"]: row["mean"] for row in out["means"]}
    assert out["baseline"] == name and set(out["rankings"]) == {"good", "fair", "bad", name}
    assert means[name] > means["fair"] > means["bad"] and list(means.values()) == sorted(means.values(), reverse=True)
    fused = read_run(folder / "fused.run")
    assert len(set(fused.qid.tolist())) == 21  # the one without judgments too
    again = json.loads(good("fuse", *common, *settings, "--thresholds", "0", "-o", folder / "fused.run", "--json"))
    means = {row["ranking"]: row["mean"] for row in again["means"]}
    assert means[name] > means["bad"]


def test_fuse_without_learning(several_runs: list[Path]) -> None:
    folder = several_runs[0].parent
    assert good("fuse", *several_runs, "--learner", "rrf", "-o", folder / "rrf.run") == ""
    assert read_run(folder / "rrf.run").name == "rrf"
    out = good("fuse", *several_runs, "--qrels", folder / "qrels", "--learner", "combmnz", "-o", folder / "mnz.run")
    assert "AP, against combmnz" in out and "good" in out and "Holm" in out
    (folder / "other.run").write_text("99 Q0 d1 1 1.0 rrf\n")
    done = run(
        "fuse", several_runs[0], folder / "other.run", "--qrels", folder / "qrels", "--learner", "rrf", "-o", folder / "f"
    )
    assert done.code == 0 and "rrf-fused" in done.out and "rrf has nothing for the judged queries." in done.err


def test_fuse_refuses_bad_input(several_runs: list[Path]) -> None:
    folder = several_runs[0].parent
    out = ("-o", folder / "fused.run")
    assert "svm learns from judgments; give them with --qrels" in refused("fuse", *several_runs, *out)
    for source in (several_runs[0], folder / "qrels"):
        said = refused("fuse", *several_runs, "--qrels", folder / "qrels", "--learner", "rrf", "-o", source)
        assert "is to be read and written" in said
    assert "rrf learns nothing" in refused("fuse", *several_runs, "--learner", "rrf", "--set", "k=1", *out)
    (folder / "same.run").write_text("".join(f"{q} Q0 d1 1 1.0 same\n" for q in range(20)))
    assert "the scores of every run are all equal" in refused("fuse", folder / "same.run", "--qrels", folder / "qrels", *out)
    assert "there is no such folder" in refused("fuse", *several_runs, "-o", folder / "nowhere" / "x.run")
    (folder / "few").write_text("0 0 d1 1\n")
    assert "1 judged queries cannot make 5 folds" in refused("fuse", *several_runs, "--qrels", folder / "few", *out)
    assert not (folder / "fused.run").exists()


@pytest.fixture
def split(tmp_path: Path) -> Path:
    for name, part in zip(
        ("train", "vali", "test"), train_validation_test(make_ranking(40, random_state=0), random_state=0), strict=True
    ):
        write_letor(tmp_path / f"{name}.txt", part)
    return tmp_path


@pytest.mark.parametrize("learner", ["svm", "adarank", "one-vs-rest"])
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
    assert trained["measure"] == "AP" and (learner != "svm" or trained["gap"] <= 1e-3)
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
    assert "--set: svm has no parameter 'D'; it has C, " in refused(*train, "--set", "D=1")
    assert "--set init: it is a ranker, which can be given in Python only" in refused(
        *train, "--learner", "lambdamart", "--set", "init=ranksvm"
    )
    assert "it is a ranker, which can be given in Python only, as AdaRank(weak_ranker=RankSVM())" in refused(
        *train, "--learner", "adarank", "--set", "weak_ranker=ranksvm"
    )
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
    assert "wide.txt:1: '17:1.0' is beyond the expected 16 features" in refused(
        "predict", split / "m.json", split / "wide.txt", "-o", split / "s"
    )
    assert "wide.txt:1: " in refused(*train, "--validate", split / "wide.txt")


def test_version_and_help() -> None:
    assert good("--version").strip() == __version__
    for command in ("demo", "features", "describe", "train", "predict", "evaluate", "compare", "report", "fuse", "convert"):
        assert "Usage" in good(command, "--help")


def test_wrong_use_exits_with_2() -> None:
    assert run("evaluate").code == run("nonsense").code == 2


def test_the_installed_command() -> None:
    command = [Path(sys.executable).parent / "directrank", "--version"]
    assert subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout.strip() == __version__


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
        timeout=300,
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


@pytest.fixture
def named(tmp_path: Path) -> Path:
    """Training, validation and test data whose features have names, and the last two also with columns in reverse."""
    names = ["train", "validation", "test"]
    for name, data in zip(names, train_validation_test(make_ranking(60, random_state=1), random_state=0), strict=True):
        write_parquet(tmp_path / f"{name}.parquet", data)
        write_letor(tmp_path / f"{name}.txt", RankingData(data.X, data.y, data.qid))
        assert data.feature_names is not None
        backwards = RankingData(data.X[:, ::-1], data.y, data.qid, None, data.feature_names[::-1])
        write_parquet(tmp_path / f"{name}-reverse.parquet", backwards)
        other = RankingData(data.X, data.y, data.qid, None, ["odd", *data.feature_names[1:]])
        write_parquet(tmp_path / f"{name}-other.parquet", other)
    return tmp_path


def test_features_are_matched_by_name(named: Path) -> None:
    def train(validation: str) -> str:
        model = named / f"{validation}.json"
        files = (named / "train.parquet", "--validate", named / f"{validation}.parquet")
        good("train", *files, "--learner", "adarank", "-o", model)
        return model.read_text()

    def scores(data: str) -> str:
        good("predict", named / "validation.json", named / data, "-o", named / "scores")
        return (named / "scores").read_text()

    assert train("validation") == train("validation-reverse")
    assert scores("test.parquet") == scores("test-reverse.parquet") == scores("test.txt")
    out = ("-o", named / "out")
    for done in (
        refused("predict", named / "validation.json", named / "test-other.parquet", *out),
        refused("train", named / "train.parquet", "--validate", named / "validation-other.parquet", *out),
    ):
        assert "-other.parquet: " in done and "'good1'" in done and "'odd'" in done
    assert not (named / "out").exists()


def test_a_model_of_0_1_still_predicts(tmp_path: Path) -> None:
    old = Path(__file__).parents[1] / "models" / "version_1" / "svm.json"
    X = np.arange(10.0).reshape(2, 5)
    write_letor(tmp_path / "data.txt", RankingData(X, [0, 1]))
    good("predict", old, tmp_path / "data.txt", "-o", tmp_path / "scores")
    wanted = X @ json.loads(old.read_text())["learned"]["coef_"]
    np.testing.assert_allclose(np.loadtxt(tmp_path / "scores"), wanted)
