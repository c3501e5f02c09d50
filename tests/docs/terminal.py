"""Runs the command in a terminal of 80 columns, and returns what it shows."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import sys
import termios
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple
from unittest import mock

import pytest

from directrank.cli import main

COLUMNS = 80

#: A terminal without cursor movements has no spinners, and without colours no escape sequences.
ENVIRONMENT = {"TERM": "dumb", "COLUMNS": str(COLUMNS)}

#: Written once the command has ended.
END = b"\0"


class Shown(NamedTuple):
    """Exit code of a command, and what a terminal shows: results and notes in their order."""

    code: int
    text: str


def run_in_terminal(*arguments: str) -> Shown:
    """Run the command in this process, in the current folder."""
    with (
        mock.patch.dict(os.environ, ENVIRONMENT),
        mock.patch.object(sys, "argv", ["directrank", *arguments]),
        _terminal() as shown,
        pytest.raises(SystemExit) as end,
    ):
        main()
    return Shown(int(end.value.code or 0), b"".join(shown).decode())


@contextmanager
def _terminal() -> Iterator[list[bytes]]:
    """Connect both standard streams to a terminal; the list holds what it has shown after the block."""
    master, slave = pty.openpty()
    _set_up(slave)
    shown: list[bytes] = []
    reader = threading.Thread(target=_read, args=(master, shown))
    reader.start()
    before = [os.dup(descriptor) for descriptor in (1, 2)]
    for descriptor in (1, 2):
        os.dup2(slave, descriptor)
    try:
        with (
            open(1, "w", encoding="utf-8", closefd=False) as out,
            open(2, "w", encoding="utf-8", closefd=False) as err,
            mock.patch.object(sys, "stdout", out),
            mock.patch.object(sys, "stderr", err),
        ):
            yield shown
    finally:
        for descriptor, old in zip((1, 2), before, strict=True):
            os.dup2(old, descriptor)
            os.close(old)
        os.write(slave, END)
        reader.join()
        os.close(slave)
        os.close(master)


def _set_up(terminal: int) -> None:
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    attributes = termios.tcgetattr(terminal)
    attributes[1] &= ~termios.OPOST  # line ends stay as they are
    termios.tcsetattr(terminal, termios.TCSANOW, attributes)


def _read(master: int, shown: list[bytes]) -> None:
    """Collect what is written up to `END`: a library may keep the terminal open, which then has no end of file."""
    while not (shown and shown[-1].endswith(END)):
        shown[:] = [b"".join(shown) + os.read(master, 2**16)]
    shown[:] = [shown[-1].removesuffix(END)]
