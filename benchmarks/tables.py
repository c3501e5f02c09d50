"""Reading CSV, against pyarrow's own reader, which gives columns and no matrix."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from directrank import RankingData

from .timing import Result, at_most, best_of

ROWS, FEATURES, PER_QUERY, TIMES = 1_000_000, 50, 100, 5


def run() -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        csv = Path(folder, "data.csv")
        _write(csv)
        shape = f"read {ROWS:,} x {FEATURES}"
        return [
            _compared(f"{shape}, CSV", lambda: RankingData.read(csv), lambda: pa.csv.read_csv(csv), 2),
        ]


def _compared(what: str, read: Callable[[], object], read_by_pyarrow: Callable[[], object], required: float) -> Result:
    """The shortest of several timings of both, in alternation."""
    ours, theirs = [], []
    for _ in range(TIMES):
        ours.append(best_of(1, read))
        theirs.append(best_of(1, read_by_pyarrow))
    return at_most(what, min(ours), min(theirs), "pyarrow", required)


def _write(csv: Path) -> None:
    random = np.random.default_rng(0)
    columns = {
        "query": [f"query {row // PER_QUERY}" for row in range(ROWS)],
        "docid": [f"d{row}" for row in range(ROWS)],
        "rating": random.integers(0, 5, ROWS),
    }
    columns |= {f"f{j}": random.random(ROWS) for j in range(FEATURES)}
    pa.csv.write_csv(pa.table(columns), csv)
