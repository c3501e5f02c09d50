"""How the command treats odd targets, names, locales and settings: one sentence, before any work."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

import pytest

from directrank import RankingData, write_letor
from directrank.cli import main
from directrank.datasets import make_ranking


def run(folder: Path, *arguments: str | bytes, **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "directrank", *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, check=False, env={**os.environ, **environment}, timeout=300
    )


def refused(folder: Path, *arguments: str) -> str:
    """The one sentence that bad input gets. In this process: one of its own takes a second."""
    out, errors = io.StringIO(), io.StringIO()
    with (
        chdir(folder),
        mock.patch.object(sys, "argv", ["directrank", *arguments]),
        mock.patch.object(sys, "path", [*sys.path]),  # main adds to it
        redirect_stdout(out),
        redirect_stderr(errors),
        pytest.raises(SystemExit) as end,
    ):
        main()
    assert end.value.code == 2
    return one_sentence(out.getvalue(), errors.getvalue())


def refused_elsewhere(folder: Path, *arguments: str | bytes, **environment: str) -> str:
    """The same in a process of its own, with names that are bytes and another environment."""
    out = run(folder, *arguments, **environment)
    assert out.returncode == 2
    return one_sentence(out.stdout.decode(), out.stderr.decode())


def one_sentence(out: str, said: str) -> str:
    assert out == "" and said.startswith("directrank: ") and said.count("\n") == 1, said
    return said.removeprefix("directrank: ").removesuffix("\n")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    data = make_ranking(20, (5, 10), random_state=0)
    write_letor(tmp_path / "data.txt", data)
    write_letor(tmp_path / "set.txt", RankingData(data.X, data.y))
    (tmp_path / "broken.txt").write_text("not data\n")
    (tmp_path / "a.run").write_text("1 Q0 a 1 2.0 one\n")
    (tmp_path / "docs.tsv").write_text("d1\tone\n")
    return tmp_path


#: Each writes to its last argument, and would find something wrong with its source if it came to read it.
WRITING = [
    ("train", "broken.txt", "-o"),
    ("predict", "broken.txt", "broken.txt", "-o"),
    ("fuse", "broken.txt", "--learner", "rrf", "-o"),
    ("convert", "broken.txt"),
    ("features", "broken.txt", "broken.txt", "broken.txt", "-o"),
    ("compare", "broken.txt", "--scores", "broken.txt", "-o"),
    ("report", "broken.txt", "--scores", "broken.txt", "-o"),
    ("fuse", "broken.txt", "--qrels", "broken.txt", "-o", "fused.run", "--report"),
]


@pytest.mark.parametrize("command", WRITING, ids=" ".join)
def test_a_target_that_cannot_be_written_is_refused_before_any_work(folder: Path, command: tuple[str, ...]) -> None:
    (folder / "there").mkdir()
    assert refused(folder, *command, "there") == "there is a folder; name a file to write"
    assert refused(folder, *command, "nowhere/out") == "nowhere/out: there is no such folder to write to"
    assert refused(folder, *command, "/proc/out").startswith("/proc/out cannot be written: ")
    assert not list((folder / "there").iterdir())


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_refused(folder: Path) -> None:
    (folder / "there").mkdir(mode=0o500)
    assert refused(folder, "train", "broken.txt", "-o", "there/out") == "there/out cannot be written: Permission denied"


def test_a_file_without_queries_is_remarked_on(folder: Path) -> None:
    out = run(folder, "train", "set.txt", "-o", "m.json", "--set", "C=1")
    lines = (folder / "set.txt").read_text().count("\n")
    advice = "write qid:QUERY after each grade (Parquet: a column qid) if they are of several."
    said = f"set.txt has no qid: all its {lines} rows are taken as one query; {advice}\n"
    assert out.returncode == 0 and out.stderr.decode() == said
    out = run(folder, "train", "data.txt", "--validate", "set.txt", "--learner", "adarank", "-o", "m.json")
    assert out.stderr.decode().count("has no qid") == 1
    for given in (("-m", "AUC", "--set", "C=1"), ("-m", "F1", "--learner", "multivariate", "--set", "C=1")):
        assert b"qid" not in run(folder, "train", "set.txt", "-o", "m.json", *given).stderr


ASCII = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.parametrize("environment", [{}, ASCII], ids=["", "ascii"])
def test_a_name_that_is_not_utf_8(folder: Path, environment: dict[str, str]) -> None:
    assert "\\udcff.txt: No such file" in refused_elsewhere(folder, "train", b"no\xff.txt", "-o", "m", **environment)
    assert "\\udcff/out: there is no such folder" in refused_elsewhere(
        folder, "train", "data.txt", "-o", b"\xff/out", **environment
    )
    assert "\\udcff" in refused_elsewhere(folder, "train", "data.txt", "-o", "m", "-m", b"A\xff", **environment)
    assert "\\udcff" in refused_elsewhere(folder, "train", "data.txt", "-o", "m", "--set", b"C=\xff", **environment)
    assert run(folder, "train", "data.txt", "-o", "m", "--learner", b"\xff", **environment).returncode == 2
    odd = os.path.join(os.fsencode(folder), b"d\xff.txt")
    with open(odd, "wb") as file:
        file.write((folder / "data.txt").read_bytes())
    out = run(folder, "train", odd, "-o", b"m\xfe.json", "--set", "C=1", **environment)
    assert out.returncode == 0 and b"d\\udcff.txt" in out.stdout and b"m\xfe.json" in os.listdir(os.fsencode(folder))


def test_an_ascii_terminal(folder: Path) -> None:
    out = run(folder, "train", "data.txt", "-o", "mé.json", "--set", "C=1", **ASCII)
    assert out.returncode == 0 and out.stdout.isascii()
    for command in ("train", "fuse", "demo"):
        assert run(folder, command, "--help", **ASCII).returncode == 0


@pytest.mark.slow
def test_the_demo_on_an_ascii_terminal(folder: Path) -> None:
    out = run(folder, "demo", "--quick", "--learner", "rankboost", **ASCII)
    assert out.returncode == 0 and b"\\u25cf" in out.stdout


OF_SVM = "C, Cs, bound, coef0, cv, degree, gamma, kernel, max_iter, tol"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (("--set", "Cs=1"), "Cs must be a list of values of C to try, not 1"),
        (("--set", "Cs=1,x"), "C must be a number above 0, not 'x'"),
        (("--set", "Cs="), "Cs must be a list of values of C to try, not ''"),
        (("--set", "C=nan"), "C must be a number above 0 or 'auto', not nan"),
        (("--set", "C=1,2"), "C must be a number above 0 or 'auto', not [1, 2]"),
        (("--set", "=1"), f"--set: svm has no parameter ''; it has {OF_SVM}"),
        (("--set", "measure=AP"), f"--set: svm has no parameter 'measure'; it has {OF_SVM}"),
        (("--set", "max_iter=1e3"), "max_iter must be an integer of at least 1, not 1000.0"),
        (("-m", "P@99999999999999999999"), "P: k must be an integer between 1 and 2^62, not 99999999999999999999"),
        (("-m", "nDCG@0"), "nDCG: k must be an integer between 1 and 2^62, not 0"),
        (("-m", "AP(rel=1e999)"), "AP: rel must be a number above 0, not inf"),
    ],
)
def test_settings_and_measures_out_of_range(folder: Path, given: tuple[str, ...], sentence: str) -> None:
    assert refused(folder, "train", "data.txt", "-o", "m.json", *given) == sentence
    assert not (folder / "m.json").exists()


def test_a_list_is_written_with_commas(folder: Path) -> None:
    out = run(folder, "train", "data.txt", "-o", "m.json", "--set", "Cs=0.1,1", "--set", "bound=convex", "--json")
    assert out.returncode == 0 and (b'"C": 0.1' in out.stdout or b'"C": 1.0' in out.stdout)


def test_help_lists_the_learners() -> None:
    out = subprocess.run(
        [sys.executable, "-c", "import directrank; help(directrank)"], capture_output=True, text=True, timeout=300
    )
    assert out.returncode == 0 and all(f"class {name}(" in out.stdout for name in ("SVMRanker", "LambdaMART", "AdaRank"))
