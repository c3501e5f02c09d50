"""Peak memory of a process, including compiled code, which `tracemalloc` does not see."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


class Peak:
    """Bytes of memory at the peak above the level at the start."""

    n_bytes = 0


@contextmanager
def peak_memory() -> Iterator[Peak]:
    """Measure the peak within a block; skips the test where Linux does not tell it, or a sanitizer keeps freed memory."""
    if "san.so" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("sanitizers keep freed memory")
    peak, before = Peak(), _bytes("VmRSS")
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        pytest.skip("the peak of memory cannot be reset")
    yield peak
    peak.n_bytes = _bytes("VmHWM") - before


def _bytes(name: str) -> int:
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        pytest.skip("there is no /proc/self/status")
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))
