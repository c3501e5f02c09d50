"""Queries as the Ranking SVM sees them: all pairs of unequal grade, each counting the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...measures import AUC, bind
from ...measures.ranking.levels import count_pairs, levels_of
from ..core.shards import Shards, normalized
from ..core.task import Task, with_weights

#: The structural SVM of AUC has hinges max(0, 1 - 2 w^T (x_i - x_j)): for C/4, its w is half of the Ranking SVM's for C.
STRETCH = 2.0


def weight_by_pairs(task: Task) -> Task:
    """Queries with their weights times their numbers of pairs of unequal grade."""
    n_pairs = count_pairs(levels_of(task.bound.grades, task.queries.offsets), task.queries.offsets)
    return with_weights(task, task.weights * n_pairs)


def over_all_pairs(training: Shards) -> Shards:
    """The queries of any measure that are learned from, as those of the Ranking SVM."""
    return normalized(training.map(_over_all_pairs))


def _over_all_pairs(task: Task) -> Task:
    bound = bind(AUC(), task.bound.grades, task.queries.offsets)
    weights = np.where(task.weights > 0, task.given, 0.0)
    return weight_by_pairs(replace(task, bound=bound, weights=weights, memory={}))
