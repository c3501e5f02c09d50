"""Sums over the steps of a boosted model on a shard, of scores or other values, cached from round to round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...arrays import Floats
from ..core.shards import Shards
from ..core.task import Task
from .weak_rankers import Steps

#: Contribution of a weak ranker to the score of each document, or to another value of each document or query.
Contribution = Callable[[Task, Any], Floats]


def scores_of(task: Task, steps: Steps, contribution: Contribution) -> Floats:
    """Scores of a model."""
    return sum_over(task, "scores", steps, contribution, task.n_documents)


def values_of(task: Task, steps: Steps, contribution: Contribution) -> Floats:
    """Measure of a model in each query; 0 for a model without steps."""
    if not steps:
        return np.zeros(task.n_queries)
    return _recent(task, "values", steps, lambda: task.values(scores_of(task, steps, contribution)))


def mean_of_values(validation: Shards, steps: Steps, contribution: Contribution) -> float:
    """Mean of the measure of a model over the queries of a validation set, whose weights are 1."""
    total, n_queries = validation.total(_sum_of_values, steps, contribution)
    return float(total / n_queries)


def sum_over(task: Task, name: str, steps: Steps, contribution: Contribution, size: int) -> Floats:
    """Sum over all steps: the cached sum before the last step, and the last; without a cache, of all one by one."""

    def compute() -> Floats:
        before = task.memory.get(name, {}).get(steps[:-1])
        total, rest = (np.zeros(size), steps) if before is None else (before, steps[-1:])
        for step in rest:
            total = total + contribution(task, step)
        return total

    return _recent(task, name, steps, compute)


def _sum_of_values(task: Task, steps: Steps, contribution: Contribution) -> tuple[float, int]:
    return float(np.sum(values_of(task, steps, contribution))), task.n_queries


def _recent(task: Task, name: str, steps: Steps, compute: Callable[[], Floats]) -> Floats:
    """Value for these steps; cached for them and for the steps before the last."""
    known = task.memory.get(name, {})
    if steps not in known:
        task.memory[name] = {s: value for s, value in known.items() if s == steps[:-1]} | {steps: compute()}
    return task.memory[name][steps]  # type: ignore[no-any-return]
