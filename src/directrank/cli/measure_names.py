"""Measures as named in ``-m``, and how ties are broken."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

import typer


class Ties(StrEnum):
    average = "average"
    trec = "trec"


TiesOption = Annotated[
    Ties | None,
    typer.Option(
        help="Equal scores: the mean over their orders, or as trec_eval.",
        show_default="average; trec for trec_eval's names, such as map or ndcg_cut_10",
    ),
]


def measures_of(given: list[str] | None) -> list[str]:
    """The measures that were named, each alone; the usual ones where none was."""
    from ..evaluation import DEFAULT_MEASURES
    from ..measures import parse
    from ..measures.name_parser import split_names

    names = [name for each in given or DEFAULT_MEASURES for name in split_names(each)]
    for name in names:
        parse(name)  # what is wrong with one is said before anything is read
    return names


def tie_rule(ties: Ties | None) -> Literal["average", "trec"] | None:
    """Tie rule as the library takes it."""
    return None if ties is None else ties.value
