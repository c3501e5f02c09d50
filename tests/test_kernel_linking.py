"""Kernels are compiled with what they call, and kept on disk alone; whoever waits for it is told."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

SENTENCE = "compiling kernels, once after installing: this takes some seconds"

MODULE = """
import numpy as np
from directrank.kernel_compiler import njit, prange

@njit(cache=True)
def square(x):
    if x < 0:
        raise ValueError("below zero")
    return x * x

@njit(cache=True)
def cube(x):
    return x * square(x)

@njit(cache=True, parallel=True)
def cubes(values):
    found = np.empty(values.size)
    for i in prange(values.size):
        found[i] = cube(values[i]) + square(2)
    return np.sort(found)

@njit(cache=True)
def copy(to, values):
    _copy(to, values)

@njit(cache=True)
def _copy(to, values):
    to[:] = values
"""


WAITING = """
while linking._depth == 0 and thread.is_alive():
    pass
print(square(3.0))
thread.join()
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder that stands for the package's own, since kernels of others are compiled as Numba does."""
    (tmp_path / "kernels.py").write_text(MODULE)
    return tmp_path


def run(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    start = f"import directrank; directrank.__path__.append({str(folder)!r}); from directrank.kernels import *; "
    env = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache")}
    return subprocess.run(
        [sys.executable, "-c", start + code], capture_output=True, text=True, check=False, env=env, timeout=300
    )


def kept(folder: Path) -> set[str]:
    return {file.name.partition("-")[0] for file in (folder / "cache").rglob("*.nbc")}


def test_only_what_python_calls_is_kept_on_disk(package: Path) -> None:
    for _ in range(2):  # compiled, and loaded
        out = run(package, "print(cubes(np.array([3.0, 1.0, 2.0])).tolist())")
        assert out.stdout == "[5.0, 12.0, 31.0]\n", out.stderr
        assert kept(package) == {"kernels.cubes"}


def test_what_a_kernel_calls_can_be_called_from_python(package: Path) -> None:
    for _ in range(2):
        out = run(package, "print(cubes(np.array([1.0])).tolist(), cube(2.0), square(3.0), square(3), cube(1.0))")
        assert out.stdout == "[5.0] 8.0 9.0 9 1.0\n", out.stderr
        assert kept(package) == {"kernels.cubes", "kernels.cube", "kernels.square"}


def test_a_kernel_that_was_loaded_is_linked(package: Path) -> None:
    run(package, "square(1.0), cube(1.0)")
    out = run(package, "print(cubes(np.array([2.0])).tolist(), cube(3.0), cubes.stats.cache_misses, cube.stats.cache_hits)")
    assert out.stdout.startswith("[12.0] 27.0 Counter({(Array("), out.stderr


@pytest.mark.parametrize("times", [1, 2])
def test_errors_within_what_is_called_arrive(package: Path, times: int) -> None:
    for _ in range(times):
        out = run(package, "cube(-1.0)")
        assert out.stderr.splitlines()[-1] == "ValueError: below zero"


def test_numbas_own_functions_serve_other_kernels_as_before(package: Path) -> None:
    """What raises this error was compiled, to be linked only, with the first kernel."""
    code = """
from numba import njit as other_njit
copy(np.zeros(2), np.ones(2))
@other_njit
def mine(to, values):
    to[:] = values
    return to.sum()
print(mine(np.zeros(3), np.ones(3)))
mine(np.zeros(3), np.ones(4))
"""
    out = run(package, code)
    assert out.stdout == "3.0\n"
    assert out.stderr.splitlines()[-1] == "ValueError: cannot assign slice of shape (3,) from input of shape (4,)"


def test_who_listens_is_told_once(package: Path) -> None:
    listening = "import logging; logging.basicConfig(level=logging.INFO, format='%(message)s'); square(1.0); cube(1.0)"
    assert run(package, listening).stderr == f"{SENTENCE}\n"
    assert run(package, listening).stderr == ""


def test_the_command_says_that_it_compiles_when_it_does(tmp_path: Path) -> None:
    np.savetxt(tmp_path / "qrels", np.array([["1", "0", "a", "1"], ["1", "0", "b", "0"]]), fmt="%s")
    np.savetxt(tmp_path / "run", np.array([["1", "Q0", "a", "1", "0.5", "x"], ["1", "Q0", "b", "2", "0.4", "x"]]), fmt="%s")
    command = [sys.executable, "-m", "directrank", "evaluate", "--qrels", "qrels", "run", "-m", "AP", "--json"]
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    cold, warm = (
        subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=True, timeout=300)
        for _ in range(2)
    )
    assert cold.stderr == f"{SENTENCE}\n" and warm.stderr == ""
    assert cold.stdout == warm.stdout and '"AP": 1.0' in cold.stdout


def test_threads_that_need_kernels_at_once_wait_for_each_other(package: Path) -> None:
    """What one thread has compiled for its kernels alone, another may call from Python while a third is compiled."""
    code = "import threading; cube(2.0); thread = threading.Thread(target=cubes, args=(np.ones(3),)); thread.start(); "
    out = run(package, code + "from directrank import kernel_linking as linking\n" + WAITING)
    assert out.stdout == "9.0\n", out.stderr
