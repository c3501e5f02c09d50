"""Set-wise measures of a labelling: a document is labelled relevant where its score is above 0.

They are meant for one set (``qid=None``), as in Joachims (2005); with queries, each query is a set of its own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .base import Floats, Ints, Measure
from .precision_recall import Rprec


class _Contingency(Measure):
    rel: float | None = None

    def _table(self, scores: Floats, grades: Floats, offsets: Ints) -> tuple[Ints, Ints, Ints]:
        """True positives, false positives and false negatives of each query."""
        truth, label = self.relevant(grades), scores > 0

        def count(which: NDArray[np.bool_]) -> Ints:
            return np.add.reduceat(which, offsets[:-1], dtype=np.int64)

        return count(truth & label), count(~truth & label), count(truth & ~label)


class Accuracy(_Contingency):
    """The share of documents with the right label: 1 minus the error rate.

    It is the one measure that a query without relevant documents can earn.

    Parameters
    ----------
    rel : number, optional
        The smallest grade that is relevant; by default any above 0.
    """

    def evaluate(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats:
        _, false_positives, false_negatives = self._table(scores, grades, offsets)
        return 1 - (false_positives + false_negatives) / np.diff(offsets)


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

    beta: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(self.beta > 0, "beta", self.beta, "a number above 0")

    @property
    def name(self) -> str:
        return super().name if self.beta != 1 else "F1" + super().name.removeprefix(type(self).__name__)

    def evaluate(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats:
        true_positives, false_positives, false_negatives = self._table(scores, grades, offsets)
        weight = self.beta**2
        found = (1 + weight) * true_positives
        return np.divide(
            found, found + false_positives + weight * false_negatives, out=np.zeros(found.size), where=found > 0
        )


class F1(F):
    """The F measure with precision and recall of equal weight: ``F(beta=1)``."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(self.beta == 1, "beta", self.beta, "1; write F(beta=...) for another")


class PRBEP(Rprec):
    """The precision-recall break-even point: with as many labelled relevant as there are, precision and recall are equal.

    The documents of highest score are labelled so, whatever their sign: it is `Rprec` of one set.
    """
