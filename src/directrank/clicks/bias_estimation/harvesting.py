"""Intervention harvesting: position bias from documents that were shown at several ranks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Floats
from ...caching import cached_property
from .bias_fit import BiasFit
from .position_based_em import PositionBasedEM, Probabilities
from .rank_counts import Cells


@dataclass(frozen=True, eq=False)
class Harvesting:
    r"""The all-pairs estimator (Agarwal et al. 2019), from all pairs that were shown at two ranks or more.

    For ranks k and k', :math:`c_k^{kk'}` counts the clicks at k on pairs that were shown at both, and :math:`n_k^{kk'}` the
    impressions at k without one, as if each pair had been shown at both ranks equally often. The logarithm of the likelihood

    .. math:: \sum_{k \neq k'} c_k^{kk'} \log(p_k r_{kk'}) + n_k^{kk'} \log(1 - p_k r_{kk'})

    is maximised over the examination p of the ranks and the mean relevance :math:`r_{kk'} = r_{k'k}` of those pairs: that is
    the position-based model with a document for each two ranks.

    The paper divides a click by the number of times that the rankers were expected to show the pair at k, over all queries.
    Here a pair that was shown N times at k and N' times at k' counts :math:`N N' / (N + N')` at both (Mantel and Haenszel).
    This is unbiased given how often each ranker answered each query, so also with rare queries and rankers of unequal
    shares, where a query that both have answered is not one that each has answered as often as expected.

    References
    ----------
    A. Agarwal, I. Zaitsev, X. Wang, C. Li, M. Najork, T. Joachims: Estimating position bias without intrusive
    interventions. WSDM 2019.
    """

    cells: Cells

    def fit(self, shown: Floats, clicks: Floats, start: Probabilities | None = None) -> BiasFit:
        """Fit to the impressions and clicks of each cell; alpha is relative to the first rank."""
        compared, impressions = self.cells.compared_counts(shown, clicks)
        return self._model.fit(np.repeat(impressions, 2), compared.ravel(), start)

    @cached_property
    def _model(self) -> PositionBasedEM:
        links = self.cells.comparisons.links
        return PositionBasedEM(np.repeat(np.arange(len(links)), 2), links.ravel(), len(links), self.cells.ranks.size)
