"""Files of the folders that experiments are run on, found by name."""

from __future__ import annotations

from pathlib import Path

from ..data import InputError, letor_folds
from ..data.splits import Split
from .experiment import Source


def find_by_prefix(folder: Path, prefix: str, source: Source) -> list[Path]:
    """Find the files or folders whose names start with a prefix, at least one; editors' backups are ignored."""
    check_folder(folder, source)
    found = sorted(path for path in folder.iterdir() if path.name.startswith(prefix) and not path.name.endswith("~"))
    if not found:
        raise InputError(f"{folder}: no file in this folder is named {prefix}*; {_advice(source)}")
    return found


def find_one(folder: Path, prefix: str, source: Source) -> Path:
    """Find the only file or folder whose name starts with a prefix."""
    first, *others = find_by_prefix(folder, prefix, source)
    if others:
        names = ", ".join(path.name for path in (first, *others))
        raise InputError(f"{folder}: there are {names}, but only one {prefix}* is expected; keep one")
    return first


def read_folds(folder: Path, source: Source) -> list[Split]:
    """Read all of LETOR's folds."""
    check_folder(folder, source)
    return list(letor_folds(folder))


def check_folder(folder: Path, source: Source) -> None:
    """Raise an error if the path is not a folder."""
    if not folder.is_dir():
        raise InputError(f"{folder}: not a folder; {_advice(source)}")


def _advice(source: Source) -> str:
    return f"give --data {source.name}=FOLDER, a folder with {source.contents}"
