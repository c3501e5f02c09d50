"""What the folders that experiments are run on hold, found by name."""

from __future__ import annotations

from pathlib import Path

from ..data import InputError, letor_folds
from ..data.splits import Split
from .experiment import Source


def starting_with(folder: Path, start: str, source: Source) -> list[Path]:
    """The files or folders whose names start so, one at least; editors' backups are not among them."""
    inside = checked(folder, source).iterdir()
    found = sorted(path for path in inside if path.name.startswith(start) and not path.name.endswith("~"))
    if not found:
        raise InputError(f"{folder}: nothing in this folder is named {start}*; {_what_to_give(source)}")
    return found


def only(folder: Path, start: str, source: Source) -> Path:
    """The one file or folder whose name starts so."""
    first, *others = starting_with(folder, start, source)
    if others:
        names = ", ".join(path.name for path in (first, *others))
        raise InputError(f"{folder}: there are {names}, where one {start}* is to be; keep one")
    return first


def read_folds(folder: Path, source: Source) -> list[Split]:
    """LETOR's folds, all of them."""
    return list(letor_folds(checked(folder, source)))


def checked(folder: Path, source: Source) -> Path:
    """The folder, if it is one."""
    if not folder.is_dir():
        raise InputError(f"{folder}: this is no folder; {_what_to_give(source)}")
    return folder


def _what_to_give(source: Source) -> str:
    return f"give --data {source.name}=FOLDER, a folder with {source.holds}"
