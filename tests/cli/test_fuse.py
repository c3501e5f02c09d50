"""``directrank fuse``: with and without learning, and a run on standard output."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from harness import error_of, run, stdout_of

from directrank import Evaluation, compare_all, read_run
from directrank.cli.actions.fuse import _print_comparison
from directrank.cli.commands.fuse import WITHOUT_LEARNING
from directrank.fusion import FUSIONS


def test_the_help_names_all_fusion_methods() -> None:
    assert list(WITHOUT_LEARNING) == list(FUSIONS)


def test_standard_output_has_the_run_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b 0\n")
    for name, order in (("one", "ab"), ("two", "ba")):
        lines = (f"{q} Q0 {doc} {rank} {-rank} {name}\n" for q in (1, 2) for rank, doc in enumerate(order, 1))
        Path(f"{name}.run").write_text("".join(lines))

    command = ("fuse", "one.run", "two.run", "--qrels", "qrels", "--learner", "rrf", "-o", "-")
    code, fused, said = run(*command)
    Path("fused.run").write_text(fused)
    assert code == 0 and read_run("fused.run").docno.size == 4 and "against rrf" in said and not Path("-").exists()
    assert "so --json cannot be printed there" in error_of(*command, "--json")


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
    out = json.loads(stdout_of("fuse", *common, *settings, "--thresholds", "10", "-o", folder / "fused.run", "--json"))
    name = f"{learner}-AP"
    means = {row["ranking"]: row["mean"] for row in out["means"]}
    assert out["baseline"] == name and set(out["rankings"]) == {"good", "fair", "bad", "rrf", "combsum", name}
    assert out["run"] == str(folder / "fused.run") and out["fusion"] == name
    assert means[name] > means["fair"] > means["bad"] and list(means.values()) == sorted(means.values(), reverse=True)
    fused = read_run(folder / "fused.run")
    assert len(set(fused.qid.tolist())) == 21  # the one without judgments too
    again = json.loads(stdout_of("fuse", *common, *settings, "--thresholds", "0", "-o", folder / "fused.run", "--json"))
    means = {row["ranking"]: row["mean"] for row in again["means"]}
    assert means[name] > means["bad"]


def test_fuse_without_learning(several_runs: list[Path]) -> None:
    folder = several_runs[0].parent
    said = stdout_of("fuse", *several_runs, "--learner", "rrf", "-o", folder / "rrf.run")
    fused = read_run(folder / "rrf.run")
    assert said == f"{folder}/rrf.run: rrf of 3 runs (good, fair, bad); 21 queries, {len(fused)} documents\n"
    assert fused.name == "rrf"
    out = stdout_of("fuse", *several_runs, "--qrels", folder / "qrels", "--learner", "combmnz", "-o", folder / "mnz.run")
    assert "AP, against combmnz" in out and "good" in out and "Holm" in out and "learns nothing" not in out
    (folder / "other.run").write_text("99 Q0 d1 1 1.0 rrf\n")
    done = run(
        "fuse", several_runs[0], folder / "other.run", "--qrels", folder / "qrels", "--learner", "rrf", "-o", folder / "f"
    )
    assert done.code == 0 and "rrf-fused" in done.out and "rrf has nothing for the judged queries." in done.err


def test_judged_queries_that_no_run_has_do_not_count(several_runs: list[Path]) -> None:
    qrels = several_runs[0].parent / "qrels"
    command = ("fuse", *several_runs, "--qrels", qrels, "--learner", "rrf", "-o", qrels.parent / "f.run", "--json")
    before = json.loads(stdout_of(*command))
    qrels.write_text(qrels.read_text() + "".join(f"{qid} 0 d1 1\n" for qid in range(100, 150)))
    after = json.loads(stdout_of(*command))
    assert len(after["queries"]) == 20 and after["means"] == before["means"]


def test_json_without_judgments(several_runs: list[Path]) -> None:
    output = several_runs[0].parent / "f.run"
    content = json.loads(stdout_of("fuse", *several_runs, "--learner", "rrf", "-o", output, "--json"))
    assert content == {"run": str(output), "fusion": "rrf", "queries": 21, "documents": len(read_run(output))}


def test_a_learned_fusion_is_compared_with_those_that_learn_nothing(several_runs: list[Path]) -> None:
    folder = several_runs[0].parent
    (folder / "rrf.run").write_text((folder / "fair.run").read_text().replace("fair", "rrf"))
    runs = folder / "good.run", folder / "rrf.run"
    learned = ("fuse", *runs, "--qrels", folder / "qrels", "--learner", "adarank", "--folds", "2")
    out = stdout_of(*learned, "-o", folder / "fused.run")
    report = json.loads(stdout_of(*learned, "-o", folder / "fused.run", "--json"))
    alone = json.loads(
        stdout_of("fuse", *runs, "--qrels", folder / "qrels", "--learner", "combsum", "-o", folder / "c.run", "--json")
    )
    means, combsum = ({row["ranking"]: row["mean"] for row in found["means"]} for found in (report, alone))
    assert set(means) == {"good", "rrf", "adarank-AP", "rrf-fused", "combsum"} and means["combsum"] == combsum["combsum"]
    p = {pair["first"]: pair["corrected_p"] for pair in report["comparisons"]}
    assert means["rrf-fused"] < means["adarank-AP"] and p["rrf-fused"] < 0.05 <= p["combsum"]
    assert "\ncombsum learns nothing, needs no judgments, and is not significantly different from adarank-AP.\n" in out
    documents = len(read_run(folder / "fused.run"))
    assert out.endswith(f"adarank-AP of 2 runs (good, rrf), learned in 2 folds; 21 queries, {documents} documents\n")


def test_fusion_that_learns_nothing_may_be_better(capsys: pytest.CaptureFixture[str]) -> None:
    values = np.random.default_rng(0).random(30) / 2
    by_name = {"svm": values, "rrf": values + 0.1, "combsum": values + 0.2}
    evaluations = {name: Evaluation(np.arange(30), {"AP": each}, {"AP": 0}) for name, each in by_name.items()}
    _print_comparison(compare_all(evaluations, "svm"), ["rrf", "combsum"])
    said = capsys.readouterr().out
    assert said.endswith("rrf and combsum learn nothing, need no judgments, and are significantly better than svm.\n")


def test_bad_input(several_runs: list[Path]) -> None:
    folder = several_runs[0].parent
    out = ("-o", folder / "fused.run")
    assert "svm learns from judgments; give them with --qrels" in error_of("fuse", *several_runs, *out)
    for source in (several_runs[0], folder / "qrels"):
        said = error_of("fuse", *several_runs, "--qrels", folder / "qrels", "--learner", "rrf", "-o", source)
        assert "is both an input and the output" in said
    assert "rrf learns nothing" in error_of("fuse", *several_runs, "--learner", "rrf", "--set", "k=1", *out)
    for name in ("same", "equal"):
        (folder / f"{name}.run").write_text("".join(f"{q} Q0 d1 1 1.0 {name}\n" for q in range(20)))
    equal = (folder / "same.run", folder / "equal.run")
    assert "the scores of every run are all equal" in error_of("fuse", *equal, "--qrels", folder / "qrels", *out)
    assert "there is one run, " in error_of("fuse", equal[0], "--qrels", folder / "qrels", *out)
    assert "its folder does not exist" in error_of("fuse", *several_runs, "-o", folder / "nowhere" / "x.run")
    (folder / "few").write_text("0 0 d1 1\n")
    assert "1 judged queries cannot make 5 folds" in error_of("fuse", *several_runs, "--qrels", folder / "few", *out)
    assert not (folder / "fused.run").exists()


def test_the_seed_assigns_queries_to_folds(several_runs: list[Path]) -> None:
    folder = several_runs[0].parent
    common = ("fuse", "--qrels", folder / "qrels", *several_runs, "--learner", "adarank", "--folds", "2", "-o")

    def fused(name: str, *seed: object) -> str:
        stdout_of(*common, folder / name, *seed)
        return (folder / name).read_text()

    assert fused("a") == fused("b", "--seed", 0) != fused("c", "--seed", 1)
