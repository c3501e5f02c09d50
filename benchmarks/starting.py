"""From the start of a process to its first evaluation."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

from .timing import Result

CODE = "from directrank import evaluate; evaluate([1, 0, 0, 1], [.9, .2, .7, .5], [1, 1, 2, 2], ['AP', 'nDCG@10', 'RR'])"


def run() -> list[Result]:
    with tempfile.TemporaryDirectory() as cache:
        cold = _start(cache)
        warm = min(_start(cache) for _ in range(3))
    return [
        Result("first evaluate of a new process, kernels cached", f"{warm:.2f} s", "", "", "at most 1.5 s", warm <= 1.5),
        Result("first evaluate of a new process, kernels compiled", f"{cold:.2f} s", "", "", "no limit", True),
    ]


def _start(cache: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", CODE], env={**os.environ, "NUMBA_CACHE_DIR": cache}, check=True)
    return time.perf_counter() - start
