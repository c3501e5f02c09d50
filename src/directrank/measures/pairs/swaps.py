"""Lambdas of any measure: each swap evaluated."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

from ...arrays import Floats, Ints
from ..base import Evaluates
from ..ranking.ties import share_among_equals, worst_order
from .pairwise import Lambdas

#: How many documents are evaluated at a time: the swaps of a query are evaluated as so many queries.
AT_A_TIME = 2**20


def lambdas_of(measure: Evaluates) -> Callable[[Floats, Floats, Ints], Lambdas]:
    """A measure's own `lambdas`, or those that evaluating swaps gives, with a warning."""
    if hasattr(measure, "measure"):
        b = measure
        f = lambdas_of(b.measure)
        return lambda s: f(s, b.grades, b.offsets)
    own = getattr(measure, "lambdas", None)
    if own is None:
        name = getattr(measure, "name", type(measure).__name__)
        warnings.warn(
            f"{name} has no lambdas: every swap of two documents is evaluated, which is slow", UserWarning, stacklevel=2
        )
    return own or Swapping(measure).lambdas


class Swapping:
    """Lambdas of a measure that has `evaluate` only, for O(n^3) a query of n documents.

    Documents of equal score are taken in the worst order, by ascending grade, and those of equal grade share their sums.
    """

    def __init__(self, measure: Evaluates) -> None:
        self.measure = measure

    def lambdas(self, scores: Floats, grades: Floats, offsets: Ints) -> Lambdas:
        found = Lambdas(np.zeros(scores.size), np.zeros(scores.size))
        for lo, hi in pairwise(offsets.tolist()):
            order = worst_order(scores[lo:hi], grades[lo:hi])
            mine = Lambdas(found.gradient[lo:hi], found.hessian[lo:hi])
            self._add_query(scores[lo:hi][order], grades[lo:hi][order], order, mine)
            for values in mine:
                share_among_equals(scores[lo:hi], grades[lo:hi], order, values)
        return found

    def _add_query(self, scores: Floats, grades: Floats, order: Ints, found: Lambdas) -> None:
        """Scores and grades are ranked; sums are added where the order says."""
        gradient, hessian = found
        for better, worse in self._pairs(grades):
            change = self._changes(grades, better, worse)
            p = 1 / (1 + np.exp(np.clip(scores[better] - scores[worse], -700, 700)))
            np.add.at(gradient, order[better], -change * p)
            np.add.at(gradient, order[worse], change * p)
            np.add.at(hessian, order[better], change * p * (1 - p))
            np.add.at(hessian, order[worse], change * p * (1 - p))

    def _pairs(self, grades: Floats) -> Iterator[tuple[Ints, Ints]]:
        """The pairs of unequal grade of each document, as many as are evaluated at a time."""
        step = max(1, AT_A_TIME // grades.size)
        for i in range(grades.size):
            worse = np.flatnonzero(grades < grades[i])
            for start in range(0, worse.size, step):
                part = worse[start : start + step]
                yield np.full(part.size, i), part

    def _changes(self, grades: Floats, better: Ints, worse: Ints) -> Floats:
        """How much the measure of a ranking changes when two documents swap, for each pair."""
        n, pairs = grades.size, np.arange(better.size)
        swapped = np.tile(grades, (better.size + 1, 1))
        swapped[pairs, better], swapped[pairs, worse] = grades[worse], grades[better]
        falling = np.tile(np.arange(n, 0.0, -1), better.size + 1)
        values = self.measure.evaluate(falling, swapped.ravel(), np.arange(0, falling.size + 1, n))
        return np.abs(values[:-1] - values[-1])
