"""``directrank predict``: score data with a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...data.errors import InputError
from ..console.output import print_json, spinner
from ..console.output_files import check_target
from ..options.cluster import ClusterOption, connected, one_file, read_sharded
from ..options.common import TARGET, AsJson, DataArgument
from ..options.feature_names import FeatureNames
from ..options.formats import MaxSize

if TYPE_CHECKING:
    from ...models import Model


def predict(
    model: Annotated[Path, typer.Argument(help="What directrank train wrote.")],
    files: DataArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write a score for each row; - is standard output.", **TARGET)
    ],
    feature_names: FeatureNames = None,
    cluster: ClusterOption = None,
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Score data with a model.

    directrank predict model.json test.txt -o scores.txt
    """
    from ...data import write_scores
    from ...models import load_model
    from ..actions._matching import read_matching, scores_of

    check_target(output, [model, *files], as_json)
    learned = load_model(model)
    if cluster is None:
        file = one_file(files)
        data = read_matching(file, learned.n_features, learned.feature_names, feature_names)
        scores = scores_of(learned, data, str(file))
    elif feature_names is not None:
        raise InputError("--feature-names is for LETOR text, and on a cluster data is Parquet, with names in it")
    else:
        with connected(cluster) as client:
            scores = _scores_on_cluster(client, learned, files)
    write_scores(output, scores)
    if as_json:
        print_json({"scores": str(output), "rows": len(scores), "lowest": scores.min(), "highest": scores.max()})


def _scores_on_cluster(client: Any, model: Model, files: list[Path]) -> Any:
    from ... import distributed

    data = read_sharded(files, client)
    with spinner("Scoring"):
        return distributed.predict(model, data).compute(scheduler=client)
