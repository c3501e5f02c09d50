"""Options for click logs: their files and columns, and how gains are estimated from them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from ...data.errors import InputError

LogArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="LOG",
        help="Click log, a table with a row for each impression: CSV, TSV, JSON lines, Parquet or Arrow files, or folders.",
    ),
]


def _column(option: str, help: str) -> typer.models.OptionInfo:
    return typer.Option(option, metavar="COLUMN", help=help)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class LogColumnOptions:
    """Columns of a click log."""

    session: Annotated[str | None, _column("--session", "Column with the session. By default by its name.")] = None
    query: Annotated[str | None, _column("--query", "Column with the query. By default by its name.")] = None
    document: Annotated[str | None, _column("--doc", "Column with the document. By default by its name.")] = None
    rank: Annotated[str | None, _column("--rank", "Column with the rank shown, from 1 or 0. By default by its name.")] = None
    click: Annotated[str | None, _column("--click", "Column with the click, or another reward. By default by its name.")] = (
        None
    )
    ranker: Annotated[
        str | None, _column("--ranker", "Column with the ranker, or the variant of an experiment. By default none.")
    ] = None

    def given(self) -> dict[str, str]:
        """Columns that were named, by role."""
        named = {each.name: getattr(self, each.name) for each in fields(self)}
        return {role: name for role, name in named.items() if name is not None}


@dataclass(frozen=True)
class ClickOptions:
    """Training from clicks in place of labels."""

    clicks: Annotated[
        str | None,
        typer.Option("--clicks", metavar="LOG", help="Click log to learn from; joined with the rows by query and document."),
    ] = None
    bias: Annotated[
        Path | None,
        typer.Option("--bias", metavar="FILE", help="Position bias; see directrank clicks bias. By default estimated."),
    ] = None
    log_columns: Annotated[
        str | None,
        typer.Option("--log-columns", metavar="ROLE=COLUMN,...", help="Columns of the log, as session=sid,rank=pos."),
    ] = None
    estimator: Annotated[
        str,
        typer.Option("--estimator", metavar="NAME", help="Estimator of relevance: snips, ips, dr or naive (biased)."),
    ] = "snips"
    biased: Annotated[
        bool,
        typer.Option("--biased", help="Train for a measure that clicks do not estimate without bias, such as nDCG@10."),
    ] = False

    def files(self) -> list[str | Path]:
        """The files that are read."""
        return [file for file in (self.clicks, self.bias) if file is not None]

    def columns(self) -> dict[str, str]:
        """Columns of the log that were named, by role."""
        roles = [each.name for each in fields(LogColumnOptions)]
        found: dict[str, str] = {}
        for part in [] if self.log_columns is None else self.log_columns.split(","):
            role, _, name = (word.strip() for word in part.partition("="))
            if role not in roles or not name:
                raise InputError(f"--log-columns {part}: write ROLE=COLUMN; the roles are {', '.join(roles)}")
            found[role] = name
        return found

    def arguments(self) -> list[str]:
        """The options as words of a command line."""
        words: list[Any] = [] if self.clicks is None else ["--clicks", self.clicks]
        words += [] if self.bias is None else ["--bias", self.bias]
        words += [] if self.log_columns is None else ["--log-columns", self.log_columns]
        words += [] if self.estimator == "snips" else ["--estimator", self.estimator]
        return [str(word) for word in words] + (["--biased"] if self.biased else [])
