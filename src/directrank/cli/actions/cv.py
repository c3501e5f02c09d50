"""``directrank cv``: cross-validate a learner, and write the scores of held-out queries."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ...data import RankingData, as_run, write_run, write_scores
from ...selection import CrossValidation, cross_validate
from ..console.ctrl_c import was_pressed
from ..console.output import print_json, print_line, print_table
from ..console.output_files import check_output_file
from ..console.progress import Progress
from ..options.formats import Format, format_of
from ..options.learners import make_learner
from ._search import parse_measures, read_queries, training_on


class CvOptions(NamedTuple):
    """Options of ``directrank cv``."""

    file: Path
    learner: str
    measures: list[str] | None
    settings: list[str]
    folds: int
    seed: int
    output: Path | None
    feature_names: str | None
    as_json: bool


def run(options: CvOptions) -> None:
    """Print the values of each fold, and write the scores of held-out queries."""
    measures, output = parse_measures(options.measures), options.output
    if output is not None:
        check_output_file(output, [options.file], options.as_json)
    learner = make_learner(options.learner, measures[0], options.settings)
    data = read_queries(options.file, options.feature_names)
    if output is not None and format_of(output) is Format.run:
        as_run(data, data.y)  # an error now if it has no docno
    with training_on(options.file, data), Progress(options.learner, "fold") as progress:
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
        _write(output, data, result, options.learner)
    _print(result, options.learner, options.as_json)


def _write(output: Path, data: RankingData, result: CrossValidation, name: str) -> None:
    if format_of(output) is Format.run:
        write_run(output, as_run(data, result.scores, name.replace(":", ".")))
    else:
        write_scores(output, result.scores)


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
        print_line(line)
    print_line(f"Trained in {result.seconds.sum():.1f} s; every query was scored by a model that was not trained on it.")
