"""Lambdas and mean of a measure at LightGBM's scores, which cover the documents of all shards in a row, in query order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...data import InputError
from ...measures.capabilities import Lambdas
from ...measures.pairs.evaluated_swaps import lambda_function
from ..core.shards import Shards
from ..core.task import Task, count_documents, name_of_measure, sum_of_weights
from .sampling import RoundSample, Sampler, is_drawn

if TYPE_CHECKING:
    import lightgbm as lgb


Singles = NDArray[np.float32]


class LambdaScale(NamedTuple):
    """Scale of the lambdas of a training.

    Attributes
    ----------
    sigma : float
        Steepness of the pairwise loss.
    normalize : bool
        Whether pairs count by the distance of their scores, and the lambdas of a query with sum S of absolute values are
        multiplied by log2(1 + S)/S, S being 1 for the mean query where all scores are 0.
    factor : float
        Constant that makes the mean hessian 1 where all scores are 0. At 0, not at the initial scores: large initial scores
        have next to no hessian, which must not be blown up.
    mean_sum : float
        Mean over the queries of the sum of the absolute lambdas, where all scores are 0.
    """

    sigma: float
    normalize: bool
    factor: float = 1.0
    mean_sum: float = 1.0

    @classmethod
    def from_training(cls, training: Shards, sigma: float, normalize: bool) -> LambdaScale:
        """Scale with the constants of some training queries."""
        sum_of_hessians, sum_of_lambdas = training.total(_sums_at_0, sigma).tolist()
        if not sum_of_hessians > 0:
            name = training.each(name_of_measure)[0]
            raise InputError(f"no swap of two documents changes {name}: there is nothing to follow")
        n_documents, n_queries = training.total(informative_sizes).tolist()
        return cls(sigma, normalize, n_documents / sum_of_hessians, sum_of_lambdas / n_queries)


class Gradients:
    """Gradients and hessians for LightGBM: the scaled lambdas.

    Parameters
    ----------
    tasks : sequence of Task
        Tasks of all shards.
    scale : LambdaScale
    sampler : Sampler, optional
        Gradient and hessian of documents outside the sample of a round are 0.
    """

    def __init__(self, tasks: Sequence[Task], scale: LambdaScale, sampler: Sampler | None = None) -> None:
        self.tasks, self.scale, self.sampler = tasks, scale, sampler
        self.rounds = 0

    def at(self, scores: Floats, _: lgb.Dataset) -> tuple[Singles, Singles]:
        """Gradient and hessian of each document, for the next round; in single precision, as LightGBM takes them."""
        sample = None if self.sampler is None else self.sampler.draw(self.rounds)
        gradients, hessians = np.empty(scores.size, np.float32), np.empty(scores.size, np.float32)
        ends = np.cumsum([task.n_documents for task in self.tasks]).tolist()
        for task, end in zip(self.tasks, ends, strict=True):
            rows = slice(end - task.n_documents, end)
            gradient, hessian = _lambdas(task, scores[rows], self.scale, sample)
            gradients[rows], hessians[rows] = self._scaled(gradient), self._scaled(hessian)
        self.rounds += 1
        return gradients, hessians

    def _scaled(self, values: Floats) -> Floats:
        return values * self.scale.factor


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


def _lambdas(task: Task, scores: Floats, scale: LambdaScale, sample: RoundSample | None) -> Lambdas:
    """Weighted gradient and hessian of a shard's documents, 0 outside the sample."""
    found = _weighted_lambdas(task, scores, scale)
    if sample is None:
        return found
    drawn = is_drawn(task, sample)
    return Lambdas(found.gradient * drawn, found.hessian * drawn)


def _weighted_lambdas(task: Task, scores: Floats, scale: LambdaScale) -> Lambdas:
    """Lambdas times query weights, at scores in query order."""
    gradient, hessian = _function(task)(scale.sigma * scores, scale.normalize)
    factors = task.weights
    if scale.normalize:
        sums = _sums_by_query(task, np.abs(gradient)) / scale.mean_sum
        factors = factors * np.where(sums > 0, np.log1p(sums) / np.log(2) / np.where(sums > 0, sums, 1.0), 1.0)
    factors = np.repeat(factors, np.diff(task.queries.offsets))
    return Lambdas(gradient * factors, hessian * factors * scale.sigma)


def _function(task: Task) -> Callable[[Floats, bool], Lambdas]:
    found: Callable[[Floats, bool], Lambdas] = task.recall("lambdas", None, lambda: lambda_function(task.bound))
    return found


def _sums_at_0(task: Task, sigma: float) -> Floats:
    """Weighted sum of the hessians, and sum of the absolute lambdas of queries of weight above 0, at scores 0."""
    gradient, hessian = _function(task)(np.zeros(task.n_documents), False)
    hessians, lambdas = _sums_by_query(task, hessian * sigma), _sums_by_query(task, np.abs(gradient))
    return np.array([np.sum(task.weights * hessians), np.sum(lambdas[task.weights > 0])])


def _sums_by_query(task: Task, values: Floats) -> Floats:
    sums: Floats = np.add.reduceat(values, task.queries.offsets[:-1])
    return sums


def _value(task: Task, scores: Floats, starts: Ints) -> float:
    return task.weighted_value(scores[starts[task.number] : starts[task.number + 1]])


def informative_sizes(task: Task) -> Ints:
    """Numbers of documents and of queries of weight above 0."""
    counts = task.weights > 0
    return np.array([np.diff(task.queries.offsets)[counts].sum(), counts.sum()])
