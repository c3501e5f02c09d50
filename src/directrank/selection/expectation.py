"""What to expect of a model on new queries, if it is the best of several on held-out ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from ..evaluation.bootstrap import mean_intervals

#: Number of resamples of the queries, and of resamples that are computed at once.
N_RESAMPLES, AT_ONCE = 1000, 50


@dataclass(frozen=True)
class Expectation:
    """Estimate of the value of a model on new queries.

    Attributes
    ----------
    value : float
        Mean over the held-out queries, less the optimism.
    low, high : float
        95 % bootstrap interval, less the optimism.
    optimism : float
        What the mean gains by the model being the best of several on the same queries.
    n_queries : int
        Number of held-out queries.
    n_candidates : int
        Number of rankings that the model was selected from.
    """

    value: float
    low: float
    high: float
    optimism: float
    n_queries: int
    n_candidates: int


def expected_value(values: Floats, chosen: int) -> Expectation:
    """Estimate of the best of several rankings on new queries.

    The optimism is estimated by the bootstrap (Tsamardinos et al. 2018): of each resample of the queries, the best ranking
    is evaluated on the queries that are not in it.

    Parameters
    ----------
    values : array of shape (n_candidates, n_queries)
        Value of each held-out query.
    chosen : int
        Row of the ranking with the highest mean.

    Examples
    --------
    >>> noise = np.random.default_rng(0).random((20, 50))
    >>> found = expected_value(noise, int(noise.mean(axis=1).argmax()))
    >>> round(found.value + found.optimism, 2), round(found.value, 2)
    (0.57, 0.49)
    """
    mean = float(values[chosen].mean())
    ((low, high),) = mean_intervals(values[chosen : chosen + 1]).tolist()
    optimism = max(0.0, mean - _mean_of_best(values)) if len(values) > 1 else 0.0
    value, low, high = (max(number - optimism, float(values[chosen].min())) for number in (mean, low, high))
    return Expectation(value, low, high, mean - value, values.shape[1], len(values))


def _mean_of_best(values: Floats) -> float:
    """Mean, over resamples of the queries, of the resample's best ranking on the queries that are not in it."""
    random, n = np.random.default_rng(0), values.shape[1]
    found: list[float] = []
    for _ in range(N_RESAMPLES // AT_ONCE):
        counts = random.multinomial(n, np.full(n, 1 / n), AT_ONCE)
        best = (counts @ values.T).argmax(axis=1)
        left = counts == 0
        sums = (left @ values.T)[np.arange(AT_ONCE), best]
        sizes = left.sum(axis=1)
        found += (sums[sizes > 0] / sizes[sizes > 0]).tolist()
    return float(np.mean(found)) if found else float(values.mean(axis=1).max())
