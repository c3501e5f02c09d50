"""``directrank best``: what ranks one's own data best."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..options.common import TARGET, AsJson, MeasuresOption
from ..options.feature_names import FeatureNames
from ..options.formats import MaxSize
from ..options.search import FileArgument, FoldsOption, KeepPartial, SeedOption, TimeOption


def best(
    file: FileArgument,
    measures: MeasuresOption = None,
    learners: Annotated[
        list[str] | None, typer.Option("--learner", metavar="LEARNER", help="Which to try; may be repeated. All by default.")
    ] = None,
    time: TimeOption = None,
    folds: FoldsOption = 5,
    seed: SeedOption = 0,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where to write the best one's model of all data.", **TARGET),  # type: ignore[arg-type]
    ] = None,
    keep_partial: KeepPartial = False,
    page: Annotated[Path | None, typer.Option("--report", help="Write a page to look at.", **TARGET)] = None,  # type: ignore[arg-type]
    feature_names: FeatureNames = None,
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Find what ranks your data best: every learner, and each feature alone, cross-validated by query.

    The first measure (by default AP) is optimised and decides; others are reported. All are measured on the same folds, by
    queries that their models did not see, and compared by paired tests that are corrected for their number. The model
    written is that of the highest mean, trained on all queries. --time is for the trials; that last training comes after it.

    directrank best data.txt -m nDCG@10 --time 10m -o model.json
    """
    from ..actions.best import Kept, Wanted, best_on_file

    wanted = Wanted(file, measures, learners, time, folds, seed, feature_names)
    best_on_file(wanted, Kept(output, keep_partial, page), as_json)
