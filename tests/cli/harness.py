"""Running the command: in the process of the tests, or in its own where the process is what a test is about."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple
from unittest import mock

import pytest

from directrank.cli import main
from directrank.data.io import files

#: The environment of a terminal that shows nothing but ASCII.
ASCII = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


class Ended(NamedTuple):
    """The exit code of a command, and the text on its standard output and standard error."""

    code: int
    out: str
    err: str


def run(*arguments: object, folder: Path | None = None, encoding: str = "utf-8") -> Ended:
    """Run the command in this process, in the current folder or another.

    Both standard streams are files while it runs, and so are their descriptors: what is written to ``/dev/stdout`` is part
    of the output.
    """
    with (
        chdir(folder or "."),
        mock.patch.object(sys, "argv", ["directrank", *map(_as_text, arguments)]),
        mock.patch.object(sys, "path", [*sys.path]),  # main adds to it
        mock.patch.object(files, "_limit", None),  # --max-size sets it
        _led_to_file("stdout", 1, encoding) as out,
        _led_to_file("stderr", 2, encoding) as err,
        pytest.raises(SystemExit) as end,
    ):
        main()
    code = end.value.code
    assert code is None or isinstance(code, int)
    return Ended(code or 0, out.pop(), err.pop())


def good(*arguments: object, folder: Path | None = None) -> str:
    """The standard output of a command that must succeed."""
    ended = run(*arguments, folder=folder)
    assert ended.code == 0, ended.err
    return ended.out


def noted(*arguments: object, folder: Path | None = None) -> str:
    """The standard error of a command that must succeed."""
    ended = run(*arguments, folder=folder)
    assert ended.code == 0, ended.err
    return ended.err


def refused(*arguments: object, folder: Path | None = None) -> str:
    """The one sentence that a command says of bad input."""
    return one_sentence(run(*arguments, folder=folder))


def one_sentence(ended: Ended) -> str:
    """The sentence of a command that must end with exit code 2 and print nothing else."""
    assert ended.code == 2 and ended.out == "", ended
    assert ended.err.startswith("directrank: ") and ended.err.count("\n") == 1, ended.err
    return ended.err.removeprefix("directrank: ").removesuffix("\n")


def run_process(*arguments: object, folder: Path | None = None, stdout: Any = subprocess.PIPE, **environment: str) -> Ended:
    """Run the command in a process of its own, with more variables in its environment."""
    command = [sys.executable, "-m", "directrank", *(os.fsencode(_as_text(argument)) for argument in arguments)]
    env = {**os.environ, **environment}
    done = subprocess.run(command, cwd=folder, stdout=stdout, stderr=subprocess.PIPE, check=False, env=env, timeout=300)
    return Ended(done.returncode, (done.stdout or b"").decode(), done.stderr.decode())


def _as_text(argument: object) -> str:
    return os.fsdecode(argument) if isinstance(argument, bytes) else str(argument)


@contextmanager
def _led_to_file(name: str, descriptor: int, encoding: str) -> Iterator[list[str]]:
    """One of the standard streams, led to a file; the list has the text of the file after the block."""
    text: list[str] = []
    before = os.dup(descriptor)
    file: IO[bytes]
    with TemporaryFile() as file:
        os.dup2(file.fileno(), descriptor)
        try:
            with open(descriptor, "w", encoding=encoding, closefd=False) as stream, mock.patch.object(sys, name, stream):
                yield text
        finally:
            os.dup2(before, descriptor)
            os.close(before)
            file.seek(0)
            text.append(file.read().decode())
