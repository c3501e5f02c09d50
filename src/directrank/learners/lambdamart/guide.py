"""Guide of a measure: a measure of whole rankings that trees follow too."""

from __future__ import annotations

from ...measures import AP, MeasureSum, SupportsEvaluate, as_measure


def resolve_guide(
    measure: SupportsEvaluate, guide: str | type | SupportsEvaluate | None, share: float
) -> SupportsEvaluate | None:
    """Guide that is in effect; None without one, or with a share of 0.

    "auto" is a measure of whole rankings for one that most swaps leave unchanged: AP for a measure of the first relevant
    document, or of which documents are above a cut-off; the same measure without its cut-off for others that have one.
    """
    if guide is None or share == 0:
        return None
    if not (isinstance(guide, str) and guide == "auto"):
        return as_measure(guide)
    return _whole(measure)


def with_guide(measure: SupportsEvaluate, guide: SupportsEvaluate | None, share: float) -> SupportsEvaluate:
    """Weighted sum of a measure and its guide; the measure alone without a guide."""
    if guide is None:
        return measure
    return MeasureSum(terms=(*_weighted_terms(measure, 1 - share), *_weighted_terms(guide, share)))


def _whole(measure: SupportsEvaluate) -> SupportsEvaluate | None:
    """Measure of whole rankings for one of a small part of them; None if it is one already, or nothing is known."""
    if isinstance(measure, MeasureSum):
        found = [(weight, term, _whole(term)) for weight, term in measure.terms]
        if all(whole is None for _, _, whole in found):
            return None
        return MeasureSum(terms=tuple((weight, term if whole is None else whole) for weight, term, whole in found))
    if getattr(measure, "first_relevant_only", False) or getattr(measure, "set_above_cutoff", False):
        return AP(rel=getattr(measure, "rel", None))
    known: SupportsEvaluate | None = getattr(measure, "without_cutoff", None)
    return known


def _weighted_terms(measure: SupportsEvaluate, share: float) -> list[tuple[float, SupportsEvaluate]]:
    """The measure with its weight; of a sum, its terms with theirs."""
    if not isinstance(measure, MeasureSum):
        return [(share, measure)]
    total = sum(weight for weight, _ in measure.terms)
    return [(share * weight / total, term) for weight, term in measure.terms]
