"""Measures with commas and by trec_eval's names, and which queries count: as a user types them."""

from __future__ import annotations

import json
from pathlib import Path

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
    out = json.loads(stdout_of(*FILES, "-m", "map,ndcg_cut.1,2", "-m", "Rprec", "--json"))["test"]
    wanted = evaluate_run(run, qrels, ["AP", "nDCG(gain=linear)@1", "nDCG(gain=linear)@2", "Rprec"], ties="trec")
    assert out["means"] == dict(zip(["map", "ndcg_cut.1", "ndcg_cut.2", "Rprec"], wanted.means.values(), strict=True))
    assert out["ties"] == "trec" and out["means"]["map"] != evaluate_run(run, qrels, "AP")["AP"]
    shown = stdout_of(*FILES, "-m", "map,recip_rank", "--per-query")
    assert "recip_rank" in shown and "mean of 4 queries, ties as trec_eval" in shown


@pytest.mark.parametrize("case", [str, str.lower, str.upper])
def test_neighbours_of_a_measure_and_letter_case_change_nothing(folder: Path, case) -> None:
    def means(names: str) -> list[float]:
        found = json.loads(stdout_of(*FILES, "-m", case(names), "--json"))["test"]
        assert found["ties"] == "trec" and list(found["means"]) == case(names).split(",")
        return list(found["means"].values())

    assert means("Rprec,map") == means("Rprec") + means("map")
    assert means("infAP,bpref") == means("infAP") + means("bpref")


@pytest.mark.parametrize("given", [("-m", "map,AP"), ("-m", "ndcg"), ("-m", "AP"), ("-m", "map", "--ties", "average")])
def test_other_names_and_the_option_keep_the_mean_over_ties(folder: Path, given: tuple[str, ...]) -> None:
    assert json.loads(stdout_of(*FILES, *given, "--json"))["test"]["ties"] == "average"


@pytest.mark.parametrize(
    ("names", "notes"),
    [
        ("AP,nDCG@5", ""),
        ("map,Rprec", "Ties are broken as in trec_eval, since all measures have its names; use --ties average "),
        ("map,P@5", "Ties are averaged over their orders, since P@5 is not a trec_eval name; use --ties trec "),
        (
            "ndcg",
            "ndcg is nDCG with exponential gains here; trec_eval's is nDCG(gain=linear), and with a cut-off ndcg_cut_10.",
        ),
    ],
)
def test_notes_on_names_and_ties(folder: Path, names: str, notes: str) -> None:
    code, _, said = run(*FILES, "-m", names, "--json", "--queries", "run")
    assert code == 0 and said.startswith(notes) and said.count("\n") == (notes != "")


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
    assert out["scores"]["ties"] == "average" and out["scores"]["means"] == {"map": 0.75}


def test_which_queries_count(folder: Path) -> None:
    all_of_them = json.loads(stdout_of(*FILES, "-m", "P@1", "--json"))["test"]
    assert (all_of_them["queries"], all_of_them["missing"], all_of_them["means"]["P@1"]) == (4, 2, 0.125)
    _, out, said = run(*FILES, "-m", "P@1", "--queries", "run", "--json")
    own = json.loads(out)["test"]
    assert (own["queries"], own["missing"], own["means"]["P@1"]) == (2, 0, 0.25) and said == ""
    _, _, said = run(*FILES, "-m", "P@1", "--queries", "qrels")
    assert said == "test has nothing for 2 of the 4 judged queries; they count 0.\n"
    shown = stdout_of(*FILES, "full.run", "-m", "P@1", "--queries", "run")
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
