"""``directrank train``: learn a ranking, and write the model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..console.output_files import check_target
from ..options.cluster import ClusterOption
from ..options.common import TARGET, AsJson, DataArgument, LearnerOption, MeasureOption, SettingsOption
from ..options.feature_names import FeatureNames
from ..options.formats import MaxSize


def train(
    files: DataArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write the model; - is standard output.", **TARGET)
    ],
    learner: LearnerOption = "svm",
    measure: MeasureOption = "AP",
    validate: Annotated[Path | None, typer.Option(help="Data to choose by (C, how many rounds), and to measure.")] = None,
    settings: SettingsOption = None,
    keep_partial: Annotated[
        bool, typer.Option("--keep-partial", help="Write the model so far when Ctrl-C ends the training.")
    ] = False,
    feature_names: FeatureNames = None,
    cluster: ClusterOption = None,
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Learn a ranking that optimises a measure, and write the model.

    Ctrl-C ends the training with exit code 130 and leaves the model file as it was, unless --keep-partial is given.

    directrank train train.txt --validate vali.txt --measure AP -o model.json

    directrank train "train/*.parquet" --cluster tcp://scheduler:8786 --measure AP -o model.json
    """
    from ..actions.train import Keeping, Wanted, train_here, train_on_cluster

    check_target(output, [*files, validate], as_json)
    wanted = Wanted(files, validate, learner, measure, settings or [], feature_names)
    keeping = Keeping(output, keep_partial, as_json)
    if cluster is None:
        train_here(wanted, keeping)
    else:
        train_on_cluster(cluster, wanted, keeping)
