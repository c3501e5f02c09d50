"""Ctrl-C, which ends the training and keeps the model so far."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Self


class Interruptible:
    """A training that the user may break off: ``with Interruptible() as training: ...``, then ``training.interrupted``."""

    interrupted = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        self.interrupted = is_interrupt(error)
        if self.interrupted:
            _last_watch.get().interrupted = True
        return self.interrupted


class Watch:
    """Whether any `Interruptible` within was interrupted; see `watching`."""

    interrupted = False


_last_watch: ContextVar[Watch] = ContextVar("_last_watch", default=Watch())  # noqa: B039


@contextmanager
def watching() -> Iterator[Watch]:
    """Notice whether training is interrupted, however deep within it: ``with watching() as watch: ...``."""
    outer, watch = _last_watch.get(), Watch()
    token = _last_watch.set(watch)
    try:
        yield watch
    finally:
        _last_watch.reset(token)
        outer.interrupted |= watch.interrupted


def is_interrupt(error: BaseException | None) -> bool:
    """Whether it is a KeyboardInterrupt, of which Numba makes a chain of SystemErrors when it comes within a kernel."""
    while isinstance(error, SystemError):
        error = error.__cause__ or error.__context__
    return isinstance(error, KeyboardInterrupt)
