"""Set-wise measures of a labelling: a document is labelled relevant where its score is above 0.

They are meant for one set (``qid=None``), as in Joachims (2005); with queries, each query is a set of its own.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from .base import Measure, Violation
from .precision_recall import Rprec
from .ranking.ties import order_by_query
from .violations.interleaving import split_by_relevance


class _Contingency(Measure):
    rel: float | None = None

    def joachims_scale(self, n_documents: int, n_relevant: int) -> tuple[float, float]:
        """See `Measure`: losses in percent, and Psi not divided by the number of documents."""
        return 100.0, n_documents

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

    def joachims_scale(self, n_documents: int, n_relevant: int) -> tuple[float, float]:
        """See `Measure`: two for each error, so that the ordinary SVM arises (Theorem 3)."""
        return 2.0 * n_documents, n_documents

    def most_violated(self, scores: Floats, grades: Floats, offsets: Ints) -> Violation:
        """Each label on its own: wrong where y_i s_i < 1/2. Psi(y) = 1/n sum_i y_i x_i over the n documents of the query."""
        sizes = np.diff(offsets)
        label = np.where(self.relevant(grades), 1.0, -1.0)
        wrong = label * scores < 0.5
        losses = np.add.reduceat(wrong, offsets[:-1], dtype=np.float64) / sizes
        return Violation(2 * label * wrong / np.repeat(sizes, sizes), losses)


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
        self._check_number("beta", self.beta)

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

    def most_violated(self, scores: Floats, grades: Floats, offsets: Ints) -> Violation:
        """One sweep over the numbers of true and false positives, where Joachims' Algorithm 2 tries all pairs of them.

        Psi(y) = 1/n sum_i y_i x_i over the n documents of the query. For each number of true positives the value is concave
        in the number of false ones. The best of those rises with the first as long as it is small against the second, which
        for beta >= 1 it always is, and may fall after that: so a pointer that goes up once and down once finds it.
        """
        return Violation(
            *_most_violated_f(scores, self.relevant(grades), offsets, order_by_query(scores, offsets), self.beta**2)
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


@njit(cache=True, parallel=True)
def _most_violated_f(scores, relevant, offsets, order, weight):  # type: ignore[no-untyped-def]
    coefficients, losses = np.zeros(scores.size), np.zeros(offsets.size - 1)
    for q in prange(losses.size):
        lo, hi = offsets[q], offsets[q + 1]
        losses[q] = _most_violated_f_of_query(scores[lo:hi], relevant[lo:hi], order[lo:hi], weight, coefficients[lo:hi])
    return coefficients, losses


@njit(cache=True)
def _most_violated_f_of_query(scores, relevant, order, weight, coefficients):  # type: ignore[no-untyped-def]
    """Label the a relevant and the b other documents of highest score, for the best a and b."""
    n = scores.size
    negative, positive = split_by_relevance(order, ~relevant, True)
    if positive.size == 0:
        return 0.0
    value, b = 0.0, 0  # value: of labelling a and b, as 2/n times the sum of their scores
    best_value, best_a, best_b = -np.inf, 0, 0
    for a in range(positive.size + 1):
        value += 2 / n * scores[positive[a - 1]] if a > 0 else 0.0
        found, wanted = (1 + weight) * a, (1 + weight) * a + weight * (positive.size - a)
        while b < negative.size and 2 / n * scores[negative[b]] >= found / (wanted + b + 1) - found / (wanted + b):
            value += 2 / n * scores[negative[b]]
            b += 1
        while b > 0 and 2 / n * scores[negative[b - 1]] < found / (wanted + b) - found / (wanted + b - 1):
            b -= 1
            value -= 2 / n * scores[negative[b]]
        loss = 1 - found / (wanted + b)
        if loss + value > best_value:
            best_value, best_a, best_b = loss + value, a, b
    for i in positive[best_a:]:
        coefficients[i] = 2.0 / n
    for j in negative[:best_b]:
        coefficients[j] = -2.0 / n
    return 1 - (1 + weight) * best_a / ((1 + weight) * best_a + weight * (positive.size - best_a) + best_b)
