"""The simplified dynamic Bayesian network model: users go on until a click satisfies them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from ...arrays import Floats, Ints
from ..click_log import ClickLog
from .beta_prior import check_prior
from .chain_model import ChainModel, count_pairs, last_clicks, rows_down_to
from .click_model import check_impressions
from .pair_numbers import PairNumbers
from .pair_parameter import PairParameter


@dataclass(frozen=True, eq=False)
class SimplifiedDynamicModel(ChainModel):
    """SDBN: users go down the documents, click the attractive ones, and stop once a clicked document satisfies them.

    Estimated as if the documents down to the last click, all if there is none, were examined, and the last click satisfied:
    the attractiveness of a pair is the share of these impressions that were clicked, its satisfaction the share of its
    clicks that were the last, and its relevance their product.

    Attributes
    ----------
    satisfaction : PairParameter
        Probability that a clicked document satisfies.

    References
    ----------
    Chapelle & Zhang (2009), A dynamic Bayesian network click model for web search ranking, WWW.
    """

    name: ClassVar[str] = "SDBN"
    satisfaction: PairParameter

    @classmethod
    def fit(cls, log: ClickLog, *, prior: tuple[float, float] = (1.0, 1.0)) -> Self:
        """Estimate the model from a log.

        Parameters
        ----------
        log : ClickLog
        prior : pair of float
            Pseudo-counts of successes and failures, added to those of every parameter.
        """
        check_impressions(log)
        beta, last = check_prior(prior), last_clicks(log)
        clicks = count_pairs(log, log.clicked)
        attractiveness = PairParameter.from_counts(clicks, count_pairs(log, rows_down_to(log, last)), beta)
        satisfaction = PairParameter.from_counts(count_pairs(log, last[last >= 0]), clicks, beta)
        return cls(PairNumbers(log.queries, log.pairs), attractiveness, np.empty(0), satisfaction)

    @property
    def relevance(self) -> Floats:
        """Relevance of each pair of the log: attractiveness times satisfaction."""
        return self.attractiveness.values * self.satisfaction.values

    def predict_relevance(self, log: ClickLog) -> Floats:
        pairs = self.pairs_of(log)
        return self.attractiveness.at(pairs) * self.satisfaction.at(pairs)

    def _going_on(self, log: ClickLog, pairs: Ints) -> tuple[Floats, Floats]:
        return 1 - self.satisfaction.at(pairs), np.ones(pairs.size)
