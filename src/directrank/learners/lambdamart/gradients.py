"""A measure at the scores of LightGBM, which has the rows of all shards one after another: its lambdas, and its mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...arrays import Floats, Ints
from ...data import InputError
from ...measures import lambdas_of
from ..shards import Shards
from ..task import Task, count_documents, name_of_measure, sum_of_weights
from .sampling import Draw, Sample, is_drawn

if TYPE_CHECKING:
    import lightgbm as lgb


class Gradients:
    """The lambdas at scores, times a constant that makes the mean hessian 1 where all scores are 0.

    Parameters
    ----------
    training : Shards
    sigma : float
        The steepness of the pairs' cost.
    in_query_order : bool
        Whether LightGBM has the documents in query order rather than in row order.
    sample : Sample, optional
        Whose draw of each round counts; gradient and hessian of the other documents are 0.
    """

    def __init__(self, training: Shards, sigma: float, in_query_order: bool = False, sample: Sample | None = None) -> None:
        self.training, self.sigma, self.in_query_order, self.sample = training, sigma, in_query_order, sample
        self.starts, self.scale, self.rounds = _starts(training), 0.0, 0

    def at(self, scores: Floats, _: lgb.Dataset) -> tuple[Floats, Floats]:
        """Gradient and hessian of each row, for the next round."""
        draw = None if self.sample is None else self.sample.draw(self.rounds)
        shards = self.training.each(_lambdas, scores, self.starts, self.sigma, self.in_query_order, draw)
        gradients, hessians = zip(*shards, strict=True)
        if self.scale == 0.0:
            self.scale = self._scale()
        self.rounds += 1
        return np.concatenate(gradients) * self.scale, np.concatenate(hessians) * self.scale

    def _scale(self) -> float:
        """At scores of 0, whatever the trees start from: far scores have next to no hessian, which is not to be blown up."""
        zeros = np.zeros(self.starts[-1])
        at_zero = self.training.each(_lambdas, zeros, self.starts, self.sigma, True, None)
        sum_of_hessians = float(sum(hessian.sum() for _, hessian in at_zero))
        if not sum_of_hessians > 0:
            name = self.training.each(name_of_measure)[0]
            raise InputError(f"no swap of two documents changes {name}: there is nothing to follow")
        return self.training.total(_count_informative_documents) / sum_of_hessians


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


def _starts(shards: Shards) -> Ints:
    """Where the rows of each shard start, and the end."""
    return np.concatenate(([0], np.cumsum(shards.each(count_documents))))


def _lambdas(
    task: Task, scores: Floats, starts: Ints, sigma: float, in_query_order: bool, draw: Draw | None
) -> tuple[Floats, Floats]:
    """Weighted gradient and hessian of a shard's documents, 0 where they are not drawn."""
    at = sigma * _in_query_order(task, scores, starts, in_query_order)
    gradient, hessian = task.recall("lambdas", None, lambda: lambdas_of(task.bound))(at)
    weights = np.repeat(task.weights, np.diff(task.queries.offsets))
    gradient, hessian = gradient * weights, hessian * weights * sigma
    if draw is not None:
        drawn = is_drawn(task, draw)
        gradient, hessian = gradient * drawn, hessian * drawn
    if in_query_order:
        return gradient, hessian
    return task.queries.to_row_order(gradient), task.queries.to_row_order(hessian)


def _value(task: Task, scores: Floats, starts: Ints, in_query_order: bool) -> float:
    return task.weighted_value(_in_query_order(task, scores, starts, in_query_order))


def _in_query_order(task: Task, scores: Floats, starts: Ints, are_so_already: bool) -> Floats:
    """A shard's scores among all; LightGBM may have them in query order already."""
    part = scores[starts[task.number] : starts[task.number + 1]]
    return part if are_so_already else task.queries.to_query_order(part)


def _count_informative_documents(task: Task) -> int:
    return int(np.diff(task.queries.offsets)[task.weights > 0].sum())
