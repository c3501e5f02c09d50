"""The user browsing model: examination depends on the rank and the click above."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from ...arrays import Floats
from ...core import click_models as kernels
from ..click_log import ClickLog
from .beta_prior import check_prior
from .click_model import ClickModel, check_impressions
from .examination_model import Cells, fit_examination
from .pair_numbers import PairNumbers

#: Ranks below it count as this one: the number of parameters is its square.
MAX_DEPTH = 100


@dataclass(frozen=True, eq=False)
class UserBrowsingModel(ClickModel):
    r"""UBM: a document is clicked if it is attractive and examined, which depends on its rank and the click above.

    .. math:: P(C = 1 \mid q, d, k, k') = \theta_{k, k - k'} \gamma_{qd}

    for the rank :math:`k'` of the lowest click above, 0 if there is none. Only the product can be seen, so that
    :math:`\theta_{1, 1} = 1`, and the attractiveness is the probability of a click at rank 1. Both are estimated by EM.

    Attributes
    ----------
    depth : int
        Number of ranks that are told apart, at most 100; ranks below count as the last.
    examination_by_place : float64 array
        Examination of rank k with distance d to the click above, at :math:`k (k - 1) / 2 + d - 1`, relative to the first.

    References
    ----------
    Dupret & Piwowarski (2008), A user browsing model to predict search engine click data from past observations, SIGIR.
    """

    name: ClassVar[str] = "UBM"
    depth: int
    examination_by_place: Floats

    @classmethod
    def fit(cls, log: ClickLog, *, prior: tuple[float, float] = (1.0, 1.0), max_iter: int = 100, tol: float = 1e-6) -> Self:
        """Estimate the model from a log.

        Parameters
        ----------
        log : ClickLog
        prior : pair of float
            Pseudo-counts of successes and failures, added to those of every parameter.
        max_iter : int
            Maximum number of EM iterations.
        tol : float
            EM ends once an iteration raises the objective by less than this for each impression.
        """
        check_impressions(log)
        depth = min(log.max_rank, MAX_DEPTH)
        places = kernels.browsing_places(log.offsets, log.rank, log.clicked, depth)
        cells = Cells.count(log, places, depth * (depth + 1) // 2)
        fitted = fit_examination(cells, check_prior(prior), max_iter, tol * log.n_impressions)
        return cls(PairNumbers(log.queries, log.pairs), fitted.attractiveness, fitted.history, depth, fitted.examination)

    @property
    def examination(self) -> Floats:
        """Examination of rank k with distance d to the click above, in row k - 1 and column d - 1; NaN beyond d = k.

        The distance of rank k is k if there is no click above it.
        """
        table = np.full((self.depth, self.depth), np.nan)
        table[np.tril_indices(self.depth)] = self.examination_by_place
        return table

    def click_probabilities(self, log: ClickLog) -> Floats:
        places = kernels.browsing_places(log.offsets, log.rank, log.clicked, self.depth)
        return self.examination_by_place[places] * self.predict_relevance(log)[log.pair]

    def predict_clicks(self, log: ClickLog) -> Floats:
        relevance = self.predict_relevance(log)[log.pair]
        return kernels.browsing_marginals(log.offsets, log.rank, relevance, self.examination_by_place, self.depth)
