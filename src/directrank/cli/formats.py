"""Which format a file is in, told by its name."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path

from ..data import InputError, RankingData, read_letor, read_parquet
from .output import spinner


class Format(StrEnum):
    letor = "letor"
    parquet = "parquet"
    run = "run"
    qrels = "qrels"


def format_of(path: Path) -> Format:
    """By the ending: .parquet, or .run or .qrels with or without .gz; anything else is LETOR text."""
    if path.name.lower().endswith(".parquet.gz"):
        raise InputError(f"{path}: a Parquet file is compressed in itself; name it .parquet")
    ending = Path(path.name.removesuffix(".gz")).suffix.removeprefix(".").lower()
    return Format(ending) if ending in [known.value for known in Format] else Format.letor


def check_target(target: Path, sources: Iterable[Path | None]) -> None:
    """Refuse, before any work, a target that is one of the sources or cannot be written."""
    folder = target.resolve().parent
    if not folder.is_dir():
        raise InputError(f"{target}: there is no such folder to write to")
    if target.is_dir():
        raise InputError(f"{target} is a folder; name a file to write")
    if target.resolve() in [source.resolve() for source in sources if source is not None]:
        raise InputError(f"{target} is to be read and written; choose another name to write")
    try:
        if target.exists() and not target.is_file():  # a pipe or a device
            if not os.access(target, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        else:
            tempfile.TemporaryFile(dir=folder).close()  # a file is written beside the old one, and takes its place
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror}") from error


def read_data(path: Path, n_features: int | None = None) -> RankingData:
    """Read ranking data; LETOR text may leave out the last of `n_features`."""
    if format_of(path) in (Format.run, Format.qrels):
        raise InputError(f"{path} is a TREC file by its name, and ranking data is asked for; join runs with --qrels first")
    with spinner(f"Reading {path}"):
        return read_parquet(path) if format_of(path) is Format.parquet else read_letor(path, n_features=n_features)
