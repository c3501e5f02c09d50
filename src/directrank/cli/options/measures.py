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


def split_measures(given: list[str] | None, *, may_be_geometric: bool = False) -> list[str]:
    """Names of the measures, each checked; the default measures if none is given.

    Geometric means, such as ``gm_map``, have no value of a query, so they are allowed for evaluation only.
    """
    from ...evaluation import DEFAULT_MEASURES
    from ...measures import parse
    from ...measures.name_parser import split_names
    from ...measures.trec_names import of_geometric_mean

    names = [name for each in given or DEFAULT_MEASURES for name in split_names(each)]
    for name in names:
        if of_geometric_mean(name) and not may_be_geometric:
            parse(name)  # an error, which says what to use instead
    check_distinct_measures(list(map(_column_of, names)))
    return names


def parse_sort(by: str | None, measures: list[str]) -> str | None:
    """The column that ``--sort`` names, a measure or ``name``."""
    columns = list(map(_column_of, measures))
    if by is None or by == "name" or _column_of(by) in columns:
        return by if by in (None, "name") else _column_of(by)
    raise InputError(f"--sort {by}: sort by name, or by a measure that is evaluated: {', '.join(columns)}")


def _column_of(name: str) -> str:
    """Name of the column of a measure, by its name as typed."""
    from ...measures import name_of, parse
    from ...measures.trec_names import is_trec_name, of_geometric_mean

    return name if is_trec_name(name) or of_geometric_mean(name) else name_of(parse(name))


def check_distinct_measures(names: list[str]) -> None:
    """Raise an error if a measure is named twice, possibly by two of its names."""
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"--measure {name} is given twice; name each measure once")


def tie_rule(ties: Ties | None) -> Literal["average", "trec"] | None:
    """Tie rule as the library takes it; None for the rule of each measure's name."""
    return None if ties is None else ties.value
