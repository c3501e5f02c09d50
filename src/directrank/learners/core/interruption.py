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
        self.interrupted = isinstance(error, KeyboardInterrupt)
        watch = _last_watch.get()
        if self.interrupted and watch is not None:
            watch.interrupted = True
        return self.interrupted


class Watch:
    """Whether any `Interruptible` within was interrupted, and whether a callback of the training did so; see `watching`."""

    interrupted = False
    stopped = False

    def __init__(self, outer: Watch | None) -> None:
        self.outer = outer


_last_watch: ContextVar[Watch | None] = ContextVar("_last_watch", default=None)


@contextmanager
def watching() -> Iterator[Watch]:
    """Notice whether training is interrupted, however deep within it: ``with watching() as watch: ...``."""
    outer = _last_watch.get()
    watch = Watch(outer)
    token = _last_watch.set(watch)
    try:
        yield watch
    finally:
        _last_watch.reset(token)
        if outer is not None and not watch.stopped:
            outer.interrupted |= watch.interrupted


def is_stopped() -> bool:
    """Whether a callback has ended the training that goes on, or one that it is a part of."""
    watch = _last_watch.get()
    while watch is not None and not watch.stopped:
        watch = watch.outer
    return watch is not None
