"""Files that tests of several commands share."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from directrank import RankingData, write_letor
from directrank.data import write_scores


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 a 2\n2 0 c 0\n3 0 a 0\n")
    (tmp_path / "one.run").write_text("1 Q0 a 1 2.0 one\n1 Q0 b 2 1.0 one\n2 Q0 c 1 2.0 one\n2 Q0 a 2 1.0 one\n")
    (tmp_path / "two.run.gz").write_bytes(gzip.compress(b"1 Q0 b 1 2.0 two\n1 Q0 a 2 2.0 two\n"))
    return tmp_path


@pytest.fixture
def letor(tmp_path: Path) -> Path:
    data = RankingData(np.array([[1.0, 5], [2, 5], [3, 5]]), [1, 0, 2], [7, 7, 8], ["a", "b", "c"])
    write_letor(tmp_path / "data.txt", data)
    write_scores(tmp_path / "scores", np.array([0.5, 1.5, 0.0]))
    return tmp_path
