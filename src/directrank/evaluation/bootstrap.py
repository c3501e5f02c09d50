"""Bootstrap confidence intervals of means over queries."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from ..core import bootstrap as kernels
from ..data import InputError
from .paired_tests import ROUNDING
from .random_words import seed_of


def mean_intervals(values: Floats, *, confidence: float = 0.95, n_resamples: int = 10_000, random_state: int = 0) -> Floats:
    r"""BCa bootstrap intervals (Efron 1987) of the mean of each row.

    Queries are drawn with replacement, the same ones for all rows. Where G is the distribution of the resampled means and
    :math:`z_\alpha` the normal quantile, an end of the interval is

    .. math:: G^{-1}\left(\Phi\left(z_0 + \frac{z_0 + z_\alpha}{1 - a (z_0 + z_\alpha)}\right)\right)

    with :math:`z_0 = \Phi^{-1}(G(\bar x))`, half of the resampled means that equal the mean being counted, and the
    acceleration of a mean, :math:`a = \sum_q c_q^3 / 6 (\sum_q c_q^2)^{3/2}` with :math:`c_q = x_q - \bar x`.

    Parameters
    ----------
    values : array of shape (n_rankings, n_queries)
        Finite numbers.
    confidence : float
        Coverage probability of an interval, between 0 and 1.
    n_resamples : int
        Number of resamples, each with as many queries as there are.
    random_state : int
        Random seed for the resamples.

    Returns
    -------
    array of shape (n_rankings, 2)
        Ends of each interval, within the row's smallest and largest value; both are the mean if the row is constant.
    """
    if not 0 < confidence < 1:
        raise InputError(f"confidence must be between 0 and 1, not {confidence}")
    if n_resamples < 1:
        raise InputError(f"n_resamples must be at least 1, not {n_resamples}")
    means = values.mean(axis=1, keepdims=True)
    intervals = np.repeat(means, 2, axis=1)
    varies = np.ptp(values, axis=1) >= ROUNDING
    centred = (values - means)[varies]
    deviations = kernels.resampled_means(np.ascontiguousarray(centred.T, np.float64), n_resamples, seed_of(random_state))
    for interval, row, resampled in zip(np.flatnonzero(varies), centred, deviations.T, strict=True):
        intervals[interval] += np.quantile(resampled, _levels(row, resampled, confidence))
    return np.clip(intervals, values.min(axis=1, keepdims=True), values.max(axis=1, keepdims=True))


def _levels(centred: Floats, resampled: Floats, confidence: float) -> Floats:
    """Quantiles of the resampled means at the ends of the interval."""
    from scipy.special import ndtr, ndtri

    rounding = 100 * np.finfo(np.float64).eps * np.abs(centred).mean()
    below = (np.mean(resampled < -rounding) + np.mean(resampled <= rounding)) / 2
    bias = ndtri(np.clip(below, 0.5 / resampled.size, 1 - 0.5 / resampled.size))
    scaled = centred / np.abs(centred).max()
    acceleration = np.sum(scaled**3) / (6 * np.sum(scaled**2) ** 1.5)
    shifted = bias + ndtri((1 - confidence) / 2) * np.array([1, -1])
    # As the denominator goes to 0, the quantile goes to the end of the distribution.
    return ndtr(bias + shifted / np.maximum(1 - acceleration * shifted, 1e-9))
