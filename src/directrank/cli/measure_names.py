"""Measures as they are named in ``-m``: lists with commas, trec_eval's names, and how ties are broken for them."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from .output import note

if TYPE_CHECKING:
    from ..evaluation import Evaluation


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
    from ..measures.name_parser import split_names

    names = [name for each in given or DEFAULT_MEASURES for name in split_names(each)]
    for name in names:
        parse(name)  # what is wrong with one is said before anything is read
    return names


def ties_of(given: Ties | None, measures: list[str], of_runs: bool) -> Ties:
    """How ties are broken: as was said; else, in runs, as trec_eval does if all measures have names of its."""
    from ..measures.trec_names import is_trec_name

    others = [name for name in measures if not is_trec_name(name)]
    some_are = len(others) < len(measures)
    if "ndcg" in measures and (of_runs or some_are):
        note("ndcg is nDCG with exponential gains here; trec_eval's is nDCG(gain=linear), and with a cut-off ndcg_cut_10.")
    if given is not None or not of_runs or not some_are:
        return given or Ties.average
    if others:
        note(f"Ties are averaged over their orders, since {others[0]} is no name of trec_eval's; --ties trec is its rule.")
        return Ties.average
    note("Ties are broken as in trec_eval, since all measures have its names; --ties average is the mean over their orders.")
    return Ties.trec


def labels_of(measures: list[str]) -> dict[str, str]:
    """From the name of a measure to how it is shown: as it was typed, where that is a name of trec_eval's."""
    from ..measures import name_of, parse
    from ..measures.trec_names import is_trec_name

    return {name_of(parse(measure)): measure.strip() for measure in measures if is_trec_name(measure)}


def labelled(result: Evaluation, labels: dict[str, str]) -> Evaluation:
    """The same values, of measures by their labels."""
    return replace(
        result,
        per_query={labels.get(name, name): values for name, values in result.per_query.items()},
        no_relevant={labels.get(name, name): count for name, count in result.no_relevant.items()},
    )
