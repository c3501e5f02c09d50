"""Measures that distinguish unjudged documents: bpref, inferred average precision, and the fraction that was judged.

The grade of an unjudged document is NaN, or below 0 if it was pooled but not sampled for judging. In training every document
has a grade, so all are judged.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..caching import cached_property
from ..core import elementary, judged as kernels
from .bound import Bound, RelevanceBound
from .measure import Measure
from .ranking.levels import count_by_query

#: Added by trec_eval to the counts of judged documents in infAP, so that the ratio is always defined.
EPSILON = 1e-5


class _JudgedBound(RelevanceBound):
    @cached_property
    def n_judged(self) -> Ints:
        """Number of judged documents of each query."""
        return count_by_query(self.grades >= 0, self.offsets)

    @cached_property
    def informative(self) -> Bools:
        """Queries with documents judged relevant and documents judged non-relevant."""
        return (self.n_relevant > 0) & (self.n_relevant < self.n_judged)


class BoundBpref(_JudgedBound):
    """bpref, bound to grades."""

    def evaluate(self, scores: Floats) -> Floats:
        n_others = self.n_judged - self.n_relevant
        return kernels.bpref(scores, self.grades, self.offsets, self.measure._threshold, self.n_relevant, n_others)


class Bpref(Measure):
    r"""bpref (Buckley & Voorhees 2004), which counts the judged non-relevant documents above each relevant one.

    .. math:: \frac1R \sum_r \left(1 - \frac{\min(n_r, R)}{\min(N, R)}\right)

    over the ranked relevant documents r, with :math:`n_r` documents above r that were judged non-relevant; R and N are the
    numbers of documents judged relevant and non-relevant. Unjudged documents do not count at all. This is trec_eval's
    ``bpref``.

    Parameters
    ----------
    rel : number, optional
        Smallest relevant grade; by default any grade above 0.
    """

    bound: ClassVar[type[Bound]] = BoundBpref
    nearest_additive: ClassVar[str | None] = "ARP"
    sees_unjudged: ClassVar[bool] = True

    rel: float | None = None


class BoundInfAP(_JudgedBound):
    """Inferred average precision, bound to grades."""

    def evaluate(self, scores: Floats) -> Floats:
        return kernels.inferred_average_precision(
            scores, self.grades, self.offsets, self.measure._threshold, self.n_relevant, EPSILON, self._log_factorials
        )

    @cached_property
    def _log_factorials(self) -> Floats:
        """Logarithm of n! for each n from 0 up to the longest query."""
        return np.concatenate(([0.0], np.cumsum(elementary.log(np.arange(1.0, self.longest + 1)))))


class infAP(Measure):
    r"""Inferred average precision (Yilmaz & Aslam 2006): AP estimated from a judged sample of the pool.

    The precision at the rank j of a relevant document is estimated by

    .. math:: \frac1j + \frac{j - 1}{j} \cdot \frac{p}{j - 1} \cdot \frac{r + \epsilon}{r + n + 2 \epsilon}

    where p of the j - 1 documents above it were pooled, r of them judged relevant and n judged non-relevant, and
    :math:`\epsilon = 10^{-5}`. The sum is divided by the number of documents judged relevant. This is trec_eval's
    ``infAP``: in the qrels a document that was pooled but not judged has a grade below 0. With a fully judged pool it is AP,
    up to epsilon.

    Parameters
    ----------
    rel : number, optional
        Smallest relevant grade; by default any grade above 0.
    """

    bound: ClassVar[type[Bound]] = BoundInfAP
    nearest_additive: ClassVar[str | None] = "DCG(gain=linear)"
    sees_unjudged: ClassVar[bool] = True

    rel: float | None = None


class BoundJudged(Bound):
    """Fraction of judged documents, bound to grades."""

    measure: Judged

    @cached_property
    def judged(self) -> Bools:
        """Whether each document is listed in the judgments."""
        return ~np.isnan(self.grades)

    def evaluate(self, scores: Floats) -> Floats:
        return kernels.fraction(scores, self.judged, self.offsets, self.measure._depth)

    @cached_property
    def informative(self) -> Bools:
        """Queries with both judged and unjudged documents, and more documents than the cut-off."""
        n_judged = count_by_query(self.judged, self.offsets)
        return (n_judged > 0) & (n_judged < self.sizes) & (self.sizes > self.measure._depth)


class Judged(Measure):
    """Fraction of the documents in the first k ranks that were judged; of all ranked documents, if there are fewer.

    It shows how far the other measures can be trusted. Every document in the qrels counts as judged, also one with a grade
    below 0, as in ir_measures; `Bpref` and `infAP` follow trec_eval, where such a document was pooled but not judged.

    Parameters
    ----------
    k : int, optional
        Number of ranks; by default all.
    """

    bound: ClassVar[type[Bound]] = BoundJudged
    sees_unjudged: ClassVar[bool] = True

    k: int | None = None
