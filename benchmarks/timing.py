"""Timings of both sides in one run, and the table of results."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table


@dataclass
class Result:
    """A figure and its requirement."""

    what: str
    ours: str
    theirs: str
    ratio: str
    required: str
    passed: bool


def best_of(times: int, job: Callable[[], object]) -> float:
    """Shortest of several timings, in seconds: the one least disturbed by other load."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        job()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def best_cpu_of(times: int, *jobs: Callable[[], object]) -> list[float]:
    """Shortest CPU time of each job, in seconds over all threads; the jobs alternate."""
    seconds: list[list[float]] = [[] for _ in jobs]
    for _ in range(times):
        for job, timings in zip(jobs, seconds, strict=True):
            start = time.process_time()
            job()
            timings.append(time.process_time() - start)
    return [min(timings) for timings in seconds]


def faster(what: str, ours: float, theirs: float, required: float) -> Result:
    """Require a speed-up."""
    ratio = theirs / ours
    return Result(
        what, f"{ours:.3f} s", f"{theirs:.3f} s", f"{ratio:.1f} x faster", f"at least {required:g} x", ratio >= required
    )


def at_most(what: str, seconds: float, unit: float, unit_name: str, required: float) -> Result:
    """Require a maximum ratio to the time of a reference."""
    ratio = seconds / unit
    return Result(
        what,
        f"{1e3 * seconds:.1f} ms",
        f"{unit_name} {1e3 * unit:.2f} ms",
        f"{ratio:.1f} x",
        f"at most {required:g} x",
        ratio <= required,
    )


def print_results(results: list[Result]) -> None:
    table = Table(title="Benchmarks, both sides in this run")
    for column in ("what", "ours", "against", "ratio", "required", "passed"):
        table.add_column(column, justify="left" if column == "what" else "right")
    for r in results:
        table.add_row(r.what, r.ours, r.theirs, r.ratio, r.required, "yes" if r.passed else "NO")
    Console(width=150).print(table)
