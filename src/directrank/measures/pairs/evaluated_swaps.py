"""Lambdas of any measure, by evaluating every swap."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

from ...arrays import Floats, Ints
from ..bound import Bound, bind
from ..capabilities import Lambdas, SupportsLambdas
from ..naming import name_of

#: Distance of two scores that is added, by distance, as in `core/measures/pairs/pair_loop.hpp`.
MIN_DISTANCE = 0.01

#: Number of documents evaluated at a time: each swap is evaluated as a query of its own.
MAX_EVALUATED_AT_ONCE = 2**20


def lambda_function(bound: Bound) -> Callable[[Floats, bool], Lambdas]:
    """A bound measure's own `lambdas`, or else those found by evaluating swaps, with a warning."""
    if bound.has("lambdas") and isinstance(bound, SupportsLambdas):
        return bound.lambdas
    name = name_of(bound.measure)
    warnings.warn(
        f"{name} has no lambdas: every swap of two documents is evaluated, which is slow", UserWarning, stacklevel=2
    )
    return EvaluatedSwaps(bound).lambdas


class EvaluatedSwaps:
    """Lambdas of a measure that has `evaluate` only, in O(n^3) for a query of n documents.

    Tied documents are taken in the worst order, by ascending grade; tied documents of equal grade share their sums.
    """

    def __init__(self, bound: Bound) -> None:
        self.bound = bound

    def lambdas(self, scores: Floats, by_distance: bool = False) -> Lambdas:
        found = Lambdas(np.zeros(scores.size), np.zeros(scores.size))
        for lo, hi in pairwise(self.bound.offsets.tolist()):
            query_scores, grades = scores[lo:hi], self.bound.grades[lo:hi]
            order = _worst_order(query_scores, grades)
            query_lambdas = Lambdas(found.gradient[lo:hi], found.hessian[lo:hi])
            self._add_query(query_scores[order], grades[order], order, by_distance, query_lambdas)
            for values in query_lambdas:
                values[:] = _mean_over_equals(query_scores, grades, values)
        return found

    def _add_query(self, scores: Floats, grades: Floats, order: Ints, by_distance: bool, found: Lambdas) -> None:
        """Add the sums of one query, with scores and grades ranked, at the positions in `order`."""
        gradient, hessian = found
        has_distances = by_distance and scores.size > 0 and scores[0] > scores[-1]
        for better, worse in self._pairs(grades):
            change = self._changes(grades, better, worse)
            distance = _distance(scores[better], scores[worse])
            if has_distances:
                change /= MIN_DISTANCE + np.abs(distance)
            p = 1 / (1 + np.exp(np.clip(distance, -700, 700)))
            np.add.at(gradient, order[better], -change * p)
            np.add.at(gradient, order[worse], change * p)
            np.add.at(hessian, order[better], change * p * (1 - p))
            np.add.at(hessian, order[worse], change * p * (1 - p))

    def _pairs(self, grades: Floats) -> Iterator[tuple[Ints, Ints]]:
        """Pairs of unequal grade, in batches that are evaluated at a time."""
        for i in range(grades.size):
            step = max(1, MAX_EVALUATED_AT_ONCE // grades.size)
            worse = np.flatnonzero(grades < grades[i])
            for start in range(0, worse.size, step):
                part = worse[start : start + step]
                yield np.full(part.size, i), part

    def _changes(self, grades: Floats, better: Ints, worse: Ints) -> Floats:
        """Absolute change of the measure of a ranking when two documents swap, for each pair."""
        n, pairs = grades.size, np.arange(better.size)
        swapped = np.tile(grades, (better.size + 1, 1))
        swapped[pairs, better], swapped[pairs, worse] = grades[worse], grades[better]
        descending = np.tile(np.arange(n, 0.0, -1), better.size + 1)
        rankings = bind(self.bound.measure, swapped.ravel(), np.arange(0, descending.size + 1, n))
        values = rankings.evaluate(descending)
        return np.abs(values[:-1] - values[-1])


def _distance(better: Floats, worse: Floats) -> Floats:
    """Difference of scores, 0 where both are the same infinity."""
    return np.subtract(better, worse, out=np.zeros_like(better), where=better != worse)


def _worst_order(scores: Floats, grades: Floats) -> Ints:
    """Documents of one query by descending score, ties by ascending grade."""
    return np.lexsort((grades, -scores))


def _mean_over_equals(scores: Floats, grades: Floats, values: Floats) -> Floats:
    """Values of a query's documents, averaged over documents of equal score and grade."""
    _, group = np.unique(np.stack((scores, grades)), axis=1, return_inverse=True)
    return (np.bincount(group, values) / np.bincount(group))[group]
