"""Measures as ``--measure`` gives them, in comma-separated lists, and how ties are broken for them."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

import typer

from ...data.errors import InputError


class Ties(StrEnum):
    average = "average"
    trec = "trec"


TiesOption = Annotated[
    Ties | None,
    typer.Option(
        "--ties",
        help="Ties in score: averaged over all their orders, or broken as in trec_eval.",
        show_default="average; trec for trec_eval's names, such as map or ndcg_cut_10",
    ),
]


def split_measures(given: list[str] | None) -> list[str]:
    """Names of the measures, each checked; the default measures if none is given."""
    from ...evaluation import DEFAULT_MEASURES
    from ...measures import name_of, parse
    from ...measures.name_parser import split_names
    from ...measures.trec_names import is_trec_name, of_geometric_mean

    names = [name for each in given or DEFAULT_MEASURES for name in split_names(each)]
    check_distinct_measures(
        [name if is_trec_name(name) or of_geometric_mean(name) else name_of(parse(name)) for name in names]
    )
    return names


def check_distinct_measures(names: list[str]) -> None:
    """Raise an error if a measure is named twice, possibly by two of its names."""
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"--measure {name} is given twice; name each measure once")


def tie_rule(ties: Ties | None) -> Literal["average", "trec"] | None:
    """Tie rule as the library takes it; None for the rule of each measure's name."""
    return None if ties is None else ties.value
