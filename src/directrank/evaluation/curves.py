"""Rankings as curves: precision at each recall, nDCG at each depth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numba import njit, prange

from ..arrays import Floats
from ..measures import AP, Measure, nDCG, ranked
from ..measures.ranking.ties import group_end, ranked_end
from .ranking import Ranking

#: Where interpolated precision is taken.
RECALLS = tuple(i / 10 for i in range(11))

#: The depths of a curve over ranks: about evenly spaced on a logarithmic scale.
RANKS = (1, 2, 3, 5, 10, 15, 20, 30, 50, 100)

BY_DEFAULT = nDCG()
ANY_RELEVANT = AP()


def interpolated_precision(ranking: Ranking, measure: Measure = ANY_RELEVANT) -> Floats:
    r"""Interpolated precision at the recalls 0, 0.1, ..., 1, in the mean over queries.

    .. math:: P(\rho) = \max \{ P@r : R@r \ge \rho \}

    Among documents of equal score those that are not relevant come first, so that the order of rows never changes a
    result. A document of score -inf is not retrieved but counts among those to be found; a query without relevant documents
    counts 0. Without ties these are trec_eval's ``iprec_at_recall``, but where rounding makes trec_eval ask for one document
    too few: 2 of 3 for a recall of 0.7.

    Parameters
    ----------
    ranking : Ranking
    measure : Measure
        What is relevant to it is so here.
    """
    queries = ranking.queries
    relevant = measure.relevant(queries.to_query_order(ranking.grades))
    by_rank = ranked(queries.to_query_order(ranking.scores), relevant, queries.offsets)
    return _interpolated(*by_rank, queries.offsets, len(RECALLS)).mean(axis=0)


def ndcg_at(ranking: Ranking, ks: Iterable[int], measure: nDCG = BY_DEFAULT) -> Floats:
    """nDCG with each cut-off, in the mean over queries; equal scores are averaged over all their orders.

    Parameters
    ----------
    ranking : Ranking
    ks : integers
    measure : nDCG
        Its gain and discount are taken; its own cut-off is not.
    """
    offsets, queries = ranking.queries.offsets, ranking.queries
    # Ranked once; each cut-off finds it done.
    by_rank = ranked(queries.to_query_order(ranking.scores), queries.to_query_order(ranking.grades), offsets)
    return np.array([replace(measure, k=k).evaluate(*by_rank, offsets).mean() for k in ks])


def ranks_of_curve(rankings: Sequence[Ranking]) -> tuple[int, ...]:
    """The depths of `RANKS` that the longest query reaches."""
    longest = max(int(np.diff(ranking.queries.offsets).max()) for ranking in rankings)
    return tuple(k for k in RANKS if k <= longest)


@njit(cache=True, parallel=True)
def _interpolated(scores, relevant, offsets, n_levels):  # type: ignore[no-untyped-def]
    values = np.zeros((offsets.size - 1, n_levels))
    for q in prange(offsets.size - 1):
        lo, hi = offsets[q], offsets[q + 1]
        _of_query(scores[lo:hi], relevant[lo:hi], values[q])
    return values


@njit(cache=True)
def _of_query(scores, relevant, values):  # type: ignore[no-untyped-def]
    """Precision is highest where a relevant document was just found, so only those ranks are looked at."""
    n_relevant = relevant.sum()
    best = _precision_at_relevant(scores, relevant, n_relevant)
    for found in range(n_relevant - 1, 0, -1):
        best[found - 1] = max(best[found - 1], best[found])
    last = values.size - 1
    for level in range(values.size if n_relevant else 0):
        needed = (level * n_relevant + last - 1) // last  # in integers: no rounding asks for one too many
        values[level] = best[max(needed, 1) - 1]


@njit(cache=True)
def _precision_at_relevant(scores, relevant, n_relevant):  # type: ignore[no-untyped-def]
    """At the rank of each relevant document, those of a tie after all others; 0 for those that were not retrieved."""
    precision = np.zeros(n_relevant)
    end, found, start = ranked_end(scores), 0, 0
    while start < end:
        stop = group_end(scores, start)
        among_equals = relevant[start:stop].sum()
        for i in range(1, among_equals + 1):
            precision[found] = (found + 1) / (stop - among_equals + i)
            found += 1
        start = stop
    return precision
