"""Timing both sides in one run, and the table."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table


@dataclass
class Result:
    """One figure and what was asked of it."""

    what: str
    ours: str
    theirs: str
    ratio: str
    asked: str
    reached: bool


def best_of(times: int, job: Callable[[], object]) -> float:
    """The shortest of several timings, in seconds: the one least disturbed by the rest of the machine."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        job()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def cpu_of(times: int, *jobs: Callable[[], object]) -> list[float]:
    """The least processor time of each of several jobs, in seconds of all threads; the jobs take turns."""
    seconds: list[list[float]] = [[] for _ in jobs]
    for _ in range(times):
        for job, mine in zip(jobs, seconds, strict=True):
            start = time.process_time()
            job()
            mine.append(time.process_time() - start)
    return [min(mine) for mine in seconds]


def faster(what: str, ours: float, theirs: float, asked: float) -> Result:
    """How many times faster ours is."""
    ratio = theirs / ours
    return Result(what, f"{ours:.3f} s", f"{theirs:.3f} s", f"{ratio:.1f} x faster", f"at least {asked:g} x", ratio >= asked)


def at_most(what: str, seconds: float, unit: float, unit_name: str, asked: float) -> Result:
    """How many times as long as something else it takes."""
    ratio = seconds / unit
    return Result(
        what,
        f"{1e3 * seconds:.1f} ms",
        f"{unit_name} {1e3 * unit:.2f} ms",
        f"{ratio:.1f} x",
        f"at most {asked:g} x",
        ratio <= asked,
    )


def print_results(results: list[Result]) -> None:
    table = Table(title="Benchmarks, both sides in this run")
    for column in ("what", "ours", "against", "ratio", "asked", "reached"):
        table.add_column(column, justify="left" if column == "what" else "right")
    for r in results:
        table.add_row(r.what, r.ours, r.theirs, r.ratio, r.asked, "yes" if r.reached else "NO")
    Console(width=150).print(table)
