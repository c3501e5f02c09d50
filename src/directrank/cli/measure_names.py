"""Measures as they are named in ``-m``: lists with commas, trec_eval's names, and how ties are broken for them."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from .output import note


class Ties(StrEnum):
    average = "average"
    trec = "trec"


TiesOption = Annotated[
    Ties | None,
    typer.Option(
        help="Equal scores: the mean over their orders, or as trec_eval.",
        show_default="average; for runs trec, if all measures have trec_eval's names",
    ),
]


def measures_of(given: list[str] | None) -> list[str]:
    """The measures that were named, each alone; the usual ones where none was."""
    from ..evaluation import DEFAULT_MEASURES
    from ..measures import parse
    from ..measures.names import split_names

    names = [name for each in given or DEFAULT_MEASURES for name in split_names(each)]
    for name in names:
        parse(name)  # what is wrong with one is said before anything is read
    return names


def ties_of(given: Ties | None, measures: list[str], of_runs: bool) -> Ties:
    """How ties are broken: as was said; else, in runs, as whoever types trec_eval's names expects it."""
    from ..measures.trec_names import all_from_trec, only_in_trec

    if "ndcg" in measures and any(map(only_in_trec, measures)):
        note("ndcg is nDCG with exponential gains here, unlike ndcg_cut_10; trec_eval's ndcg is nDCG(gain=linear).")
    return given or (Ties.trec if of_runs and all_from_trec(measures) else Ties.average)


def labels_of(measures: list[str]) -> dict[str, str]:
    """From the name of a measure to how it is shown: as it was typed, where only trec_eval has that name."""
    from ..measures import name_of, parse
    from ..measures.trec_names import only_in_trec

    return {name_of(parse(measure)): measure.strip() for measure in measures if only_in_trec(measure)}
