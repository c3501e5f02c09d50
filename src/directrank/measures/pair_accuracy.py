"""Accuracy on pairs of documents of two given grades."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..caching import cached_property
from .bound import Bound
from .capabilities import Lambdas, Smoothed, Violation
from .errors import MeasureError
from .measure import Measure
from .ranking.levels import count_by_query
from .roc_area import AUC, BoundAUC


class BoundPairAccuracy(Bound):
    """Pair accuracy, bound to grades: the ROC area of the documents of the two grades."""

    measure: PairAccuracy

    def evaluate(self, scores: Floats) -> Floats:
        return self._area.evaluate(scores[self._counts])

    def lambdas(self, scores: Floats, by_distance: bool = False) -> Lambdas:
        """As for AUC, over the pairs that count; 0 for documents of other grades."""
        found = self._area.lambdas(scores[self._counts], by_distance)
        return Lambdas(self._spread(found.gradient), self._spread(found.hessian))

    def most_violated(self, scores: Floats) -> Violation:
        """As for AUC, over the pairs that count."""
        found = self._area.most_violated(scores[self._counts])
        return Violation(self._spread(found.coefficients), found.losses)

    def smooth(self, scores: Floats, sigma: float) -> Smoothed:
        """As for AUC, over the pairs that count."""
        found = self._area.smooth(scores[self._counts], sigma)
        return Smoothed(found.values, self._spread(found.gradient))

    @cached_property
    def informative(self) -> Bools:
        """Queries with documents of both grades."""
        return self.pairs > 0

    @cached_property
    def pairs(self) -> Ints:
        """Number of pairs of each query: weights for the accuracy over the pairs of all queries."""
        return self._area.pairs

    @cached_property
    def _counts(self) -> Bools:
        """Whether each document is of one of the two grades."""
        return (self.grades == self.measure.high) | (self.grades == self.measure.low)

    @cached_property
    def _area(self) -> BoundAUC:
        offsets = np.concatenate(([0], np.cumsum(count_by_query(self._counts, self.offsets))))
        return BoundAUC(AUC(grade=self.measure.high), self.grades[self._counts], offsets)

    def _spread(self, values: Floats) -> Floats:
        """Values of the documents that count, spread over all documents with 0 for the others."""
        spread = np.zeros(self.grades.size)
        spread[self._counts] = values
        return spread


class PairAccuracy(Measure):
    r"""Fraction of pairs of documents of two given grades that are in the right order; ties count half.

    .. math:: \frac{|\{(i, j) : s_i > s_j\}| + \tfrac12 |\{(i, j) : s_i = s_j\}|}{|\{(i, j)\}|}
              \quad\text{over}\quad l_i = high,\ l_j = low

    Documents of other grades do not count. On OHSUMED ``PairAccuracy(high=2, low=0)`` is "d-n" in Figure 6 of Xu & Li
    (2007), definitely relevant against not relevant. As in `AUC`, a query without such a pair counts 0, and unranked
    documents are tied below all others.

    The mean over queries counts each query the same; the accuracy over the pairs of all queries is
    ``np.average(bound.evaluate(scores), weights=bound.pairs)``, in which queries without a pair do not count.

    Parameters
    ----------
    high, low : numbers
        The two grades: documents of grade `high` should rank above documents of grade `low`.
    """

    bound: ClassVar[type[Bound]] = BoundPairAccuracy
    nearest_additive: ClassVar[str | None] = "ARP"

    high: float | None = None
    low: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.high is None or self.low is None:
            raise MeasureError("PairAccuracy needs two grades: write PairAccuracy(high=2, low=0), for example")
        for parameter, grade in (("high", self.high), ("low", self.low)):
            number = isinstance(grade, (int, float, np.number)) and not isinstance(grade, bool) and bool(0 <= grade < np.inf)
            self._check(number, parameter, grade, "a number of at least 0")
        self._check(self.high > self.low, "high", self.high, f"above low, which is {self.low!r}")

    def relevant(self, grades: Floats) -> Bools:
        """Whether each document is of the higher grade."""
        return grades == self.high
