"""``directrank predict``: score data with a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..data import write_scores
from ..models import Model, load_model
from .cluster import ClusterOption, connected, one_file, read_sharded
from .formats import MaxSize, check_target
from .matching import read_matching
from .output import spinner


def predict(
    model: Annotated[Path, typer.Argument(help="What directrank train wrote.")],
    files: Annotated[list[Path], typer.Argument(metavar="DATA...", help="LETOR text or Parquet; several with --cluster.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write a score for each row.")],
    cluster: ClusterOption = None,
    max_size: MaxSize = None,
) -> None:
    """Score data with a model.

    directrank predict model.json test.txt -o scores.txt
    """
    check_target(output, [model, *files])
    learned = load_model(model)
    if cluster is not None:
        with connected(cluster) as client:
            write_scores(output, _scores_on_cluster(client, learned, files))
        return
    data = read_matching(one_file(files), learned.n_features, learned.feature_names)
    write_scores(output, learned.predict(data.X))


def _scores_on_cluster(client: Any, model: Model, files: list[Path]) -> Any:
    from .. import distributed

    data = read_sharded(files, client)
    with spinner("Scoring"):
        return distributed.predict(model, data).compute(scheduler=client)
