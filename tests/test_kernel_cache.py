"""Compiled kernels on disk: a folder that cannot be written, and files that are damaged."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import njit

import directrank
from directrank.measures.ranking import levels

PACKAGE = Path(directrank.__file__).parent


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **environment}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=env, timeout=300)


@pytest.fixture
def unwritable(tmp_path: Path) -> dict[str, str]:
    """A copy of the package that can keep nothing, neither beside itself nor in a cache folder; not even for root."""
    copy = tmp_path / "src" / "directrank"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in (copy, *(path for path in copy.rglob("*") if path.is_dir())):
        (folder / "__pycache__").touch()  # a file, so no folder of that name
    (tmp_path / "temporary").mkdir()
    nowhere = "/dev/null/nowhere"
    return {
        "PYTHONPATH": str(copy.parent),
        "HOME": nowhere,
        "XDG_CACHE_HOME": nowhere,
        "NUMBA_CACHE_DIR": nowhere,
        "TMPDIR": str(tmp_path / "temporary"),
    }


COUNT = "from directrank.measures.ranking.levels import count_by_query; import numpy as np; "
COUNT += "print(count_by_query(np.array([True, False]), np.array([0, 1, 2])))"


def test_where_nothing_can_be_written_kernels_go_to_a_private_folder(unwritable: dict[str, str]) -> None:
    temporary = Path(unwritable["TMPDIR"])
    look = f"import os, stat; folder, = os.scandir({str(temporary)!r}); print(oct(stat.S_IMODE(folder.stat().st_mode)))"
    out = run(f"{COUNT}; {look}", **unwritable)
    assert out.returncode == 0, out.stderr
    assert out.stdout.split() == ["[1", "0]", "0o700"]
    assert out.stderr.count("compiled anew in each process; set NUMBA_CACHE_DIR") == 1
    assert list(temporary.iterdir()) == []


def test_where_not_even_a_temporary_folder_can_be_written(unwritable: dict[str, str]) -> None:
    forbid = "import tempfile\ndef refuse(*a, **k): raise PermissionError(13, 'no')\ntempfile.mkdtemp = refuse\n"
    out = run(forbid + COUNT, **unwritable)
    assert out.returncode == 0 and out.stdout == "[1 0]\n", out.stderr
    assert out.stderr.count("compiled anew in each process; set NUMBA_CACHE_DIR") == 1


def test_a_forked_process_leaves_the_private_folder(unwritable: dict[str, str]) -> None:
    fork = "import os, sys; child = os.fork(); child or sys.exit(); os.waitpid(child, 0)"
    left = f"print(len(os.listdir({unwritable['TMPDIR']!r})))"
    out = run(f"{COUNT}; {fork}; {left}", **unwritable)
    assert out.stdout.endswith("1\n"), out.stderr


def test_a_folder_that_can_be_written_is_used_without_a_word(unwritable: dict[str, str], tmp_path: Path) -> None:
    out = run(COUNT, **{**unwritable, "NUMBA_CACHE_DIR": str(tmp_path / "mine")})
    assert out.stderr == "" and list((tmp_path / "mine").rglob("levels._count_by_query*.nbc"))


@pytest.fixture
def cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that holds the compiled form of one kernel."""
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))
    assert misses() == 1 and misses() == 0
    return tmp_path


def misses() -> int:
    """How often a kernel that is declared now must be compiled for its first call."""
    kernel = njit(cache=True, parallel=True)(levels._count_by_query.py_func)
    counts = np.empty(2, np.int64)
    kernel(np.array([True, False, True]), np.array([0, 1, 3]), counts)
    assert counts.tolist() == [1, 1]
    return sum(kernel.stats.cache_misses.values())


def truncated(content: bytes, rng: np.random.Generator) -> bytes:
    return content[: rng.integers(len(content))]


def flipped(content: bytes, rng: np.random.Generator) -> bytes:
    at = rng.integers(len(content))
    return content[:at] + bytes([content[at] ^ 1 << rng.integers(8)]) + content[at + 1 :]


@pytest.mark.parametrize("damage", [truncated, flipped])
@pytest.mark.parametrize("which", ["nbi", "nbc"])
def test_a_damaged_file_is_compiled_again_and_replaced(cached: Path, which: str, damage) -> None:
    rng = np.random.default_rng(0)
    (file,) = cached.rglob(f"*.{which}")
    for _ in range(3):
        file.write_bytes(damage(file.read_bytes(), rng))
        assert misses() == 1
        assert misses() == 0


def test_what_cannot_be_loaded_is_compiled_again(cached: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when a file was written by another version of some library."""
    with monkeypatch.context() as patch:
        patch.setattr("numba.core.typed_passes._reload_parfors", None)  # what the pickle calls when it is loaded
        assert misses() == 1


def test_a_kernel_of_another_version_is_compiled_again(cached: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("directrank.kernel_cache.__version__", "0.0.0")
    assert misses() == 1


def test_a_full_disk_does_not_stop_a_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_space(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("os.replace", no_space)
    assert misses() == 1
    assert not list(tmp_path.rglob("*.nb*"))


def test_functions_of_others_are_left_to_numba(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))
    assert type(njit(cache=True)(misses)._cache).__name__ == "FunctionCache"
