"""``directrank compare``: runs, models and scores, in every format."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from harness import ASCII, error_of, run, run_process, stderr_of, stdout_of

from directrank import (
    AdaRank,
    Qrels,
    RankingData,
    Run,
    SVMRanker,
    compare_all,
    evaluate,
    evaluate_run,
    read_qrels,
    read_run,
    save_model,
    write_letor,
    write_parquet,
    write_qrels,
    write_run,
)
from directrank.cli.actions.compare import find_ranking
from directrank.data import write_scores
from directrank.datasets import make_ranking


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three runs of 20 judged queries, the last of which lacks two; data, two models of it, and scores."""
    random, folder = np.random.default_rng(0), tmp_path_factory.mktemp("compare")
    qid, docno = np.repeat(np.arange(20), 10).astype(str), np.tile([f"d{i}" for i in range(10)], 20)
    grades = (random.random(200) < 0.4).astype(float)
    grades[::10], grades[:10] = 1, 0  # the first query alone has nothing relevant
    write_qrels(folder / "qrels", Qrels(qid, docno, grades))
    for name, noise, end in (("good", 0.3, 200), ("fair", 0.8, 200), ("poor", 50.0, 180)):
        scores = grades + noise * random.standard_normal(200)
        write_run(folder / f"{name}.run", Run(qid[:end], docno[:end], scores[:end], name))
    data = make_ranking(20, (5, 10), random_state=0)
    write_parquet(folder / "data.parquet", data)
    write_letor(folder / "data.txt", RankingData(data.X, data.y, data.qid))
    svm = SVMRanker("AP", C=1).fit(data.X, data.y, data.qid).model_
    save_model(folder / "svm.json", svm.with_feature_names(data.feature_names))
    backwards = AdaRank("AP").fit(data.X[:, ::-1], data.y, data.qid).model_
    save_model(folder / "ada.json", backwards.with_feature_names(list(reversed(data.feature_names or []))))
    write_scores(folder / "theirs.txt", data.X[:, 0])
    return folder


@pytest.fixture(autouse=True)
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder has the files, and may be changed."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)


RUNS = ("compare", "--qrels", "qrels", "good.run", "fair.run", "poor.run")


def test_the_tables_of_runs() -> None:
    out = stdout_of(*RUNS, "-m", "AP", "-m", "nDCG@10", "--baseline", "fair.run")
    head, ap, ndcg = re.split(r"^(?:AP|nDCG@10), against fair", out, flags=re.MULTILINE)
    assert re.search(r"a │ good │ \d\.\d{4}ᵇ", head) and re.search(r"c │ poor │ \d\.\d{4} ", head)
    assert "corrected" in ap and "W/T/L" in ndcg
    assert "Means over 20 queries" in out and "poor lacks 2 of them, which count 0." in out
    assert "corrected by Holm's method for 2 comparisons" in out
    assert "1 of 20 queries have no relevant document." in out


def test_without_a_baseline_every_two_are_compared() -> None:
    out = stdout_of(*RUNS, "-m", "AP")
    assert "all pairs of rankings compared" in out and "against" not in out and "ᵇᶜ" in out


def test_json_is_the_report() -> None:
    out = json.loads(stdout_of(*RUNS, "-m", "AP", "--baseline", "fair.run", "--json"))
    assert out["rankings"] == ["good", "fair", "poor"] and out["baseline"] == "fair"
    assert out["missing"] == {"good": 0, "fair": 0, "poor": 2} and len(out["queries"]) == 20
    qrels = read_qrels("qrels")
    wanted = {name: evaluate_run(read_run(f"{name}.run"), qrels, "AP") for name in ("good", "fair", "poor")}
    for row in out["means"]:
        assert row["mean"] == pytest.approx(wanted[row["ranking"]]["AP"])
    found = compare_all(wanted, "fair", missing="zero").comparison("AP", "poor", "fair")
    assert found is not None and out["comparisons"][1]["p"] == pytest.approx(found.p)


def test_csv_has_a_line_for_each_ranking_and_measure() -> None:
    out = stdout_of(*RUNS, "--baseline", "fair", "--csv")
    lines = list(csv.DictReader(io.StringIO(out)))
    assert [(line["ranking"], line["measure"]) for line in lines] == [
        (name, measure) for measure in ("AP", "nDCG@10", "RR") for name in ("good", "fair", "poor")
    ]
    assert lines[0]["better_than"] == "fair" and float(lines[0]["difference"]) > 0 and lines[1]["difference"] == ""
    said = stderr_of(*RUNS, "--csv")
    assert "Means over 20 queries" in said and "poor lacks 2 of them, which count 0." in said
    assert "1 of 20 queries have no relevant document." in said


