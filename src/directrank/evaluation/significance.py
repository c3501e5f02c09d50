"""Two rankings of the same queries: how many each wins, and whether chance explains it."""

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
        Queries in which the first has the higher, the lower, an equal value.
    difference : float
        The mean of the first less that of the second.
    p : float
        Of the two-sided Wilcoxon signed-rank test; 1 where no query differs.
    """

    wins: int
    losses: int
    ties: int
    difference: float
    p: float

    @property
    def stars(self) -> str:
        """Two where the difference is significant at the level 0.95, as in the tables of Yue et al. (2007)."""
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
    """Compare the values of two rankings, one for each query in the same order."""
    from scipy.stats import wilcoxon

    values, others = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if values.ndim != 1 or values.shape != others.shape or values.size == 0 or not np.all(np.isfinite(values - others)):
        raise InputError("there must be a finite value of both rankings for each query")
    difference = values - others
    difference[np.abs(difference) < 1e-12] = 0.0  # rounding is no win
    wins, losses = int(np.sum(difference > 0)), int(np.sum(difference < 0))
    p = float(wilcoxon(difference).pvalue) if wins + losses else 1.0
    return Comparison(wins, losses, difference.size - wins - losses, float(difference.mean()), p)
