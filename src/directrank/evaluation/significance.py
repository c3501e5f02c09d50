"""Comparing two rankings of the same queries: wins, losses, and the significance of the difference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..data import InputError
from .evaluate import Evaluation, MeasureLike


@dataclass(frozen=True)
class Comparison:
    """One ranking against another, query by query.

    Attributes
    ----------
    wins, losses, ties : int
        The numbers of queries for which the first has the higher, the lower, and the same value.
    difference : float
        The mean of the first minus that of the second.
    p : float
        The p-value of the two-sided Wilcoxon signed-rank test; 1 if no query differs.
    """

    wins: int
    losses: int
    ties: int
    difference: float
    p: float

    @property
    def stars(self) -> str:
        """``**`` if p < 0.05, as in the tables of Yue et al. (2007), else empty."""
        return "**" if self.p < 0.05 else ""

    def __str__(self) -> str:
        return f"{self.wins}/{self.losses} {self.stars}".rstrip()


def compare(first: Evaluation, second: Evaluation, measure: MeasureLike) -> Comparison:
    """Compare two evaluations of the same queries, in any order.

    Examples
    --------
    >>> from directrank import evaluate
    >>> qid = [1, 1, 2, 2]
    >>> good, bad = evaluate([1, 0, 1, 0], [2, 1, 2, 1], qid), evaluate([1, 0, 1, 0], [2, 1, 1, 2], qid)
    >>> print(compare(good, bad, "AP"))
    1/0
    """
    values, others = first.values(measure), second.values(measure)
    order, other = np.argsort(first.qid), np.argsort(second.qid)
    if not np.array_equal(first.qid[order], second.qid[other]):
        raise InputError("the two evaluations are not of the same queries")
    return compare_values(values[order], others[other])


def compare_values(first: ArrayLike, second: ArrayLike) -> Comparison:
    """Compare the values of two rankings, one per query, with the queries in the same order."""
    from scipy.stats import wilcoxon

    values, others = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if values.ndim != 1 or values.shape != others.shape or values.size == 0 or not np.all(np.isfinite(values - others)):
        raise InputError("both rankings need a finite value for each query")
    difference = values - others
    difference[np.abs(difference) < 1e-12] = 0.0  # rounding errors are ties
    wins, losses = int(np.sum(difference > 0)), int(np.sum(difference < 0))
    p = float(wilcoxon(difference).pvalue) if wins + losses else 1.0
    return Comparison(wins, losses, difference.size - wins - losses, float(difference.mean()), p)
