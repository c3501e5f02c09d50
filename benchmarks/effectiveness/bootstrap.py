"""Paired bootstrap over sets and their queries."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

RESAMPLES = 2_000


class Difference(NamedTuple):
    """A difference of means, with its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:+.4f} [{self.low:+.4f}, {self.high:+.4f}]"


def resampled_means(values: np.ndarray) -> np.ndarray:
    """Means of resampled rows, for each column: an array with a row for each of `RESAMPLES`.

    Equal numbers of rows are resampled equally, so that differences of such means are paired.
    """
    n = len(values)
    counts = np.random.default_rng(n).multinomial(n, np.full(n, 1 / n), RESAMPLES)
    return counts.astype(np.float64) @ values / n


def difference(means: list[float], resampled: list[np.ndarray]) -> Difference:
    """Mean difference over sets, with an interval for which the sets are resampled, and the queries of each.

    Parameters
    ----------
    means : list of float
        Difference on each set.
    resampled : list of array
        Differences on resampled queries of each set, `RESAMPLES` of them.
    """
    n_sets = len(means)
    sets = np.random.default_rng(n_sets).integers(n_sets, size=(RESAMPLES, n_sets))
    # Other resamples of the queries where a set is drawn again.
    rows = (np.arange(RESAMPLES)[:, None] + np.arange(n_sets)) % RESAMPLES
    low, high = np.quantile(np.stack(resampled)[sets, rows].mean(axis=1), [0.025, 0.975])
    return Difference(float(np.mean(means)), float(low), float(high))
