"""Guide of a measure: a measure of whole rankings that trees follow too."""

from __future__ import annotations

from ...measures import AP, AUC, MeasureSum, SupportsEvaluate, as_measure


def resolve_guide(
    measure: SupportsEvaluate, guide: str | type | SupportsEvaluate | None, share: float
) -> SupportsEvaluate | None:
    """Guide that is in effect; None without one, or with a share of 0.

    "auto" is half the ROC area, which all pairs of unequal grade change by the same amount, and half a measure of whole
    rankings: AP for a measure of the first relevant document, or of which documents are above a cut-off; the same measure
    without its cut-off for others that may have one.
    """
    if guide is None or share == 0:
        return None
    if not (isinstance(guide, str) and guide == "auto"):
        return as_measure(guide)
    return _auto_guide(measure)


def with_guide(measure: SupportsEvaluate, guide: SupportsEvaluate | None, share: float) -> SupportsEvaluate:
    """Weighted sum of a measure and its guide; the measure alone without a guide."""
    if guide is None:
        return measure
    return _sum(*_weighted_terms(measure, 1 - share), *_weighted_terms(guide, share))


def _auto_guide(measure: SupportsEvaluate) -> SupportsEvaluate | None:
    """Guide of a measure; of a sum, the sum of the guides of its terms, where a term without a guide is its own."""
    if isinstance(measure, MeasureSum):
        found = [(weight, term, _auto_guide(term)) for weight, term in measure.terms]
        if all(guide is None for _, _, guide in found):
            return None
        guides = [(weight, term if guide is None else guide) for weight, term, guide in found]
        return _sum(*(part for weight, guide in guides for part in _weighted_terms(guide, weight)))
    rel = getattr(measure, "rel", None)
    is_of_top = getattr(measure, "first_relevant_only", False) or getattr(measure, "set_above_cutoff", False)
    whole = AP(rel=rel) if is_of_top else getattr(measure, "without_cutoff", None)
    return None if whole is None else _sum((0.5, whole), (0.5, AUC(rel=rel)))


def _weighted_terms(measure: SupportsEvaluate, share: float) -> list[tuple[float, SupportsEvaluate]]:
    """The measure with its weight; of a sum, its terms with theirs."""
    if not isinstance(measure, MeasureSum):
        return [(share, measure)]
    total = sum(weight for weight, _ in measure.terms)
    return [(share * weight / total, term) for weight, term in measure.terms]


def _sum(*terms: tuple[float, SupportsEvaluate]) -> MeasureSum:
    """Weighted sum in which no measure stands twice."""
    found: list[tuple[float, SupportsEvaluate]] = []
    for weight, term in terms:
        same = [i for i, (_, other) in enumerate(found) if other == term]
        if same:
            total = found[same[0]][0] + weight
            found[same[0]] = (float(f"{total:.12g}"), term)  # 0.65, not 0.6499999999999999
        else:
            found.append((weight, term))
    return MeasureSum(terms=tuple(found))
