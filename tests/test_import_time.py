"""Importing the package or asking the command for help must not import what only some users need."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import directrank
from directrank.cli import app

HEAVY = ("numpy", "scipy", "sklearn", "lightgbm", "pandas", "pyarrow", "altair", "optuna", "dask")


def imported_by(code: str, modules: tuple[str, ...] = HEAVY) -> set[str]:
    """Which of the heavy packages, or of some modules, a process has imported after some code."""
    code = f"import sys\n{code}\nprint([name for name in {modules} if name in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    return set(json.loads(out.stdout.splitlines()[-1].replace("'", '"')))


def test_importing_the_package_imports_nothing() -> None:
    assert imported_by("import directrank; dir(directrank)") == set()


def test_evaluating_needs_no_heavy_import() -> None:
    evaluating = "import directrank; directrank.evaluate([1, 0], [0.2, 0.1], measures='AP')"
    assert imported_by(evaluating) <= {"numpy", "scipy"}


ASKING = """
import contextlib, io
from directrank.cli import main
for arguments in {arguments}:
    sys.argv = ["directrank", *arguments]
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):
        main()
    assert out.getvalue(), arguments
"""


def test_version_and_help_import_nothing() -> None:
    assert imported_by(ASKING.format(arguments=[["--version"], ["--help"]])) == set()


def test_help_of_commands_imports_nothing() -> None:
    asked = [[name, "--help"] for name in app.COMMANDS] + [["papers", "run", "--help"]]
    assert imported_by(ASKING.format(arguments=asked)) == set()


def test_completing_names_imports_nothing() -> None:
    completing = """
import contextlib, io, os
os.environ["_DIRECTRANK_COMPLETE"] = "complete_bash"
from directrank.cli import main
for words, wanted in (("train --learner lamb", "lambdamart"), ("evaluate -m AP,nDCG@1", "AP,nDCG@10"), ("eva", "evaluate")):
    os.environ.update(COMP_WORDS=f"directrank {words}", COMP_CWORD=str(len(words.split())))
    sys.argv = ["directrank"]
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):
        main()
    assert out.getvalue().split() == [wanted], out.getvalue()
"""
    assert imported_by(completing) == set()


def test_names_are_there_when_asked_for() -> None:
    for name in directrank.__all__:
        assert getattr(directrank, name).__name__ == name and name in dir(directrank)
    assert directrank.learners.LambdaMART is directrank.LambdaMART and "measures" in dir(directrank)
    with pytest.raises(AttributeError, match="LamdaMART"):
        _ = directrank.LamdaMART


TRAINING = """
from directrank.cli import main
rows = [f"{{i % 3}} qid:{{i // 4}} 1:{{i * i % 7}} 2:{{i % 5}}" for i in range(40)]
open({data!r}, "w").write("\\n".join(rows) + "\\n")
sys.argv = ["directrank", "train", {data!r}, "--learner", {learner!r}, "-o", {model!r}, "--json"]
try:
    main()
except SystemExit as ended:
    assert not ended.code, ended.code
"""


@pytest.mark.parametrize("learner", ["svm", "adarank"])
def test_training_imports_nothing_that_its_learner_does_not_need(learner: str, tmp_path: Path) -> None:
    code = TRAINING.format(data=str(tmp_path / "data.txt"), model=str(tmp_path / "model.json"), learner=learner)
    assert imported_by(code, ("lightgbm", "altair", "optuna", "dask")) == set()
