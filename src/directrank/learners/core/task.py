"""The task of a learner on one shard: whole queries with their weights, and a measure bound to their grades, beside X."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats
from ...caching import cached_property
from ...data import InputError, Queries
from ...data.checked_arrays import as_grades, as_qid, as_scores
from ...data.ranking_data import group_rows
from ...matrix.columns import Columns
from ...matrix.linear_operator import LinearOperator, as_operator
from ...measures import Bound, SupportsEvaluate, bind, name_of
from ...measures.ranking.levels import values_differ
from ...models import Model


@dataclass(eq=False)
class Task:
    """Queries to learn from, or to validate on.

    Attributes
    ----------
    X : dense array, CSR matrix or frame
        The documents, in row order; or `LinearOperator` over them in another space.
    queries : Queries
    bound : Bound
        The measure, bound to the grades in query order.
    given : array
        The weight of each query as the user gave it; 1 by default.
    weights : array
        The weight of each query in sums. In training they add up to 1 over all shards, and are 0 where the measure cannot
        tell orders apart.
    number : int
        Which shard this is.
    init_score : array, optional
        Scores of the rows that those of the model are added to.
    memory : dict
        What steps have computed here before; see `recall`.
    """

    X: Any
    queries: Queries
    bound: Bound
    given: Floats
    weights: Floats
    number: int = 0
    init_score: Floats | None = None
    memory: dict[str, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def operator(self) -> LinearOperator:
        return as_operator(self.X)

    @cached_property
    def columns(self) -> Columns:
        """The features, each in query order."""
        return Columns(self.X, self.queries)

    @property
    def n_documents(self) -> int:
        return int(self.queries.offsets[-1])

    @property
    def n_queries(self) -> int:
        return int(self.weights.size)

    def values(self, scores: Floats) -> Floats:
        """The measure of each query at scores in query order; 0 where the query's weight is 0."""
        values = self.bound.evaluate(scores)
        invalid = np.flatnonzero((self.weights > 0) & ~np.isfinite(values))
        if invalid.size:
            query, value = self.queries.ids[invalid[0]], values[invalid[0]]
            raise InputError(f"{name_of(self.bound.measure)} is {value} in query {query}; a learner needs a finite value")
        return np.where(self.weights > 0, values, 0.0)

    def weighted_value(self, scores: Floats) -> float:
        """The sum of weight times value, at scores in query order."""
        return float(np.sum(self.weights * self.values(scores)))

    def recall(self, name: str, key: Any, compute: Callable[[], Any]) -> Any:
        """What was remembered under a name, if for an equal key; else computed, and remembered.

        Memory holds one thing under each name and is only a cache: a step must give the same result without it.
        """
        known = self.memory.get(name)
        if known is None or known[0] != key:
            known = self.memory[name] = (key, compute())
        return known[1]


def make_task(
    X: Any, y: ArrayLike, qid: ArrayLike | None, measure: SupportsEvaluate, query_weight: ArrayLike | None = None
) -> Task:
    """Check grades, queries and weights, group the rows by query, and bind the measure: once for a fit."""
    n_rows = X.shape[0]
    grades = as_grades(y, n_rows)
    queries = group_rows(None if qid is None else as_qid(qid, n_rows), n_rows)
    given = _weight_of_each(queries, query_weight)
    return Task(X, queries, bind(measure, queries.to_query_order(grades), queries.offsets), given, given)


def rebind(task: Task, measure: SupportsEvaluate) -> Task:
    """The same queries with another measure, and their weights as given."""
    return with_weights(with_measure(task, measure), task.given)


def with_measure(task: Task, measure: SupportsEvaluate) -> Task:
    """The same queries and weights with another measure."""
    return replace(task, bound=bind(measure, task.bound.grades, task.queries.offsets), memory={})


def informative_only(task: Task) -> Task:
    """A weight of 0 for queries that the measure cannot tell orders of apart."""
    return with_weights(task, task.bound.informative * task.given)


def graded_only(task: Task) -> Task:
    """A weight of 0 for queries whose documents are all of one grade."""
    return with_weights(task, values_differ(task.bound.grades, task.queries.offsets) * task.given)


def divide_weights(task: Task, total: float) -> Task:
    return with_weights(task, task.weights / total)


def with_weights(task: Task, weights: Floats) -> Task:
    return replace(task, weights=weights, memory={})


def sum_of_weights(task: Task) -> float:
    return float(task.weights.sum())


def count_documents(task: Task) -> int:
    return task.n_documents


def grades_of_rows(task: Task) -> Floats:
    """The grade of each row, in row order."""
    return task.queries.to_row_order(task.bound.grades)


def count_queries(task: Task) -> int:
    return task.n_queries


def value_of_weights(task: Task, w: Floats) -> float:
    """The sum of the queries' values at X w."""
    return task.weighted_value(task.queries.to_query_order(task.operator.matvec(w)))


def ranks_as_no_model(task: Task, model: Model) -> bool:
    """Whether no query's value is other than that of equal scores."""
    scores = task.queries.to_query_order(model.scores(task.X))
    return bool(np.array_equal(task.values(scores), task.values(np.zeros(task.n_documents))))


def name_of_measure(task: Task) -> str:
    return name_of(task.bound.measure)


def _weight_of_each(queries: Queries, query_weight: ArrayLike | None) -> Floats:
    starts, n_rows = queries.offsets[:-1], int(queries.offsets[-1])
    if query_weight is None:
        return np.ones(starts.size)
    weights = queries.to_query_order(as_scores(query_weight, n_rows, "query_weight"))
    if np.any(weights < 0) or np.any(weights == np.inf):
        raise InputError("query_weight has weights that are negative or infinite")
    if np.any(np.maximum.reduceat(weights, starts) != np.minimum.reduceat(weights, starts)):
        raise InputError("query_weight differs within a query; give all rows of a query the same weight")
    return weights[starts]
