"""Weighted sums of measures, to optimise several at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np

from ..arrays import Bools, Floats
from ..caching import cached_property
from .bound import Bound, bind, grades_for, supports
from .capabilities import Capability, Lambdas, Smoothed, SupportsEvaluate, TieRule, Violation
from .errors import MeasureError
from .measure import Measure
from .naming import name_of, plain_number, qualified_name_of
from .pairs.evaluated_swaps import lambda_function


class BoundMeasureSum(Bound):
    """A weighted sum, bound to grades: each of its terms bound to them."""

    measure: MeasureSum

    @classmethod
    def limitation(cls, measure: MeasureSum, capability: Capability) -> str | None:
        """The first term that lacks it. Lambdas are found for any term, by evaluating swaps if need be."""
        lacking = next((term for _, term in measure.terms if not supports(term, capability)), None)
        if lacking is None or capability == "lambdas":
            return None
        return f"its term {name_of(lacking)} has none"

    def evaluate(self, scores: Floats) -> Floats:
        return _weighted((weight, term.evaluate(scores)) for weight, term in self.terms)

    def lambdas(self, scores: Floats, by_distance: bool = False) -> Lambdas:
        """Weighted sums of the terms' lambdas."""
        each = [(weight, lambdas(scores, by_distance)) for weight, lambdas in self._term_lambdas]
        gradient = _weighted((weight, found.gradient) for weight, found in each)
        return Lambdas(gradient, _weighted((weight, found.hessian) for weight, found in each))

    def most_violated(self, scores: Floats) -> Violation:
        """Weighted sums over the terms, each with its own most violated output: the slack bounds the weighted loss."""
        each = [(weight, _where_informative(term, term.most_violated(scores))) for weight, term in self._capable_terms]
        coefficients = _weighted((weight, found.coefficients) for weight, found in each)
        return Violation(coefficients, _weighted((weight, found.losses) for weight, found in each))

    def smooth(self, scores: Floats, sigma: float) -> Smoothed:
        """Weighted sums of the smoothed terms."""
        each = [(weight, term.smooth(scores, sigma)) for weight, term in self._capable_terms]
        values = _weighted((weight, found.values) for weight, found in each)
        return Smoothed(values, _weighted((weight, found.gradient) for weight, found in each))

    @cached_property
    def informative(self) -> Bools:
        """Queries that are informative to any term; terms that cancel out are not detected."""
        return np.logical_or.reduce([term.informative for _, term in self.terms])

    @cached_property
    def terms(self) -> list[tuple[float, Bound]]:
        """Weight of each term, and the term bound to the grades."""
        return [(weight, bind(term, self._grades_of(term), self.offsets)) for weight, term in self.measure.terms]

    def _grades_of(self, term: SupportsEvaluate) -> Floats:
        """The grades as a term takes them: below 0 they are gains, or else documents that were not judged."""
        return self.grades if self.measure.takes_negative_grades else grades_for(term, self.grades)

    @property
    def _capable_terms(self) -> list[tuple[float, Any]]:
        """The terms, whose capabilities `limitation` has checked."""
        return self.terms  # type: ignore[return-value]

    @cached_property
    def _term_lambdas(self) -> list[tuple[float, Callable[[Floats, bool], Lambdas]]]:
        return [(weight, lambda_function(term)) for weight, term in self.terms]


class MeasureSum(Measure, abstract=True):
    """A weighted sum of measures (Svore et al. 2011), named as it is written: ``0.7*nDCG@10 + 0.3*AUC``.

    It has the capabilities that all of its terms have.

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

    bound: ClassVar[type[Bound]] = BoundMeasureSum

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

    def supports(self, capability: Capability) -> bool:
        """Whether all terms have a capability."""
        return self.has_method(capability) and all(supports(measure, capability) for _, measure in self.terms)

    @property
    def sees_unjudged(self) -> bool:  # type: ignore[override]
        """Whether any term does."""
        return any(getattr(measure, "sees_unjudged", False) for _, measure in self.terms)

    @property
    def additive(self) -> bool:  # type: ignore[override]
        """Whether all terms are."""
        return all(getattr(measure, "additive", False) for _, measure in self.terms)

    @property
    def takes_negative_grades(self) -> bool:
        """Whether all terms do."""
        return all(getattr(measure, "takes_negative_grades", False) for _, measure in self.terms)

    @property
    def judges_order(self) -> bool:  # type: ignore[override]
        """Whether all terms do."""
        return all(getattr(measure, "judges_order", True) for _, measure in self.terms)

    @property
    def truncated(self) -> bool:
        """Whether any term is."""
        return any(getattr(measure, "truncated", False) for _, measure in self.terms)

    @property
    def tie_rule(self) -> TieRule:
        """The rule of all terms; "custom" if any has that, else "terms" if they differ."""
        rules: list[TieRule] = [getattr(measure, "tie_rule", "custom") for _, measure in self.terms]
        return "custom" if "custom" in rules else rules[0] if len(set(rules)) == 1 else "terms"

    @property
    def gain_formula(self) -> str | None:
        """The formulas of all terms that have one."""
        found = dict.fromkeys(getattr(measure, "gain_formula", None) for _, measure in self.terms)
        return " and ".join(formula for formula in found if formula is not None) or None

    @property
    def name(self) -> str:
        return " + ".join(f"{plain_number(weight)}*{name_of(measure)}" for weight, measure in self.terms)

    @property
    def qualified_name(self) -> str:
        return " + ".join(f"{plain_number(weight)}*{qualified_name_of(measure)}" for weight, measure in self.terms)


def _weighted(parts: Iterable[tuple[float, Floats]]) -> Floats:
    return sum(weight * values for weight, values in parts)  # type: ignore[return-value]


def _where_informative(term: Bound, found: Violation) -> Violation:
    """A violation that is 0 in queries that are not informative to the term, where oracles leave it undefined."""
    informative = term.informative
    return Violation(found.coefficients * np.repeat(informative, term.sizes), found.losses * informative)
