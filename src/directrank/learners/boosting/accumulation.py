"""Scores of a boosted model on a shard: the sum of what each of its steps adds, remembered from round to round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...arrays import Floats
from ..task import Task

#: The weak rankers of a model in the order of their rounds.
Steps = tuple[Any, ...]

#: What a weak ranker adds to the score of each document.
Contribution = Callable[[Task, Any], Floats]


def scores_of(task: Task, steps: Steps, contribution: Contribution) -> Floats:
    """The scores of a model: those of all but its last step, and the last; without memory of these, all one by one."""

    def compute() -> Floats:
        before = task.memory.get("scores", {}).get(steps[:-1])
        scores, rest = (np.zeros(task.n_documents), steps) if before is None else (before, steps[-1:])
        for step in rest:
            scores = scores + contribution(task, step)
        return scores

    return _recent(task, "scores", steps, compute)


def values_of(task: Task, steps: Steps, contribution: Contribution) -> Floats:
    """The measure of a model in each query; 0 for a model without steps."""
    if not steps:
        return np.zeros(task.n_queries)
    return _recent(task, "values", steps, lambda: task.values(scores_of(task, steps, contribution)))


def _recent(task: Task, name: str, steps: Steps, compute: Callable[[], Floats]) -> Floats:
    """What was computed for these steps; remembered for them and for the steps before the last."""
    known = task.memory.get(name, {})
    if steps not in known:
        task.memory[name] = {s: value for s, value in known.items() if s == steps[:-1]} | {steps: compute()}
    return task.memory[name][steps]  # type: ignore[no-any-return]
