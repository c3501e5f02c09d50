"""``directrank predict``: score data with a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..options.cluster import ClusterOption
from ..options.columns import RowColumns
from ..options.common import AsJson, DataFilesArgument, ModelArgument, output_file
from ..options.max_size import MaxSize


def predict(
    model: ModelArgument,
    files: DataFilesArgument,
    output: Annotated[
        Path,
        output_file(
            "File to write: a table (.csv, .tsv, .jsonl, .parquet, .arrow) with query, document, score and rank; "
            "a TREC run (.run); otherwise one score per line. - is standard output."
        ),
    ],
    keep: Annotated[
        str | None, typer.Option("--keep", metavar="A,B,C", help="Columns of the data to write too, comma-separated.")
    ] = None,
    columns: RowColumns = RowColumns(),
    cluster: ClusterOption = None,
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Score data with a model.

    The data needs no labels; columns that the model does not know are left out.

    directrank predict model.json new.csv -o scores.csv

    directrank predict model.json new.parquet -o ranking.run
    """
    from ..actions.predict import PredictOptions, run

    run(PredictOptions(model, files, output, keep, columns, cluster, as_json))
