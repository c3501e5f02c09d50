"""A measure at the scores of LightGBM, which has the rows of all shards one after another: its lambdas, and its mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...data import InputError
from ...measures.pairs.evaluated_swaps import lambda_function
from ..core.shards import Shards
from ..core.task import Task, count_documents, name_of_measure, sum_of_weights
from .sampling import Draw, Draws, is_drawn

if TYPE_CHECKING:
    import lightgbm as lgb


Singles = NDArray[np.float32]


class Gradients:
    """The lambdas at scores, times a constant that makes the mean hessian 1 where all scores are 0.

    Parameters
    ----------
    tasks : sequence of Task
        Of all shards.
    sigma : float
        The steepness of the pairs' cost.
    scale : float
        The constant; see `scale_of`.
    in_query_order : bool
        Whether LightGBM has the documents in query order rather than in row order.
    sample : Draws, optional
        Whose draw of each round counts; gradient and hessian of the other documents are 0.
    """

    def __init__(
        self, tasks: Sequence[Task], sigma: float, scale: float, in_query_order: bool = False, sample: Draws | None = None
    ) -> None:
        self.tasks, self.sigma, self.scale = tasks, sigma, scale
        self.in_query_order, self.sample = in_query_order, sample
        self.rounds = 0

    def at(self, scores: Floats, _: lgb.Dataset) -> tuple[Singles, Singles]:
        """Gradient and hessian of each row, for the next round; in single precision, as LightGBM takes them."""
        draw = None if self.sample is None else self.sample.draw(self.rounds)
        gradients, hessians = np.empty(scores.size, np.float32), np.empty(scores.size, np.float32)
        ends = np.cumsum([task.n_documents for task in self.tasks]).tolist()
        for task, end in zip(self.tasks, ends, strict=True):
            rows = slice(end - task.n_documents, end)
            gradient, hessian = _lambdas(task, scores[rows], self.sigma, self.in_query_order, draw)
            gradients[rows], hessians[rows] = self._scaled(gradient), self._scaled(hessian)
        self.rounds += 1
        return gradients, hessians

    def _scaled(self, values: Floats) -> Floats:
        return values * self.scale


def scale_of(training: Shards, sigma: float) -> float:
    """The constant that makes the mean hessian 1 where all scores are 0.

    There, whatever the trees start from: far scores have next to no hessian, which is not to be blown up.
    """
    sum_of_hessians = float(training.total(_sum_of_hessians_at_0, sigma))
    if not sum_of_hessians > 0:
        name = training.each(name_of_measure)[0]
        raise InputError(f"no swap of two documents changes {name}: there is nothing to follow")
    return float(training.total(_count_informative_documents) / sum_of_hessians)


class MeanValue:
    """The weighted mean of the measure over the queries.

    Parameters
    ----------
    shards : Shards
    in_query_order : bool
        Whether LightGBM has the documents in query order rather than in row order.
    """

    def __init__(self, shards: Shards, in_query_order: bool = False) -> None:
        self.shards, self.in_query_order = shards, in_query_order
        self.starts, self.weight = _starts(shards), shards.total(sum_of_weights)

    def at(self, scores: Floats) -> float:
        return float(self.shards.total(_value, scores, self.starts, self.in_query_order) / self.weight)

    def each(self, scores: Floats) -> list[float]:
        """The weighted sum over the queries of each shard."""
        return self.shards.each(_value, scores, self.starts, self.in_query_order)


def _starts(shards: Shards) -> Ints:
    """Where the rows of each shard start, and the end."""
    return np.concatenate(([0], np.cumsum(shards.each(count_documents))))


def _lambdas(task: Task, scores: Floats, sigma: float, in_query_order: bool, draw: Draw | None) -> tuple[Floats, Floats]:
    """Weighted gradient and hessian of a shard's documents, 0 where they are not drawn."""
    at = scores if in_query_order else task.queries.to_query_order(scores)
    gradient, hessian = _weighted_lambdas(task, at, sigma)
    if draw is not None:
        drawn = is_drawn(task, draw)
        gradient, hessian = gradient * drawn, hessian * drawn
    if in_query_order:
        return gradient, hessian
    return task.queries.to_row_order(gradient), task.queries.to_row_order(hessian)


def _weighted_lambdas(task: Task, scores: Floats, sigma: float) -> tuple[Floats, Floats]:
    """At scores in query order."""
    gradient, hessian = task.recall("lambdas", None, lambda: lambda_function(task.bound))(sigma * scores)
    weights = task.recall("weights of documents", None, lambda: np.repeat(task.weights, np.diff(task.queries.offsets)))
    return gradient * weights, hessian * weights * sigma


def _sum_of_hessians_at_0(task: Task, sigma: float) -> float:
    zeros = np.zeros(task.n_documents)
    return float(_weighted_lambdas(task, zeros, sigma)[1].sum())


def _value(task: Task, scores: Floats, starts: Ints, in_query_order: bool) -> float:
    return task.weighted_value(_in_query_order(task, scores, starts, in_query_order))


def _in_query_order(task: Task, scores: Floats, starts: Ints, are_so_already: bool) -> Floats:
    """A shard's scores among all; LightGBM may have them in query order already."""
    part = scores[starts[task.number] : starts[task.number + 1]]
    return part if are_so_already else task.queries.to_query_order(part)


def _count_informative_documents(task: Task) -> int:
    return int(np.diff(task.queries.offsets)[task.weights > 0].sum())
