"""Progress of long jobs: a live line on a terminal; elsewhere an occasional line, of jobs of more than ten seconds only."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Any, Self

from rich.text import Text

from .streams import errors, note

#: Without a terminal: seconds until the first line, and between lines.
FIRST_LINE, LINE_INTERVAL = 10.0, 30.0


class Progress:
    """Progress of a job: ``with Progress("Training", unit="round") as progress: progress.update(3, 100)``.

    Parameters
    ----------
    job : str
        Name of the job, such as "Training".
    unit : str
        Noun shown before the count, such as "round".
    clock : callable
        Returns the time in seconds.
    """

    def __init__(self, job: str, unit: str = "", *, clock: Callable[[], float] = time.monotonic) -> None:
        self._job, self._unit, self._clock = job, unit, clock
        self._start = clock()
        self._next = self._start + FIRST_LINE
        self._line = _LiveLine(job) if errors.is_terminal else None

    def update(self, done: int, total: int | None = None, text: str = "") -> None:
        """Show the number of finished items, the total if known, and any further text."""
        now = self._clock()
        if self._line is None and now < self._next:
            return
        sentence = self._sentence(done, total, text, now - self._start)
        if self._line is not None:
            self._line.show(sentence, done, total)
        else:
            note(sentence)
            self._next = now + LINE_INTERVAL

    def _sentence(self, done: int, total: int | None, text: str, elapsed: float) -> str:
        count = f"{self._unit} {done:,}".strip() + ("" if total is None else f" of {total:,}")
        left = "" if total is None or not 0 < done < total else f"{duration(elapsed / done * (total - done))} left"
        return f"{self._job}: " + ", ".join(part for part in (count, text, left) if part)

    def __enter__(self) -> Self:
        if self._line is not None:
            self._line.progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._line is not None:
            self._line.progress.stop()


def progress(items: Sequence[Any], job: str) -> Iterator[Any]:
    """Iterate over items and show the progress."""
    with Progress(job) as shown:
        for done, item in enumerate(items):
            shown.update(done, len(items))
            yield item


@contextmanager
def counting(job: str) -> Iterator[Callable[[int, int], None]]:
    """Give a callback that takes the number of finished items and the total."""
    with Progress(job) as shown:
        yield shown.update


def spinner(job: str) -> AbstractContextManager[Any]:
    """Show a spinner with the name of the job while the block runs."""
    return errors.status(Text(job), spinner=_spinner())


def duration(seconds: float) -> str:
    """Format a duration: 40 s, 3 min, 2 h 10 min."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60:,} h {minutes % 60} min"


def _spinner() -> str:
    return "dots" if errors.encoding.startswith("utf") else "line"


class _LiveLine:
    """A line with a spinner and, if the total is known, a bar; it is erased when the job is done."""

    def __init__(self, job: str) -> None:
        from rich.progress import BarColumn, Progress as Line, SpinnerColumn, TextColumn

        self._bar = BarColumn(bar_width=20)
        columns: Iterable[Any] = (SpinnerColumn(_spinner()), TextColumn("{task.description}", markup=False), self._bar)
        self.progress = Line(*columns, console=errors, transient=True)
        self._task = self.progress.add_task(job, total=None)

    def show(self, sentence: str, done: int, total: int | None) -> None:
        self.progress.update(self._task, description=sentence, completed=done, total=total)
