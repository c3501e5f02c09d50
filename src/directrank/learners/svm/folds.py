"""The best C by folds of the training queries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ...arrays import Floats, Ints
from ...data import InputError
from ..interruption import Interruptible
from ..shards import Shards, normalized
from ..task import Task, with_weights

#: How many values of C in a row may be worse than the best before larger ones are given up.
PATIENCE = 4


def C_by_folds(training: Shards, path_on: Callable[[Shards], Any], Cs: Floats, n_folds: int) -> tuple[float, Any | None]:
    """The C of the best mean value on queries held out; and, should the user interrupt, the first fold's solution for it.

    Each fold has one warm path. The paths go through the values of C together, and end when larger ones have become
    worse: those are the ones that take long. A fold is held out by a weight of 0, so no rows are copied.

    Parameters
    ----------
    path_on : callable
        Gives, for shards, an object whose method `solve` finds the `Solution` of one C after another.
    Cs : array
        Ascending.
    """
    folds = _Folds(training, n_folds)
    paths = [path_on(folds.without(i)) for i in range(folds.n_folds)]
    means: list[float] = []
    of_first_fold: list[Any] = []
    with Interruptible() as search:
        for C in Cs:
            values = []
            for i, path in enumerate(paths):
                solution = path.solve(float(C))
                if i == 0:
                    of_first_fold.append(solution)
                if solution.interrupted:
                    raise KeyboardInterrupt
                values.append(folds.value(i, solution.coef))
            means.append(float(np.mean(values)))
            last_best = len(means) - 1 - int(np.argmax(means[::-1]))
            if len(means) - 1 - last_best >= PATIENCE:
                break
    if search.interrupted and not of_first_fold:
        raise KeyboardInterrupt
    best = int(np.argmax(means)) if means else 0
    return float(Cs[best]), replace(of_first_fold[best], interrupted=True) if search.interrupted else None


class _Folds:
    """The queries dealt out to folds: informative ones first, so that every fold has its share of them."""

    def __init__(self, training: Shards, n_folds: int) -> None:
        counts = np.array(training.each(_count_informative))
        n_informative = int(counts[:, 0].sum())
        if n_informative < 2:
            raise InputError("C='auto' needs two informative queries to make folds of; give an eval_set, or a number for C")
        self.training, self.n_folds = training, min(n_folds, n_informative)
        self.first_numbers = np.cumsum(counts, axis=0) - counts + [0, n_informative]

    def without(self, fold: int) -> Shards:
        return normalized(self.training.map(_hold_out, fold, self.first_numbers, self.n_folds))

    def value(self, fold: int, w: Floats) -> float:
        """The mean value of the queries held out."""
        total, n_queries = self.training.total(_value_in_fold, w, fold, self.first_numbers, self.n_folds)
        return float(total / n_queries)


def _count_informative(task: Task) -> tuple[int, int]:
    informative = int(np.sum(task.weights > 0))
    return informative, task.n_queries - informative


def _fold_of_each(task: Task, first_numbers: Ints, n_folds: int) -> Ints:
    """The fold of each query; `first_numbers` of a shard's informative queries and of its others."""
    number = np.empty(task.n_queries, np.int64)
    for which, first in zip((task.weights > 0, task.weights == 0), first_numbers[task.number], strict=True):
        number[which] = first + np.arange(which.sum())
    return number % n_folds


def _hold_out(task: Task, fold: int, first_numbers: Ints, n_folds: int) -> Task:
    return with_weights(task, np.where(_fold_of_each(task, first_numbers, n_folds) == fold, 0.0, task.weights))


def _value_in_fold(task: Task, w: Floats, fold: int, first_numbers: Ints, n_folds: int) -> tuple[float, int]:
    values = task.bound.evaluate(task.queries.to_query_order(task.rows.scores(w)))
    mine = values[_fold_of_each(task, first_numbers, n_folds) == fold]
    return float(mine.sum()), int(mine.size)
