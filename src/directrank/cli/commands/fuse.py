"""``directrank fuse``: one run from several."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..options.common import TARGET, AsJson, MeasureOption, SettingsOption
from ..options.formats import MaxSize
from ..options.learners import RANKERS, one_of

#: The ways to fuse that learn nothing: the names of `directrank.fusion.FUSIONS`, which takes long to import.
WITHOUT_LEARNING = ("combsum", "combmnz", "rrf")

if TYPE_CHECKING:
    FusionMethod = str
else:
    FusionMethod = one_of("FusionMethod", [*WITHOUT_LEARNING, *RANKERS])


def fuse(
    files: Annotated[list[Path], typer.Argument(metavar="RUN...", help="TREC runs.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The run to write.", **TARGET)],  # type: ignore[arg-type]
    qrels: Annotated[Path | None, typer.Option(help="Judgments, to learn from and to measure by.")] = None,
    learner: Annotated[FusionMethod, typer.Option(help="What learns; rrf, combsum and combmnz learn nothing.")] = "svm",
    measure: MeasureOption = "AP",
    thresholds: Annotated[
        int, typer.Option(help="Binary features of each score; 0 takes the score itself, from 0 to 1 in each query.", min=0)
    ] = 50,
    folds: Annotated[int, typer.Option(help="A judged query is ranked by a model of the other folds.", min=2)] = 5,
    settings: SettingsOption = None,
    page: Annotated[
        Path | None,
        typer.Option(
            "--report",
            help="Write a page to look at: the runs, the fused one, what was learned.",
            **TARGET,  # type: ignore[arg-type]
        ),
    ] = None,
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Fuse TREC runs into one, by learning from judgments or without.

    Each judged query is ranked by a model that was trained on other queries, so that the run can be measured by the same
    judgments; queries without judgments by a model of all that have them. The C of an SVM is the best of some by models of
    each half of the training queries on the other half; --set C=10 gives it.

    directrank fuse --qrels qrels.txt bm25.run neural.run --learner svm --measure AP -o fused.run

    directrank fuse bm25.run neural.run --learner rrf -o fused.run
    """
    from ..actions.fuse import How, Kept, fuse_files

    how = How(learner, measure, thresholds, folds, settings or [])
    fuse_files(files, qrels, how, Kept(output, page), as_json)
