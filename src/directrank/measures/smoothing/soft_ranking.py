r"""Soft rankings: at each rank a weighted mean over documents with nearby scores, in place of the one document there.

With the documents d(r) by descending score s, the gain at rank r is smoothed (Chapelle & Wu 2010) to

.. math:: p_r = \sum_i g_i h_{ir}, \qquad h_{ir} = \frac{e^{-u_{ir}^2/2}}{\sum_k e^{-u_{kr}^2/2}}, \qquad
          u_{ir} = \frac{s_i - s_{d(r)}}{\sigma}

so sigma is a width in units of the scores (the paper writes sigma for twice its square). The derivative of a value that
depends on p is

.. math:: \frac{\partial V}{\partial s_j} = \frac1\sigma \sum_r \frac{\partial V}{\partial p_r}
          \left(- u_{jr} h_{jr} (g_j - p_r) + [j = d(r)] \sum_i u_{ir} h_{ir} (g_i - p_r)\right)

as the rank's own score moves with its document. Tied documents have the same mean: as sigma goes to 0, p_r becomes the mean
gain of the tie group at rank r.

The value is continuous, and smooth except for kinks where two documents swap ranks.

Only documents within `REACH` times sigma of a rank's score are visited. A document beyond has h below exp(-18), since the
rank's own document has the largest weight: with n documents the error of p_r is below n exp(-18) times the largest
difference of gains.
"""

from __future__ import annotations

from ...arrays import Floats, Ints
from ...core import soft_ranking as kernels
from ..ranking.sorting import order_by_query

#: Distance of scores, in units of sigma, beyond which documents are taken as infinitely far apart.
REACH = 6.0


class SoftRanking:
    """Smoothed gain at each rank of each query, and its derivatives by the scores.

    Parameters
    ----------
    scores, gains : float64 arrays, laid out by query
    offsets : int64 array
    sigma : float
    depths : int64 array
        Number of ranks of each query that count.
    unranked : bool
        Whether documents with the score -inf have ranks too, tied below all others.

    Attributes
    ----------
    expected : float64 array, laid out by query
        Smoothed gain at each rank, 0 at ranks that do not count.
    depths : int64 array
        Number of ranks of each query that count and have a document.
    """

    def __init__(
        self, scores: Floats, gains: Floats, offsets: Ints, sigma: float, depths: Ints, *, unranked: bool = False
    ) -> None:
        self.scores, self.gains, self.offsets, self.sigma = scores, gains, offsets, sigma
        self.order = order_by_query(scores, offsets)
        documents = scores, gains, self.order, offsets, sigma, REACH * sigma
        self.expected, self._totals, self.depths = kernels.smooth(*documents, depths, unranked)

    def gradient(self, slopes: Floats) -> Floats:
        """Derivative, by each document's score, of a value whose derivative by `expected` is `slopes`."""
        documents = self.scores, self.gains, self.order, self.offsets, self.sigma, REACH * self.sigma
        return kernels.differentiate(*documents, self.depths, self.expected, self._totals, slopes)
