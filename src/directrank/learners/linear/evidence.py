"""Weights of candidate models by their values on held-out queries, for a mean that is stable under resampling.

If candidates differ by less than the noise of the queries, the best one by validation is mostly the luckiest. So the weight
of each is the p-value of a paired test (normal, two-sided) that it is as good as the best: candidates that are hardly worse
than the best count nearly as much, clearly worse ones hardly at all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np

from ...arrays import Floats
from ...matrix.linear_operator import MatrixOperator
from ...measures import SupportsSmooth
from ..core.task import Task


class Evidence(NamedTuple):
    """Sums and products of the candidates' values; they add up over shards and folds.

    Attributes
    ----------
    n_queries : int
    sums : array
        Sum over the queries of each candidate's values, or of their differences from one candidate's.
    products : array
        Sum over the queries of the products of two candidates' values, taken likewise.
    """

    n_queries: int
    sums: Floats
    products: Floats

    def weights(self) -> Floats:
        """Weight of each candidate; they add up to 1, and are equal without queries."""
        if self.n_queries == 0:
            return np.full(self.sums.size, 1 / self.sums.size)
        means = self.sums / self.n_queries
        best = int(np.argmax(means))
        behind = means[best] - means
        own = np.diag(self.products)
        squares = np.maximum(own - 2 * self.products[best] + own[best], 0.0) / self.n_queries
        errors = np.sqrt(np.maximum(squares - behind**2, 0.0) / max(self.n_queries - 1, 1))
        weights = np.array([_p_value(*pair) for pair in zip(behind, errors, strict=True)])
        return weights / weights.sum()


def smoothed_evidence(task: Task, coefs: Floats, sigma: float) -> Evidence:
    """Evidence from the smoothed values of the queries of weight above 0, at several weight vectors."""
    counts = task.weights > 0
    scores = (task.queries.to_query_order(task.operator.matvec(coef)) for coef in coefs)
    bound = cast(SupportsSmooth, task.bound)
    values = np.array([bound.smooth(candidate, sigma).values[counts] for candidate in scores])
    values -= values[0]  # a common offset would cost digits
    return Evidence(int(counts.sum()), values.sum(axis=1), np.array([MatrixOperator(values).matvec(own) for own in values]))


def total_evidence(parts: Sequence[Evidence]) -> Evidence:
    """Evidence from several sets of queries, whose candidates were trained the same way."""
    n_queries, sums, products = zip(*parts, strict=True)
    return Evidence(sum(n_queries), np.sum(sums, axis=0), np.sum(products, axis=0))


def _p_value(behind: float, error: float) -> float:
    if behind <= 0:
        return 1.0
    return math.erfc(behind / error / math.sqrt(2)) if error > 0 else 0.0
