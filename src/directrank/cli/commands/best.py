"""``directrank best``: find the learner that ranks data best."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..options.columns import ColumnOptions
from ..options.common import AsJson, DataArgument, MeasuresOption, ReportOption, SeedOption, output_file
from ..options.max_size import MaxSize
from ..options.search import FoldsOption, KeepPartial, TimeOption


def best(
    files: DataArgument,
    measures: MeasuresOption = None,
    learners: Annotated[
        list[str] | None,
        typer.Option("--learner", metavar="LEARNER", help="Learner to try. May be repeated. All learners by default."),
    ] = None,
    feature: Annotated[
        str | None,
        typer.Option("--feature", metavar="NAME", help="Present ranking to beat: a feature, high values first."),
    ] = None,
    ascending: Annotated[
        str | None,
        typer.Option("--ascending", metavar="NAME", help="Present ranking to beat: a feature, low values first."),
    ] = None,
    time: TimeOption = None,
    folds: FoldsOption = 5,
    seed: SeedOption = 0,
    output: Annotated[Path | None, output_file("Save the model of the winner, refitted on all queries.")] = None,
    keep_partial: KeepPartial = False,
    report: ReportOption = None,
    columns: ColumnOptions = ColumnOptions(),
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Find what ranks your data best: every learner, and every single feature, cross-validated by query.

    The first measure (AP by default) is optimised and decides; the others are reported. All candidates are evaluated on the
    same folds of held-out queries, and compared with the best single feature, or with the present ranking that --feature
    names, by paired tests corrected for their number. The saved model is the one with the highest mean (a likely winner,
    unless another learner leads it by more than a standard error), refitted on all queries. --time limits the search, which
    begins with the likely winners; the refit comes after it.

    directrank best data.txt -m nDCG@10 --time 10m -o model.json

    directrank best data.parquet -m nDCG@10 --feature title_bm25 -o model.json
    """
    from ..actions.best import BestOptions, run

    run(
        BestOptions(
            files,
            measures,
            learners,
            feature,
            ascending,
            time,
            folds,
            seed,
            output,
            keep_partial,
            report,
            columns,
            as_json,
        )
    )
