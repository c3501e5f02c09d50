"""The option ``--max-size``: a limit for all readers while a command runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

from ...data.errors import InputError


def parse_size(size: str | int | None) -> int | None:
    """Number of bytes that ``--max-size`` allows, such as 500M or 64G."""
    if size is None or isinstance(size, int):
        return size
    found = re.fullmatch(r"(\d{1,15})([KMGT]?)(?:i?B)?", size, re.IGNORECASE)
    if found is None or int(found[1]) == 0:
        raise InputError(f"--max-size {size}: write a number of bytes, such as 500M or 64G")
    return int(found[1]) << 10 * " KMGT".index(found[2].upper() or " ")


#: The option of every command that reads files. `limiting_input` applies it, so commands need not pass it on.
MaxSize = Annotated[
    str | None,
    typer.Option(
        "--max-size",
        metavar="SIZE",
        callback=parse_size,
        help="Maximum decompressed size of an input file, such as 500M or 64G. By default, gzip files and pipes may take "
        "half of the memory.",
    ),
]


def limiting_input(command: Callable[..., None]) -> Callable[..., None]:
    """Wrap a command so that its readers keep to ``--max-size``."""

    @wraps(command)
    def run(*arguments: Any, max_size: int | None = None, **options: Any) -> None:
        if max_size is None:
            command(*arguments, **options)
            return
        from ...data.io.files import reading_limit

        with reading_limit(max_size):
            command(*arguments, **options)

    return run
