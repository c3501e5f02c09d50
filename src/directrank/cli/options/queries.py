"""The option ``--queries``: which queries of a run count."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from ..console.output import note

if TYPE_CHECKING:
    from ...evaluation import Evaluation


class QueriesOf(StrEnum):
    qrels = "qrels"
    run = "run"


QueriesOption = Annotated[
    QueriesOf | None,
    typer.Option(
        "--queries",
        help="Which queries count: all that have judgments (one that a run lacks counts 0), or only those of each run "
        "(in compare and report: those of any of the runs).",
        show_default="qrels",
    ),
]

#: From which share of the judged queries on a run that lacks them was probably not meant for them.
_MANY = 0.1


def note_lacking(name: str, result: Evaluation, queries: QueriesOf | None) -> None:
    """Say how many of the judged queries a run lacks, and what to do if it was made for some of them."""
    if not result.missing:
        return
    sentence = f"{name} has nothing for {result.missing:,} of the {result.qid.size:,} judged queries; they count 0."
    if queries is None and result.missing >= _MANY * result.qid.size:
        n_answered = result.qid.size - result.missing
        sentence += f" If it was made for {n_answered:,} of them only, count those alone with --queries run."
    note(sentence)
