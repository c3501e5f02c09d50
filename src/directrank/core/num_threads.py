"""Number of threads that kernels use."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral
from pathlib import Path

__all__ = ["get_num_threads", "limit_num_threads", "set_num_threads"]

#: Environment variables that set the number of threads; the first that is a positive integer counts.
VARIABLES = ("DIRECTRANK_NUM_THREADS", "OMP_NUM_THREADS")

_CPU_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def get_num_threads() -> int:
    """Number of threads that kernels called from this thread use."""
    from ._compiled import threads

    return threads.get_num_threads()  # type: ignore[no-any-return]


def set_num_threads(n_threads: int) -> None:
    """Set the number of threads that kernels use.

    Results do not depend on it. The default is DIRECTRANK_NUM_THREADS or OMP_NUM_THREADS, if one is set, else the number of
    processors that the process may use.

    Parameters
    ----------
    n_threads : int
        At least 1.
    """
    from ._compiled import threads

    if isinstance(n_threads, bool) or not isinstance(n_threads, Integral) or n_threads < 1:
        raise ValueError(f"the number of threads must be an integer of at least 1, not {n_threads!r}")
    threads.set_num_threads(int(n_threads))


@contextmanager
def limit_num_threads(n_threads: int) -> Iterator[None]:
    """Have kernels called from this thread, and no other, use `n_threads` threads."""
    from ._compiled import threads

    before = threads.set_thread_limit(n_threads)
    try:
        yield
    finally:
        threads.set_thread_limit(before)


def default_num_threads() -> int:
    """Number of threads by environment variable, processor affinity and container quota."""
    for variable in VARIABLES:
        value = os.environ.get(variable, "").split(",")[0].strip()  # OpenMP has a number for each level of nesting
        if value.isdecimal() and int(value) > 0:
            return int(value)
    return max(1, min(_n_processors(), _n_processors_by_quota()))


def _n_processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _n_processors_by_quota() -> int:
    """Processors' worth of time that the control group grants, rounded up."""
    try:
        quota, period = _CPU_QUOTA.read_text().split()
        return math.ceil(int(quota) / int(period))
    except (OSError, ValueError):  # no control group, or "max"
        return os.cpu_count() or 1