def test_latex_is_balanced() -> None:
    out = stdout_of(*RUNS, "--latex")
    begun = re.findall(r"\\(begin|end)\{(\w+)\}", out)
    assert begun == [("begin", "table"), ("begin", "tabular"), ("end", "tabular"), ("end", "table")]
    assert out.count("{") == out.count("}")
    body = out[out.index(r"\midrule") : out.index(r"\bottomrule")].splitlines()[1:]
    assert len(body) == 3 and all(line.count(" & ") == 4 and line.endswith(r"\\") for line in body)
    assert r"\textbf{" in body[0] and r"\textsuperscript{\textit{bc}}" in body[0]
    assert r"\label{tab:rankings}" in out


def test_markdown_has_cells_in_every_line() -> None:
    out = stdout_of(*RUNS, "--markdown")
    lines = [line for line in out.splitlines() if line.startswith("|")]
    assert len(lines) == 5 and {line.count("|") for line in lines} == {6}
    assert lines[2].startswith("| a | good | **") and "<sup>bc</sup>" in lines[2]


def test_models_and_scores_on_data() -> None:
    given = ("compare", "data.parquet", "--model", "svm.json", "--model", "ada.json", "--scores", "theirs.txt")
    out = json.loads(stdout_of(*given, "-m", "AP", "--json"))
    assert out["rankings"] == ["svm", "ada", "theirs"]
    data = make_ranking(20, (5, 10), random_state=0)
    ada = AdaRank("AP").fit(data.X[:, ::-1], data.y, data.qid).predict(data.X[:, ::-1])
    wanted = [evaluate(data.y, ada, data.qid, "AP")["AP"], evaluate(data.y, data.X[:, 0], data.qid, "AP")["AP"]]
    assert [row["mean"] for row in out["means"]][1:] == pytest.approx(wanted)
    assert "theirs" in stdout_of(*given, "--baseline", "theirs.txt")


def test_models_of_several_widths() -> None:
    """LETOR text may leave out the last features, of each model on its own."""
    data = make_ranking(20, (5, 10), random_state=0)
    X = data.X.copy()
    X[:, -1] = 0
    write_letor("narrow.txt", RankingData(X[:, :-1], data.y, data.qid))
    for name, part in (("wide", X), ("narrow", X[:, :-1])):
        save_model(f"{name}.json", AdaRank("AP").fit(part, data.y, data.qid))
    out = json.loads(stdout_of("compare", "narrow.txt", "--model", "wide.json", "--model", "narrow.json", "--json"))
    assert out["rankings"] == ["wide", "narrow"] and out["means"][0]["mean"] == out["means"][1]["mean"]
    said = error_of("compare", "data.txt", "--model", "svm.json", "--model", "narrow.json")
    assert "data.txt, for narrow.json: it has 16 features where there should be 15" in said


def test_a_missing_feature() -> None:
    data = make_ranking(20, (5, 10), random_state=0)
    names = ["odd", *(data.feature_names or [])[1:]]
    save_model("odd.json", SVMRanker("AP", C=1).fit(data.X, data.y, data.qid).model_.with_feature_names(names))
    said = error_of("compare", "data.parquet", "--model", "svm.json", "--model", "odd.json")
    assert "data.parquet, for odd.json: " in said and "'odd'" in said


def test_the_baseline_by_name_path_or_file() -> None:
    files, names = [Path("x/a.run"), Path("y/a.run"), Path("y/b.run")], ["one", "y/a", "y/b"]

    def found(wanted: str) -> str:
        return find_ranking(wanted, files, names)

    assert [found(wanted) for wanted in ("one", "y/a", "x/a.run", "b.run", "x/a")] == ["one", "y/a", "one", "y/b", "one"]
    with pytest.raises(ValueError, match=r"--baseline a.run may be any of one, y/a; name one of these"):
        found("a.run")
    with pytest.raises(ValueError, match=r"--baseline c: there is no such ranking; there are one, y/a, y/b"):
        found("c")


