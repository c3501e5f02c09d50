"""Cross-validating a learner, as ``directrank cv`` does."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ..data import RankingData, as_run, write_run, write_scores
from ..selection import CrossValidation, cross_validate
from .ctrl_c import was_pressed
from .formats import Format, format_of
from .learners import make_learner
from .output import print_json, print_line, print_table
from .progress import Progress
from .selecting import parsed_measures, read_queries, training_on
from .targets import check_target


class Wanted(NamedTuple):
    """What is cross-validated, and how."""

    file: Path
    learner: str
    measures: list[str] | None
    settings: list[str]
    folds: int
    seed: int
    feature_names: str | None


def cross_validate_file(wanted: Wanted, output: Path | None, as_json: bool) -> None:
    """Print what a learner reaches in each fold, and write the scores of held-out queries."""
    chosen = parsed_measures(wanted.measures)
    if output is not None:
        check_target(output, [wanted.file], as_json)
    trained = make_learner(wanted.learner, chosen[0], wanted.settings)
    data = read_queries(wanted.file, wanted.feature_names)
    if output is not None and format_of(output) is Format.run:
        as_run(data, data.y)  # refused now if it has no docno
    with training_on(wanted.file, data), Progress(wanted.learner, "fold") as progress:
        result = cross_validate(
            trained,
            data,
            chosen,
            n_folds=wanted.folds,
            random_state=wanted.seed,
            callback=lambda fold, number, step: progress.update(fold, None, f"step {number}, {step}"),
        )
    if was_pressed():
        raise KeyboardInterrupt
    if output is not None:
        _write(output, data, result, wanted.learner)
    _print(result, wanted.learner, as_json)


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
    print_line(f"Trained in {result.seconds.sum():.1f} s; every query was scored by a model that did not see it.")
