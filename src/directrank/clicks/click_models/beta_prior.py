"""Beta priors of probabilities, as numbers of trials seen before the log."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...arrays import Floats
from ...core import elementary
from ...data import InputError

#: Distance that estimates keep from 0 and 1, so that their logarithms exist.
MARGIN = 1e-12


class BetaPrior(NamedTuple):
    r"""Pseudo-counts :math:`\alpha` of successes and :math:`\beta` of failures, both above 0.

    They are the prior :math:`\mathrm{Beta}(1 + \alpha, 1 + \beta)`, whose logarithm is :math:`\alpha \log p + \beta
    \log(1 - p)` up to a constant.
    """

    successes: float
    failures: float

    @property
    def mean(self) -> float:
        return self.successes / (self.successes + self.failures)

    def mode(self, successes: Floats, trials: Floats) -> Floats:
        r"""Most probable p after k successes in n trials, :math:`(k + \alpha) / (n + \alpha + \beta)`."""
        p = (successes + self.successes) / (trials + (self.successes + self.failures))
        return np.clip(p, MARGIN, 1 - MARGIN)

    def log_density(self, p: Floats) -> float:
        """Logarithm of the densities of some probabilities, summed, up to a constant."""
        return log_binomial(np.full(p.size, self.successes), np.full(p.size, self.failures), p)


def log_binomial(successes: Floats, failures: Floats, p: Floats) -> float:
    """Log-likelihood of successes and failures of probabilities p, summed."""
    return float((successes * elementary.log(p) + failures * elementary.log(1 - p)).sum())


def check_prior(prior: tuple[float, float]) -> BetaPrior:
    """The prior of a fit; an `InputError` if it is none."""
    if len(prior) != 2 or not all(math.isfinite(count) and count > 0 for count in prior):
        raise InputError(f"prior must be two pseudo-counts above 0, of successes and failures, not {prior!r}")
    return BetaPrior(*map(float, prior))
