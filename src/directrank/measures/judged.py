"""Measures that ask which documents were judged: bpref, inferred average precision, and the fraction that was judged.

They tell two kinds of documents from those of grade 0: NaN is the grade of a document that nobody judged, and one below 0
that of a document that was pooled but is not in the sample that was judged. In training every document has a grade, and so
all are judged.
"""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..kernel_compiler import njit, prange
from .base import Bound, Measure, RelevanceBound
from .ranking.levels import count_by_query
from .ranking.sorting import ranked
from .ranking.ties import count_relevant, group_end, ranked_end

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
        ranking = ranked(scores, self.grades, self.offsets)
        n_others = self.n_judged - self.n_relevant
        return _bpref(*ranking, self.offsets, self.measure._threshold, self.n_relevant, n_others)


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
        ranking = ranked(scores, self.grades, self.offsets)
        return _inferred(*ranking, self.offsets, self.measure._threshold, self.n_relevant)


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
        by_rank, judged = ranked(scores, self.grades >= 0, self.offsets)
        return _judged(by_rank, judged, self.offsets, self.measure._depth)

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


@njit(cache=True, parallel=True)
def _bpref(scores, grades, offsets, threshold, n_relevant, n_others):  # type: ignore[no-untyped-def]
    values = np.zeros(offsets.size - 1)
    for q in prange(values.size):
        lo, hi = offsets[q], offsets[q + 1]
        if n_relevant[q] > 0:
            values[q] = _bpref_of_query(scores[lo:hi], grades[lo:hi], threshold, n_relevant[q], n_others[q])
    return values


@njit(cache=True)
def _bpref_of_query(scores, grades, threshold, n_relevant, n_others):  # type: ignore[no-untyped-def]
    """In the mean over the orders of a tie with a others, 0, 1, ..., a of them stand above a relevant document of it."""
    bound = min(n_relevant, n_others)
    total, above, start, last = 0.0, 0, 0, ranked_end(scores)
    while start < last:
        end = group_end(scores, start)
        relevant = count_relevant(grades, start, end, threshold)
        others = count_relevant(grades, start, end, 0.0) - relevant
        uncapped = min(max(n_relevant - above, 0), others + 1)  # cases in which all that are above count
        capped = uncapped * above + uncapped * (uncapped - 1) / 2 + (others + 1 - uncapped) * n_relevant
        total += relevant * (1 - capped / ((others + 1) * max(bound, 1)))
        above += others
        start = end
    return total / n_relevant


@njit(cache=True, parallel=True)
def _inferred(scores, grades, offsets, threshold, n_relevant):  # type: ignore[no-untyped-def]
    values = np.zeros(offsets.size - 1)
    for q in prange(values.size):
        lo, hi = offsets[q], offsets[q + 1]
        if n_relevant[q] > 0:
            values[q] = _inferred_of_query(scores[lo:hi], grades[lo:hi], threshold) / n_relevant[q]
    return values


@njit(cache=True)
def _inferred_of_query(scores, grades, threshold):  # type: ignore[no-untyped-def]
    log_factorials = np.zeros(scores.size + 1)
    for i in range(1, scores.size + 1):
        log_factorials[i] = log_factorials[i - 1] + np.log(i)
    total, start, last = 0.0, 0, ranked_end(scores)
    above = np.zeros(3)  # documents above: judged relevant, judged otherwise, pooled
    while start < last:
        end = group_end(scores, start)
        relevant = count_relevant(grades, start, end, threshold)
        judged = count_relevant(grades, start, end, 0.0)
        pooled = count_relevant(grades, start, end, -np.inf)
        if relevant > 0:
            total += relevant * _mean_precision(start, end - start, relevant, judged, pooled, above, log_factorials)
        above += np.array([relevant, judged - relevant, pooled], np.float64)
        start = end
    return total


@njit(cache=True)
def _mean_precision(start, m, relevant, judged, pooled, above, log_factorials):  # type: ignore[no-untyped-def]
    """The mean of the estimate at a relevant document over all orders of its tie group of m documents.

    With x of the others of the group above it, d of these are judged with a hypergeometric probability. Given d, the
    expected number of relevant ones among them, and of pooled ones among the x - d others, is linear in it, and so is
    the estimate in these two, which are independent. A d further from its mean than 5 sqrt(min(x, judged)) is left out: by
    Hoeffding's bound its probability is below 2 exp(-50).
    """
    n_others, n_judged = m - 1, judged - 1
    share_relevant = (relevant - 1) / n_judged if n_judged > 0 else 0.0
    share_pooled = (pooled - judged) / (m - judged) if m > judged else 0.0
    total = 0.0
    for x in range(m):
        mean, reach = x * n_judged / max(n_others, 1), 5 * np.sqrt(min(x, n_judged)) + 1
        fewest, most = max(x - (n_others - n_judged), int(mean - reach), 0), min(x, n_judged, int(mean + reach))
        for d in range(fewest, most + 1):
            log_ways = _log_choose(n_judged, d, log_factorials) + _log_choose(n_others - n_judged, x - d, log_factorials)
            probability = np.exp(log_ways - _log_choose(n_others, x, log_factorials))
            pooled_above = above[2] + d + (x - d) * share_pooled
            ratio = (above[0] + d * share_relevant + EPSILON) / (above[0] + above[1] + d + 2 * EPSILON)
            total += probability * (1 + pooled_above * ratio) / (start + x + 1)
    return total / m


@njit(cache=True)
def _log_choose(n, k, log_factorials):  # type: ignore[no-untyped-def]
    return log_factorials[n] - log_factorials[k] - log_factorials[n - k]


@njit(cache=True, parallel=True)
def _judged(scores, judged, offsets, depth):  # type: ignore[no-untyped-def]
    values = np.zeros(offsets.size - 1)
    for q in prange(values.size):
        mine, my_judged = scores[offsets[q] : offsets[q + 1]], judged[offsets[q] : offsets[q + 1]]
        last = min(ranked_end(mine), depth)
        start = 0
        while start < last:
            end = group_end(mine, start)
            values[q] += (min(end, last) - start) / (end - start) * my_judged[start:end].sum() / last
            start = end
    return values
