"""Lambdas and mean of a measure at LightGBM's scores, which cover the documents of all shards in a row, in query order."""

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
from .sampling import RoundSample, Sampler, is_drawn

if TYPE_CHECKING:
    import lightgbm as lgb


Singles = NDArray[np.float32]


class Gradients:
    """Gradients and hessians for LightGBM: the lambdas, times a constant scale.

    Parameters
    ----------
    tasks : sequence of Task
        Tasks of all shards.
    sigma : float
        Steepness of the pairwise loss.
    scale : float
        See `hessian_scale`.
    sampler : Sampler, optional
        Gradient and hessian of documents outside the sample of a round are 0.
    """

    def __init__(self, tasks: Sequence[Task], sigma: float, scale: float, sampler: Sampler | None = None) -> None:
        self.tasks, self.sigma, self.scale, self.sampler = tasks, sigma, scale, sampler
        self.rounds = 0

    def at(self, scores: Floats, _: lgb.Dataset) -> tuple[Singles, Singles]:
        """Gradient and hessian of each document, for the next round; in single precision, as LightGBM takes them."""
        sample = None if self.sampler is None else self.sampler.draw(self.rounds)
        gradients, hessians = np.empty(scores.size, np.float32), np.empty(scores.size, np.float32)
        ends = np.cumsum([task.n_documents for task in self.tasks]).tolist()
        for task, end in zip(self.tasks, ends, strict=True):
            rows = slice(end - task.n_documents, end)
            gradient, hessian = _lambdas(task, scores[rows], self.sigma, sample)
            gradients[rows], hessians[rows] = self._scaled(gradient), self._scaled(hessian)
        self.rounds += 1
        return gradients, hessians

    def _scaled(self, values: Floats) -> Floats:
        return values * self.scale


def hessian_scale(training: Shards, sigma: float) -> float:
    """Constant that makes the mean hessian 1 where all scores are 0.

    At 0, not at the initial scores: large initial scores have next to no hessian, which must not be blown up.
    """
    sum_of_hessians = float(training.total(_sum_of_hessians_at_0, sigma))
    if not sum_of_hessians > 0:
        name = training.each(name_of_measure)[0]
        raise InputError(f"no swap of two documents changes {name}: there is nothing to follow")
    return float(training.total(_count_informative_documents) / sum_of_hessians)


class MeanValue:
    """Weighted mean of the measure over the queries, at LightGBM's scores.

    Parameters
    ----------
    shards : Shards
    """

    def __init__(self, shards: Shards) -> None:
        self.shards = shards
        self.starts, self.weight = _starts(shards), shards.total(sum_of_weights)

    def at(self, scores: Floats) -> float:
        return float(self.shards.total(_value, scores, self.starts) / self.weight)

    def per_shard(self, scores: Floats) -> list[float]:
        """Weighted sum over the queries of each shard."""
        return self.shards.each(_value, scores, self.starts)


def _starts(shards: Shards) -> Ints:
    """Row at which each shard starts, and the number of rows."""
    return np.concatenate(([0], np.cumsum(shards.each(count_documents))))


def _lambdas(task: Task, scores: Floats, sigma: float, sample: RoundSample | None) -> tuple[Floats, Floats]:
    """Weighted gradient and hessian of a shard's documents, 0 outside the sample."""
    gradient, hessian = _weighted_lambdas(task, scores, sigma)
    if sample is None:
        return gradient, hessian
    drawn = is_drawn(task, sample)
    return gradient * drawn, hessian * drawn


def _weighted_lambdas(task: Task, scores: Floats, sigma: float) -> tuple[Floats, Floats]:
    """Lambdas times query weights, at scores in query order."""
    gradient, hessian = task.recall("lambdas", None, lambda: lambda_function(task.bound))(sigma * scores)
    weights = task.recall("weights of documents", None, lambda: np.repeat(task.weights, np.diff(task.queries.offsets)))
    return gradient * weights, hessian * weights * sigma


def _sum_of_hessians_at_0(task: Task, sigma: float) -> float:
    zeros = np.zeros(task.n_documents)
    return float(_weighted_lambdas(task, zeros, sigma)[1].sum())


def _value(task: Task, scores: Floats, starts: Ints) -> float:
    return task.weighted_value(scores[starts[task.number] : starts[task.number + 1]])


def _count_informative_documents(task: Task) -> int:
    return int(np.diff(task.queries.offsets)[task.weights > 0].sum())
