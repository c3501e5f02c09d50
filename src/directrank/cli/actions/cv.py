"""``directrank cv``: cross-validate a learner, and write the scores of held-out queries."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ...data.formats.predictions import check_predictions, write_predictions
from ...selection import CrossValidation, cross_validate
from ..console.ctrl_c import was_pressed
from ..console.output import print_json, print_sentence, print_table
from ..console.output_files import check_output_file
from ..console.progress import Progress
from ..options.columns import ColumnOptions
from ..options.learners import make_learner
from ._search import parse_measures, read_queries, training_on


class CvOptions(NamedTuple):
    """Options of ``directrank cv``."""

    files: list[Path]
    learner: str
    measures: list[str] | None
    settings: list[str]
    folds: int
    seed: int
    output: Path | None
    columns: ColumnOptions
    as_json: bool


def run(options: CvOptions) -> None:
    """Print the values of each fold, and write the scores of held-out queries."""
    measures, output = parse_measures(options.measures), options.output
    if output is not None:
        check_output_file(output, options.files, options.as_json)
    learner = make_learner(options.learner, measures[0], options.settings)
    data = read_queries(options.files, options.columns)
    if output is not None:
        check_predictions(output, data)
    with training_on(options.files, data), Progress(options.learner, "fold") as progress:
        result = cross_validate(
            learner,
            data,
            measures,
            n_folds=options.folds,
            random_state=options.seed,
            callback=lambda fold, step: progress.update(fold, None, f"step {step.step}, {step}"),
        )
    if was_pressed():
        raise KeyboardInterrupt
    if output is not None:
        write_predictions(output, data, result.scores, name=options.learner.replace(":", "."))
    _print(result, options.learner, options.as_json)


def _print(result: CrossValidation, learner: str, as_json: bool) -> None:
    errors, per_fold = result.standard_errors, result.per_fold
    if as_json:
        values = {
            name: {"mean": mean, "standard error": errors[name], "folds": per_fold[name].tolist()}
            for name, mean in result.means.items()
        }
        seconds, n = result.seconds.tolist(), result.evaluation.qid.size
        print_json({"learner": learner, "queries": n, "values": values, "seconds": seconds})
        return
    columns = ["", "mean", "standard error", *(f"fold {i}" for i in range(1, result.seconds.size + 1))]
    rows = [(name, mean, errors[name], *per_fold[name].tolist()) for name, mean in result.means.items()]
    print_table(columns, rows, f"{learner}, {result.seconds.size} folds of {result.evaluation.qid.size:,} queries")
    for line in result.evaluation.notes():
        print_sentence(line)
    print_sentence(f"Trained in {result.seconds.sum():.1f} s; every query was scored by a model that was not trained on it.")
