"""Ctrl-C, which ends the training and keeps the model so far."""

from __future__ import annotations

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
        return self.interrupted


def is_interrupt(error: BaseException | None) -> bool:
    """Whether it is a KeyboardInterrupt, of which Numba makes a chain of SystemErrors when it comes within a kernel."""
    while isinstance(error, SystemError):
        error = error.__cause__ or error.__context__
    return isinstance(error, KeyboardInterrupt)
