"""File formats, inferred from file names, and the option ``--topic-field``."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ...data.errors import InputError


class Format(StrEnum):
    letor = "letor"
    parquet = "parquet"
    run = "run"
    qrels = "qrels"


class JoinedFormat(StrEnum):
    """Files that are joined with judgments: TREC runs, or logs of a search engine."""

    run = "run"
    log = "log"


def format_of(path: Path) -> Format:
    """Format by file extension: .parquet, .run or .qrels, the last two also with .gz; anything else is LETOR text."""
    if path.name.lower().endswith(".parquet.gz"):
        raise InputError(f"{path}: Parquet files are compressed already; name it .parquet")
    extension = Path(path.name.removesuffix(".gz")).suffix.removeprefix(".").lower()
    return Format(extension) if extension in [known.value for known in Format] else Format.letor


def joined_format_of(path: Path) -> JoinedFormat:
    """Format by file extension: .jsonl, .ndjson, .json or .csv, also with .gz, is an engine log; anything else a run."""
    extension = Path(path.name.lower().removesuffix(".gz")).suffix
    return JoinedFormat.log if extension in (".jsonl", ".ndjson", ".json", ".csv") else JoinedFormat.run


#: Field of TREC topics that is the query by default.
DEFAULT_TOPIC_FIELD = "title"


def _checked_topic_field(field: str | None) -> str | None:
    from ...data.formats.texts.topics import topic_parts

    if field is not None:
        topic_parts(field)
    return field


TopicField = Annotated[
    str | None,
    typer.Option(
        "--topic-field",
        metavar="FIELD",
        callback=_checked_topic_field,
        help="Field of TREC topics to use as the query: title, description, narrative, or several as title+description.",
        show_default=DEFAULT_TOPIC_FIELD,
    ),
]
