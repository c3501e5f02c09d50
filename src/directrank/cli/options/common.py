"""Options and arguments of many commands: data, output files, measures, learners, seeds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ...learners.registry import LEARNERS
from ..console.completion import complete_learner, complete_measure, complete_measures, complete_ranker
from ..console.output_files import as_output_file
from .custom_modules import import_measure, import_measures
from .learners import RANKERS, checked_learner, checked_ranker

_DATA = (
    "Ranking data: CSV, TSV, JSON lines, Parquet or Arrow with named columns, or LETOR text; one or more files, or a "
    "folder; - is standard input."
)

DataArgument = Annotated[list[Path], typer.Argument(metavar="DATA", help=_DATA, show_default=False)]

#: Files as typed, which may be addresses such as s3://bucket/train on a cluster.
DataFilesArgument = Annotated[list[str], typer.Argument(metavar="DATA", help=_DATA, show_default=False)]

ModelArgument = Annotated[Path, typer.Argument(metavar="MODEL", help="Model file written by directrank train.")]


def output_file(help: str, *names: str) -> Any:
    """Option for a file to write, ``--output`` or `names`; ``-`` stands for standard output."""
    return typer.Option(*(names or ("--output", "-o")), metavar="FILE", callback=as_output_file, help=help)


#: An HTML report beside the other output of a command.
ReportOption = Annotated[Path | None, output_file("Write an HTML report to FILE.", "--report")]

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

MeasureOption = Annotated[
    str,
    typer.Option(
        "--measure",
        "-m",
        metavar="MEASURE",
        callback=import_measure,
        autocompletion=complete_measure,
        help="Measure to optimise.",
    ),
]

#: Measures as typed; `options.measures.split_measures` splits comma-separated lists.
MeasuresOption = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        "-m",
        metavar="MEASURE",
        callback=import_measures,
        help="Measures, comma-separated or repeated: AP, nDCG@10, AUC, ... trec_eval's names, such as ndcg_cut_10, are "
        "computed as there.",
        autocompletion=complete_measures,
    ),
]

LearnerOption = Annotated[
    str,
    typer.Option(
        "--learner",
        metavar="LEARNER",
        callback=checked_learner,
        autocompletion=complete_learner,
        help=f"Learner: {', '.join(LEARNERS)}, or MODULE:CLASS for your own.",
    ),
]

#: A learner that ranks within queries.
RankerOption = Annotated[
    str,
    typer.Option(
        "--learner",
        metavar="LEARNER",
        callback=checked_ranker,
        autocompletion=complete_ranker,
        help=f"Learner: {', '.join(RANKERS)}, or MODULE:CLASS for your own.",
    ),
]

SettingsOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Learner parameter, such as C=10. May be repeated."),
]

SeedOption = Annotated[int, typer.Option("--seed", metavar="N", help="Random seed for assigning queries to folds.", min=0)]
