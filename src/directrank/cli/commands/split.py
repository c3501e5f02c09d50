"""``directrank split``: training, validation and test data, by query."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..options.common import AsJson
from ..options.feature_names import FeatureNames
from ..options.formats import MaxSize


def split(
    file: Annotated[Path, typer.Argument(metavar="DATA", help="LETOR text or Parquet.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write; there must be no files in it.")],
    folds: Annotated[
        int | None,
        typer.Option(help="As many folds, in folders Fold1, Fold2, ...: each query is test data once. Default: 5."),
    ] = None,
    share: Annotated[
        str | None, typer.Option(metavar="A/B/C", help="One split by these shares of the queries, such as 60/20/20.")
    ] = None,
    seed: Annotated[int, typer.Option(help="By which queries are dealt out.", min=0)] = 0,
    feature_names: FeatureNames = None,
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Split data by query into train, vali and test files, in the format of the data.

    Folds are those of LETOR: of five parts, three train, one validates and one tests, in turn.

    directrank split data.txt -o folds

    directrank split data.parquet --share 60/20/20 -o parts
    """
    from ..actions.split import split_file

    split_file(file, output, folds, share, seed, feature_names, as_json)
