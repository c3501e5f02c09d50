"""Options that ``cv``, ``tune`` and ``best`` have in common."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

FileArgument = Annotated[Path, typer.Argument(metavar="DATA", help="LETOR text or Parquet.")]
FoldsOption = Annotated[int, typer.Option(help="Into how many folds the queries are dealt; at least 3.", min=3)]
SeedOption = Annotated[int, typer.Option(help="By which queries are dealt out to folds.", min=0)]
TimeOption = Annotated[
    str | None, typer.Option("--time", metavar="TIME", help="How long it may take: 90s, 10m, 1h30m.", show_default=False)
]

KeepPartial = Annotated[
    bool, typer.Option("--keep-partial", help="Write the model of the best so far when Ctrl-C ends the search.")
]
