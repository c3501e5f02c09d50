"""``directrank cv``: cross-validate a learner."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ..options.columns import ColumnOptions
from ..options.common import AsJson, DataArgument, MeasuresOption, RankerOption, SeedOption, SettingsOption, output_file
from ..options.max_size import MaxSize
from ..options.search import FoldsOption


def cv(
    files: DataArgument,
    learner: RankerOption = "svm",
    measures: MeasuresOption = None,
    settings: SettingsOption = None,
    folds: FoldsOption = 5,
    seed: SeedOption = 0,
    output: Annotated[
        Path | None,
        output_file("Write the held-out scores of all rows: a table (.csv, .parquet), a TREC run (.run), or lines."),
    ] = None,
    columns: ColumnOptions = ColumnOptions(),
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Cross-validate a learner by query: print the values of each fold, and write the scores of held-out queries.

    The learner optimises the first measure (AP by default); the others are reported. In each fold, one part of the queries
    is held out, another is the validation set for choosing C or the number of rounds, and the rest are for training.
    Held-out scores of several learners can be compared: every query is scored by a model that was not trained on it.

    directrank cv data.txt --learner lambdamart -m nDCG@10,AP -o lambdamart.txt

    directrank compare data.txt --scores lambdamart.txt --scores svm.txt
    """
    from ..actions.cv import CvOptions, run

    run(CvOptions(files, learner, measures, settings or [], folds, seed, output, columns, as_json))
