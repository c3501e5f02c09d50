"""Folders of splits, as LETOR has them: train, vali and test, in a folder for each split."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from .errors import InputError
from .formats.letor.writer import write_letor
from .formats.parquet.writer import write_parquet
from .io.files import PathLike
from .io.locks import remove_leftovers, unfinished
from .splits import PARTS, Split


def write_splits(directory: PathLike, splits: Iterable[tuple[str, Split]], ending: str = ".txt") -> None:
    """Write splits into a new folder, which `letor_folds` and `read_split` read.

    Parameters
    ----------
    directory : path
        There must be nothing there, or an empty folder. It gets all files, or none of them.
    splits : iterable of names and splits
        The name of its folder, such as ``Fold1``, and a split; the name ``.`` is the directory itself.
    ending : str
        Of the files' names: ``.txt`` and ``.txt.gz`` are LETOR text, ``.parquet`` is Parquet.
    """
    check_new_folder(directory)
    target, write = Path(os.path.realpath(directory)), write_parquet if ending == ".parquet" else write_letor
    named = (f".{target.name}.", ".part")
    remove_leftovers(target.parent, *named)
    with unfinished(target.parent, *named, Path.mkdir) as written:
        try:
            for name, split in splits:
                (written / name).mkdir(exist_ok=True)
                for part, data in zip(PARTS, split, strict=True):
                    write(written / name / f"{part}{ending}", data)
            written.replace(target)  # which fails where files have appeared in the meantime
        except BaseException:
            shutil.rmtree(written, ignore_errors=True)
            raise


def check_new_folder(directory: PathLike) -> None:
    """Refuse a folder to write to where there is something already, or where none can be made."""
    target = Path(os.path.realpath(directory))
    if target.is_dir() and any(target.iterdir()):
        raise InputError(f"{directory} holds files already, which are not overwritten; name a new folder")
    if target.exists() and not target.is_dir():
        raise InputError(f"{directory} is a file; name a new folder")
    if not target.parent.is_dir():
        raise InputError(f"{directory}: there is no such folder to make a folder in")
