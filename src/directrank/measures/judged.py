"""Measures that ask which documents were judged: bpref, inferred average precision, and the fraction that was judged.

They tell two kinds of documents from those of grade 0: NaN is the grade of a document that nobody judged, and one below 0
that of a document that was pooled but is not in the sample that was judged. In training every document has a grade, and so
all are judged.
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

#: What trec_eval adds to the counts of judged documents in infAP, so that there is always a ratio.
EPSILON = 1e-5


class _JudgedBound(RelevanceBound):
    @cached_property
    def n_judged(self) -> Ints:
        """The number of judged documents of each query."""
        return count_by_query(self.grades >= 0, self.offsets)

    @cached_property
    def informative(self) -> Bools:
        """The queries with documents that were judged relevant, and not relevant."""
        return (self.n_relevant > 0) & (self.n_relevant < self.n_judged)


class BoundBpref(_JudgedBound):
    """bpref on queries of some grades."""

    def evaluate(self, scores: Floats) -> Floats:
        n_others = self.n_judged - self.n_relevant
        return kernels.bpref(scores, self.grades, self.offsets, self.measure._threshold, self.n_relevant, n_others)


class Bpref(Measure):
    r"""bpref (Buckley & Voorhees 2004): how few judged non-relevant documents stand above each relevant one.

    .. math:: \frac1R \sum_r \left(1 - \frac{\min(n_r, R)}{\min(N, R)}\right)

    over the ranked relevant documents r, each of which has :math:`n_r` documents above it that were judged and are not
    relevant; R and N count the relevant documents of the query and the others that were judged. Documents that were not
    judged do not count at all. This is trec_eval's ``bpref``.

    Parameters
    ----------
    rel : number, optional
        The smallest grade that is relevant; by default any above 0.
    """

    bound: ClassVar[type[Bound]] = BoundBpref
    sees_unjudged: ClassVar[bool] = True

    rel: float | None = None


class BoundInfAP(_JudgedBound):
    """Inferred average precision on queries of some grades."""

    def evaluate(self, scores: Floats) -> Floats:
        return kernels.inferred_average_precision(
            scores, self.grades, self.offsets, self.measure._threshold, self.n_relevant, EPSILON, self._log_factorials
        )

    @cached_property
    def _log_factorials(self) -> Floats:
        """The logarithm of n! for each n from 0 up to the longest query."""
        return np.concatenate(([0.0], np.cumsum(elementary.log(np.arange(1.0, self.longest + 1)))))


class infAP(Measure):
    r"""Inferred average precision (Yilmaz & Aslam 2006): AP estimated from a sample of the pool that was judged.

    The precision at the rank j of a relevant document is estimated by

    .. math:: \frac1j + \frac{j - 1}{j} \cdot \frac{p}{j - 1} \cdot \frac{r + \epsilon}{r + n + 2 \epsilon}

    where p of the j - 1 documents above it were pooled, r of those are judged relevant and n judged not to be, and
    :math:`\epsilon = 10^{-5}`. Their sum is divided by the number of documents that are judged relevant. This is
    trec_eval's ``infAP``: in the qrels a document that was pooled but not judged has a grade below 0. With a pool that was
    judged throughout it is AP, but for epsilon.

    Parameters
    ----------
    rel : number, optional
        The smallest grade that is relevant; by default any above 0.
    """

    bound: ClassVar[type[Bound]] = BoundInfAP
    sees_unjudged: ClassVar[bool] = True

    rel: float | None = None


class BoundJudged(Bound):
    """The fraction of judged documents on queries of some grades."""

    measure: Judged

    def evaluate(self, scores: Floats) -> Floats:
        return kernels.fraction(scores, self.grades >= 0, self.offsets, self.measure._depth)

    @cached_property
    def informative(self) -> Bools:
        """The queries with both kinds of documents, and more of them than ranks that count."""
        n_judged = count_by_query(self.grades >= 0, self.offsets)
        return (n_judged > 0) & (n_judged < self.sizes) & (self.sizes > self.measure._depth)


class Judged(Measure):
    """The fraction of the documents in the first k ranks that were judged; of all that are ranked, if there are fewer.

    It says how far the other measures can be trusted. A grade below 0 is that of a document that was pooled but not judged.

    Parameters
    ----------
    k : int, optional
        How many ranks; by default all.
    """

    bound: ClassVar[type[Bound]] = BoundJudged
    sees_unjudged: ClassVar[bool] = True

    k: int | None = None
