"""The option ``--feature-names``: names for the features of LETOR text, which has numbers only."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated

import typer

from ...data.errors import InputError

FeatureNames = Annotated[
    str | None,
    typer.Option(
        "--feature-names",
        metavar="FILE|A,B,C",
        help="Names for the features of LETOR text: a file with one name per line, a JSON list, or comma-separated names.",
    ),
]

_NUMBERED = re.compile(r"(\d+)\s*[\t:]\s*(.+)")


def parse_feature_names(given: str) -> list[str]:
    """Names in the order of the features, from a file or a comma-separated list.

    A file has a name on each line, optionally after its number and a tab or a colon, or is a JSON list.
    """
    if _is_file(given):
        return _read_names(given)
    names = [name.strip() for name in given.split(",")]
    if not all(names):
        raise InputError(f"--feature-names {given}: there is an empty name; separate names by commas, as in bm25,pagerank")
    if len(names) == 1 and not re.fullmatch(r"\w+", given):
        raise InputError(f"--feature-names {given}: there is no such file; give a file, or names separated by commas")
    return names


def _is_file(given: str) -> bool:
    try:
        return Path(given).is_file()
    except OSError:  # a list of names that is too long for a file name
        return False


def _read_names(file: str) -> list[str]:
    from ...data.io.files import text_lines

    lines = [line.strip() for line in text_lines(file)]
    if lines and lines[0].startswith("["):
        return _parse_json(file, "\n".join(lines))
    while lines and not lines[-1]:
        lines.pop()
    for number, line in enumerate(lines, 1):
        if not line:
            raise InputError(f"{file}:{number}: this line is empty; each must have the name of a feature")
    if not lines:
        raise InputError(f"{file}: there are no names in it; write one on each line")
    numbered = [_NUMBERED.fullmatch(line) for line in lines]
    if None in numbered:
        return lines
    return _in_order(file, {int(found[1]): found[2] for found in numbered if found}, len(lines))


def _in_order(file: str, names: dict[int, str], n_lines: int) -> list[str]:
    if sorted(names) != list(range(1, n_lines + 1)):
        raise InputError(f"{file}: its {n_lines:,} lines must have the numbers from 1 to {n_lines:,}, each once")
    return [names[number] for number in range(1, n_lines + 1)]


def _parse_json(file: str, text: str) -> list[str]:
    try:
        names = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file}: not a valid JSON list ({error})") from error
    if not all(isinstance(name, str) and name for name in names):
        raise InputError(f"{file}: it must be a JSON list of names")
    return list(names)
