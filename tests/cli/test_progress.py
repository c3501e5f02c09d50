"""Progress: the time left, occasional lines without a terminal, and a closed standard error."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from directrank.cli.console import progress as module, streams
from directrank.cli.console.progress import Progress, counting, duration, progress
from directrank.data import write_letor
from directrank.datasets import make_ranking


class Clock:
    """One that is set by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """Lines printed without a terminal."""
    out = io.StringIO()
    console = Console(file=out, width=200)
    monkeypatch.setattr(streams, "errors", console)
    monkeypatch.setattr(module, "errors", console)
    return out


def test_occasional_lines_without_a_terminal(clock: Clock, said: io.StringIO) -> None:
    with Progress("Training for AP", "round", clock=clock) as shown:
        for number in range(1, 101):
            clock.now += 1
            shown.update(number, 100, f"0.{number:03}")
    assert said.getvalue().splitlines() == [
        "Training for AP: round 10 of 100, 0.010, 2 min left",
        "Training for AP: round 40 of 100, 0.040, 60 s left",
        "Training for AP: round 70 of 100, 0.070, 30 s left",
        "Training for AP: round 100 of 100, 0.100",
    ]


def test_short_jobs_say_nothing(clock: Clock, said: io.StringIO) -> None:
    with Progress("Training", clock=clock) as shown:
        clock.now += 9
        shown.update(1, 2)
    assert list(progress([1, 2, 3], "Reading")) == [1, 2, 3]
    with counting("Counting") as count:
        count(1, 2)
    assert said.getvalue() == ""


def test_progress_without_a_total(clock: Clock, said: io.StringIO) -> None:
    with Progress("Training", "round", clock=clock) as shown:
        clock.now += 20
        shown.update(1234, None, "gap 0.1")
    assert said.getvalue() == "Training: round 1,234, gap 0.1\n"


def test_items_of_a_long_job(clock: Clock, said: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.time, "monotonic", clock)
    monkeypatch.setattr(Progress.__init__, "__kwdefaults__", {"clock": clock})
    for _ in progress(range(4), "Evaluating"):
        clock.now += 20
    assert said.getvalue().splitlines() == ["Evaluating: 1 of 4, 60 s left", "Evaluating: 3 of 4, 20 s left"]


def test_a_live_line_on_a_terminal(clock: Clock, said: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "errors", Console(file=said, width=200, force_terminal=True, force_interactive=True))
    with Progress("Training", "round", clock=clock) as shown:
        clock.now += 1
        shown.update(1, 4, "[b]0.5")
        shown._line.progress.refresh()
    assert "Training: round 1 of 4, [b]0.5, 3 s left" in said.getvalue()


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.2, "1 s"), (40.4, "40 s"), (95, "2 min"), (5000, "83 min"), (7800, "2 h 10 min")]
)
def test_durations_in_words(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_training_continues_if_standard_error_is_closed(tmp_path: Path) -> None:
    write_letor(tmp_path / "data.txt", make_ranking(10, (5, 10), random_state=0))
    command = [sys.executable, "-c", CHATTY, "train", "data.txt", "--learner", "adarank", "-o", "m.json", "--json"]
    out = subprocess.run(["sh", "-c", '"$@" 2>&-', "sh", *command], cwd=tmp_path, capture_output=True, timeout=300)
    assert out.returncode == 0 and out.stdout.startswith(b"{") and (tmp_path / "m.json").exists()


#: The command, with a line for every round.
CHATTY = """
from directrank.cli import main
from directrank.cli.console import progress
progress.FIRST_LINE = progress.LINE_INTERVAL = 0
main()
"""
