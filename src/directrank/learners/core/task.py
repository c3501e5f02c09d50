"""Task of a learner on one shard: whole queries with their weights and a measure bound to their grades, beside X."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats
from ...caching import cached_property
from ...data import InputError, Queries
from ...data.checked_arrays import as_gains, as_qid, as_scores
from ...data.ranking_data import group_rows
from ...matrix.columns import Columns
from ...matrix.linear_operator import LinearOperator, as_operator
from ...measures import Bound, SupportsEvaluate, bind, name_of
from ...measures.bound import check_grades
from ...measures.ranking.levels import values_differ
from ...models import Model
from .content_keys import Keys, content_order, document_keys
from .validation import weight_per_query


@dataclass(eq=False)
class Task:
    """Queries to learn from, or to validate on.

    Query order is an order by content: queries by their keys, and the documents of each by a hash of features and grade (see
    `content_order`). Sums go over documents and queries in this order, so that a model does not depend on the order of rows
    or on the names of queries: not even in how an iterative solver amplifies rounding.

    Attributes
    ----------
    X : dense array or CSR matrix
        Documents in row order; or a `LinearOperator` for their features in another space, in query order.
    queries : Queries
    keys : array
        Content key of each query, ascending.
    bound : Bound
        Measure bound to the grades in query order.
    given : array
        Weight of each query as the user gave it; 1 by default.
    weights : array
        Weight of each query in sums. In training they add up to 1 over all shards, and are 0 for queries that are not
        informative.
    number : int
        Number of the shard.
    init_score : array, optional
        Scores, in query order, to which the model's scores are added.
    memory : dict
        Results of earlier steps; see `recall`.
    """

    X: Any
    queries: Queries
    keys: Keys
    bound: Bound
    given: Floats
    weights: Floats
    number: int = 0
    init_score: Floats | None = None
    memory: dict[str, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def operator(self) -> LinearOperator:
        """X as an operator, with documents in query order."""
        return self.operator_with(intercept=False)

    def operator_with(self, intercept: bool) -> LinearOperator:
        """The operator, with or without a constant feature."""
        return as_operator(self.X, intercept, self.queries.permutation)

    def scores(self, model: Model) -> Floats:
        """Scores of a model, in query order."""
        return self.queries.to_query_order(model.scores_of_queries(self.X, self.queries))

    @cached_property
    def columns(self) -> Columns:
        """Features by column, in query order."""
        return Columns(self.X, self.queries)

    @property
    def n_documents(self) -> int:
        return int(self.queries.offsets[-1])

    @property
    def n_queries(self) -> int:
        return int(self.weights.size)

    def values(self, scores: Floats) -> Floats:
        """Value of the measure for each query, at scores in query order; 0 for queries of weight 0."""
        values = self.bound.evaluate(scores)
        invalid = np.flatnonzero((self.weights > 0) & ~np.isfinite(values))
        if invalid.size:
            query, value = self.queries.ids[invalid[0]], values[invalid[0]]
            raise InputError(f"{name_of(self.bound.measure)} is {value} in query {query}; a learner needs a finite value")
        return np.where(self.weights > 0, values, 0.0)

    def weighted_value(self, scores: Floats) -> float:
        """Weighted sum of the queries' values, at scores in query order."""
        return float(np.sum(self.weights * self.values(scores)))

    def recall(self, name: str, key: Any, compute: Callable[[], Any]) -> Any:
        """Cached value of a name if its key is equal, else the computed one, which is then cached.

        The cache has one entry for each name. A step must give the same result without it.
        """
        known = self.memory.get(name)
        if known is None or known[0] != key:
            known = self.memory[name] = (key, compute())
        return known[1]


def make_task(
    X: Any,
    y: ArrayLike,
    qid: ArrayLike | None,
    measure: SupportsEvaluate,
    query_weight: Any = None,
    init_score: Floats | None = None,
) -> Task:
    """Task from arrays: checks grades, queries and weights, puts the rows in an order of content and binds the measure."""
    n_rows = X.shape[0]
    grades = as_gains(y, n_rows)
    check_grades(measure, grades)
    by_name = group_rows(None if qid is None else as_qid(qid, n_rows), n_rows)
    weights = weight_per_query(by_name, query_weight)
    documents = by_name.to_query_order(document_keys(X, grades, init_score))
    queries, keys, positions = content_order(by_name, documents, weights)
    bound, given = bind(measure, queries.to_query_order(grades), queries.offsets), weights[positions]
    before = None if init_score is None else queries.to_query_order(init_score)
    return Task(X, queries, keys, bound, given, given, init_score=before)


