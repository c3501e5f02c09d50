"""Runs the command: in the process of the tests, or in a separate process if the process itself is tested."""

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

#: Environment of an ASCII-only terminal.
ASCII = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


class Ended(NamedTuple):
    """Exit code, standard output and standard error of a command."""

    code: int
    out: str
    err: str


def run(*arguments: object, folder: Path | None = None, encoding: str = "utf-8") -> Ended:
    """Run the command in this process, in the current folder or another.

    Both standard streams are redirected to files with their descriptors, so that output to ``/dev/stdout`` is included.
    """
    with (
        chdir(folder or "."),
        mock.patch.object(sys, "argv", ["directrank", *map(_as_text, arguments)]),
        _redirected("stdout", 1, encoding) as out,
        _redirected("stderr", 2, encoding) as err,
        pytest.raises(SystemExit) as end,
    ):
        main()
    code = end.value.code
    assert code is None or isinstance(code, int)
    return Ended(code or 0, out.pop(), err.pop())


def stdout_of(*arguments: object, folder: Path | None = None) -> str:
    """The standard output of a command that must succeed."""
    ended = run(*arguments, folder=folder)
    assert ended.code == 0, ended.err
    return ended.out


def stderr_of(*arguments: object, folder: Path | None = None) -> str:
    """The standard error of a command that must succeed."""
    ended = run(*arguments, folder=folder)
    assert ended.code == 0, ended.err
    return ended.err


def error_of(*arguments: object, folder: Path | None = None) -> str:
    """The error message, one sentence, of a command that must end with exit code 2."""
    return error_sentence(run(*arguments, folder=folder))


def error_sentence(ended: Ended) -> str:
    """The error message of a command that must have ended with exit code 2 and printed nothing else."""
    assert ended.code == 2 and ended.out == "", ended
    assert ended.err.startswith("directrank: ") and ended.err.count("\n") == 1, ended.err
    return ended.err.removeprefix("directrank: ").removesuffix("\n")


def run_process(*arguments: object, folder: Path | None = None, stdout: Any = subprocess.PIPE, **environment: str) -> Ended:
    """Run the command in a process of its own, with additional environment variables."""
    command = [sys.executable, "-m", "directrank", *(os.fsencode(_as_text(argument)) for argument in arguments)]
    env = {**os.environ, **environment}
    done = subprocess.run(command, cwd=folder, stdout=stdout, stderr=subprocess.PIPE, check=False, env=env, timeout=300)
    return Ended(done.returncode, (done.stdout or b"").decode(), done.stderr.decode())


def _as_text(argument: object) -> str:
    return os.fsdecode(argument) if isinstance(argument, bytes) else str(argument)


@contextmanager
def _redirected(name: str, descriptor: int, encoding: str) -> Iterator[list[str]]:
    """Redirect a standard stream to a file; the list holds its text after the block."""
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
