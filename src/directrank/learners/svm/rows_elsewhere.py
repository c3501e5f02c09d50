"""The rows of shards, wherever they live, as those of one set."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Floats
from ...matrix.linear_operator import LinearOperator
from ...matrix.stacking import stacked
from ..core.shards import PerShard, Shards
from ..core.task import Task, count_documents


class ShardedRows(LinearOperator):
    """The rows of all shards, one shard after another: X stays where it is, scores come here, and coefficients go there.

    A pass over X takes one trip and 8 bytes for each row.

    Parameters
    ----------
    shards : Shards
    intercept : bool
        Whether there is a constant feature of 1 behind the others.
    """

    def __init__(self, shards: Shards, intercept: bool = False) -> None:
        self.shards, self.intercept = shards, intercept
        self.ends = np.cumsum(shards.each(count_documents))
        self.shape = (int(self.ends[-1]), shards.n_features)
        self.n_weights = shards.n_features + intercept

    def matvec(self, w: Floats) -> Floats:
        scores = np.concatenate(self.shards.each(_scores, w[: self.shape[1]]))
        return scores + w[-1] if self.intercept else scores

    def rmatvec(self, coefficients: Floats) -> Floats:
        total: Floats = self.shards.total(_combine, PerShard(np.split(coefficients, self.ends[:-1])))
        return np.append(total, coefficients.sum()) if self.intercept else total


def rows_here(shards: Shards) -> Any:
    """The rows of all shards, brought here."""
    return stacked(shards.each(_X))


def _X(task: Task) -> Any:
    return task.X


def _scores(task: Task, w: Floats) -> Floats:
    return task.operator.matvec(w)


def _combine(task: Task, coefficients: Floats) -> Floats:
    return task.operator.rmatvec(coefficients)
