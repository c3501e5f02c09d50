"""``directrank predict``: score data with a model, and write the scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from ...data import write_scores
from ...models import Model, load_model
from ..console.output import print_json
from ..console.output_files import check_output_file
from ..console.progress import spinner
from ._cluster import check_no_feature_names, connected, read_sharded, single_file
from ._matching import read_matching, score_data


class PredictOptions(NamedTuple):
    """Options of ``directrank predict``."""

    model: Path
    files: list[str]
    output: Path
    feature_names: str | None
    cluster: str | None
    as_json: bool


def run(options: PredictOptions) -> None:
    """Write the score of each row."""
    output = options.output
    check_output_file(output, [options.model, *options.files], options.as_json)
    model = load_model(options.model)
    scores = _score(model, options) if options.cluster is None else _score_on_cluster(options.cluster, model, options)
    write_scores(output, scores)
    if options.as_json:
        print_json({"scores": str(output), "rows": len(scores), "lowest": scores.min(), "highest": scores.max()})


def _score(model: Model, options: PredictOptions) -> Any:
    file = single_file(options.files)
    data = read_matching(file, model.n_features, model.feature_names, options.feature_names)
    return score_data(model, data, str(file))


def _score_on_cluster(cluster: str, model: Model, options: PredictOptions) -> Any:
    check_no_feature_names(options.feature_names)
    with connected(cluster) as client:
        from ... import distributed

        data = read_sharded(options.files, client)
        with spinner("Scoring"):
            return distributed.predict(model, data).compute(scheduler=client)
