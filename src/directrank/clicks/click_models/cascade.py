"""The cascade model: the first attractive document is clicked, and ends the session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from ...arrays import Floats, Ints
from ..click_log import ClickLog
from .beta_prior import check_prior
from .chain_model import ChainModel, count_pairs, first_clicks, rows_down_to
from .click_model import check_impressions
from .pair_numbers import PairNumbers
from .pair_parameter import PairParameter


@dataclass(frozen=True, eq=False)
class CascadeModel(ChainModel):
    """Cascade: users go down the documents to the first attractive one, click it, and stop.

    The attractiveness of a pair is the share of its impressions at or above the first click that were clicked. Clicks after
    the first have the probability 0.

    References
    ----------
    Craswell, Zoeter, Taylor & Ramsey (2008), An experimental comparison of click position-bias models, WSDM.
    """

    name: ClassVar[str] = "cascade"

    @classmethod
    def fit(cls, log: ClickLog, *, prior: tuple[float, float] = (1.0, 1.0)) -> Self:
        """Estimate the model from a log.

        Parameters
        ----------
        log : ClickLog
        prior : pair of float
            Pseudo-counts of clicks and skips, added to those of every pair.
        """
        check_impressions(log)
        first = first_clicks(log)
        clicks = count_pairs(log, first[first >= 0])
        attractiveness = PairParameter.from_counts(clicks, count_pairs(log, rows_down_to(log, first)), check_prior(prior))
        return cls(PairNumbers(log.queries, log.pairs), attractiveness, np.empty(0))

    def _going_on(self, log: ClickLog, pairs: Ints) -> tuple[Floats, Floats]:
        return np.zeros(pairs.size), np.ones(pairs.size)
