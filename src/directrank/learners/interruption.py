"""Ctrl-C, or a callback that has seen enough, which end the training and keep the model so far."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Self


class Stopped(KeyboardInterrupt):
    """A callback ends the training. Learners take it for a Ctrl-C; only what is said about it differs."""


class Interruptible:
    """A training that the user may break off: ``with Interruptible() as training: ...``, then ``training.interrupted``."""

    interrupted = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        self.interrupted = is_interrupt(error)
        watch = _last_watch.get()
        if self.interrupted and watch is not None:
            watch.interrupted = True
        return self.interrupted


class Watch:
    """Whether any `Interruptible` within was interrupted, and whether it was a callback that did so; see `watching`."""

    interrupted = False
    stopped = False


_last_watch: ContextVar[Watch | None] = ContextVar("_last_watch", default=None)


@contextmanager
def watching() -> Iterator[Watch]:
    """Notice whether training is interrupted, however deep within it: ``with watching() as watch: ...``."""
    outer, watch = _last_watch.get(), Watch()
    token = _last_watch.set(watch)
    try:
        yield watch
    finally:
        _last_watch.reset(token)
        if outer is not None:
            outer.interrupted |= watch.interrupted
            outer.stopped |= watch.stopped


def note_stop() -> None:
    """Remember that it is a callback which ends the training."""
    watch = _last_watch.get()
    if watch is not None:
        watch.stopped = True


def is_stopped() -> bool:
    """Whether a callback has ended the training that goes on."""
    watch = _last_watch.get()
    return watch is not None and watch.stopped


def is_interrupt(error: BaseException | None) -> bool:
    """Whether it is a KeyboardInterrupt, of which Numba makes a chain of SystemErrors when it comes within a kernel."""
    while isinstance(error, SystemError):
        error = error.__cause__ or error.__context__
    return isinstance(error, KeyboardInterrupt)
