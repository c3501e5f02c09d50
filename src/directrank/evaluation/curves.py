"""Rankings as curves: ROC, precision at each recall, nDCG at each depth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..measures import AP, Measure, nDCG
from ..measures.interpolated_precision import precisions_at_recalls
from ..measures.ranking.sorting import ranked
from .evaluation_result import Ranking

#: Where interpolated precision is taken.
RECALLS = tuple(i / 10 for i in range(11))

#: The depths of a curve over ranks: about evenly spaced on a logarithmic scale.
RANKS = (1, 2, 3, 5, 10, 15, 20, 30, 50, 100)

BY_DEFAULT = nDCG()
ANY_RELEVANT = AP()


class RocPoints(NamedTuple):
    """The points of a ROC curve, by descending threshold, from (0, 0) at an infinite one.

    Attributes
    ----------
    false_positive_rate, true_positive_rate : float64 arrays
        The fractions of non-relevant and of relevant documents whose score is at least the threshold; 0 if there are none.
    thresholds : float64 array
        Infinity, then the distinct scores.
    """

    false_positive_rate: Floats
    true_positive_rate: Floats
    thresholds: Floats


class PrecisionRecallPoints(NamedTuple):
    """The points of a precision-recall curve, by descending threshold.

    Attributes
    ----------
    precision, recall : float64 arrays
        Of the documents whose score is at least the threshold.
    thresholds : float64 array
        The distinct scores.
    """

    precision: Floats
    recall: Floats
    thresholds: Floats


def roc_points(ranking: Ranking, measure: Measure = ANY_RELEVANT) -> list[RocPoints]:
    """The ROC curve of each query; of all rows together where the ranking was evaluated without qid.

    The area under it, by trapezoids, is `AUC`. Documents that were not ranked are passed last, by the threshold -inf.

    Parameters
    ----------
    ranking : Ranking
        That of an evaluation: ``evaluate(y, scores).ranking``.
    measure : Measure
        What is relevant to it is so here.
    """
    curves = []
    for scores, relevant in _each_by_rank(ranking, measure):
        thresholds, found, passed = _at_thresholds(scores, relevant)
        others = relevant.size - relevant.sum()
        false, true = (passed - found) / max(others, 1), found / max(relevant.sum(), 1)
        curves.append(RocPoints(np.append(0.0, false), np.append(0.0, true), np.append(np.inf, thresholds)))
    return curves


def precision_recall_points(ranking: Ranking, measure: Measure = ANY_RELEVANT) -> list[PrecisionRecallPoints]:
    """The precision-recall curve of each query; of all rows together where the ranking was evaluated without qid.

    Between two points the false positives are linear in the true ones, not the precision in the recall: the area is
    `AUPRC`. Documents that were not ranked have no threshold, and count among those to be found. Parameters as in
    `roc_points`.
    """
    curves = []
    for scores, relevant in _each_by_rank(ranking, measure):
        thresholds, found, passed = _at_thresholds(scores[scores > -np.inf], relevant[scores > -np.inf])
        curves.append(PrecisionRecallPoints(found / passed, found / max(relevant.sum(), 1), thresholds))
    return curves


def _each_by_rank(ranking: Ranking, measure: Measure) -> Iterator[tuple[Floats, Bools]]:
    """The scores of each query's documents, descending, and which are relevant."""
    relevant, rows = measure.relevant(ranking.grades), ranking.rows_by_rank()
    for mine in np.split(rows, ranking.queries.offsets[1:-1]):
        yield ranking.scores[mine], relevant[mine]


def _at_thresholds(scores: Floats, relevant: Bools) -> tuple[Floats, Ints, Ints]:
    """The distinct scores, and how many relevant documents and how many in all have at least each."""
    last = np.flatnonzero(np.append(scores[1:] != scores[:-1], True)[: scores.size])
    return scores[last], np.cumsum(relevant, dtype=np.int64)[last], last + 1


def interpolated_precision(ranking: Ranking, measure: Measure = ANY_RELEVANT) -> Floats:
    r"""Interpolated precision at the recalls 0, 0.1, ..., 1, in the mean over queries.

    .. math:: P(\rho) = \max \{ P@r : R@r \ge \rho \}

    See `IPrec`, of which each is the mean.

    Parameters
    ----------
    ranking : Ranking
    measure : Measure
        What is relevant to it is so here.
    """
    queries = ranking.queries
    relevant = measure.relevant(queries.to_query_order(ranking.grades))
    scores = np.ascontiguousarray(queries.to_query_order(ranking.scores), dtype=np.float64)
    return precisions_at_recalls(scores, relevant, queries.offsets, np.array(RECALLS)).mean(axis=0)


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
