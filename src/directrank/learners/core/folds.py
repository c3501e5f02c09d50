"""Cross-validation folds of the training queries."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Bools, Floats, Ints
from .shards import Shards, normalized
from .task import Task


def count_informative(training: Shards) -> int:
    """Number of queries to learn from."""
    return int(np.sum([informative for informative, _ in training.each(_count)]))


class Folds:
    """Folds of the training queries; informative queries are assigned first, so that each fold has its share of them.

    The queries of a fold are held out by a weight of 0, so no rows are copied.

    Parameters
    ----------
    training : Shards
        At least two of its queries are informative.
    n_folds : int
        Number of folds; at most the number of informative queries.
    """

    def __init__(self, training: Shards, n_folds: int) -> None:
        counts = np.array(training.each(_count))
        n_informative = int(counts[:, 0].sum())
        self.training, self.n_folds = training, min(n_folds, n_informative)
        self.first_numbers = np.cumsum(counts, axis=0) - counts + [0, n_informative]

    def without(self, fold: int) -> Shards:
        """Queries of all other folds."""
        return normalized(self.training.map(_weigh, fold, False, self.first_numbers, self.n_folds))

    def only(self, fold: int) -> Shards:
        """Queries of one fold."""
        return normalized(self.training.map(_weigh, fold, True, self.first_numbers, self.n_folds))

    def value(self, fold: int, w: Floats) -> float:
        """Mean value of a fold's queries, without those that the user gave a weight of 0."""
        total, n_queries = self.training.total(_value_in_fold, w, fold, self.first_numbers, self.n_folds)
        return float(total / n_queries)


def _count(task: Task) -> tuple[int, int]:
    """Number of informative queries, and of others."""
    informative = int(np.sum(task.weights > 0))
    return informative, task.n_queries - informative


def _in_fold(task: Task, fold: int, first_numbers: Ints, n_folds: int) -> Bools:
    """Mask of the queries of a fold; `first_numbers` are those of a shard's informative queries and of its others."""
    number = np.empty(task.n_queries, np.int64)
    for which, first in zip((task.weights > 0, task.weights == 0), first_numbers[task.number], strict=True):
        number[which] = first + np.arange(which.sum())
    return number % n_folds == fold


def _weigh(task: Task, fold: int, inside: bool, first_numbers: Ints, n_folds: int) -> Task:
    """Task with weight 0 for the queries outside a fold, or inside; also for a learner that weights them anew."""
    counts = _in_fold(task, fold, first_numbers, n_folds) == inside
    return replace(task, given=task.given * counts, weights=task.weights * counts, memory={})


def _value_in_fold(task: Task, w: Floats, fold: int, first_numbers: Ints, n_folds: int) -> tuple[float, int]:
    values = task.bound.evaluate(task.queries.to_query_order(task.operator.matvec(w)))
    mine = values[_in_fold(task, fold, first_numbers, n_folds) & (task.given > 0)]
    return float(mine.sum()), int(mine.size)
