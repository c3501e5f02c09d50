"""A weighted sum of measures, to optimise several at once."""

from __future__ import annotations

from ..arrays import Floats, Ints
from .base import Measure, MeasureError, _plain
from .pairs.pairwise import Lambdas
from .pairs.swaps import lambdas_of


class WeightedSum(Measure):
    """A weighted sum of measures (Svore et al. 2011), named as it is written: ``0.7*nDCG@10 + 0.3*AUC``.

    Its lambdas are the weighted sums of theirs.

    Parameters
    ----------
    terms : tuple of (weight, measure)
        Weights are numbers above 0.

    Examples
    --------
    >>> from directrank.measures import AUC, nDCG
    >>> WeightedSum(terms=((0.7, nDCG(k=10)), (0.3, AUC())))
    0.7*nDCG@10 + 0.3*AUC
    """

    terms: tuple[tuple[float, Measure], ...] = ()

    def __post_init__(self) -> None:
        if not self.terms:
            raise MeasureError("a weighted sum needs a measure: write 0.7*nDCG@10 + 0.3*AUC, for example")
        for weight, measure in self.terms:
            self._check_number("the weight of a measure", weight)
            if isinstance(measure, WeightedSum):
                raise MeasureError(f"a weighted sum cannot have another as its term: {measure.name}")

    @property
    def name(self) -> str:
        return " + ".join(f"{_plain(weight)}*{measure.name}" for weight, measure in self.terms)

    def evaluate(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats:
        return sum(weight * measure.evaluate(scores, grades, offsets) for weight, measure in self.terms)  # type: ignore[return-value]

    def lambdas(self, scores: Floats, grades: Floats, offsets: Ints) -> Lambdas:
        """The weighted sums of the measures' lambdas."""
        each = [(weight, lambdas_of(measure)(scores, grades, offsets)) for weight, measure in self.terms]
        return Lambdas(
            sum(weight * found.gradient for weight, found in each),  # type: ignore[arg-type]
            sum(weight * found.hessian for weight, found in each),  # type: ignore[arg-type]
        )
