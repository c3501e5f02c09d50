"""Measures with commas and by trec_eval's names, and which queries count: as a user types them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from harness import error_of, run, stdout_of

from directrank import evaluate_run, read_qrels, read_run


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four judged queries with graded judgments; a run of two of them, with ties, and of one that has no judgments."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(
        "".join(f"{q} 0 {d} {g}\n" for q in "1234" for d, g in zip("abc", (2, 0, 1), strict=True))
    )
    (tmp_path / "test.run").write_text(
        "1 Q0 a 1 2 test\n1 Q0 b 2 2 test\n2 Q0 b 1 2 test\n2 Q0 c 2 1 test\n9 Q0 a 1 1 test\n"
    )
    (tmp_path / "full.run").write_text("".join(f"{q} Q0 {d} 1 {s} full\n" for q in "1234" for d, s in (("a", 2), ("c", 1))))
    return tmp_path


FILES = ("evaluate", "--qrels", "qrels", "test.run")


def test_commas_are_like_repeating(folder: Path) -> None:
    once = stdout_of(*FILES, "-m", "AP,nDCG(gain=linear,k=5)", "-m", "P@1", "--json")
    assert once == stdout_of(*FILES, "-m", "AP", "-m", "nDCG(gain=linear, k=5)", "-m", "P@1", "--json")
    assert list(json.loads(once)["test"]["means"]) == ["AP", "nDCG(gain=linear)@5", "P@1"]
    assert "separate measures by commas" in error_of(*FILES, "-m", "AP,")
    assert "there is no measure 'nDGC'" in error_of("evaluate", "--qrels", "nowhere", "x.run", "-m", "AP,nDGC")
    compared = ("compare", "--qrels", "qrels", "test.run", "full.run")
    assert json.loads(stdout_of(*compared, "-m", "AP,RR", "--json"))["measures"] == ["AP", "RR"]


def test_trec_evals_names_have_its_ties_and_are_shown_as_typed(folder: Path) -> None:
    run, qrels = read_run("test.run"), read_qrels("qrels")
    out = json.loads(stdout_of(*FILES, "-m", "map,ndcg_cut.1,2", "-m", "ndcg", "--json"))["test"]
    ours = ["AP", "nDCG(gain=linear)@1", "nDCG(gain=linear)@2", "nDCG(gain=linear)"]
    wanted = evaluate_run(run, qrels, ours, ties="trec")
    assert out["means"] == dict(zip(["map", "ndcg_cut.1", "ndcg_cut.2", "ndcg"], wanted.means.values(), strict=True))
    assert set(out["ties"].values()) == {"trec"} and out["means"]["map"] != evaluate_run(run, qrels, "AP")["AP"]
    assert out["gains"] == dict.fromkeys(["ndcg_cut.1", "ndcg_cut.2", "ndcg"], "linear")
    shown = stdout_of(*FILES, "-m", "map,recip_rank", "--per-query", "--format", "table")
    assert "recip_rank" in shown and "mean of 4 queries, ties as trec_eval" in shown


@pytest.mark.parametrize("names", ["map,AP,ndcg,nDCG", "gm_map,map,AP", "P_1,Rprec,bpref,map_cut_2,nDCG@2,ndcg_cut_2"])
def test_neighbours_of_a_measure_change_nothing(folder: Path, names: str) -> None:
    def found(names: str, *how: str) -> dict[str, list[Any]]:
        out = json.loads(stdout_of(*FILES, "-m", names, *how, "--json"))["test"]
        return {name: [mean, out["ties"][name], out["gains"].get(name)] for name, mean in out["means"].items()}

    for how in ((), ("--ties", "trec"), ("--ties", "average")):
        alone: dict[str, list[Any]] = {}
        for name in names.split(","):
            alone |= found(name, *how)
        assert found(names, *how) == alone and list(alone) == names.split(",")


@pytest.mark.parametrize(("given", "rule"), [("map", "trec"), ("MAP", "average"), ("Rprec", "average"), ("AP", "average")])
def test_lower_case_is_trec_evals(folder: Path, given: str, rule: str) -> None:
    assert list(json.loads(stdout_of(*FILES, "-m", given, "--json"))["test"]["ties"].values()) == [rule]
    averaged = json.loads(stdout_of(*FILES, "-m", given, "--ties", "average", "--json"))["test"]["ties"]
    assert list(averaged.values()) == ["average"]


@pytest.mark.parametrize(
    ("names", "notes"),
    [
        ("AP,RR", []),
        ("map,P@5", ["Equal scores: in trec_eval's order for map; averaged over all their orders for P@5."]),
        ("AP,nDCG@5", ["nDCG@5 with gain 2^g - 1, for grade g."]),
        ("nDCG,nDCG(gain=linear)", ["nDCG with gain 2^g - 1; nDCG(gain=linear) with gain linear, for grade g."]),
    ],
)
def test_gains_and_ties_are_shown(folder: Path, names: str, notes: list[str]) -> None:
    shown = " ".join(stdout_of(*FILES, "-m", names, "--queries", "run", "--format", "table").split())
    assert all(note in shown for note in notes)
    assert ("gain" in shown) == any("gain" in note for note in notes)
    compared = " ".join(stdout_of("compare", "--qrels", "qrels", "test.run", "full.run", "-m", names).split())
    assert all(note.removeprefix("Equal scores: ") in compared for note in notes)


def test_ties_of_a_custom_measure_are_not_said_to_be_averaged(folder: Path) -> None:
    (folder / "first_row.py").write_text(
        "class FirstRow:\n    def evaluate(self, scores, grades, offsets):\n        return grades[offsets[:-1]]\n"
    )
    shown = stdout_of("compare", "--qrels", "qrels", "test.run", "full.run", "-m", "first_row:FirstRow,AP")
    wanted = "equal scores in the order of the rows, unless the measure itself treats them for FirstRow; averaged over all"
    assert wanted in " ".join(shown.split())


def test_gains_do_not_matter_for_binary_grades(folder: Path) -> None:
    (folder / "qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q in "1234" for d, g in zip("abc", (1, 0, 1), strict=True)))
    out = json.loads(stdout_of(*FILES, "-m", "nDCG,ndcg", "--ties", "average", "--json"))["test"]
    assert out["gains"] == {} and out["means"]["nDCG"] == out["means"]["ndcg"]


def test_compare_shows_names_as_typed_too(folder: Path) -> None:
    compared = ("compare", "--qrels", "qrels", "test.run", "full.run", "-m", "ndcg_cut_5,map")
    assert json.loads(stdout_of(*compared, "--json"))["measures"] == ["ndcg_cut_5", "map"]
    assert "ndcg_cut_5" in stdout_of(*compared)
    stdout_of(*compared, "--report", "page.html")
    page = Path("page.html").read_text()
    assert "ndcg_cut_5" in page and "nDCG(gain=linear)" in page  # whose curve by depth is that of linear gains


def test_ranking_data_needs_no_names_of_documents_for_them(folder: Path) -> None:
    (folder / "data.txt").write_text("1 qid:1 1:1\n0 qid:1 1:1\n")
    (folder / "scores").write_text("1\n1\n")
    out = json.loads(stdout_of("evaluate", "data.txt", "--scores", "scores", "-m", "map", "--json"))
    assert out["scores"]["ties"] == {"map": "average"} and out["scores"]["means"] == {"map": 0.75}


def test_which_queries_count(folder: Path) -> None:
    all_of_them = json.loads(stdout_of(*FILES, "-m", "P@1", "--json"))["test"]
    assert (all_of_them["queries"], all_of_them["missing"], all_of_them["means"]["P@1"]) == (4, 2, 0.125)
    _, out, said = run(*FILES, "-m", "P@1", "--queries", "run", "--json")
    own = json.loads(out)["test"]
    assert (own["queries"], own["missing"], own["means"]["P@1"]) == (2, 0, 0.25) and said == ""
    _, _, said = run(*FILES, "-m", "P@1", "--queries", "qrels")
    assert said == "test has nothing for 2 of the 4 judged queries; they count 0. It has 1 without judgments (9).\n"
    shown = stdout_of(*FILES, "full.run", "-m", "P@1", "--queries", "run", "--format", "table")
    rows = [line.split() for line in shown.splitlines() if "│" in line]
    assert [row[1::2] for row in rows] == [["test", "2", "0.2500"], ["full", "4", "1.0000"]]
    official = json.loads(stdout_of(*FILES, "--official", "--queries", "run", "--json"))["test"]
    assert official["num_q"] == 2 and official["num_rel"] == 4
    assert "which go with --qrels" in error_of("evaluate", "data.txt", "--scores", "s", "--queries", "run")
    with pytest.raises(ValueError, match="queries must be 'qrels' or 'run', not 'all'"):
        evaluate_run(read_run("test.run"), read_qrels("qrels"), queries="all")  # type: ignore[arg-type]


def test_a_run_without_judged_queries_is_an_error_either_way(folder: Path) -> None:
    (folder / "other.run").write_text("9 Q0 a 1 1 other\n")
    for which in ("run", "qrels"):
        assert "check that" in error_of("evaluate", "--qrels", "qrels", "other.run", "--queries", which)


def test_comparing_the_queries_of_the_runs(folder: Path) -> None:
    (folder / "half.run").write_text("2 Q0 a 1 2 half\n3 Q0 a 1 2 half\n")
    compared = ("compare", "--qrels", "qrels", "test.run", "half.run", "-m", "P@1", "--json")
    out = json.loads(stdout_of(*compared, "--queries", "run"))
    assert len(out["queries"]) == 3
    assert len(json.loads(stdout_of(*compared))["queries"]) == 4


SEES_PATH = """
import sys
import numpy as np

class SeesPath:
    def evaluate(self, scores, grades, offsets):
        return np.full(offsets.size - 1, sys.path.count({folder!r}))
"""


def test_the_current_folder_is_searched_for_a_custom_measure_only(folder: Path) -> None:
    (folder / "sees_path.py").write_text(SEES_PATH.format(folder=str(folder)))
    (folder / "broken_measure.py").write_text("1 / 0")
    before = list(sys.path)
    found = json.loads(stdout_of(*FILES, "-m", "AP,sees_path:SeesPath", "--json"))["test"]["means"]
    assert found["SeesPath"] == 0.0 and sys.path == before
    assert "cannot import the measure broken_measure:X: division by zero" in error_of(*FILES, "-m", "broken_measure:X")
    assert sys.path == before
