"""The sample of queries that a round learns from, drawn by what they hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...arrays import Bools
from ...data import InputError
from ..core.content_keys import Keys, document_keys, mixed, query_keys
from ..core.shards import Shards
from ..core.task import Task
from ..core.validation import check_int, check_positive
from .lightgbm import check_seed, value_of


class Sampling(NamedTuple):
    """How queries are sampled.

    Attributes
    ----------
    share : float
        How much of the queries to draw, above 0 and up to 1.
    every : int
        For how many rounds a sample is kept.
    seed : int
    """

    share: float
    every: int
    seed: int


def sampling_of(given: dict[str, Any], seed: int) -> Sampling | None:
    """What a user's parameters of LightGBM say of it; None where nothing is sampled, as without ``bagging_freq``."""
    wanted = "a number above 0 and up to 1"
    share = check_positive(value_of(given, "bagging_fraction", 1.0), "bagging_fraction", wanted)
    if share > 1:
        raise InputError(f"bagging_fraction must be {wanted}, not {share!r}")
    every = check_int(value_of(given, "bagging_freq", 0), "bagging_freq", 0)
    seed += check_seed(value_of(given, "bagging_seed", 0), "bagging_seed") * 2**16
    return Sampling(share, every, seed) if share < 1 and every > 0 else None


class Draw(NamedTuple):
    """What is drawn: all whose key, mixed with that of the round, is up to a limit.

    Attributes
    ----------
    round_key, limit : uint64
    by_document : bool
        Whether documents are drawn rather than queries.
    """

    round_key: np.uint64
    limit: np.uint64
    by_document: bool


class Draws(Protocol):
    """What says what is drawn in each round."""

    def draw(self, number: int) -> Draw | None:
        """That of a round; rounds are numbered from 0. None for all."""


class DrawsAhead:
    """Draws that were made beforehand.

    Parameters
    ----------
    draws : sequence of Draw or None
        Of each round.
    """

    def __init__(self, draws: Sequence[Draw | None]) -> None:
        self.draws = draws

    def draw(self, number: int) -> Draw | None:
        return self.draws[number]


class Sample:
    """Draws the same share of the queries again and again; where only one has a weight above 0, of its documents.

    Which ones depends on the seed and on what they hold: neither on the order of the rows nor on names, shards or threads.

    Parameters
    ----------
    training : Shards
    sampling : Sampling
    """

    def __init__(self, training: Shards, sampling: Sampling) -> None:
        self.by_document = int(training.total(_count_weighted)) == 1
        self.keys = np.concatenate(training.each(_keys, self.by_document))
        self.size = max(1, round(sampling.share * self.keys.size))
        self.sampling = sampling

    @classmethod
    def of(cls, training: Shards, sampling: Sampling | None) -> Sample | None:
        """None where nothing is sampled."""
        return None if sampling is None else cls(training, sampling)

    def draw(self, number: int) -> Draw:
        """That of a round; rounds are numbered from 0."""
        _, every, seed = self.sampling
        round_key = mixed(mixed(np.array([seed + 1], np.uint64)) + np.uint64(number // every))[0]
        limit = np.partition(mixed(self.keys + round_key), self.size - 1)[self.size - 1]
        return Draw(round_key, limit, self.by_document)


def is_drawn(task: Task, draw: Draw) -> Bools:
    """Whether each document of a shard, in query order, is in the sample."""
    keys = task.recall("keys", draw.by_document, lambda: _all_keys(task, draw.by_document))
    drawn = mixed(keys + draw.round_key) <= draw.limit
    return drawn if draw.by_document else np.repeat(drawn, np.diff(task.queries.offsets))


def _keys(task: Task, by_document: bool) -> Keys:
    """Those of the queries that count, or of their documents."""
    keys: Keys = task.recall("keys", by_document, lambda: _all_keys(task, by_document))
    counts = task.weights > 0
    return keys[np.repeat(counts, np.diff(task.queries.offsets)) if by_document else counts]


def _all_keys(task: Task, by_document: bool) -> Keys:
    documents = document_keys(task)
    return documents if by_document else query_keys(task, documents)


def _count_weighted(task: Task) -> int:
    return int(np.count_nonzero(task.weights > 0))
