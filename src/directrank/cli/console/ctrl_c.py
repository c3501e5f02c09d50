"""Ctrl-C ends a command with one sentence, even where the KeyboardInterrupt is lost, as in LightGBM's callbacks."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import typer

from .streams import print_error

_pressed = False


def handling_ctrl_c(command: Callable[..., None]) -> Callable[..., None]:
    """Wrap a command so that Ctrl-C ends it with one sentence and exit code 130; a second Ctrl-C has no effect."""

    @wraps(command)
    def run(*arguments: Any, **options: Any) -> None:
        with _recording_ctrl_c():
            try:
                command(*arguments, **options)
            except typer.Exit:
                raise
            except BaseException as error:  # within LightGBM or an import, a KeyboardInterrupt may become anything
                if not (isinstance(error, KeyboardInterrupt) or was_pressed()):
                    raise
                if signal.getsignal(signal.SIGINT) is _record:
                    signal.signal(signal.SIGINT, signal.SIG_IGN)
                print_error((str(error) if isinstance(error, KeyboardInterrupt) else "") or "interrupted")
                raise typer.Exit(130) from error

    return run


@contextmanager
def _recording_ctrl_c() -> Iterator[None]:
    """Record whether Ctrl-C is pressed while the block runs; see `was_pressed`.

    The previous handler is restored afterwards. If the command ignores Ctrl-C on its way out, it stays ignored until the
    process has ended.
    """
    global _pressed
    _pressed = False
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, _record)
    try:
        yield
    finally:
        if not (signal.getsignal(signal.SIGINT) is signal.SIG_IGN and _is_main_program()):
            signal.signal(signal.SIGINT, before)


def was_pressed() -> bool:
    """Whether Ctrl-C was pressed since the command started."""
    return _pressed


def _is_main_program() -> bool:
    """Whether this process runs the command and nothing else; a program that calls `main` goes on after it."""
    from ..app import main  # app imports this module

    return getattr(sys.modules["__main__"], "main", None) is main


def _record(number: int, frame: Any) -> None:
    global _pressed
    _pressed = True
    signal.default_int_handler(number, frame)
