"""``directrank predict``: score data with a model, and write the scores."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ...arrays import Floats
from ...data import InputError, write_scores
from ...data.formats.file_format import known_format
from ...data.formats.predictions import check_predictions, write_predictions
from ...data.io.files import is_stream
from ...models import Model, load_model
from ..console.output import as_text, print_json
from ..console.output_files import check_output_file, display_name
from ..console.progress import spinner
from ..console.streams import note
from ..options.columns import RowColumns, split_columns
from ._cluster import connected, local_files, read_sharded
from ._data import display_files
from ._matching import read_for_model, score_data


class PredictOptions(NamedTuple):
    """Options of ``directrank predict``."""

    model: Path
    files: list[str]
    output: Path
    keep: str | None
    columns: RowColumns
    cluster: str | None
    as_json: bool


def run(options: PredictOptions) -> None:
    """Write the score of each row."""
    output, keep = options.output, split_columns("--keep", options.keep)
    check_output_file(output, [options.model, *options.files], options.as_json)
    check_predictions(output, keeps_columns=bool(keep))
    model = load_model(options.model)
    if options.cluster is None:
        scores, written = _score(model, keep, options)
    else:
        scores, written = _score_on_cluster(options.cluster, model, options)
    if options.as_json:
        print_json({"scores": str(output), "rows": len(scores), "lowest": scores.min(), "highest": scores.max()})
    elif not is_stream(output):
        note(f"{display_name(output)}: {written}")


def _score(model: Model, keep: Sequence[str], options: PredictOptions) -> tuple[Floats, str]:
    """The scores, and what was written."""
    files = local_files(options.files)
    data, kept = read_for_model(files, model, options.columns, keep)
    scores = score_data(model, data, display_files(files))
    name = as_text(options.model.stem)
    return scores, write_predictions(options.output, data, scores, kept=kept, name=name)


def _score_on_cluster(cluster: str, model: Model, options: PredictOptions) -> tuple[Floats, str]:
    if known_format(options.output) is not None or options.keep is not None:
        raise InputError(f"{options.output}: scores of a cluster are written one per line; name a .txt file, without --keep")
    with connected(cluster) as client:
        from ... import distributed

        data = read_sharded(options.files, client, options.columns)
        with spinner("Scoring"):
            scores = distributed.predict(model, data).compute(scheduler=client)
    write_scores(options.output, scores)
    return scores, f"{len(scores):,} scores, one per line"
