"""Perplexity of predicted clicks, by rank."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...core import elementary

#: Least probability of a click, and of none, in log-likelihoods and perplexities: the cascade model gives second clicks 0.
MIN_PROBABILITY = 1e-6


class Perplexity(NamedTuple):
    """How far predictions were from what users did: 1 if they were certain and right, 2 if clicks were coin tosses.

    Attributes
    ----------
    mean : float
        Mean over the ranks that were shown.
    by_rank : float64 array
        Perplexity at ranks 1, 2, ...; NaN at a rank that was not shown.
    """

    mean: float
    by_rank: Floats


def log2_of_outcomes(probabilities: Floats, clicked: Bools) -> Floats:
    """Binary logarithm of the probability of what each impression's user did, given probabilities of clicks."""
    p = np.clip(probabilities, MIN_PROBABILITY, 1 - MIN_PROBABILITY)
    return elementary.log2(np.where(clicked, p, 1 - p))


def perplexity_by_rank(probabilities: Floats, clicked: Bools, rank: Ints) -> Perplexity:
    r"""Perplexity of probabilities of clicks, at each rank :math:`r`:

    .. math:: 2^{-\frac{1}{n_r} \sum_{i: r_i = r} \log_2 P(C_i = c_i)}

    for the :math:`n_r` impressions at that rank.
    """
    total = np.bincount(rank, log2_of_outcomes(probabilities, clicked))[1:]
    n = np.bincount(rank)[1:]
    by_rank = np.full(n.size, np.nan)
    by_rank[n > 0] = elementary.exp2(-total[n > 0] / n[n > 0])
    return Perplexity(float(by_rank[n > 0].mean()), by_rank)
