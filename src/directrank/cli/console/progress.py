"""What is going on, and how much is left: a line that moves on a terminal; elsewhere one now and then, of long jobs only."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Any, Self

from rich.text import Text

from .streams import errors, note

#: When the first line is printed where there is no terminal, and how long after it each further one; in seconds.
FIRST_LINE, EACH_LINE = 10.0, 30.0


class Progress:
    """How far a job is: ``with Progress("Training", unit="round") as progress: progress.update(3, 100)``.

    Parameters
    ----------
    what : str
        The job, as in "Training".
    unit : str
        What is counted, before the number.
    clock : callable
        The time in seconds.
    """

    def __init__(self, what: str, unit: str = "", *, clock: Callable[[], float] = time.monotonic) -> None:
        self._what, self._unit, self._clock = what, unit, clock
        self._start = clock()
        self._next = self._start + FIRST_LINE
        self._bar = _Bar(what) if errors.is_terminal else None

    def update(self, done: int, total: int | None = None, text: str = "") -> None:
        """Say how many are done, of how many if that is known, and what else there is to say."""
        now = self._clock()
        if self._bar is None and now < self._next:
            return
        sentence = self._sentence(done, total, text, now - self._start)
        if self._bar is not None:
            self._bar.show(sentence, done, total)
        else:
            note(sentence)
            self._next = now + EACH_LINE

    def _sentence(self, done: int, total: int | None, text: str, elapsed: float) -> str:
        count = f"{self._unit} {done:,}".strip() + ("" if total is None else f" of {total:,}")
        left = "" if total is None or not 0 < done < total else f"{duration(elapsed / done * (total - done))} left"
        return f"{self._what}: " + ", ".join(part for part in (count, text, left) if part)

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.progress.stop()


def progress(items: Sequence[Any], what: str) -> Iterator[Any]:
    """Go through items, and say how far it is."""
    with Progress(what) as shown:
        for done, item in enumerate(items):
            shown.update(done, len(items))
            yield item


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int], None]]:
    """A function that is told how many there are, and how many there will be."""
    with Progress(what) as shown:
        yield shown.update


def spinner(what: str) -> AbstractContextManager[Any]:
    """Show what is being done, while it is."""
    return errors.status(Text(what), spinner=_spinner())


def duration(seconds: float) -> str:
    """In words: 40 s, 3 min, 2 h 10 min."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60:,} h {minutes % 60} min"


def _spinner() -> str:
    return "dots" if errors.encoding.startswith("utf") else "line"


class _Bar:
    """A line that moves, with a bar where the total is known; it is gone when the job is done."""

    def __init__(self, what: str) -> None:
        from rich.progress import BarColumn, Progress as Line, SpinnerColumn, TextColumn

        self._bar = BarColumn(bar_width=20)
        columns: Iterable[Any] = (SpinnerColumn(_spinner()), TextColumn("{task.description}", markup=False), self._bar)
        self.progress = Line(*columns, console=errors, transient=True)
        self._task = self.progress.add_task(what, total=None)

    def show(self, sentence: str, done: int, total: int | None) -> None:
        self.progress.update(self._task, description=sentence, completed=done, total=total)
