"""Parameters of click models with a value for each query-document pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ...arrays import Floats, Ints
from .beta_prior import BetaPrior


@dataclass(frozen=True, eq=False)
class PairParameter:
    """A probability of each pair, and what it rests on.

    Attributes
    ----------
    values : float64 array
        Estimate of each pair; pairs without evidence have the value `unseen`.
    counts : float64 array
        Number of trials that each estimate rests on, without the prior's; 0 is no evidence. Trials that are not observed,
        such as examined impressions, count with their probability.
    unseen : float
        Value of pairs without evidence: mean of the values, weighted by `counts`.
    """

    values: Floats
    counts: Floats
    unseen: float

    @classmethod
    def from_values(cls, values: Floats, counts: Floats, prior: BetaPrior) -> Self:
        """A parameter from estimates, of which those without evidence are replaced by the mean."""
        total = float(counts.sum())
        unseen = float((values * counts).sum()) / total if total > 0 else prior.mean
        return cls(np.where(counts > 0, values, unseen), counts, unseen)

    @classmethod
    def from_counts(cls, successes: Floats, trials: Floats, prior: BetaPrior) -> Self:
        """A parameter from numbers of successes and trials of each pair."""
        return cls.from_values(prior.mode(successes, trials), trials, prior)

    def at(self, pairs: Ints) -> Floats:
        """Values of pairs by number, -1 for one that was not in the log."""
        return np.append(self.values, self.unseen)[pairs]
