"""``directrank predict``: score data with a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ..options.cluster import ClusterOption
from ..options.common import AsJson, DataFilesArgument, ModelArgument, output_file
from ..options.feature_names import FeatureNames
from ..options.max_size import MaxSize


def predict(
    model: ModelArgument,
    files: DataFilesArgument,
    output: Annotated[Path, output_file("File to write, with one score per row of the data; - is standard output.")],
    feature_names: FeatureNames = None,
    cluster: ClusterOption = None,
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Score data with a model.

    directrank predict model.json test.txt -o scores.txt
    """
    from ..actions.predict import PredictOptions, run

    run(PredictOptions(model, files, output, feature_names, cluster, as_json))
