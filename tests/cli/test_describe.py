"""``directrank describe``."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from harness import error_of, stdout_of

from directrank import write_letor
from directrank.datasets import make_ranking


def test_describe(letor: Path) -> None:
    out = stdout_of("describe", letor / "data.txt")
    assert "constant features" in out and "1: 2" in out and "! 1 query has only one grade" in out
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


def test_several_files(tmp_path: Path) -> None:
    data = make_ranking(9, random_state=0)
    parts = {"train.txt": data.select_queries(np.arange(6)), "test.txt": data.select_queries(np.arange(4, 9))}
    for name, part in parts.items():
        write_letor(tmp_path / name, part)
    out = stdout_of("describe", "train.txt", "test.txt", folder=tmp_path)
    assert "! 2 of the 5 queries of test.txt are in train.txt too" in out and "have the same features as a row" in out
    found = json.loads(stdout_of("describe", "train.txt", "test.txt", "--json", folder=tmp_path))
    assert {name: each["n_queries"] for name, each in found["files"].items()} == {"train.txt": 6, "test.txt": 5}
    (shared,) = found["shared"]
    assert (shared["file"], shared["other"], shared["queries"]) == ("test.txt", "train.txt", 2)
    n_rows = len(data.select_queries(np.arange(4, 6)))
    assert shared["rows"] == n_rows and all(said in out for said in shared["warnings"])
    assert "test.txt is given twice; name each file once" in error_of("describe", "test.txt", "./test.txt", folder=tmp_path)
