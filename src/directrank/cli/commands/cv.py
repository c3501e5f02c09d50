"""``directrank cv``: what a learner reaches on queries that its model did not see."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..options.common import TARGET, AsJson, MeasuresOption, RankerOption, SettingsOption
from ..options.feature_names import FeatureNames
from ..options.formats import MaxSize
from ..options.search import FileArgument, FoldsOption, SeedOption


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
    from ..actions.cv import Wanted, cross_validate_file

    cross_validate_file(Wanted(file, learner, measures, settings or [], folds, seed, feature_names), output, as_json)
