"""Samples of queries for each boosting round, drawn by content."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...arrays import Bools
from ..core.content_keys import Keys, mixed
from ..core.shards import Shards
from ..core.task import Task, keys_of_documents
from ..core.validation import check_fraction, check_int
from .param_names import param_value
from .params import TreeParams, booster_seeds, check_seed


class SamplingParams(NamedTuple):
    """Parameters of query sampling.

    Attributes
    ----------
    fraction : float
        Fraction of the queries to draw, above 0 and up to 1.
    freq : int
        Number of rounds that a sample is kept for.
    seed : int
    """

    fraction: float
    freq: int
    seed: int


def sampling_params(given: dict[str, Any], seed: int) -> SamplingParams | None:
    """LightGBM's bagging parameters as they apply to queries; None without sampling, as without ``bagging_freq``."""
    fraction = check_fraction(param_value(given, "bagging_fraction", 1.0), "bagging_fraction")
    freq = check_int(param_value(given, "bagging_freq", 0), "bagging_freq", 0)
    seed += check_seed(param_value(given, "bagging_seed", 0), "bagging_seed") * 2**16
    return SamplingParams(fraction, freq, seed) if fraction < 1 and freq > 0 else None


class RoundSample(NamedTuple):
    """Sample of one round: everything whose key, mixed with the key of the round, is at most a limit.

    Attributes
    ----------
    round_key, limit : uint64
    by_document : bool
        Whether documents are sampled rather than queries.
    """

    round_key: np.uint64
    limit: np.uint64
    by_document: bool


class Sampler(Protocol):
    """Draws the sample of each round."""

    def draw(self, number: int) -> RoundSample | None:
        """Sample of a round, counted from 0; None for all queries."""


class PredrawnSampler:
    """Samples drawn in advance.

    Parameters
    ----------
    samples : sequence of RoundSample or None
        One for each round.
    """

    def __init__(self, samples: Sequence[RoundSample | None]) -> None:
        self.samples = samples

    def draw(self, number: int) -> RoundSample | None:
        return self.samples[number]


class QuerySampler:
    """Draws a fraction of the queries; of the documents, if only one query has a weight above 0.

    Samples depend on the seed and on the content of the queries: neither on the order of rows nor on names, shards or
    threads.

    Parameters
    ----------
    training : Shards
    params : SamplingParams
    """

    def __init__(self, training: Shards, params: SamplingParams) -> None:
        self.by_document = int(training.total(_count_weighted)) == 1
        self.keys = np.concatenate(training.each(_keys, self.by_document))
        self.size = max(1, round(params.fraction * self.keys.size))
        self.params = params

    def draw(self, number: int) -> RoundSample:
        """Sample of a round, counted from 0."""
        _, freq, seed = self.params
        round_key = mixed(mixed(np.array([seed + 1], np.uint64)) + np.uint64(number // freq))[0]
        limit = np.partition(mixed(self.keys + round_key), self.size - 1)[self.size - 1]
        return RoundSample(round_key, limit, self.by_document)


def make_samplers(params: TreeParams, training: Shards) -> list[QuerySampler | None]:
    """Sampler of each booster; None where nothing is sampled."""
    found = [
        sampling_params(params.given, booster_seeds(params.given, params.seed, index)["seed"])
        for index in range(params.n_seeds)
    ]
    return [None if sampling is None else QuerySampler(training, sampling) for sampling in found]


def is_drawn(task: Task, sample: RoundSample) -> Bools:
    """Whether each document of a shard, in query order, is in the sample."""
    keys = task.recall("keys", sample.by_document, lambda: _all_keys(task, sample.by_document))
    drawn = mixed(keys + sample.round_key) <= sample.limit
    return drawn if sample.by_document else np.repeat(drawn, np.diff(task.queries.offsets))


def _keys(task: Task, by_document: bool) -> Keys:
    """Keys of the queries of weight above 0, or of their documents."""
    keys: Keys = task.recall("keys", by_document, lambda: _all_keys(task, by_document))
    counts = task.weights > 0
    return keys[np.repeat(counts, np.diff(task.queries.offsets)) if by_document else counts]


def _all_keys(task: Task, by_document: bool) -> Keys:
    """Keys of all queries, or of their documents."""
    return keys_of_documents(task) if by_document else task.keys


def _count_weighted(task: Task) -> int:
    return int(np.count_nonzero(task.weights > 0))
