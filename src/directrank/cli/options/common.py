"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...learners.registry import LEARNERS
from ..console.completion import complete_learner, complete_measure, complete_measures, complete_ranker
from ..console.output_files import as_target
from .learners import RANKERS, checked_learner, checked_ranker

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

MeasureOption = Annotated[
    str, typer.Option("--measure", "-m", help="The measure to optimise.", autocompletion=complete_measure)
]

#: As they were typed; `measure_names.measures_of` takes lists with commas apart.
MeasuresOption = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        "-m",
        help="AP, nDCG@10, AUC, ..., with commas between several; trec_eval's names (ndcg_cut_10) have its meaning.",
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
        help=f"How to optimise: {', '.join(LEARNERS)}, or MODULE:CLASS of your own.",
    ),
]

#: Of learners that rank within queries.
RankerOption = Annotated[
    str,
    typer.Option(
        "--learner",
        metavar="LEARNER",
        callback=checked_ranker,
        autocompletion=complete_ranker,
        help=f"How to optimise: {', '.join(RANKERS)}, or MODULE:CLASS of your own.",
    ),
]

SettingsOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the learner, such as C=10 or max_rounds=100."),
]

#: What `typer.Option` takes for a file to write, beside its help.
TARGET = {"callback": as_target, "metavar": "FILE"}

DataArgument = Annotated[
    list[Path], typer.Argument(metavar="DATA...", help="LETOR text or Parquet; several with --cluster.")
]
