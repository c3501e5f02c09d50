r"""Tukey's honestly significant difference: p-values of all pairs of rankings that are corrected for their number.

Values are a two-way layout of queries and rankings: each query has a value for each ranking. The hypothesis is that all
rankings are alike, and the p-value of a pair is the probability that the *largest* difference of two means is at least as
large as the pair's. So the probability of any false discovery among all pairs is at most the level.

- Parametric (``test="t"``): with n queries, m rankings and the mean square :math:`s^2` of the residuals of the additive
  model query + ranking, :math:`|\bar x_i - \bar x_j| / \sqrt{s^2/n}` is compared with the studentized range of m means
  with (n - 1)(m - 1) degrees of freedom. For two rankings this is the paired t-test.
- Randomised (``test="randomisation"``; Carterette 2012, "Multiple testing in statistical analysis of systems-based
  information retrieval experiments"): the values of each query are permuted among the rankings. For two rankings this is
  Fisher's randomisation test.
"""

from __future__ import annotations

import warnings
from itertools import permutations
from math import factorial

import numpy as np

from ..arrays import Floats, Ints
from ..core import tukey as kernels
from .paired_tests import ROUNDING, check_permutations, differences
from .random_words import seed_of


def tukey_p_values(values: Floats, pairs: Ints, test: str, *, n_permutations: int, random_state: int) -> Floats:
    """Corrected p-value of each pair of rankings, among all rankings.

    Parameters
    ----------
    values : array of shape (n_rankings, n_queries)
    pairs : array of shape (n_pairs, 2)
        Rows to compare.
    test : {"randomisation", "t"}
    n_permutations, random_state : int
        Number of permutations and random seed, for "randomisation". All permutations are enumerated if there are at most
        `n_permutations`.
    """
    return _parametric(values, pairs) if test == "t" else _randomised(values, pairs, n_permutations, random_state)


def _parametric(values: Floats, pairs: Ints) -> Floats:
    from scipy.integrate import IntegrationWarning
    from scipy.stats import studentized_range

    m, n = values.shape
    means = values.mean(axis=1)
    gaps = _mean_gaps(values, pairs)
    freedom = (m - 1) * (n - 1)
    if freedom == 0:
        return np.ones(len(pairs))
    residuals = values - means[:, None] - values.mean(axis=0) + values.mean()
    spread = np.sqrt(np.sum(residuals**2) / freedom / n)
    if spread < ROUNDING:
        return np.where(gaps > 0, 0.0, 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IntegrationWarning)  # near p = 1, to the last digits
        p = studentized_range.sf(gaps / spread, m, freedom)
    return np.where(gaps > 0, np.clip(p, 0.0, 1.0), 1.0)


def _randomised(values: Floats, pairs: Ints, n_permutations: int, random_state: int) -> Floats:
    check_permutations(n_permutations)
    m, n = values.shape
    differing = values[:, np.ptp(values, axis=0) > ROUNDING]  # permuting equal values changes nothing
    centred = np.ascontiguousarray((differing - differing.mean(axis=0)).T)
    gaps = _mean_gaps(values, pairs) * n - 100 * np.finfo(np.float64).eps * np.abs(values).sum()
    if factorial(m) ** len(centred) <= n_permutations:
        ranges = np.sort(_all_ranges(centred, m))
        return _share_reaching(ranges, gaps)
    ranges = np.sort(kernels.permuted_ranges(centred, n_permutations, seed_of(random_state)))
    return (_share_reaching(ranges, gaps) * n_permutations + 1) / (n_permutations + 1)


def _mean_gaps(values: Floats, pairs: Ints) -> Floats:
    """Absolute difference of the means of each pair; 0 if no query differs."""
    return np.array([abs(differences(values[first], values[second]).mean()) for first, second in pairs])


def _all_ranges(centred: Floats, m: int) -> Floats:
    """Range of the sums of rankings, over all permutations of the values of each query."""
    sums = np.zeros((1, m))
    for row in centred:
        orders = np.array(list(permutations(row)))
        sums = (sums[:, None] + orders).reshape(-1, m)
    return np.ptp(sums, axis=1)


def _share_reaching(ranges: Floats, thresholds: Floats) -> Floats:
    """Share of ranges, ascending, that reach each threshold."""
    return 1 - np.searchsorted(ranges, thresholds) / ranges.size