def rebind(task: Task, measure: SupportsEvaluate) -> Task:
    """Task with another measure, and with the weights that the user gave."""
    return with_weights(with_measure(task, measure), task.given)


def with_measure(task: Task, measure: SupportsEvaluate) -> Task:
    """Task with another measure and the same weights."""
    check_grades_of(task, measure)
    return replace(task, bound=bind(measure, task.bound.grades, task.queries.offsets), memory={})


def check_grades_of(task: Task, measure: SupportsEvaluate) -> None:
    """Raise an error, which names the row, if a measure does not take the grades of a task."""
    if task.bound.grades.min(initial=0) < 0:
        check_grades(measure, task.queries.to_row_order(task.bound.grades))


def with_features(task: Task, X: Any) -> Task:
    """Task with other features of the same documents, made anew: the order of documents depends on their content."""
    rows = task.queries.to_row_order
    grades, before = rows(task.bound.grades), None if task.init_score is None else rows(task.init_score)
    documents = task.queries.to_query_order(document_keys(X, grades, before))
    queries, keys, positions = content_order(task.queries, documents, task.given)
    return replace(
        task,
        X=X,
        queries=queries,
        keys=keys,
        bound=bind(task.bound.measure, queries.to_query_order(grades), queries.offsets),
        given=task.given[positions],
        weights=task.weights[positions],
        init_score=None if before is None else queries.to_query_order(before),
        memory={},
    )


def informative_only(task: Task) -> Task:
    """Task with weight 0 for queries that are not informative."""
    return with_weights(task, task.bound.informative * task.given)


def graded_only(task: Task) -> Task:
    """Task with weight 0 for queries whose documents all have the same grade."""
    return with_weights(task, values_differ(task.bound.grades, task.queries.offsets) * task.given)


def divide_weights(task: Task, total: float) -> Task:
    return with_weights(task, task.weights / total)


def with_weights(task: Task, weights: Floats) -> Task:
    return replace(task, weights=weights, memory={})


def without_init_score(task: Task) -> Task:
    return replace(task, init_score=None, memory={})


def has_init_score(task: Task) -> bool:
    return task.init_score is not None


def sum_of_weights(task: Task) -> float:
    return float(task.weights.sum())


def count_documents(task: Task) -> int:
    return task.n_documents


def grades_of_documents(task: Task) -> Floats:
    """Grade of each document, in query order."""
    return task.bound.grades


def keys_of_documents(task: Task) -> Keys:
    """Content key of each document, in query order."""
    to_rows = task.queries.to_row_order
    before = None if task.init_score is None else to_rows(task.init_score)
    return task.queries.to_query_order(document_keys(task.X, to_rows(task.bound.grades), before))


def count_queries(task: Task) -> int:
    return task.n_queries


def value_of_weights(task: Task, w: Floats) -> float:
    """Weighted sum of the queries' values at X w."""
    return task.weighted_value(task.operator.matvec(w))


def ranks_like_constant(task: Task, model: Model) -> bool:
    """Whether a model ranks no better or worse than constant scores on every query."""
    return bool(np.array_equal(task.values(task.scores(model)), task.values(np.zeros(task.n_documents))))


def value_of_model(task: Task, model: Model) -> float:
    """Weighted sum of the queries' values at the scores of a model."""
    return task.weighted_value(task.scores(model) + (0.0 if task.init_score is None else task.init_score))


def largest_values(task: Task) -> Floats:
    """Largest absolute value of each feature."""
    return np.array([np.fmax.reduce(np.abs(column), initial=0.0) for column in task.columns])


def name_of_measure(task: Task) -> str:
    return name_of(task.bound.measure)


def mean_measure(
    measure: SupportsEvaluate, y: ArrayLike, scores: ArrayLike, qid: ArrayLike | None, query_weight: Any = None
) -> float:
    """Mean of a measure over the queries, weighted if weights are given; see `weight_per_query`."""
    grades = as_gains(y)
    check_grades(measure, grades)
    queries = group_rows(None if qid is None else as_qid(qid, grades.size), grades.size)
    bound = bind(measure, queries.to_query_order(grades), queries.offsets)
    values = bound.evaluate(queries.to_query_order(as_scores(scores, grades.size)))
    if query_weight is None:
        return float(np.mean(values))
    weights = weight_per_query(queries, query_weight)
    if not weights.sum() > 0:
        raise InputError("query_weight has no weight above 0; there is nothing to average")
    return float(np.average(values, weights=weights))
