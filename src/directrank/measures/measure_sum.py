"""A weighted sum of measures, to optimise several at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from ..arrays import Bools, Floats
from ..caching import cached_property
from .base import (
    Bound,
    Lambdas,
    Measure,
    MeasureError,
    Smoothed,
    SupportsEvaluate,
    bind,
    grades_for,
    name_of,
    plain_number,
    qualified_name_of,
)
from .pairs.evaluated_swaps import lambdas_of


class BoundWeightedSum(Bound):
    """A weighted sum on queries of some grades: each of its terms bound to them."""

    measure: MeasureSum

    def evaluate(self, scores: Floats) -> Floats:
        return sum(weight * term.evaluate(scores) for weight, term in self.terms)  # type: ignore[return-value]

    def lambdas(self, scores: Floats) -> Lambdas:
        """The weighted sums of the terms' lambdas."""
        each = [(weight, lambdas(scores)) for weight, lambdas in self._lambdas_of_terms]
        return Lambdas(
            sum(weight * found.gradient for weight, found in each),  # type: ignore[arg-type]
            sum(weight * found.hessian for weight, found in each),  # type: ignore[arg-type]
        )

    def smooth(self, scores: Floats, sigma: float) -> Smoothed:
        """The weighted sums of the smoothed terms."""
        for _, term in self.terms:
            if not hasattr(term, "smooth"):
                raise MeasureError(f"{self.measure.name} cannot be smoothed, as {name_of(term.measure)} has no smooth")
        each = [(weight, term.smooth(scores, sigma)) for weight, term in self.terms]  # type: ignore[attr-defined]
        return Smoothed(
            sum(weight * found.values for weight, found in each),
            sum(weight * found.gradient for weight, found in each),
        )

    @cached_property
    def informative(self) -> Bools:
        """The queries that are informative to any term; that terms cancel out is not looked for."""
        return np.logical_or.reduce([term.informative for _, term in self.terms])

    @cached_property
    def terms(self) -> list[tuple[float, Bound]]:
        """The weight of each term, and the term bound to the grades."""
        terms = self.measure.terms
        return [(weight, bind(term, grades_for(term, self.grades), self.offsets)) for weight, term in terms]

    @cached_property
    def _lambdas_of_terms(self) -> list[tuple[float, Callable[[Floats], Lambdas]]]:
        return [(weight, lambdas_of(term)) for weight, term in self.terms]


def guided(measure: SupportsEvaluate, share: float) -> SupportsEvaluate:
    """A measure and its `guide`, with so much of the weight; the measure alone, if it has none."""
    guide = getattr(measure, "guide", None)
    return measure if guide is None or share == 0 else MeasureSum(terms=((1 - share, measure), (share, guide)))


class MeasureSum(Measure):
    """A weighted sum of measures (Svore et al. 2011), named as it is written: ``0.7*nDCG@10 + 0.3*AUC``.

    Its lambdas are the weighted sums of theirs.

    Parameters
    ----------
    terms : tuple of (weight, measure)
        Weights are numbers above 0.

    Examples
    --------
    >>> from directrank.measures import AUC, nDCG
    >>> MeasureSum(terms=((0.7, nDCG(k=10)), (0.3, AUC())))
    0.7*nDCG@10 + 0.3*AUC
    """

    bound: ClassVar[type[Bound]] = BoundWeightedSum

    terms: tuple[tuple[float, SupportsEvaluate], ...] = ()

    def __post_init__(self) -> None:
        if not self.terms:
            raise MeasureError("a weighted sum needs a measure: write 0.7*nDCG@10 + 0.3*AUC, for example")
        for term in self.terms:
            if not (isinstance(term, tuple) and len(term) == 2 and isinstance(term[1], SupportsEvaluate)):
                raise MeasureError(f"a term of a weighted sum must be a pair of weight and measure, not {term!r}")
            weight, measure = term
            self._check_number("the weight of a measure", weight)
            if isinstance(measure, MeasureSum):
                raise MeasureError(f"a weighted sum cannot have another as its term: {measure.name}")

    @property
    def sees_unjudged(self) -> bool:  # type: ignore[override]
        """Whether one of its terms does."""
        return any(getattr(measure, "sees_unjudged", False) for _, measure in self.terms)

    @property
    def judges_order(self) -> bool:  # type: ignore[override]
        """Whether all of its terms do."""
        return all(getattr(measure, "judges_order", True) for _, measure in self.terms)

    @property
    def averages_ties(self) -> bool:
        """Whether all of its terms do."""
        return all(getattr(measure, "averages_ties", False) for _, measure in self.terms)

    @property
    def name(self) -> str:
        return " + ".join(f"{plain_number(weight)}*{name_of(measure)}" for weight, measure in self.terms)

    @property
    def qualified_name(self) -> str:
        return " + ".join(f"{plain_number(weight)}*{qualified_name_of(measure)}" for weight, measure in self.terms)
