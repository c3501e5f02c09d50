"""Unusual outputs, names, locales and settings: one sentence, before any work."""

from __future__ import annotations

import json
import os
import pydoc
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from harness import Ended, error_of, error_sentence, run, stderr_of, stdout_of

import directrank
from directrank import RankingData, write_letor
from directrank.datasets import make_ranking


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    data = make_ranking(20, (5, 10), random_state=0)
    write_letor(tmp_path / "data.txt", data)
    write_letor(tmp_path / "set.txt", RankingData(data.X, data.y))
    (tmp_path / "broken.txt").write_text("not data\n")
    (tmp_path / "a.run").write_text("1 Q0 a 1 2.0 one\n")
    (tmp_path / "docs.tsv").write_text("d1\tone\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


#: Each writes to its last argument, and would find something wrong with its source if it came to read it.
WRITING = [
    ("train", "broken.txt", "-o"),
    ("predict", "broken.txt", "broken.txt", "-o"),
    ("fuse", "broken.txt", "--learner", "rrf", "-o"),
    ("convert", "broken.txt"),
    ("features", "broken.txt", "broken.txt", "broken.txt", "-o"),
    ("compare", "broken.txt", "--scores", "broken.txt", "--report"),
    ("report", "broken.txt", "--scores", "broken.txt", "-o"),
    ("fuse", "broken.txt", "--qrels", "broken.txt", "-o", "fused.run", "--report"),
]


@pytest.mark.parametrize("command", WRITING, ids=" ".join)
def test_an_output_that_cannot_be_written_is_an_error_before_any_work(folder: Path, command: tuple[str, ...]) -> None:
    (folder / "there").mkdir()
    assert error_of(*command, "there") == "there is a folder; name a file to write"
    assert error_of(*command, "nowhere/out") == "nowhere/out: its folder does not exist"
    assert error_of(*command, "/proc/out").startswith("/proc/out cannot be written: ")
    assert not list((folder / "there").iterdir())


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_an_error(folder: Path) -> None:
    (folder / "there").mkdir(mode=0o500)
    assert error_of("train", "broken.txt", "-o", "there/out") == "there/out cannot be written: Permission denied"


@pytest.mark.parametrize(
    "command", ["describe broken.txt", "convert broken.txt x.parquet", "evaluate --qrels broken.txt a.run"]
)
def test_whether_a_file_is_readable_is_left_to_its_reader(
    folder: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """Typer, which asks `os.access`, would print a panel; a reader's error is one sentence."""
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.R_OK)
    assert error_of(*command.split()).startswith("broken.txt:1: ")


def test_a_file_without_queries_is_noted(folder: Path) -> None:
    lines = (folder / "set.txt").read_text().count("\n")
    advice = "if they belong to several, name the column with --query (LETOR text: write qid:QUERY after each grade)."
    said = f"set.txt has no qid: all its {lines} rows are treated as one query; {advice}\n"
    assert stderr_of("train", "set.txt", "-o", "m.json", "--set", "C=1") == said
    validated = ("train", "data.txt", "--validate", "set.txt", "--learner", "adarank", "-o", "m.json")
    assert stderr_of(*validated).count("has no qid") == 1
    for given in (("-m", "AUC", "--set", "C=1"), ("-m", "F1", "--learner", "multivariate", "--set", "C=1")):
        assert "qid" not in stderr_of("train", "set.txt", "-o", "m.json", *given)


def test_arguments_that_are_not_utf_8(folder: Path) -> None:
    assert "\\udcff/out: its folder does not exist" in error_of("train", "data.txt", "-o", b"\xff/out")
    assert "\\udcff" in error_of("train", "data.txt", "-o", "m", "-m", b"A\xff")
    assert "\\udcff" in error_of("train", "data.txt", "-o", "m", "--set", b"C=\xff")
    assert run("train", "data.txt", "-o", "m", "--learner", b"\xff").code == 2


@pytest.mark.parametrize("run", [run, partial(run, encoding="ascii")], ids=["", "ascii"])
def test_files_whose_names_are_not_utf_8(folder: Path, run: Callable[..., Ended]) -> None:
    assert "\\udcff.txt: No such file" in error_sentence(run("train", b"no\xff.txt", "-o", "m"))
    odd = os.path.join(os.fsencode(folder), b"d\xff.txt")
    with open(odd, "wb") as file:
        file.write((folder / "data.txt").read_bytes())
    out = run("train", odd, "-o", b"m\xfe.json", "--set", "C=1")
    assert out.code == 0 and "d\\udcff.txt" in out.out and b"m\xfe.json" in os.listdir(os.fsencode(folder))


def test_an_ascii_terminal(folder: Path) -> None:
    os.replace("data.txt", "dé.txt")
    out = run("train", "dé.txt", "-o", "m.json", "--set", "C=1", encoding="ascii")
    assert out.code == 0 and "d\\xe9.txt" in out.out
    for command in ("train", "fuse", "demo"):
        assert run(command, "--help", encoding="ascii").code == 0


SVM_PARAMETERS = "C, Cs, basis, bound, coef0, cv, degree, gamma, kernel, max_iter, scaling, tol"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (("--set", "Cs=1"), "Cs must be a list of values of C to try, not 1"),
        (("--set", "Cs=1,x"), "C must be a number above 0, not 'x'"),
        (("--set", "Cs="), "Cs must be a list of values of C to try, not ''"),
        (("--set", "C=nan"), "C must be a number above 0 or 'auto', not nan"),
        (("--set", "C=1,2"), "C must be a number above 0 or 'auto', not [1, 2]"),
        (("--set", "=1"), f"--set: svm has no parameter ''; it has {SVM_PARAMETERS}"),
        (("--set", "measure=AP"), f"--set: svm has no parameter 'measure'; it has {SVM_PARAMETERS}"),
        (("--set", "max_iter=1e3"), "max_iter must be an integer of at least 1, not 1000.0"),
        (("-m", "P@99999999999999999999"), "P: k must be an integer between 1 and 2^62, not 99999999999999999999"),
        (("-m", "nDCG@0"), "nDCG: k must be an integer between 1 and 2^62, not 0"),
        (("-m", "AP(rel=1e999)"), "AP: rel must be a number above 0, not inf"),
    ],
)
def test_settings_and_measures_out_of_range(folder: Path, given: tuple[str, ...], sentence: str) -> None:
    assert error_of("train", "data.txt", "-o", "m.json", *given) == sentence
    assert not (folder / "m.json").exists()


def test_a_list_is_written_with_commas(folder: Path) -> None:
    out = json.loads(stdout_of("train", "data.txt", "-o", "m.json", "--set", "Cs=0.1,1", "--set", "bound=convex", "--json"))
    assert out["C"] in (0.1, 1.0)


def test_help_lists_the_learners() -> None:
    shown = pydoc.plain(pydoc.render_doc(directrank))
    assert all(f"class {name}(" in shown for name in ("SVMRanker", "LambdaMART", "AdaRank"))
