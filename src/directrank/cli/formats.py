"""The files that a command reads and writes: their formats, told by their names, their sizes, what is said of them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..data.errors import InputError, InputWarning
from .output import note, spinner

if TYPE_CHECKING:
    from ..data import RankingData


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
        from ..data.io.files import limit_reading

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
    from ..data.formats.texts.topics import topic_parts

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


def read_data(path: Path, n_features: int | None = None, feature_names: str | None = None) -> RankingData:
    """Read ranking data, and note what the reader warns of.

    Parameters
    ----------
    path : Path
    n_features : int, optional
        How many a model has; LETOR text may leave out the last of them.
    feature_names : str, optional
        What ``--feature-names`` says.
    """
    from ..data import read_letor, read_parquet
    from .feature_names import feature_names_of, named

    if format_of(path) in (Format.run, Format.qrels):
        raise InputError(f"{path} is a TREC file by its name, and ranking data is asked for; join runs with --qrels first")
    names = None if feature_names is None else feature_names_of(feature_names)
    with noted_warnings(), spinner(f"Reading {path}"):
        is_parquet = format_of(path) is Format.parquet
        data = read_parquet(path) if is_parquet else read_letor(path, n_features=n_features)
    return data if names is None else named(data, names, path, n_features)


@contextmanager
def noted_warnings() -> Iterator[None]:
    """Note what a reader warns of, once it is done."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", InputWarning)
        yield
    for warning in caught:
        note(str(warning.message))


def note_one_query(path: Path, data: RankingData) -> None:
    """Say so where a file has no qid, which is rarely meant."""
    if data.qid is None and len(data) > 1:
        advice = "write qid:QUERY after each grade (Parquet: a column qid) if they are of several"
        note(f"{path} has no qid: all its {len(data):,} rows are taken as one query; {advice}.")
