"""Measures by the names of their columns, and the tie rule of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from ..measures import MeasureError, SupportsEvaluate, as_measure, name_of
from ..measures.capabilities import TieRule
from ..measures.name_parser import split_names
from ..measures.trec_names import HINTS, is_trec_name, of_geometric_mean

Ties = Literal["average", "trec"]

#: How equal scores were ranked: as the measure has it, or in trec_eval's order.
AppliedTies = TieRule | Literal["trec"]

TIE_RULES: dict[AppliedTies, str] = {
    "average": "averaged over all their orders",
    "trec": "in trec_eval's order",
    "worst": "in the worst order",
    "threshold": "sharing one threshold",
    "terms": "as in each term",
    "custom": "in the order of the rows, unless the measure itself treats them",
}
MeasureLike = str | type | SupportsEvaluate


class NamedMeasure(NamedTuple):
    """A measure, how its ties are broken unless the user says otherwise, and whether its mean is geometric."""

    measure: SupportsEvaluate
    ties: Ties
    is_geometric: bool = False


def named_measures(measures: MeasureLike | Iterable[MeasureLike]) -> dict[str, NamedMeasure]:
    """Measures by name, which must differ; trec_eval's names stay as typed, and bring its tie rule."""
    if isinstance(measures, str):
        measures = split_names(measures)
    several = [measures] if isinstance(measures, (type, SupportsEvaluate)) else list(measures)
    if not several:
        raise MeasureError("no measure was named")
    chosen: dict[str, NamedMeasure] = {}
    for given in several:
        averaged = of_geometric_mean(given) if isinstance(given, str) else None
        measure = as_measure(averaged or given)
        theirs = averaged is not None or (isinstance(given, str) and is_trec_name(given))
        name = str(given).strip() if theirs else name_of(measure)
        named = NamedMeasure(measure, "trec" if theirs else "average", averaged is not None)
        known = chosen.setdefault(name, named).measure
        if known != measure and not (type(known) is type(measure) and vars(known) == vars(measure)):
            raise MeasureError(f"two measures are named {name}; give them an attribute name that differs")
    return chosen


def applied_ties(name: str, measure: SupportsEvaluate) -> AppliedTies:
    """How a measure treats equal scores that are not broken before."""
    rule = getattr(measure, "tie_rule", "custom")
    if rule not in TIE_RULES:
        raise MeasureError(f"{name}: tie_rule must be one of {', '.join(TIE_RULES)}, not {rule!r}")
    return rule  # type: ignore[no-any-return]


def measures_by_name(measures: MeasureLike | Iterable[MeasureLike]) -> dict[str, SupportsEvaluate]:
    """Measures by name, which must differ; each has a value for each query."""
    found = named_measures(measures)
    for name, each in found.items():
        if each.is_geometric:
            raise MeasureError(f"{name} cannot be used here; {HINTS[name.lower()]}")
    return {name: each.measure for name, each in found.items()}


def shown_name(measure: MeasureLike) -> str:
    """Name of a measure in a message, as typed if it was typed."""
    return measure if isinstance(measure, str) else name_of(as_measure(measure))


def column_of(measure: MeasureLike, ties: Mapping[str, AppliedTies | None]) -> str | None:
    """Name of a measure's column among columns with these tie rules, if known; None if it was not evaluated.

    ``map`` finds ``map``, or an ``AP`` whose ties were broken as in trec_eval; ``P.5`` finds ``P_5``.
    """
    if isinstance(measure, str) and measure.strip() in ties:
        return measure.strip()
    found = as_measure(measure)
    if not (isinstance(measure, str) and is_trec_name(measure)):
        return name_of(found) if name_of(found) in ties else None
    if ties.get(name_of(found)) == "trec":
        return name_of(found)
    return next((name for name in ties if is_trec_name(name) and as_measure(name) == found), None)
