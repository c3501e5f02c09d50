"""``directrank tune``: search for the best parameters of a learner."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..options.columns import ColumnOptions
from ..options.common import AsJson, DataArgument, MeasureOption, RankerOption, SeedOption, SettingsOption, output_file
from ..options.max_size import MaxSize
from ..options.search import KeepPartial, OptionalFoldsOption, TimeOption


def tune(
    files: DataArgument,
    learner: RankerOption = "lambdamart",
    measure: MeasureOption = "AP",
    validate: Annotated[
        Path | None, typer.Option(metavar="DATA", help="Evaluate trials on this data instead of by cross-validation.")
    ] = None,
    settings: SettingsOption = None,
    space: Annotated[
        list[str] | None,
        typer.Option(
            "--space", metavar="NAME=RANGE", help="Range to search: 7..63, log:0.01..1, or a,b,c. May be repeated."
        ),
    ] = None,
    trials: Annotated[
        int, typer.Option(metavar="N", help="Number of trials in addition to the default parameters.", min=1)
    ] = 30,
    time: TimeOption = None,
    folds: OptionalFoldsOption = None,
    seed: SeedOption = 0,
    output: Annotated[Path | None, output_file("Save the model with the best parameters, refitted on all queries.")] = None,
    keep_partial: KeepPartial = False,
    columns: ColumnOptions = ColumnOptions(),
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Search for the best parameters of a learner, by cross-validation or on validation data.

    Every learner has a default search space; --space replaces it, and --set fixes a parameter. Searches over more than a few
    values need Optuna (the extra tune). All values of C of a linear SVM come from one regularization path.

    The saved model is trained with the best parameters on all data; its number of rounds is the median over the folds, or is
    chosen on the validation data. The best value of many trials is optimistically biased: evaluate on held-out queries.

    directrank tune train.txt --learner lambdamart -m nDCG@10 --space num_leaves=7..63 --time 10m -o model.json
    """
    from ..actions.tune import TuneOptions, run

    run(
        TuneOptions(
            files,
            learner,
            measure,
            validate,
            settings or [],
            space or [],
            trials,
            time,
            folds,
            seed,
            output,
            keep_partial,
            columns,
            as_json,
        )
    )
