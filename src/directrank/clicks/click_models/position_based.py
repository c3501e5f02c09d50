"""The position-based model: examination depends on the rank alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from ...arrays import Floats
from ..click_log import ClickLog
from .beta_prior import check_prior
from .click_model import ClickModel, check_impressions
from .examination_model import Cells, fit_examination
from .pair_numbers import PairNumbers


@dataclass(frozen=True, eq=False)
class PositionBasedModel(ClickModel):
    r"""PBM: a document is clicked if it is examined, which depends on its rank, and attractive.

    .. math:: P(C = 1 \mid q, d, k) = \theta_k \gamma_{qd}

    Only the product can be seen, so that :math:`\theta_1 = 1`, and the attractiveness is the probability of a click at rank
    1. Both are estimated by EM. If every document is always at the same rank, as with one ranker that never changes, rank
    and attractiveness cannot be told apart.

    Attributes
    ----------
    examination : float64 array
        Examination of ranks 1, 2, ... relative to the first that was shown. Lower ranks of another log have that of the
        last.

    References
    ----------
    Richardson, Dominowska & Ragno (2007), Predicting clicks: estimating the click-through rate for new ads, WWW.
    Chuklin, Markov & de Rijke (2015), Click models for web search, Morgan & Claypool.
    """

    name: ClassVar[str] = "PBM"
    examination: Floats

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
        cells = Cells.count(log, log.rank - 1, log.max_rank)
        fitted = fit_examination(cells, check_prior(prior), max_iter, tol * log.n_impressions)
        return cls(PairNumbers(log.queries, log.pairs), fitted.attractiveness, fitted.history, fitted.examination)

    def click_probabilities(self, log: ClickLog) -> Floats:
        examination = self.examination[np.minimum(log.rank, self.examination.size) - 1]
        return examination * self.predict_relevance(log)[log.pair]

    def predict_clicks(self, log: ClickLog) -> Floats:
        return self.click_probabilities(log)
