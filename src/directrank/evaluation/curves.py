"""Curves of rankings: ROC, precision by recall, nDCG by depth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..measures import AP, Measure, nDCG
from ..measures.interpolated_precision import precisions_at_recalls
from ..measures.ranking.sorting import ranked
from .evaluation_result import Evaluation, Ranking

#: Recall levels of interpolated precision.
RECALLS = tuple(i / 10 for i in range(11))

#: Depths of a curve over ranks, about evenly spaced on a logarithmic scale.
RANKS = (1, 2, 3, 5, 10, 15, 20, 30, 50, 100)

BY_DEFAULT = nDCG()
ANY_RELEVANT = AP()


class RocPoints(NamedTuple):
    """Points of a ROC curve by descending threshold, from (0, 0) at infinity.

    Attributes
    ----------
    false_positive_rate, true_positive_rate : float64 arrays
        Fractions of the non-relevant and of the relevant documents whose score is at least the threshold.
    thresholds : float64 array
        Infinity, followed by the distinct scores.
    """

    false_positive_rate: Floats
    true_positive_rate: Floats
    thresholds: Floats


class PrecisionRecallPoints(NamedTuple):
    """Points of a precision-recall curve, by descending threshold.

    Attributes
    ----------
    precision, recall : float64 arrays
        Precision and recall of the documents whose score is at least the threshold.
    thresholds : float64 array
        The distinct scores.
    """

    precision: Floats
    recall: Floats
    thresholds: Floats


def roc_points(evaluation: Evaluation, measure: Measure = ANY_RELEVANT) -> list[RocPoints]:
    """ROC curve of each query, or of all rows together if there was no qid.

    The area under it, by trapezoids, is `AUC`. Unranked documents come last, at the threshold -inf.

    Parameters
    ----------
    evaluation : Evaluation
        Result of `evaluate` or `evaluate_run`.
    measure : Measure
        Measure that defines relevance.
    """
    curves = []
    for scores, relevant in _each_by_rank(evaluation.require_ranking(), measure):
        thresholds, found, passed = _at_thresholds(scores, relevant)
        others = relevant.size - relevant.sum()
        false, true = (passed - found) / max(others, 1), found / max(relevant.sum(), 1)
        curves.append(RocPoints(np.append(0.0, false), np.append(0.0, true), np.append(np.inf, thresholds)))
    return curves


def precision_recall_points(evaluation: Evaluation, measure: Measure = ANY_RELEVANT) -> list[PrecisionRecallPoints]:
    """Precision-recall curve of each query, or of all rows together if there was no qid.

    Between two points the false positives are linear in the true positives, not precision in recall: the area is `AUPRC`.
    Unranked documents have no threshold, but the relevant ones count in the recall. Parameters as in `roc_points`.
    """
    curves = []
    for scores, relevant in _each_by_rank(evaluation.require_ranking(), measure):
        thresholds, found, passed = _at_thresholds(scores[scores > -np.inf], relevant[scores > -np.inf])
        curves.append(PrecisionRecallPoints(found / passed, found / max(relevant.sum(), 1), thresholds))
    return curves


def _each_by_rank(ranking: Ranking, measure: Measure) -> Iterator[tuple[Floats, Bools]]:
    """Scores of each query's documents, descending, and whether they are relevant."""
    relevant, rows = measure.relevant(ranking.grades), ranking.rows_by_rank()
    for mine in np.split(rows, ranking.queries.offsets[1:-1]):
        yield ranking.scores[mine], relevant[mine]


def _at_thresholds(scores: Floats, relevant: Bools) -> tuple[Floats, Ints, Ints]:
    """Distinct scores, and the numbers of relevant documents and of all documents with at least each score."""
    last = np.flatnonzero(np.append(scores[1:] != scores[:-1], True)[: scores.size])
    return scores[last], np.cumsum(relevant, dtype=np.int64)[last], last + 1


def interpolated_precision(evaluation: Evaluation, measure: Measure = ANY_RELEVANT) -> Floats:
    r"""Interpolated precision at the recalls 0, 0.1, ..., 1, averaged over queries.

    .. math:: P(\rho) = \max \{ P@r : R@r \ge \rho \}

    Each is the mean of `IPrec` at that recall.

    Parameters
    ----------
    evaluation : Evaluation
        Result of `evaluate` or `evaluate_run`.
    measure : Measure
        Measure that defines relevance.
    """
    ranking = evaluation.require_ranking()
    queries = ranking.queries
    relevant = measure.relevant(queries.to_query_order(ranking.grades))
    scores = np.ascontiguousarray(queries.to_query_order(ranking.scores), dtype=np.float64)
    return precisions_at_recalls(scores, relevant, queries.offsets, np.array(RECALLS)).mean(axis=0)


def ndcg_at(ranking: Ranking, ks: Iterable[int], measure: nDCG = BY_DEFAULT) -> Floats:
    """nDCG at each cut-off, averaged over queries and over the orders of tied documents.

    Parameters
    ----------
    ranking : Ranking
    ks : integers
    measure : nDCG
        Defines gain and discount; its own cut-off is ignored.
    """
    offsets, queries = ranking.queries.offsets, ranking.queries
    # Ranked once for all cut-offs.
    by_rank = ranked(queries.to_query_order(ranking.scores), queries.to_query_order(ranking.grades), offsets)
    return np.array([replace(measure, k=k).evaluate(*by_rank, offsets).mean() for k in ks])


def ranks_of_curve(rankings: Sequence[Ranking]) -> tuple[int, ...]:
    """Depths of `RANKS` up to the length of the longest query."""
    longest = max(int(np.diff(ranking.queries.offsets).max()) for ranking in rankings)
    return tuple(k for k in RANKS if k <= longest)
