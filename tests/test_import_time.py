"""Importing the package must not import what only some of its users need."""

import subprocess
import sys


def test_evaluating_needs_no_heavy_import() -> None:
    code = "import sys, directrank; print(sorted({'sklearn', 'lightgbm', 'pandas', 'pyarrow', 'rich'} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
