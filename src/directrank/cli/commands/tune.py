"""``directrank tune``: the parameters with which a learner ranks best."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..options.common import TARGET, AsJson, MeasureOption, RankerOption, SettingsOption
from ..options.feature_names import FeatureNames
from ..options.formats import MaxSize
from ..options.search import FileArgument, FoldsOption, KeepPartial, SeedOption, TimeOption


def tune(
    file: FileArgument,
    learner: RankerOption = "lambdamart",
    measure: MeasureOption = "AP",
    validate: Annotated[Path | None, typer.Option(help="Data to measure trials by, instead of cross-validation.")] = None,
    settings: SettingsOption = None,
    space: Annotated[
        list[str] | None,
        typer.Option("--space", metavar="NAME=RANGE", help="What to try: 7..63, log:0.01..1, or a,b,c. May be repeated."),
    ] = None,
    trials: Annotated[
        int, typer.Option(help="How many to make after the first, which is the learner as it is.", min=1)
    ] = 30,
    time: TimeOption = None,
    folds: FoldsOption = 5,
    seed: SeedOption = 0,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where to write the best one's model of all data.", **TARGET),  # type: ignore[arg-type]
    ] = None,
    keep_partial: KeepPartial = False,
    feature_names: FeatureNames = None,
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Search for the parameters with which a learner ranks best, by cross-validation or a validation file.

    Each learner knows what is worth trying; --space says otherwise, and --set keeps a parameter as it is. Searches of more
    than a few values need Optuna (the extra tune). All C of a linear SVM come from one path.

    The model is trained with the best parameters on all data; its number of rounds is the median of what the folds chose, or
    what the validation file chooses. The best of many values is too high for what to expect: measure on other queries.

    directrank tune train.txt --learner lambdamart -m nDCG@10 --space num_leaves=7..63 --time 10m -o model.json
    """
    from ..actions.tune import How, Wanted, tune_on_file

    wanted = Wanted(file, validate, learner, measure, settings or [], space or [], feature_names)
    tune_on_file(wanted, How(trials, time, folds, seed), output, keep_partial, as_json)
