"""Output streams: results to standard output, unless a file is written there; everything else to standard error."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TextIO

from rich.console import Console
from rich.text import Text

#: Console for progress, notes and errors.
errors = Console(stderr=True, highlight=False)

_results_on_stderr = False


def results_to_standard_output() -> None:
    """Print results to standard output, as at the start of every command."""
    global _results_on_stderr
    _results_on_stderr = False


def results_to_standard_error() -> None:
    """Print results to standard error: standard output is the file that the command writes (``-o -``)."""
    global _results_on_stderr
    _results_on_stderr = True


def results() -> Console:
    """Console for tables and lines, as wide as the terminal or ``COLUMNS``; in a file or a pipe, 80 characters."""
    console = Console(stderr=_results_on_stderr, highlight=False)
    if not console.is_terminal and not os.environ.get("COLUMNS", "").isdigit():
        console.width = 80
    return console


def results_file() -> TextIO:
    """Stream for text that is printed verbatim."""
    return sys.stderr if _results_on_stderr else sys.stdout


def note(text: str) -> None:
    """Print a remark that is not part of the result, whole words on each line of a terminal; lost if stderr is closed."""
    with suppress(OSError, ValueError):
        errors.print(Text(text), soft_wrap=not errors.is_terminal)


def print_error(sentence: str) -> None:
    note(f"directrank: {sentence}")
