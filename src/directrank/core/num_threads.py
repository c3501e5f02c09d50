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

_MAX_THREADS = 2**31 - 1

_CONTROL_GROUPS, _OWN_GROUPS = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")


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

    threads.set_num_threads(_checked(n_threads))


@contextmanager
def limit_num_threads(n_threads: int) -> Iterator[None]:
    """Have kernels called from this thread, and no other, use `n_threads` threads."""
    from ._compiled import threads

    before = threads.set_thread_limit(_checked(n_threads))
    try:
        yield
    finally:
        threads.set_thread_limit(before)


def default_num_threads() -> int:
    """Number of threads by environment variable, processor affinity and container quota."""
    for variable in VARIABLES:
        value = os.environ.get(variable, "").split(",")[0].strip()  # OpenMP has a number for each level of nesting
        if value.isdecimal() and 0 < int(value) <= _MAX_THREADS:
            return int(value)
    return max(1, min(_processors_by_affinity(), _processors_by_quota()))


def _checked(n_threads: int) -> int:
    is_integer = isinstance(n_threads, Integral) and not isinstance(n_threads, bool)
    if not is_integer or not 1 <= n_threads <= _MAX_THREADS:
        raise ValueError(f"the number of threads must be an integer of at least 1, not {n_threads!r}")
    return int(n_threads)


def _processors_by_affinity() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _processors_by_quota() -> int:
    """Number of processors whose time the control groups grant, rounded up."""
    quotas = (_quota(group) for group in _control_groups())
    return min((math.ceil(quota) for quota in quotas if quota is not None), default=os.cpu_count() or 1)


def _control_groups() -> Iterator[Path]:
    """Control groups of this process and their parents, of either version.

    A line of /proc/self/cgroup is "number:controllers:path", without controllers in version 2. Within a container the path
    may be one of the host; the root is then the container's own group.
    """
    try:
        lines = _OWN_GROUPS.read_text().splitlines()
    except (OSError, ValueError):  # not Linux, or no permission
        return
    for line in lines:
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers and "cpu" not in controllers.split(","):
            continue
        root = _CONTROL_GROUPS / ("cpu" if controllers else "")
        yield root
        group = root / path.lstrip("/")
        if ".." not in group.parts:
            yield from (part for part in (group, *group.parents) if root in part.parents)


def _quota(group: Path) -> float | None:
    """Number of processors whose time a control group grants; None without a limit."""
    try:
        if (group / "cpu.max").exists():
            quota, period = (group / "cpu.max").read_text().split()
        else:
            quota, period = ((group / f"cpu.cfs_{part}_us").read_text() for part in ("quota", "period"))
        return int(quota) / int(period) if int(quota) > 0 else None
    except (OSError, ValueError, ZeroDivisionError):  # no such files, or "max"
        return None
