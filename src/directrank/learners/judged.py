"""Ranking data laid out by query, beside the measure that judges scores on it."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from ..data import InputError, RankingData
from ..matrix.columns import Columns
from ..matrix.rows import Rows
from ..measures import Evaluates, name_of
from .base import query_weights, teaching, value_of_each


class Judged:
    """Data and measure of a learner that sees features as columns, and rankings through their values only.

    Attributes
    ----------
    columns : Columns
        The features, laid out by query.
    rows : Rows
        The documents, in their own order.
    weights : array
        The weight of each query, in all 1.
    """

    def __init__(self, data: RankingData, measure: Evaluates, weights: Floats) -> None:
        self.measure, self.weights = measure, weights
        self.queries = data.by_query()
        self.grades = self.queries.to_query_order(data.y)
        self.columns = Columns(data.X, self.queries)
        self.rows = Rows(data.X)
        self.n_documents, self.n_features = len(data), data.n_features

    @classmethod
    def for_training(cls, data: RankingData, measure: Evaluates, query_weight: ArrayLike | None) -> Self:
        """Queries in which the measure sees nothing to order get the weight 0."""
        queries = data.by_query()
        taught = teaching(measure, queries.to_query_order(data.y), queries.offsets)
        return cls(data, measure, query_weights(queries, query_weight, taught))

    @classmethod
    def for_validation(cls, data: RankingData, measure: Evaluates) -> Self:
        return cls(data, measure, np.full(data.n_queries, 1 / data.n_queries))

    def values(self, scores: Floats) -> Floats:
        """The measure of each query at scores that are laid out by query; 0 where its weight is 0."""
        values = value_of_each(self.measure, scores, self.grades, self.queries.offsets)
        wrong = np.flatnonzero((self.weights > 0) & ~np.isfinite(values))
        if wrong.size:
            query = self.queries.ids[wrong[0]]
            raise InputError(f"{name_of(self.measure)} is {values[wrong[0]]} in query {query}; a learner needs a number")
        return np.where(self.weights > 0, values, 0.0)

    def scores(self, coef: Floats) -> Floats:
        """X w, laid out by query."""
        return self.queries.to_query_order(self.rows.scores(coef))

    def mean(self, scores: Floats) -> float:
        return float(np.sum(self.weights * self.values(scores)))
