"""The dependent click model: after a click, going on depends on the rank."""

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
class DependentClickModel(ChainModel):
    r"""DCM: users go down the documents; after a click at rank k they go on with probability :math:`\lambda_k`.

    Estimated as if exactly the documents down to the last click were examined, all if there is none: the attractiveness of a
    pair is the share of these impressions that were clicked, and :math:`\lambda_k` the share of clicks at rank k that were
    not the last.

    Attributes
    ----------
    continuation : float64 array
        :math:`\lambda_k` of ranks 1, 2, ...; lower ranks of another log have that of the last.

    References
    ----------
    Guo, Liu & Wang (2009), Efficient multiple-click models in web search, WSDM.
    """

    name: ClassVar[str] = "DCM"
    continuation: Floats

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
        examined = count_pairs(log, rows_down_to(log, last))
        attractiveness = PairParameter.from_counts(count_pairs(log, log.clicked), examined, beta)
        clicks = np.bincount(log.rank[log.clicked] - 1, minlength=log.max_rank).astype(np.float64)
        ends = np.bincount(log.rank[last[last >= 0]] - 1, minlength=log.max_rank).astype(np.float64)
        return cls(PairNumbers(log.queries, log.pairs), attractiveness, np.empty(0), beta.mode(clicks - ends, clicks))

    def _going_on(self, log: ClickLog, pairs: Ints) -> tuple[Floats, Floats]:
        return self.continuation[np.minimum(log.rank, self.continuation.size) - 1], np.ones(pairs.size)
