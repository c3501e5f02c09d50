"""Guide of a measure: a measure of whole rankings that trees follow too."""

from __future__ import annotations

from ...measures import AP, MeasureSum, SupportsEvaluate, as_measure


def resolve_guide(
    measure: SupportsEvaluate, guide: str | type | SupportsEvaluate | None, share: float
) -> SupportsEvaluate | None:
    """Guide that is in effect; None without one, or with a share of 0.

    "auto" is AP for a measure that depends on the first relevant document only, which most swaps leave unchanged.
    """
    if guide is None or share == 0:
        return None
    if isinstance(guide, str) and guide == "auto":
        return AP(rel=getattr(measure, "rel", None)) if getattr(measure, "first_relevant_only", False) else None
    return as_measure(guide)


def with_guide(measure: SupportsEvaluate, guide: SupportsEvaluate | None, share: float) -> SupportsEvaluate:
    """Weighted sum of a measure and its guide; the measure alone without a guide."""
    return measure if guide is None else MeasureSum(terms=((1 - share, measure), (share, guide)))