def test_queries_that_a_run_lacks() -> None:
    said = error_of(*RUNS, "--missing-queries", "error")
    assert (
        "poor.run lacks 2 of the 20 judged queries (18, 19); complete it, or count them as 0 with --missing-queries zero"
        in said
    )
    stdout_of("compare", "--qrels", "qrels", "good.run", "fair.run", "--missing-queries", "error")
    values = json.loads(stdout_of(*RUNS, "-m", "AUC", "--json"))["values"]["AUC"]["poor"]
    assert values[18:] == [0.0, 0.0]  # not half


def test_tests_corrections_and_ties() -> None:
    out = stdout_of(*RUNS, "--test", "t", "--correction", "bh", "--alpha", "0.01", "--ties", "trec")
    assert "paired t-test, corrected by Benjamini and Hochberg's method" in out and "p < 0.01" in out
    assert "trec_eval's order" in out
    out = stdout_of(*RUNS, "--test", "randomisation", "--permutations", "1000", "--correction", "none")
    assert "randomisation test with all or 1,000 permutations, not corrected" in out
    typed = json.loads(stdout_of(*RUNS, "--test", "t-test", "--correction", "Bonferroni", "--json"))["method"]
    assert (typed["test"], typed["correction"]) == ("t", "bonferroni")
    assert "the randomised Tukey HSD test over 3 rankings" in " ".join(stdout_of(*RUNS, "--correction", "tukey").split())
    assert "there is no test 'z'; there are randomisation, t, wilcoxon" in error_of(*RUNS, "--test", "z")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--qrels", "qrels", "good.run"), "there is one ranking, good.run; name two or more runs to compare"),
        (("data.txt", "--model", "svm.json"), "there is one ranking, svm.json; name two or more models, scores or features"),
        (("good.run", "fair.run"), "give --qrels QRELS and runs, or one file of ranking data"),
        (("data.txt",), "give --qrels QRELS and runs, or one file of ranking data"),
        (("--qrels", "qrels", "good.run", "fair.run", "--model", "svm.json"), "--qrels goes with runs"),
        (("--qrels", "qrels", "good.run", "./good.run"), "good.run is given twice; name each ranking once"),
        (("--qrels", "qrels", "good.run", "none.run"), "none.run: No such file"),
        (("--qrels", "qrels", "good.run", "fair.run", "--baseline", "best"), "no such ranking; there are good, fair"),
        (("--qrels", "qrels", "good.run", "fair.run", "--alpha", "1"), "--alpha must lie between 0 and 1, not 1"),
        (("--qrels", "qrels", "none.run", "fair.run", "-m", "nDGC"), "there is no measure 'nDGC'"),
        (("--qrels", "qrels", "good.run", "fair.run", "--json", "--csv"), "give only one of --csv and --json"),
        (("data.txt", "--scores", "theirs.txt", "--scores", "short"), "short has 1 scores, and the data has"),
        (("data.txt", "--scores", "theirs.txt", "--scores", "nan"), "nan"),
        (("data.txt", "--scores", "theirs.txt", "--model", "qrels"), "qrels: this is not a model of directrank"),
        (
            ("data.txt", "--scores", "theirs.txt", "--model", "svm.json", "--ties", "trec"),
            "data.txt: --ties trec breaks",
        ),
        (("--qrels", "qrels", "good.run", "other.run"), "other.run: the runs and the qrels have no query in common"),
    ],
)
def test_bad_input(arguments: tuple[str, ...], sentence: str) -> None:
    Path("short").write_text("1\n")
    Path("nan").write_text("nan\n")
    Path("other.run").write_text("99 Q0 d1 1 1.0 other\n")
    assert sentence in error_of("compare", *arguments)


def test_comparing_runs_needs_no_scikit_learn() -> None:
    code = f"""
import sys
from directrank.cli import main
sys.argv = ["directrank", *{RUNS!r}]
try:
    main()
finally:
    print(sorted({{"sklearn", "lightgbm", "pandas", "altair"}} & set(sys.modules)))
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    assert out.stdout.splitlines()[-1] == "[]"


def test_an_ascii_terminal_and_odd_names() -> None:
    odd = b"g\xff\xc3\xa9[b].run"
    Path(os.fsdecode(odd)).write_text(Path("good.run").read_text().replace(" good\n", " fair\n"))
    command = ("compare", "--qrels", "qrels", odd, "fair.run", "poor.run")
    ended = run_process(*command, **ASCII)
    assert ended.code == 0 and ended.out.isascii() and "^bc" in ended.out
    ended = run(*command, "--json", encoding="ascii")
    assert ended.code == 0 and ended.out.isascii()
    assert json.loads(ended.out)["rankings"] == ["g\\xffé[b]", "fair", "poor"]
