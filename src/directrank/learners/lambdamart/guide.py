"""The objective that trees follow for a measure that depends on the first relevant document alone."""

from __future__ import annotations

from ...measures import AP, MeasureSum, SupportsEvaluate


def guided(measure: SupportsEvaluate, share: float) -> SupportsEvaluate:
    """The measure, with this share of AP added where most swaps of two documents leave the measure unchanged."""
    if share == 0 or not getattr(measure, "first_relevant_only", False):
        return measure
    return MeasureSum(terms=((1 - share, measure), (share, AP(rel=getattr(measure, "rel", None)))))
