"""Importing the package must not import what only some of its users need."""

import subprocess
import sys


def test_evaluating_needs_no_heavy_import() -> None:
    heavy = {"sklearn", "lightgbm", "pandas", "pyarrow", "rich", "altair"}
    code = f"import sys, directrank; print(sorted({heavy} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    assert out.stdout.strip() == "[]"


def test_commands_that_train_nothing_need_no_scikit_learn() -> None:
    code = """
import sys
from typer.testing import CliRunner
from directrank.cli.app import app
for command in ("compare", "convert", "describe", "evaluate", "export", "predict", "report"):
    assert CliRunner().invoke(app, [command, "--help"]).exit_code == 0
print("sklearn" in sys.modules, CliRunner().invoke(app, ["trian"]).output)
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    assert out.stdout.startswith("False") and "Did you mean 'train'?" in out.stdout
