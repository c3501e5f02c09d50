"""Where the commands print: results to standard output, unless a file is written there; all else to standard error."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TextIO

from rich.console import Console
from rich.text import Text

#: For progress, remarks and errors.
errors = Console(stderr=True, highlight=False)

_output_is_a_file = False


def results_to_standard_output() -> None:
    """Print results where they belong, as at the start of every command."""
    global _output_is_a_file
    _output_is_a_file = False


def results_to_standard_error() -> None:
    """Print results to standard error: standard output is the file that the command writes (``-o -``)."""
    global _output_is_a_file
    _output_is_a_file = True


def results() -> Console:
    """For tables and lines."""
    return Console(stderr=_output_is_a_file, highlight=False)


def results_file() -> TextIO:
    """For text that is printed as it is."""
    return sys.stderr if _output_is_a_file else sys.stdout


def note(text: str) -> None:
    """A remark that is no part of the result; it is lost where standard error is closed."""
    with suppress(OSError, ValueError):
        errors.print(Text(text), soft_wrap=True)


def print_error(sentence: str) -> None:
    note(f"directrank: {sentence}")
