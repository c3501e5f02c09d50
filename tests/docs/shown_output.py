"""Output that pages show below their commands: compared with what is printed, and written anew.

Run as a script with the names of pages, this file runs their commands and replaces the output that they show; a line ``...``
in it, which stands for any lines, must then be put back by hand.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

#: Stands for any number of lines.
ANY_LINES = "..."

#: Figures depend a little on the versions of libraries: on docstrings, of which the example consists, and on trees.
RELATIVE, ABSOLUTE, ABSOLUTE_INTEGER = 0.15, 0.03, 12

_BLOCK = re.compile(r"^```console\n(.*?)^```", re.DOTALL | re.MULTILINE)
_NUMBER = re.compile(r"(?<![\w@.])[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e-?\d+)?(?![\w.]*\w)")
_DURATION = re.compile(r"\b\d+(?:\.\d+)? (?:ms|s|min)\b")
_FRAME = re.compile(r"[\u2500-\u257f]+")


class Command(NamedTuple):
    """A command of a page, and the output that the page shows; empty if it shows none."""

    line: str
    output: str


def commands(page: str) -> Iterator[Command]:
    """The lines of console blocks that start with $, each with the lines below it."""
    for block in _BLOCK.findall(page):
        lines = block.splitlines()
        starts = [number for number, line in enumerate(lines) if line.startswith("$ ")]
        assert starts[:1] == [0], f"a console block starts with a command: {block}"
        for start, end in pairwise([*starts, len(lines)]):
            yield Command(lines[start].removeprefix("$ "), "\n".join(lines[start + 1 : end]).strip())


def assert_output(shown: str, printed: str) -> None:
    """Assert that output has the shape that a page shows: the same words, and nearly the same numbers.

    White space, frames of tables and durations may differ, and lines between others where the page has ``...``.
    """
    wanted, found = _lines(shown), _lines(printed)
    parts = [part.splitlines() for part in re.split(rf"(?m)^{re.escape(ANY_LINES)}$\n?", "\n".join(wanted))]
    position = 0
    for number, part in enumerate(parts):
        if number == 0:
            at = 0
        elif number == len(parts) - 1:
            at = max(len(found) - len(part), position)
        else:
            at = next((i for i in range(position, len(found)) if _all_match(part, found[i:])), position)
        _assert_lines(part, found[at : at + len(part)], printed)
        position = at + len(part)
    assert position == len(found), f"{found[position]!r} was printed, and the page does not show it:\n{printed}"


def _lines(text: str) -> list[str]:
    """Lines without frames, durations and repeated spaces; lines of frames alone are left out."""
    plain = (" ".join(_FRAME.sub(" ", _DURATION.sub("0 s", line)).split()) for line in text.strip().splitlines())
    return [line for line, before in zip(plain, text.strip().splitlines(), strict=True) if line or not before.strip()]


def _all_match(wanted: list[str], found: list[str]) -> bool:
    return len(found) >= len(wanted) and all(map(_matches, wanted, found))


def _assert_lines(wanted: list[str], found: list[str], printed: str) -> None:
    for number, line in enumerate(wanted):
        other = found[number] if number < len(found) else None
        assert other is not None and _matches(line, other), f"the page shows {line!r}, and {other!r} was printed:\n{printed}"


def _matches(shown: str, printed: str) -> bool:
    """Whether two lines have the same words, and numbers that are near."""
    if _NUMBER.sub("0", shown) != _NUMBER.sub("0", printed):
        return False
    return all(map(_are_near, _NUMBER.findall(shown), _NUMBER.findall(printed)))


def _are_near(shown: str, printed: str) -> bool:
    a, b = (float(number.replace(",", "")) for number in (shown, printed))
    is_integer = re.fullmatch(r"[+-]?[\d,]+", shown) is not None
    return abs(a - b) <= RELATIVE * max(abs(a), abs(b)) + (ABSOLUTE_INTEGER if is_integer else ABSOLUTE)


def updated(page: str) -> str:
    """The page with new output below the commands that show any; they run in the current folder."""
    from terminal import run_in_terminal

    def run(block: re.Match[str]) -> str:
        parts = []
        for command in commands(block[0]):
            name, *arguments = shlex.split(command.line)
            assert name == "directrank", command.line
            shown = run_in_terminal(*arguments)
            assert shown.code == 0, (command.line, shown.text)
            output = "\n".join(line.rstrip() for line in shown.text.strip("\n").splitlines())
            parts.append(f"$ {command.line}\n" + (f"{output}\n" if command.output else ""))
        return "```console\n" + "".join(parts) + "```"

    return _BLOCK.sub(run, page)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        file = Path(os.path.abspath(name))
        with tempfile.TemporaryDirectory() as folder, chdir(folder):
            file.write_text(updated(file.read_text()))
