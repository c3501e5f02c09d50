"""The files that a command reads and writes: their formats, told by their names, their sizes, what is said of them."""

from __future__ import annotations

import errno
import os
import re
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ..data import InputError, InputWarning, RankingData, read_letor, read_parquet
from ..data.bytes.files import descriptor_of, is_stream, limit_reading
from ..data.formats.topics import topic_parts
from .output import note, spinner


class Format(StrEnum):
    letor = "letor"
    parquet = "parquet"
    run = "run"
    qrels = "qrels"


class Source(StrEnum):
    """What is joined with judgments."""

    run = "run"
    log = "log"


def _limit(size: str | None) -> str | None:
    if size is not None:
        found = re.fullmatch(r"(\d{1,15})([KMGT]?)(?:i?B)?", size, re.IGNORECASE)
        if found is None or int(found[1]) == 0:
            raise InputError(f"--max-size {size}: write a number of bytes, such as 500M or 64G")
        limit_reading(int(found[1]) << 10 * " KMGT".index(found[2].upper() or " "))
    return size


#: The option of every command that reads files. It sets the limit of all readers, so a command need not look at it.
MaxSize = Annotated[
    str | None,
    typer.Option(
        "--max-size",
        metavar="SIZE",
        callback=_limit,
        help="The most that a file may hold, decompressed: 500M, 64G; by default half of the memory for gzip and pipes.",
    ),
]


def _part_of_topics(field: str) -> str:
    topic_parts(field)
    return field


#: The option of commands that read TREC topics.
TopicField = Annotated[
    str,
    typer.Option(
        "--topic-field",
        metavar="FIELD",
        callback=_part_of_topics,
        help="Which part of TREC topics is the query: title, description, narrative, or title+description and the like.",
    ),
]


def format_of(path: Path) -> Format:
    """By the ending: .parquet, or .run or .qrels with or without .gz; anything else is LETOR text."""
    if path.name.lower().endswith(".parquet.gz"):
        raise InputError(f"{path}: a Parquet file is compressed in itself; name it .parquet")
    ending = Path(path.name.removesuffix(".gz")).suffix.removeprefix(".").lower()
    return Format(ending) if ending in [known.value for known in Format] else Format.letor


def source_of(path: Path) -> Source:
    """By the ending: .jsonl, .ndjson, .json or .csv, with or without .gz, is the log of a search engine; else a run."""
    ending = Path(path.name.lower().removesuffix(".gz")).suffix
    return Source.log if ending in (".jsonl", ".ndjson", ".json", ".csv") else Source.run


def check_target(target: Path, sources: Iterable[Path | None]) -> None:
    """Refuse, before any work, a target that is one of the sources or cannot be written."""
    real = os.path.realpath(target)
    if os.path.isdir(real):
        raise InputError(f"{target} is a folder; name a file to write")
    if not is_stream(target) and not os.path.isdir(os.path.dirname(real)):
        raise InputError(f"{target}: there is no such folder to write to")
    is_device = os.path.exists(real) and not os.path.isfile(real)  # a terminal is read and written
    if not is_device and real in [os.path.realpath(source) for source in sources if source is not None]:
        raise InputError(f"{target} is to be read and written; choose another name to write")
    try:
        if not is_stream(target):
            tempfile.TemporaryFile(dir=os.path.dirname(real)).close()  # where it is written, to take the old one's place
        elif not _is_writable(target):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror}") from error


def _is_writable(stream: Path) -> bool:
    """Whether a pipe, a device or a descriptor of this process can be written to."""
    descriptor = descriptor_of(stream)
    if descriptor is None:
        return os.access(stream, os.W_OK)
    try:
        os.write(descriptor, b"")  # EBADF where it is closed or open for reading only
    except OSError:
        return False
    return True


def read_data(path: Path, n_features: int | None = None) -> RankingData:
    """Read ranking data, and note what the reader warns of; LETOR text may leave out the last of `n_features`."""
    if format_of(path) in (Format.run, Format.qrels):
        raise InputError(f"{path} is a TREC file by its name, and ranking data is asked for; join runs with --qrels first")
    with noted_warnings(), spinner(f"Reading {path}"):
        return read_parquet(path) if format_of(path) is Format.parquet else read_letor(path, n_features=n_features)


@contextmanager
def noted_warnings() -> Iterator[None]:
    """Note what a reader warns of, once it is done."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", InputWarning)
        yield
    for warning in caught:
        note(str(warning.message))
