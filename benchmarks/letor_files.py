"""Reading and writing LETOR text, against scikit-learn, XGBoost, plain bytes, and Python's `repr`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import xgboost
from sklearn.datasets import load_svmlight_file

from directrank import RankingData, read_letor, write_letor

from .timing import Result, at_most, best_of, faster

ROWS, FEATURES, PER_QUERY, COPIES = 160_000, 136, 100, 10

# Memory of one read in a process of its own: resident memory before, the peak (which includes the file's bytes), and the
# size of the resulting arrays.
MEASURE = """
import re, sys
from pathlib import Path
from directrank import read_letor
def status(field):
    return int(re.search(field + r":\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024
read_letor(sys.argv[2])  # warm-up
before = status("VmRSS")
data = read_letor(sys.argv[1])
print(before, status("VmHWM"), data.X.nbytes + data.y.nbytes + data.qid.nbytes)
"""


def run() -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        small, path, large = (Path(folder) / name for name in ("small.txt", "data.txt", "large.txt"))
        _write(small, 1000)
        _write(path, ROWS)
        read_letor(small)
        ours = best_of(5, lambda: read_letor(path))
        with_qid = best_of(1, lambda: load_svmlight_file(path, query_id=True))
        without = best_of(1, lambda: load_svmlight_file(path))
        by_xgboost = best_of(3, lambda: xgboost.DMatrix(f"{path}?format=libsvm"))
        bytes_only = best_of(5, path.read_bytes)
        with_lines = best_of(5, lambda: path.read_bytes().count(b"\n"))
        shape = f"read {ROWS:,} x {FEATURES}"
        return [
            faster(f"{shape}, XGBoost", ours, by_xgboost, 3),
            at_most(f"{shape}, its bytes into memory", ours, bytes_only, "bytes", 2),
            at_most(f"{shape}, its bytes into memory with lines counted", ours, with_lines, "lines", 2),
            faster(f"{shape}, scikit-learn with query_id", ours, with_qid, 15),
            faster(f"{shape}, scikit-learn without", ours, without, 4),
            _memory(path, small),
            _growth(path, large, ours),
            _writing(read_letor(path), Path(folder)),
        ]


def _write(path: Path, rows: int) -> None:
    """Rows like those of MSLR-WEB10K: every feature written out, six decimals."""
    random = np.random.default_rng(0)
    with open(path, "w") as file:
        form = " ".join(f"{j}:%.6f" for j in range(1, FEATURES + 1))
        for row in range(rows):
            values = form % tuple(random.random(FEATURES).tolist())
            file.write(f"{row % 5} qid:{row // PER_QUERY + 1} {values}\n")


def _memory(path: Path, small: Path) -> Result:
    out = subprocess.run([sys.executable, "-c", MEASURE, path, small], capture_output=True, text=True, check=True)
    before, peak, arrays = map(int, out.stdout.split())
    used = peak - before - os.path.getsize(path)
    ratio = used / arrays
    return Result(
        "read: peak memory without the file's pages",
        f"{used / 2**20:.0f} MiB",
        f"arrays {arrays / 2**20:.0f} MiB",
        f"{ratio:.2f} x",
        "at most 1.5 x",
        ratio <= 1.5,
    )


def _growth(path: Path, large: Path, seconds: float) -> Result:
    with open(large, "wb") as file:
        for _ in range(COPIES):
            file.write(path.read_bytes())
    longer = best_of(3, lambda: read_letor(large))
    ratio = longer / seconds / COPIES
    what = f"read {ROWS * COPIES:,} rows: time per row against {ROWS:,}"
    return Result(what, f"{longer:.2f} s", f"{seconds:.3f} s", f"{ratio:.2f} x", "linear: about 1 x", ratio <= 1.3)


def _writing(data: RankingData, folder: Path) -> Result:
    """Compare with Python's `repr` on a tenth of the rows; the texts must be equal."""
    part = data.select(np.arange(len(data) // 10))
    write_letor(folder / "ours.txt", part)
    theirs = best_of(3, lambda: _write_in_python(folder / "theirs.txt", part))
    assert (folder / "ours.txt").read_bytes() == (folder / "theirs.txt").read_bytes()
    ours = best_of(3, lambda: write_letor(folder / "ours.txt", data))
    return faster(f"write {ROWS:,} x {FEATURES}, repr and join of Python", ours, 10 * theirs, 10)


def _write_in_python(path: Path, data: RankingData) -> None:
    assert data.qid is not None
    names = [f"{j}:" for j in range(1, data.n_features + 1)]
    with open(path, "w") as file:
        for grade, qid, row in zip(data.y.tolist(), data.qid.tolist(), data.X.tolist(), strict=True):
            file.write(f"{grade:g} qid:{qid} {' '.join(map(str.__add__, names, map(repr, row)))}\n")
