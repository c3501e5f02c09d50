"""Measures as ``--measure`` gives them: comma-separated lists, trec_eval's names, and how ties are broken for them."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from ..console.streams import note

if TYPE_CHECKING:
    from ...evaluation import Evaluation


class Ties(StrEnum):
    average = "average"
    trec = "trec"


TiesOption = Annotated[
    Ties | None,
    typer.Option(
        "--ties",
        help="Ties in score: averaged over all their orders, or broken as in trec_eval.",
        show_default="average; for runs trec, if all measures have trec_eval's names",
    ),
]


def split_measures(given: list[str] | None) -> list[str]:
    """Names of the measures, each checked; the default measures if none is given."""
    from ...evaluation import DEFAULT_MEASURES
    from ...measures import parse
    from ...measures.names import split_names

    names = [name for each in given or DEFAULT_MEASURES for name in split_names(each)]
    for name in names:
        parse(name)
    return names


def choose_ties(given: Ties | None, measures: list[str], *, has_runs: bool) -> Ties:
    """How ties are broken: as given; else, in runs, as in trec_eval if all measures have its names."""
    from ...measures.trec_names import is_trec_name

    others = [name for name in measures if not is_trec_name(name)]
    some_are = len(others) < len(measures)
    if "ndcg" in measures and (has_runs or some_are):
        note("ndcg is nDCG with exponential gains here; trec_eval's is nDCG(gain=linear), and with a cut-off ndcg_cut_10.")
    if given is not None or not has_runs or not some_are:
        return given or Ties.average
    if others:
        note(
            f"Ties are averaged over their orders, since {others[0]} is not a trec_eval name; use --ties trec for its rule."
        )
        return Ties.average
    note("Ties are broken as in trec_eval, since all measures have its names; use --ties average to average over orders.")
    return Ties.trec


def measure_labels(measures: list[str]) -> dict[str, str]:
    """Labels of measures by name: trec_eval's names are shown as typed."""
    from ...measures import name_of, parse
    from ...measures.trec_names import is_trec_name

    return {name_of(parse(measure)): measure.strip() for measure in measures if is_trec_name(measure)}


def labelled(result: Evaluation, labels: dict[str, str]) -> Evaluation:
    """The same values, with measures renamed to their labels."""
    return replace(
        result,
        per_query={labels.get(name, name): values for name, values in result.per_query.items()},
        no_relevant={labels.get(name, name): count for name, count in result.no_relevant.items()},
    )
