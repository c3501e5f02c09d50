"""Formats that file names do not tell, and the option ``--topic-field``."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class InputFormat(StrEnum):
    """Inputs of ``directrank convert`` that a file name may not tell apart."""

    table = "table"
    run = "run"
    qrels = "qrels"
    log = "log"


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
