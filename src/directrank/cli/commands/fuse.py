"""``directrank fuse``: fuse runs into one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..console.completion import complete_measure
from ..options.common import AsJson, ReportOption, SettingsOption, output_file
from ..options.learners import RANKERS, choice_type
from ..options.max_size import MaxSize
from ..options.rankings import QrelsOption, RunNamesOption

#: Fusion methods that do not learn: the keys of `directrank.fusion.FUSIONS`, which imports NumPy.
WITHOUT_LEARNING = ("combsum", "combmnz", "rrf")

if TYPE_CHECKING:
    FusionMethod = str
else:
    FusionMethod = choice_type("FusionMethod", [*WITHOUT_LEARNING, *RANKERS])


def fuse(
    files: Annotated[list[Path], typer.Argument(metavar="RUNS", help="TREC runs.")],
    output: Annotated[Path, output_file("Run to write; - is standard output.")],
    qrels: QrelsOption = None,
    names: RunNamesOption = None,
    learner: Annotated[
        FusionMethod,
        typer.Option(
            "--learner",
            metavar="LEARNER",
            help=f"Method: {', '.join(WITHOUT_LEARNING)} (which learn nothing), or a learner: {', '.join(RANKERS)}.",
        ),
    ] = "svm",
    measure: Annotated[
        str | None,
        typer.Option(
            "--measure",
            "-m",
            metavar="MEASURE",
            help="Measure to optimise and to compare by.",
            autocompletion=complete_measure,
            show_default="AP",
        ),
    ] = None,
    thresholds: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Number of binary features per run; 0 uses the score, scaled to [0, 1].",
            min=0,
            show_default="50",
        ),
    ] = None,
    folds: Annotated[
        int | None,
        typer.Option("--folds", metavar="N", help="Number of cross-validation folds (at least 2).", min=2, show_default="5"),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", help="Random seed for assigning queries to folds.", min=0, show_default="0"),
    ] = None,
    settings: SettingsOption = None,
    report: ReportOption = None,
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Fuse TREC runs into one, with or without learning from judgments.

    Each judged query is ranked by a model that was trained on other queries, so that the same judgments can evaluate the
    run; queries without judgments are ranked by a model trained on all judged queries. By default, the C of an SVM is chosen
    by training on one half of the training queries and evaluating on the other; --set C=10 fixes it.

    directrank fuse --qrels qrels.txt bm25.run neural.run --learner svm --measure AP -o fused.run

    directrank fuse bm25.run neural.run --learner rrf -o fused.run
    """
    from ..actions.fuse import FuseOptions, run

    run(FuseOptions(files, qrels, names, learner, measure, thresholds, folds, seed, settings or [], output, report, as_json))
