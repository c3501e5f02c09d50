"""The option ``--feature-names``: what the features of LETOR text, which has numbers for them, are called."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..data.errors import InputError

if TYPE_CHECKING:
    from ..data import RankingData

FeatureNames = Annotated[
    str | None,
    typer.Option(
        "--feature-names",
        metavar="FILE|A,B,C",
        help="Names for the features of LETOR text: a file with one in each line, a JSON list, or names with commas.",
    ),
]

_NUMBERED = re.compile(r"(\d+)\s*[\t:]\s*(.+)")


def feature_names_of(given: str) -> list[str]:
    """The names that the option gives, in the order of the features.

    A file has a name in each line, which may stand after its number and a tab or a colon, or is a JSON list.
    """
    if _is_file(given):
        return _of_file(given)
    names = [name.strip() for name in given.split(",")]
    if not all(names):
        raise InputError(f"--feature-names {given}: there is an empty name; separate names by commas, as in bm25,pagerank")
    if len(names) == 1 and not re.fullmatch(r"\w+", given):
        raise InputError(f"--feature-names {given}: there is no such file; name one, or names with commas between")
    return names


def named(data: RankingData, names: list[str], path: Path, n_features: int | None = None) -> RankingData:
    """The data of LETOR text with these names, one for each feature; a model may have said how many there are."""
    from ..data import RankingData

    if data.feature_names is not None:
        if data.feature_names != names:
            raise InputError(f"{path} has the names of its features in it; leave --feature-names out")
        return data
    if n_features is not None and len(names) != n_features:
        raise InputError(f"--feature-names has {len(names):,} names, and the model has {n_features:,} features")
    if len(names) < data.n_features:
        raise InputError(f"--feature-names has {len(names):,} names, and {path} has {data.n_features:,} features; name each")
    if len(names) > data.n_features:
        what = f"--feature-names has {len(names):,} names, and {path} has no feature above {data.n_features:,}"
        advice = f"if the last features are 0 throughout, write {len(names)}:0 in one of its lines"
        raise InputError(f"{what}; remove the names that are too many, or, {advice}")
    return RankingData(data.X, data.y, data.qid, data.docno, names)


def _is_file(given: str) -> bool:
    try:
        return Path(given).is_file()
    except OSError:  # names with commas that are too long for the name of a file
        return False


def _of_file(file: str) -> list[str]:
    from ..data.io.files import text_lines

    lines = [line.strip() for line in text_lines(file)]
    if lines and lines[0].startswith("["):
        return _of_json(file, "\n".join(lines))
    while lines and not lines[-1]:
        lines.pop()
    for number, line in enumerate(lines, 1):
        if not line:
            raise InputError(f"{file}:{number}: this line is empty; each has the name of a feature")
    if not lines:
        raise InputError(f"{file}: there are no names in it; write one in each line")
    numbered = [_NUMBERED.fullmatch(line) for line in lines]
    if None in numbered:
        return lines
    return _in_order(file, {int(found[1]): found[2] for found in numbered if found}, len(lines))


def _in_order(file: str, names: dict[int, str], n_lines: int) -> list[str]:
    if sorted(names) != list(range(1, n_lines + 1)):
        raise InputError(f"{file}: its {n_lines:,} lines must have the numbers from 1 to {n_lines:,}, each once")
    return [names[number] for number in range(1, n_lines + 1)]


def _of_json(file: str, text: str) -> list[str]:
    try:
        names = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file}: it starts as a JSON list and is none ({error})") from error
    if not all(isinstance(name, str) and name for name in names):
        raise InputError(f"{file}: it must be a JSON list of names")
    return list(names)
