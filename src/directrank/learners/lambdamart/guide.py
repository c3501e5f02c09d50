"""Guide of a measure: a measure of whole rankings that trees follow too."""

from __future__ import annotations

from ...measures import SupportsEvaluate, WeightedSum, as_measure


def resolve_guide(
    measure: SupportsEvaluate, guide: str | type | SupportsEvaluate | None, share: float
) -> SupportsEvaluate | None:
    """Guide that is in effect: "auto" asks the measure for its own; None without one, or with a share of 0."""
    if guide is None or share == 0:
        return None
    if isinstance(guide, str) and guide == "auto":
        return getattr(measure, "guide", None)
    return as_measure(guide)


def with_guide(measure: SupportsEvaluate, guide: SupportsEvaluate | None, share: float) -> SupportsEvaluate:
    """Weighted sum of a measure and its guide; the measure alone without a guide."""
    return measure if guide is None else WeightedSum(terms=((1 - share, measure), (share, guide)))
