"""``directrank cv``: what a learner reaches on queries that its model did not see."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..data import RankingData, as_run, write_run, write_scores
from ..selection import CrossValidation, cross_validate
from .ctrl_c import was_pressed
from .feature_names import FeatureNames
from .formats import Format, MaxSize, check_target, format_of
from .learners import make_learner
from .options import TARGET, AsJson, MeasuresOption, RankerOption, SettingsOption
from .output import print_json, print_line, print_table
from .progress import Progress
from .selecting import FileArgument, FoldsOption, SeedOption, parsed_measures, read_queries, training_on


def cv(
    file: FileArgument,
    learner: RankerOption = "svm",
    measures: MeasuresOption = None,
    settings: SettingsOption = None,
    folds: FoldsOption = 5,
    seed: SeedOption = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Where to write the scores of all rows: a TREC run if it ends in .run, else a score in each line.",
            **TARGET,  # type: ignore[arg-type]
        ),
    ] = None,
    feature_names: FeatureNames = None,
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Cross-validate a learner by query: the value of each fold, and scores of queries that the model did not see.

    The learner optimises the first measure (by default AP); others are reported. In each fold one part of the queries is
    held out, another is the validation set by which the learner chooses C or its rounds, and the rest are trained on.
    The scores can be compared: each query is scored by a model that has not seen it.

    directrank cv data.txt --learner lambdamart -m nDCG@10,AP -o lambdamart.txt

    directrank compare data.txt --scores lambdamart.txt --scores svm.txt
    """
    chosen = parsed_measures(measures)
    if output is not None:
        check_target(output, [file], as_json)
    trained = make_learner(learner, chosen[0], settings or [])
    data = read_queries(file, feature_names)
    if output is not None and format_of(output) is Format.run:
        as_run(data, data.y)  # refused now if it has no docno
    with training_on(file, data), Progress(learner, "fold") as progress:
        result = cross_validate(
            trained,
            data,
            chosen,
            n_folds=folds,
            random_state=seed,
            callback=lambda fold, number, step: progress.update(fold, None, f"step {number}, {step}"),
        )
    if was_pressed():
        raise KeyboardInterrupt
    if output is not None:
        _write(output, data, result, learner)
    _print(result, learner, as_json)


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
    print_line(f"Trained in {result.seconds.sum():.1f} s; every query was scored by a model that did not see it.")
