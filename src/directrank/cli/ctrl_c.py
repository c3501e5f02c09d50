"""Ctrl-C during a command: noted even where the KeyboardInterrupt gets lost, as within a compiler's callbacks."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_pressed = False


@contextmanager
def noting_ctrl_c() -> Iterator[None]:
    """While the block runs, remember that Ctrl-C was pressed; see `was_pressed`."""
    global _pressed
    _pressed = False
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, _note)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is _note:
            signal.signal(signal.SIGINT, before)


def was_pressed() -> bool:
    """Whether Ctrl-C was pressed since this command began."""
    return _pressed


def _note(number: int, frame: Any) -> None:
    global _pressed
    _pressed = True
    signal.default_int_handler(number, frame)
