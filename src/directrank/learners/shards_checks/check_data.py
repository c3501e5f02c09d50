"""Data of the checks of shards, and how a check fails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from ...data import RankingData
from ...measures import AP
from ..core.shards import LocalShards, Shards

#: Number of features of the data.
N_FEATURES = 6


class MakeShards(Protocol):
    """Function that puts parts of data where they are to live."""

    def __call__(self, parts: Sequence[RankingData], /) -> Shards:
        """Shards with a task for each part."""


def make_parts(random_state: int = 0, sizes: Sequence[int] = (9, 4, 8)) -> list[RankingData]:
    """Parts of generated data, with some queries each; rows of a query are not adjacent in the second part."""
    random = np.random.default_rng(random_state)
    made, first = [], 0
    for number, n_queries in enumerate(sizes):
        qid = np.repeat(np.arange(first, first + n_queries), random.integers(4, 12, n_queries))
        X = random.normal(size=(qid.size, N_FEATURES))
        grades = np.clip(np.round(X @ [1.0, 0.8, -0.6, 0.3, 0.0, 0.0] + random.normal(size=qid.size)), 0, 3)
        order = random.permutation(qid.size) if number == 1 else np.arange(qid.size)
        names = [f"f{j}" for j in range(N_FEATURES)]
        made.append(RankingData(X[order], grades[order], qid[order], feature_names=names))
        first += n_queries
    return made


def in_this_process(parts: Sequence[RankingData]) -> LocalShards:
    """The shards that others are compared with."""
    return LocalShards.from_data(parts, AP())


def require(holds: bool, fault: str) -> None:
    """Raise an `AssertionError` unless the condition holds; ``python -O`` would skip an assert statement."""
    if not holds:
        raise AssertionError(fault)
