"""``directrank evaluate``: runs, scores and models."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from harness import error_of, stderr_of, stdout_of

from directrank import RankingData, read_letor, write_letor
from directrank.data import write_scores
from directrank.data.formats.trec.runs_and_qrels import QueryDocuments


def test_evaluate_runs(runs: Path) -> None:
    files = "--qrels", runs / "qrels", runs / "one.run", runs / "two.run.gz"
    out = stdout_of("evaluate", *files, "-m", "AP", "-m", "RR@1", "--format", "table")
    assert "mean of 3 queries" in out and "one" in out and "0.5000" in out and "0.2500" in out
    assert "1 of 3 queries have no relevant document." in out


def test_tags_that_look_like_markup_and_runs_of_the_same_tag(runs: Path) -> None:
    for name in ("x", "y"):
        (runs / f"{name}.run").write_text("1 Q0 a 1 2.0 tag[/b]\n")
    table = "--per-query", "--format", "table"
    out = stdout_of("evaluate", "--qrels", runs / "qrels", runs / "x.run", runs / "y.run", *table)
    assert "x" in out and "y" in out
    assert "tag[/b]" in stdout_of("evaluate", "--qrels", runs / "qrels", runs / "x.run", *table)
    stdout_of("convert", "--qrels", runs / "qrels", runs / "x.run", runs / "y.run", runs / "joined.txt")
    assert read_letor(runs / "joined.txt").feature_names == ["x", "y"]


def test_missing_queries_are_noted(runs: Path) -> None:
    assert stderr_of("evaluate", "--qrels", runs / "qrels", runs / "two.run.gz") == (
        "two has the same score for all documents of a query, so it ranks nothing; as in trec_eval, ranks are not read.\n"
        "two has nothing for 2 of the 3 judged queries; they count 0.\n"
        "If two was made for only 1 of them, evaluate those alone with --queries run.\n"
        "nDCG@10 with gain 2^g - 1, for grade g.\n"
        "1 of 3 queries have no relevant document.\n"
    )


def test_queries_of_other_ids_are_noted(runs: Path) -> None:
    (runs / "zeros.run").write_text((runs / "one.run").read_text().replace("2 Q0", "02 Q0"))
    said = stderr_of("evaluate", "--qrels", runs / "qrels", runs / "zeros.run").splitlines()[0]
    assert said == "one has nothing for 2 of the 3 judged queries; they count 0. It has 1 without judgments (02)."


def test_missing_queries_are_noted_with_official_measures(runs: Path) -> None:
    official = ("evaluate", "--qrels", runs / "qrels", runs / "one.run", "--official")
    said = stderr_of(*official).splitlines()
    assert said[0] == "one has nothing for 1 of the 3 judged queries; they count 0." and "--queries run" in said[1]
    assert "nothing for" not in stderr_of(*official, "--queries", "run")


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
    out = stdout_of("evaluate", *files, "--official", "--format", "table")
    assert [line.split()[1] for line in out.splitlines() if "_ret " in line] == ["num_ret", "num_rel_ret"]
    found = json.loads(stdout_of("evaluate", *files, "--official", "--json"))
    means = json.loads(stdout_of("evaluate", *files, "-m", "AP", "-m", "Bpref", "--ties", "trec", "--json"))
    for name, values in found.items():
        assert len(values) == 29 and list(values)[4] == "map"
        assert [values["map"], values["bpref"]] == list(means[name]["means"].values())
    said = error_of("evaluate", *files, "--official", "--ties", "average")
    assert "--official goes with --qrels and runs, without --scores, --model and --ties" in said
    more = json.loads(stdout_of("evaluate", *files, "--official", "--json", "--per-query", "-m", "AP,ndcg_cut_2"))["one"]
    assert list(more)[-3:] == ["AP", "ndcg_cut_2", "per_query"] and more["map"] == found["one"]["map"]
    assert more["per_query"]["1"]["num_rel_ret"] == 1 and "gm_map" not in more["per_query"]["1"]


def lines_of(*arguments: object) -> list[list[str]]:
    return [line.split("\t") for line in stdout_of("evaluate", *arguments).splitlines()]


def test_runs_are_evaluated_in_the_lines_of_trec_eval_unless_in_a_terminal(runs: Path) -> None:
    one = "--qrels", runs / "qrels", runs / "one.run"
    assert stdout_of("evaluate", *one, "-m", "map,P_1") == f"{'map':<22}\tall\t0.5000\n{'P_1':<22}\tall\t0.3333\n"
    lines = lines_of(*one, "-m", "map,gm_map", "--per-query")
    assert [line[1:] for line in lines] == [["1", "1.0000"], ["2", "0.5000"], ["3", "0.0000"], ["all", "0.5000"],
                                            ["all", f"{(1 * 0.5 * 1e-5) ** (1 / 3):.4f}"]]  # fmt: skip
    assert [line[0].strip() for line in lines] == ["map"] * 4 + ["gm_map"]
    lines = lines_of(*one, runs / "two.run.gz", "-m", "map")
    assert [line[0].strip() for line in lines] == ["runid", "map"] * 2 and [lines[0][2], lines[2][2]] == ["one", "two"]
    lines = lines_of(*one, "--official", "--per-query")
    assert lines[0] == [f"{'runid':<22}", "all", "one"] and [f"{'num_ret':<22}", "1", "2"] in lines
    assert [f"{'num_q':<22}", "all", "3"] in lines and [f"{'num_rel':<22}", "all", "2"] in lines
    assert "┃" in stdout_of("evaluate", *one, "--format", "table")
    assert "give only one of --json and --format" in error_of("evaluate", *one, "--format", "trec", "--json")


def test_scores_in_the_lines_of_trec_eval_if_asked_for(letor: Path) -> None:
    scores = letor / "data.txt", "--scores", letor / "scores", "-m", "AP"
    assert lines_of(*scores, "--format", "trec") == [[f"{'AP':<22}", "all", "0.7500"]]
    assert "┃" in stdout_of("evaluate", *scores)


def test_gm_map_has_no_value_of_a_query(runs: Path) -> None:
    files = "--qrels", runs / "qrels", runs / "one.run", runs / "two.run.gz"
    said = error_of("compare", *files, "-m", "map,gm_map")
    assert said.endswith("it is a geometric mean over queries, for evaluation only; for a value of each query use map or AP")


def test_rankings_are_sorted(runs: Path) -> None:
    files = "--qrels", runs / "qrels", runs / "two.run.gz", runs / "one.run"
    for by, names in ((), ["two", "one"]), (("--sort", "ap"), ["one", "two"]), (("--sort", "name"), ["one", "two"]):
        assert list(json.loads(stdout_of("evaluate", *files, "-m", "AP,RR", "--json", *by))) == names
    report = json.loads(stdout_of("compare", *files, "-m", "AP", "--json", "--sort", "AP"))
    assert report["rankings"] == ["one", "two"] and report["baseline"] == "two"  # as given
    said = error_of("evaluate", *files, "-m", "AP", "--sort", "RR")
    assert said == "--sort RR: sort by name, or by a measure that is evaluated: AP"


def test_features_as_rankings(tmp_path: Path) -> None:
    write_letor(tmp_path / "data.txt", RankingData([[3.0, 1], [1, 2], [0, 3]], [1, 0, 0], [7, 7, 7], ["a", "b", "c"]))
    data = pd.DataFrame({"label": [1, 0, 0], "qid": [7] * 3, "bm25": [3.0, None, 5], "price": [1.0, 2, 3]})
    data.to_parquet(tmp_path / "named.parquet", index=False)

    def rr(file: str, *options: object) -> dict[str, float]:
        out = json.loads(stdout_of("evaluate", tmp_path / file, "-m", "RR", "--json", *options))
        return {name: found["means"]["RR"] for name, found in out.items()}

    assert rr("data.txt", "--feature", "f2") == {"feature 2": pytest.approx(1 / 3)}
    features = "--feature", "bm25", "--ascending", "price"
    assert rr("named.parquet", *features) == {"bm25": 0.5, "price, ascending": 1.0}
    assert rr("named.parquet", *features, "--names", "x,y") == {"x": 0.5, "y": 1.0}
    said = stderr_of("evaluate", tmp_path / "named.parquet", *features)
    assert said.startswith("bm25 is missing in 1 of 3 rows, which are ranked last.\n")
    compared = json.loads(stdout_of("compare", tmp_path / "named.parquet", *features, "--baseline", "price", "--json"))
    assert compared["baseline"] == "price, ascending"
    (tmp_path / "s").write_text("1\n2\n3\n")
    alone = "compare", tmp_path / "named.parquet", "--scores", tmp_path / "s", "--feature", "bm25", "--json"
    assert json.loads(stdout_of(*alone))["baseline"] == "bm25"  # what there is now
    for wrong, sentence in (
        (("--feature", "bm52"), "named.parquet: there is no feature 'bm52'; did you mean bm25?"),
        (("--feature", "bm25", "--ascending", "bm25"), "the feature bm25 is given twice; give it once, with --feature or"),
        (("--feature", "bm25", "--qrels", "qrels"), "--qrels goes with runs, and --model, --scores and --feature with"),
    ):
        assert sentence in error_of("evaluate", tmp_path / "named.parquet", *wrong)
    (tmp_path / "bm25.scores").write_text("1\n2\n3\n")
    said = error_of("evaluate", tmp_path / "named.parquet", "--scores", tmp_path / "bm25.scores", "--feature", "bm25")
    assert said == "two rankings are named bm25; name each with --names, comma-separated"


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
