"""Area under the precision-recall curve."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..arrays import Floats
from ..caching import cached_property
from ..core import elementary, precision_recall_area as kernels
from .average_precision import PrecisionsBound
from .bound import Bound
from .capabilities import TieRule
from .measure import Measure
from .pairs.precision_swaps import Earnings


class BoundAUPRC(PrecisionsBound):
    """Area under the precision-recall curve, bound to grades."""

    measure: AUPRC

    def evaluate(self, scores: Floats) -> Floats:
        return kernels.evaluate(scores, self.relevant, self.n_relevant, self.offsets)

    @cached_property
    def earnings(self) -> Earnings:
        """The segment of the relevant document at rank r, with A others above it, is 1 - (r - 1 - A) log(r/(r - 1))."""
        ranks: Floats = np.arange(1, self.longest + 1).astype(np.float64)
        return Earnings(1 - (ranks - 1) * _log_steps(ranks), _log_steps(ranks))

    @cached_property
    def _losses_below(self) -> Floats:
        """Relevant document i below j others earns 1 - j log((i + j)/(i + j - 1)), whose sum over i telescopes.

        So the loss caused by the j-th other document over all i > k is (j - 1) log(j + k - 1) - j log(j + k) plus a term
        without k. The loss of a document is concave in j, as Lemma 1 of Yue et al. (2007) requires.
        """
        ranks: Floats = np.arange(self.longest + 1).astype(np.float64)
        return -(ranks + 1) * _log_steps(ranks) - elementary.log(np.maximum(ranks - 1, 1.0))


class AUPRC(Measure):
    r"""Area under the precision-recall curve, interpolated as in Davis & Goadrich (2006).

    A point of the curve counts the documents above a threshold on the scores: TP relevant ones and FP others. Between two
    neighbouring points FP is linear in TP (not precision in recall, which would be too optimistic), so that

    .. math:: AUPRC = \frac1R \int_0^R \frac{t}{t + FP(t)}\, dt

    for R relevant documents. It starts at TP = FP = 0. Each segment is a logarithm in closed form: where no scores are
    equal, the relevant document at rank r, below A others that are relevant, adds
    :math:`1 - (r - 1 - A) \log \frac{r}{r - 1}`. `AP` adds :math:`\frac{A + 1}{r}` instead, the precision at the end of that
    segment and the highest in it: AP is a sum of steps, and never below this area.

    Tied documents share one threshold and one segment; unlike in other measures, they are not averaged over their orders.
    If all are tied the area is the fraction of relevant documents. Unranked documents contribute nothing.

    Parameters
    ----------
    rel : number, optional
        Smallest relevant grade; by default any grade above 0.
    """

    bound: ClassVar[type[Bound]] = BoundAUPRC
    nearest_additive: ClassVar[str | None] = "DCG(gain=linear)"
    setwise: ClassVar[bool] = True

    rel: float | None = None

    @property
    def tie_rule(self) -> TieRule:
        return "threshold"


def _log_steps(ranks: Floats) -> Floats:
    """Logarithm of r/(r - 1) for each rank r above 1, else 0."""
    above = np.maximum(ranks, 2.0)
    return elementary.log_of_ratio(above, above - 1) * (ranks > 1)
