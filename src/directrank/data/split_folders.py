"""Writing splits in LETOR's layout: a folder for each split with train, vali and test."""

from __future__ import annotations

import os
from collections.abc import Iterable

from .errors import InputError
from .formats.ranking_writer import write_ranking_data
from .io.files import PathLike
from .io.folders import check_replaceable, replacing_folder
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
        File name extension, which chooses the format, such as ``.txt``, ``.txt.gz``, ``.csv`` or ``.parquet``.
    """
    with replacing_folder(directory, lambda: check_new_folder(directory), is_part=lambda _: False) as written:
        for name, split in splits:
            (written / name).mkdir(exist_ok=True)
            for part, data in zip(PARTS, split, strict=True):
                write_ranking_data(written / name / f"{part}{ending}", data)


def check_new_folder(directory: PathLike) -> None:
    """Check that a folder can be created, or is empty."""
    check_replaceable(directory)
    if os.path.isdir(directory) and os.listdir(directory):
        raise InputError(f"{directory} holds files already, which are not overwritten; name a new folder")
