"""``directrank describe``."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from harness import stdout_of


def test_describe(letor: Path) -> None:
    out = stdout_of("describe", letor / "data.txt")
    assert "constant features" in out and "1: 2" in out and "! 1 queries have only one grade" in out
    out = json.loads(stdout_of("describe", letor / "data.txt", "--json"))
    assert out["n_queries"] == 2 and out["constant_features"] == ["2"] and out["grades"] == {"0.0": 1, "1.0": 1, "2.0": 1}


@pytest.mark.skipif(not hasattr(pty, "fork"), reason="needs a terminal")
def test_tables_fit_a_terminal(letor: Path) -> None:
    main, other = pty.openpty()
    env = {**os.environ, "COLUMNS": "80", "TERM": "xterm"}
    subprocess.run(
        [sys.executable, "-m", "directrank", "describe", str(letor / "data.txt")],
        stdout=other,
        stderr=other,
        env=env,
        check=True,
        timeout=300,
    )
    os.close(other)
    shown = b""
    while True:
        try:
            part = os.read(main, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    assert b"queries" in shown
