"""The most violated labelling of a set of documents, for measures that count how many labels are right.

Labellings are compared by Psi(y) = 1/n sum_i y_i x_i over the n documents of the query, with y_i = +1 for a document that
is labelled relevant and -1 for one that is not (Joachims 2005).
"""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...kernel_compiler import njit, prange
from ..base import Violation
from ..ranking.sorting import descending_order, order_by_query
from .interleaving import split_by_relevance


def most_violated_of_as_many(scores: Floats, relevant: Bools, offsets: Ints) -> Violation:
    """The most violated labelling of exactly as many documents as are relevant, R.

    Loss and score are both sums over what is labelled relevant: the documents of highest 2 s_i/n - 1[relevant]/R are.
    """
    return Violation(*_as_many(scores, relevant, offsets))


def most_violated_ratio(scores: Floats, relevant: Bools, offsets: Ints, gain: float, own: float, wanted: float) -> Violation:
    """The most violated labelling for a ratio ``gain a / (own a + wanted R + b)``.

    a and b are the numbers of true and false positives, R that of relevant documents: with 1 + beta^2, 1 and beta^2 it is F,
    with 1, 0 and 1 the Jaccard index.

    It takes one sweep over the numbers of true and false positives, where Joachims' Algorithm 2 tries all pairs of them.
    For each number of true positives the value is concave in the number of false ones, so that steps from any of these
    lead to the best. Of the Jaccard index the best never decreases as a increases. Of F it increases as long as a is small
    against it, which for beta >= 1 it always is, and may decrease after that: so a pointer goes up once and down once.
    """
    return Violation(*_ratio(scores, relevant, offsets, order_by_query(scores, offsets), gain, own, wanted))


@njit(cache=True, parallel=True)
def _as_many(scores, relevant, offsets):  # type: ignore[no-untyped-def]
    coefficients, losses = np.zeros(scores.size), np.zeros(offsets.size - 1)
    for q in prange(losses.size):
        lo, hi = offsets[q], offsets[q + 1]
        losses[q] = _as_many_of_query(scores[lo:hi], relevant[lo:hi], coefficients[lo:hi])
    return coefficients, losses


@njit(cache=True)
def _as_many_of_query(scores, relevant, coefficients):  # type: ignore[no-untyped-def]
    n, n_relevant = scores.size, relevant.sum()
    if n_relevant == 0 or n_relevant == n:
        return 0.0
    found = 0
    for i in descending_order(2 * scores / n - relevant / n_relevant)[:n_relevant]:
        coefficients[i] -= 2.0 / n
        found += relevant[i]
    for i in range(n):
        coefficients[i] += 2.0 / n * relevant[i]
    return (n_relevant - found) / n_relevant


@njit(cache=True, parallel=True)
def _ratio(scores, relevant, offsets, order, gain, own, wanted):  # type: ignore[no-untyped-def]
    coefficients, losses = np.zeros(scores.size), np.zeros(offsets.size - 1)
    for q in prange(losses.size):
        lo, hi = offsets[q], offsets[q + 1]
        losses[q] = _ratio_of_query(scores[lo:hi], relevant[lo:hi], order[lo:hi], gain, own, wanted, coefficients[lo:hi])
    return coefficients, losses


@njit(cache=True)
def _ratio_of_query(scores, relevant, order, gain, own, wanted, coefficients):  # type: ignore[no-untyped-def]
    """Label the a relevant and the b other documents of highest score, for the best a and b."""
    n = scores.size
    positive, negative = split_by_relevance(order, relevant)
    if positive.size == 0:
        return 0.0
    value, b = 0.0, 0  # value: of labelling a and b, as 2/n times the sum of their scores
    best_value, best_a, best_b = -np.inf, 0, 0
    for a in range(positive.size + 1):
        value += 2 / n * scores[positive[a - 1]] if a > 0 else 0.0
        found, of_all = gain * a, own * a + wanted * positive.size
        while b < negative.size and 2 / n * scores[negative[b]] >= found / (of_all + b + 1) - found / (of_all + b):
            value += 2 / n * scores[negative[b]]
            b += 1
        while b > 0 and 2 / n * scores[negative[b - 1]] < found / (of_all + b) - found / (of_all + b - 1):
            b -= 1
            value -= 2 / n * scores[negative[b]]
        loss = 1 - found / (of_all + b)
        if loss + value > best_value:
            best_value, best_a, best_b = loss + value, a, b
    for i in positive[best_a:]:
        coefficients[i] = 2.0 / n
    for j in negative[:best_b]:
        coefficients[j] = -2.0 / n
    return 1 - gain * best_a / (own * best_a + wanted * positive.size + best_b)
