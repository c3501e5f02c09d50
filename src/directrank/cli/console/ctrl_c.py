"""Ctrl-C ends a command with one sentence, even where the KeyboardInterrupt gets lost, as in LightGBM's callbacks."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import typer

from .output import print_error

_pressed = False


def ending_well(command: Callable[..., None]) -> Callable[..., None]:
    """A command that Ctrl-C ends with one sentence and exit code 130; pressed again, it changes nothing."""

    @wraps(command)
    def run(*arguments: Any, **options: Any) -> None:
        with noting_ctrl_c():
            try:
                command(*arguments, **options)
            except typer.Exit:
                raise
            except BaseException as error:  # within LightGBM or an import, a KeyboardInterrupt may become anything
                if not (isinstance(error, KeyboardInterrupt) or was_pressed()):
                    raise
                if signal.getsignal(signal.SIGINT) is _note:
                    signal.signal(signal.SIGINT, signal.SIG_IGN)
                print_error((str(error) if isinstance(error, KeyboardInterrupt) else "") or "interrupted")
                raise typer.Exit(130) from error

    return run


@contextmanager
def noting_ctrl_c() -> Iterator[None]:
    """While the block runs, remember that Ctrl-C was pressed; see `was_pressed`.

    Then it is heard as before. Where the command ignores it on its way out, it stays ignored until the process has ended.
    """
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
        if not (signal.getsignal(signal.SIGINT) is signal.SIG_IGN and _is_the_program()):
            signal.signal(signal.SIGINT, before)


def was_pressed() -> bool:
    """Whether Ctrl-C was pressed since this command began."""
    return _pressed


def _is_the_program() -> bool:
    """Whether this process is the command, and ends with it; a program that calls it goes on."""
    from ..app import main  # which imports this module

    return getattr(sys.modules["__main__"], "main", None) is main


def _note(number: int, frame: Any) -> None:
    global _pressed
    _pressed = True
    signal.default_int_handler(number, frame)
