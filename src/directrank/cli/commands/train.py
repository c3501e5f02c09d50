"""``directrank train``: train a ranking model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..options.click_logs import ClickOptions
from ..options.cluster import ClusterOption
from ..options.columns import ColumnOptions
from ..options.common import AsJson, DataFilesArgument, LearnerOption, MeasureOption, SettingsOption, output_file
from ..options.max_size import MaxSize


def train(
    files: DataFilesArgument,
    output: Annotated[Path, output_file("Model file to write; - is standard output.")],
    learner: LearnerOption = "svm",
    measure: MeasureOption = "AP",
    validate: Annotated[
        str | None,
        typer.Option(metavar="DATA", help="Validation data, for choosing C or the number of rounds."),
    ] = None,
    settings: SettingsOption = None,
    keep_partial: Annotated[
        bool, typer.Option("--keep-partial", help="If Ctrl-C ends the training, save the model so far.")
    ] = False,
    columns: ColumnOptions = ColumnOptions(),
    clicks: ClickOptions = ClickOptions(),
    cluster: ClusterOption = None,
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Train a ranking model that optimises a measure, and save it.

    Ctrl-C ends the training with exit code 130 and leaves the model file unchanged, unless --keep-partial is given.

    directrank train train.txt --validate vali.txt --measure AP -o model.json

    directrank train "train/*.parquet" --cluster tcp://scheduler:8786 --measure AP -o model.json

    With --clicks, rows need no labels: the relevance of each is estimated from what users clicked.

    directrank train features.parquet --clicks log.parquet --bias bias.json -m "DCG(gain=linear)@10" -o model.json
    """
    from ..actions.train import TrainOptions, run

    options = (files, output, learner, measure, validate, settings or [], keep_partial, columns, clicks, cluster, as_json)
    run(TrainOptions(*options))
