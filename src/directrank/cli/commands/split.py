"""``directrank split``: split data by query."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..options.columns import ColumnOptions
from ..options.common import AsJson, DataArgument, SeedOption
from ..options.max_size import MaxSize


def split(
    files: DataArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Folder to write; it must be new or empty.")
    ],
    folds: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Number of folds, in folders Fold1, Fold2, ...; each query is test data once.",
            show_default="5",
        ),
    ] = None,
    share: Annotated[
        str | None,
        typer.Option(
            metavar="A/B/C", help="One split with these shares of the queries, such as 60/20/20, instead of folds."
        ),
    ] = None,
    seed: SeedOption = 0,
    columns: ColumnOptions = ColumnOptions(),
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Split data by query into train, vali and test files, in the format of the data.

    Folds are laid out as in LETOR: of five parts, three are for training, one for validation and one for test, in turn.

    directrank split data.txt -o folds

    directrank split data.parquet --share 60/20/20 -o parts
    """
    from ..actions.split import SplitOptions, run

    run(SplitOptions(files, output, folds, share, seed, columns, as_json))
