"""The smallest difference between two rankings that a paired test would detect."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from ..arrays import Floats
from .paired_tests import ROUNDING

#: Probability with which a difference of the smallest detectable size is found significant.
POWER = 0.8


def smallest_detectable(differences: Floats, alpha: float = 0.05, power: float = POWER) -> float:
    r"""Smallest mean difference that a two-sided paired test would find significant with probability `power`.

    .. math:: (t_{n-1,\,1-\alpha/2} + t_{n-1,\,\text{power}}) \, s / \sqrt{n}

    s is the standard deviation of the queries' differences, n the number of queries and t a quantile of Student's
    distribution (the minimum detectable effect of Bloom 1995). It depends on the spread of the differences, not on their
    mean.

    Parameters
    ----------
    differences : array
        First ranking minus second, one value per query.
    alpha : float
        Significance level of one comparison.
    power : float

    Returns
    -------
    float
        NaN if it cannot be estimated: for a single query, and where all queries differ by the same amount.

    Examples
    --------
    >>> round(smallest_detectable(np.array([0.1, -0.2, 0.0, 0.3, -0.1] * 10)), 3)
    0.07
    """
    from scipy.special import stdtrit

    n = differences.size
    if n < 2 or np.ptp(differences) < ROUNDING:
        return math.nan
    quantiles = stdtrit(n - 1, [1 - alpha / 2, power])
    return float(quantiles.sum() * differences.std(ddof=1) / math.sqrt(n))


def no_difference(n_queries: int, detectable: float) -> str:
    """The words for a difference that is not significant, with the size of one that would have been found.

    Examples
    --------
    >>> no_difference(225, 0.0123)
    'No significant difference (225 queries; a difference below 0.012 would not be seen)'
    """
    return f"No significant difference ({not_seen(n_queries, shown_sizes([detectable]))})"


def shown_sizes(detectable: Iterable[float], measure: str = "") -> str:
    """The smallest and the largest detectable difference as text; empty if none is known.

    Examples
    --------
    >>> shown_sizes([0.0123, math.nan, 0.0306], "AP")
    '0.012 to 0.031 AP'
    """
    known = [each for each in detectable if not math.isnan(each)]
    ends = list(dict.fromkeys(f"{end:.2g}" for end in (min(known), max(known)))) if known else []
    return " ".join([" to ".join(ends), measure]).rstrip() if ends else ""


def not_seen(n_queries: int, sizes: str) -> str:
    """Number of queries, and the size of differences that a test of them would not see, if it is known."""
    queries = "1 query" if n_queries == 1 else f"{n_queries:,} queries"
    return f"{queries}; a difference below {sizes} would not be seen" if sizes else queries
