"""Which additive measure to train for in place of another, where gains are estimated from clicks."""

from __future__ import annotations

from typing import Any

import numpy as np

from .capabilities import SupportsEvaluate
from .measure_sum import MeasureSum
from .name_parser import parse


def additive_alternative(measure: SupportsEvaluate) -> SupportsEvaluate | None:
    """The additive measure nearest to a measure, with its cut-off: the measure itself if it is one, None if there is none.

    Families name it themselves (`Measure.nearest_additive`). Measures of labels and of sets have none.

    Examples
    --------
    >>> additive_alternative(parse("nDCG@5")), additive_alternative(parse("AUC")), additive_alternative(parse("F1"))
    (DCG(gain=linear)@5, ARP, None)
    """
    if getattr(measure, "additive", False):
        return measure
    if isinstance(measure, MeasureSum):
        return _sum_of_alternatives(measure)
    name = getattr(measure, "nearest_additive", None)
    if name is None:
        return None
    nearest, k = parse(name), getattr(measure, "k", None)
    parameters: dict[str, Any] = nearest.parameters()
    has_cutoff = getattr(measure, "truncated", False) and isinstance(k, (int, np.integer))
    return type(nearest)(**parameters | {"k": k}) if has_cutoff and "k" in parameters else nearest


def _sum_of_alternatives(measure: MeasureSum) -> MeasureSum | None:
    terms = [(weight, additive_alternative(term)) for weight, term in measure.terms]
    known = tuple((weight, term) for weight, term in terms if term is not None)
    return MeasureSum(terms=known) if len(known) == len(terms) else None
