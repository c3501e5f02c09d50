"""Means of a measure over queries."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats
from ...data import InputError
from ...data.checked_arrays import as_grades, as_qid, as_scores
from ...data.ranking_data import group_rows
from ...measures import SupportsEvaluate, bind
from .shards import Shards
from .task import Task, rebind
from .validation import weight_per_query


def mean_measure(
    measure: SupportsEvaluate, y: ArrayLike, scores: ArrayLike, qid: ArrayLike | None, query_weight: Any = None
) -> float:
    """Mean of a measure over the queries, weighted if weights are given; see `weight_per_query`."""
    grades = as_grades(y)
    queries = group_rows(None if qid is None else as_qid(qid, grades.size), grades.size)
    bound = bind(measure, queries.to_query_order(grades), queries.offsets)
    values = bound.evaluate(queries.to_query_order(as_scores(scores, grades.size)))
    if query_weight is None:
        return float(np.mean(values))
    weights = weight_per_query(queries, query_weight)
    if not weights.sum() > 0:
        raise InputError("query_weight has no weight above 0; there is nothing to average")
    return float(np.average(values, weights=weights))


def mean_over_all(training: Shards, measure: SupportsEvaluate) -> tuple[float, float]:
    """Affine map from the mean over informative queries to the mean over all queries: its constant and its factor.

    Queries that are not informative have the same value in any order.
    """
    learned, total, others = training.total(_parts_of_mean, measure)
    return (float(others / total), float(learned / total)) if np.isfinite(others) else (0.0, 1.0)


def _parts_of_mean(task: Task, measure: SupportsEvaluate) -> Floats:
    """Total weight of informative queries and of all queries, and the weighted sum of the other queries' values."""
    others = (task.weights == 0) & (task.given > 0)
    values = rebind(task, measure).bound.evaluate(np.zeros(task.n_documents)) if others.any() else np.zeros(task.n_queries)
    return np.array([task.given[task.weights > 0].sum(), task.given.sum(), np.sum(task.given[others] * values[others])])
