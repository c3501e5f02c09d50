"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .completion import complete_learner, complete_measure, complete_measures, complete_ranker
from .learners import checked_learner, checked_ranker
from .targets import as_target

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

MeasureOption = Annotated[
    str, typer.Option("--measure", "-m", help="The measure to optimise.", autocompletion=complete_measure)
]

#: As they were typed; `split_measures` takes lists with commas apart.
MeasuresOption = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        "-m",
        help="AP, nDCG@10, AUC, ..., with commas between several; trec_eval's names (ndcg_cut_10) have its meaning.",
        autocompletion=complete_measures,
    ),
]

_LEARNER = {"metavar": "LEARNER", "help": "How to optimise: a name as in docs/learners.md, or MODULE:CLASS of your own."}

LearnerOption = Annotated[
    str,
    typer.Option("--learner", callback=checked_learner, autocompletion=complete_learner, **_LEARNER),  # type: ignore[arg-type]
]

#: Of learners that rank within queries.
RankerOption = Annotated[
    str,
    typer.Option("--learner", callback=checked_ranker, autocompletion=complete_ranker, **_LEARNER),  # type: ignore[arg-type]
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
