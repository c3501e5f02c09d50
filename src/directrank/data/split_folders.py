"""Writing splits in LETOR's layout: a folder for each split with train, vali and test."""

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
    """Write splits into a new folder for `letor_folds` and `read_split`.

    Parameters
    ----------
    directory : path
        Must not exist, or be an empty folder. Either all files are written or none.
    splits : iterable of names and splits
        Folder name, such as ``Fold1``, and split; the name ``.`` is the directory itself.
    ending : str
        File name extension: ``.txt`` and ``.txt.gz`` for LETOR text, ``.parquet`` for Parquet.
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
    """Check that a folder can be created, or is empty."""
    target = Path(os.path.realpath(directory))
    if target.is_dir() and any(target.iterdir()):
        raise InputError(f"{directory} holds files already, which are not overwritten; name a new folder")
    if target.exists() and not target.is_dir():
        raise InputError(f"{directory} is a file; name a new folder")
    if not target.parent.is_dir():
        raise InputError(f"{directory}: there is no such folder to make a folder in")
