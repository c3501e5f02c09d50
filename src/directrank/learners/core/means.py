"""Means of a measure over queries."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats
from ...data import InputError
from ...data.checked_arrays import as_grades, as_qid, as_scores
from ...data.ranking_data import group_rows
from ...measures import SupportsEvaluate, bind
from .shards import Shards
from .task import Task, rebind


def mean_measure(
    measure: SupportsEvaluate, y: ArrayLike, scores: ArrayLike, qid: ArrayLike | None, weights: ArrayLike | None = None
) -> float:
    """The mean of a measure over the queries."""
    grades = as_grades(y)
    queries = group_rows(None if qid is None else as_qid(qid, grades.size), grades.size)
    bound = bind(measure, queries.to_query_order(grades), queries.offsets)
    values = bound.evaluate(queries.to_query_order(as_scores(scores, grades.size)))
    if weights is None:
        return float(np.mean(values))
    totals = np.add.reduceat(queries.to_query_order(as_scores(weights, grades.size, "sample_weight")), queries.offsets[:-1])
    if not totals.sum() > 0:
        raise InputError("sample_weight has no weight above 0; there is nothing to average")
    return float(np.average(values, weights=totals / np.diff(queries.offsets)))


def mean_over_all(training: Shards, measure: SupportsEvaluate) -> tuple[float, float]:
    """What makes a mean over the queries that are learned from one over all of them: a constant, and a factor.

    The others have the same value whatever their order.
    """
    learned, all_queries, of_others = training.total(_parts_of_mean, measure)
    return (float(of_others / all_queries), float(learned / all_queries)) if np.isfinite(of_others) else (0.0, 1.0)


def _parts_of_mean(task: Task, measure: SupportsEvaluate) -> Floats:
    """The weights of the queries that are learned from and of all, as they were given, and the sum of the others' values."""
    others = (task.weights == 0) & (task.given > 0)
    values = rebind(task, measure).bound.evaluate(np.zeros(task.n_documents)) if others.any() else np.zeros(task.n_queries)
    return np.array([task.given[task.weights > 0].sum(), task.given.sum(), np.sum(task.given[others] * values[others])])
