"""Set-wise measures of a labelling: a document is labelled relevant where its score is above 0.

They are meant for one set (``qid=None``), as in Joachims (2005); with queries, each query is a set of its own.
"""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np

from ..arrays import Bools, Floats, Ints
from .base import Bound, Measure, RelevanceBound, Violation
from .precision_recall import Rprec
from .ranking.levels import count_by_query
from .violations.labelling import most_violated_f


class BoundAccuracy(RelevanceBound):
    """Accuracy on queries of some grades."""

    def evaluate(self, scores: Floats) -> Floats:
        wrong = count_by_query(self.relevant != (scores > 0), self.offsets)
        return np.where(self.sizes > 0, 1 - wrong / self._divisors, 0.0)

    def most_violated(self, scores: Floats) -> Violation:
        """Each label on its own: wrong where y_i s_i < 1/2. Psi(y) = 1/n sum_i y_i x_i over the n documents of the query."""
        wrong = self._labels * scores < 0.5
        losses = count_by_query(wrong, self.offsets) / self._divisors
        return Violation(self._coefficients * wrong, losses)

    @cached_property
    def informative(self) -> Bools:
        """Every query that has a document."""
        return self.sizes > 0

    @cached_property
    def _labels(self) -> Floats:
        return np.where(self.relevant, 1.0, -1.0)

    @cached_property
    def _coefficients(self) -> Floats:
        """Those of a document whose label is wrong."""
        return 2 * self._labels / np.repeat(self.sizes, self.sizes)

    @cached_property
    def _divisors(self) -> Ints:
        return np.maximum(self.sizes, 1)


class BoundF(RelevanceBound):
    """F on queries of some grades."""

    measure: F

    def evaluate(self, scores: Floats) -> Floats:
        labelled = scores > 0
        true_positives = count_by_query(self.relevant & labelled, self.offsets)
        false_positives = count_by_query(labelled, self.offsets) - true_positives
        weight = self.measure.beta**2
        found = (1 + weight) * true_positives
        of_all = found + false_positives + weight * (self.n_relevant - true_positives)
        return np.divide(found, of_all, out=np.zeros(found.size), where=found > 0)

    def most_violated(self, scores: Floats) -> Violation:
        """See `most_violated_f`."""
        return most_violated_f(scores, self.relevant, self.offsets, self.measure.beta**2)

    @cached_property
    def informative(self) -> Bools:
        """Every query that has a relevant document."""
        return self.n_relevant > 0


class _Contingency(Measure):
    setwise: ClassVar[bool] = True

    rel: float | None = None

    def joachims_scale(self, n_documents: int, n_relevant: int) -> tuple[float, float]:
        """See `Measure`: losses in percent, and Psi not divided by the number of documents."""
        return 100.0, n_documents


class Accuracy(_Contingency):
    """The fraction of documents with the right label: 1 minus the error rate.

    It is the one measure that a query without relevant documents can earn.

    Parameters
    ----------
    rel : number, optional
        The smallest grade that is relevant; by default any above 0.
    """

    bound: ClassVar[type[Bound]] = BoundAccuracy

    def joachims_scale(self, n_documents: int, n_relevant: int) -> tuple[float, float]:
        """See `Measure`: two for each error, so that the ordinary SVM arises (Theorem 3)."""
        return 2.0 * n_documents, n_documents


class F(_Contingency):
    r"""The F measure: precision and recall in one.

    .. math:: F_\beta = \frac{(1 + \beta^2) \, TP}{(1 + \beta^2) \, TP + FP + \beta^2 \, FN}

    Parameters
    ----------
    rel : number, optional
        The smallest grade that is relevant; by default any above 0.
    beta : number
        How much recall weighs against precision.
    """

    bound: ClassVar[type[Bound]] = BoundF

    beta: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_number("beta", self.beta)

    @property
    def name(self) -> str:
        return super().name if type(self) is not F or self.beta != 1 else "F1" + super().name.removeprefix("F")


class F1(F):
    """The F measure with precision and recall of equal weight: ``F(beta=1)``."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(self.beta == 1, "beta", self.beta, "1; write F(beta=...) for another")


class PRBEP(Rprec):
    """The precision-recall break-even point: with as many labelled relevant as there are, precision and recall are equal.

    The documents of highest score are labelled so, whatever their sign: it is `Rprec` of one set.
    """

    setwise: ClassVar[bool] = True
