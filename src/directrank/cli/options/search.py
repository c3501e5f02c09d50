"""Options of ``cv``, ``tune`` and ``best``."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from ...data.errors import InputError

FoldsOption = Annotated[
    int, typer.Option("--folds", metavar="N", help="Number of cross-validation folds (at least 3).", min=3)
]
OptionalFoldsOption = Annotated[
    int | None,
    typer.Option("--folds", metavar="N", help="Number of cross-validation folds (at least 3).", min=3, show_default="5"),
]
TimeOption = Annotated[
    str | None,
    typer.Option("--time", metavar="TIME", help="Time limit for the search, such as 90s, 10m or 1h30m.", show_default=False),
]
KeepPartial = Annotated[bool, typer.Option("--keep-partial", help="If Ctrl-C ends the search, save the best model so far.")]

_TIME = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?:in)?)?(?:(\d+(?:\.\d+)?)s?)?")


def parse_time(time: str | None) -> float | None:
    """Seconds that ``--time`` allows; a number without a unit is in seconds."""
    if time is None:
        return None
    found = _TIME.fullmatch(time.replace(" ", ""))
    hours, minutes, seconds = (float(part or 0) for part in found.groups()) if found else (0.0, 0.0, 0.0)
    total = 3600 * hours + 60 * minutes + seconds
    if not total > 0:
        raise InputError(f"--time {time}: write a duration such as 90s, 10m or 1h30m")
    return total
