"""Single features as weak rankers (Xu & Li 2007, section 3.6)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from ...arrays import Floats
from ...models import LinearModel
from ..core.monitoring import first_best
from ..core.shards import Shards
from ..core.task import Task
from ..core.validation import check_summable
from .distribution import BoostedModel
from .weak_rankers import WeakRanker, WeakRankers, check_range

#: How many bytes of columns a shard keeps at most, and as a share of those of X.
BYTES_OF_COLUMNS, SHARE_OF_X = 2**28, 0.1


class SingleFeature(NamedTuple):
    """A feature as a weak ranker.

    Attributes
    ----------
    number : int
        Of the weak ranker among all; where `both`, features and their reverses take turns.
    both : bool
    """

    number: int
    both: bool

    @property
    def feature(self) -> int:
        return self.number // 2 if self.both else self.number

    @property
    def direction(self) -> float:
        return -1.0 if self.both and self.number % 2 else 1.0

    def scores(self, task: Task) -> Floats:
        column = _column(task, self.feature)
        return -column if self.direction < 0 else column

    def values(self, task: Task) -> Floats:
        return weak_values(task, self.both)[self.number]  # type: ignore[no-any-return]


class AllFeatures(NamedTuple):
    """All features, and where `both` also their reverses, as candidates in the order of their numbers."""

    both: bool

    def values(self, task: Task) -> Floats:
        return weak_values(task, self.both)


class SingleFeatures(WeakRankers):
    """All features, and where `both` also their reverses.

    Parameters
    ----------
    training : Shards
    both : bool
    sets_aside : bool
        Whether a feature that did not improve the model is no candidate until another one has.
    """

    def __init__(self, training: Shards, both: bool, sets_aside: bool) -> None:
        self.n_features, self.both, self.has_others = training.n_features, both, sets_aside
        self.candidates = AllFeatures(both)
        self.aside = np.zeros(training.n_features * (1 + both), bool)
        self.called, self.advice = (
            "feature",
            "varies within queries; try a measure that sees more of the ranking"
            + ("" if both else ", or directions='both'"),
        )

    def best(self, model: BoostedModel) -> tuple[WeakRanker, float]:
        """The feature of the highest phi, the first of equally good ones."""
        phi = np.where(self.aside, -np.inf, model.phi)
        return SingleFeature(first_best(phi), self.both), float(phi.max())

    def tried(self, weak: WeakRanker, improves: bool) -> None:
        assert isinstance(weak, SingleFeature)
        if improves:
            self.aside[:] = False
        elif self.has_others:
            self.aside[weak.number] = True

    def as_model(self, steps: list[tuple[WeakRanker, float]]) -> LinearModel:
        coef = np.zeros(self.n_features)
        for weak, alpha in steps:
            coef[weak.feature] += weak.direction * alpha
        return LinearModel(coef)


def weak_values(task: Task, both: bool) -> Floats:
    """Every feature as a ranking, and where `both` also its reverse: the value of each in each query, computed once."""

    def compute() -> Floats:
        rankings = (ranking for column in task.columns for ranking in ((column, -column) if both else (column,)))
        return check_range(np.array([task.values(ranking) for ranking in rankings]), task)

    return task.recall("weak values", both, compute)  # type: ignore[no-any-return]


def _column(task: Task, feature: int) -> Floats:
    """A feature in query order; features are often tried again, so some are kept."""
    columns = task.memory.setdefault("columns", {})
    column = columns.pop(feature, None)
    if column is None:
        column = check_summable(task.columns[feature])
    columns[feature] = column  # now the last one used
    if len(columns) > max(1, _room_for_columns(task)):
        columns.pop(next(iter(columns)))
    return column  # type: ignore[no-any-return]


def _room_for_columns(task: Task) -> int:
    """How many columns are kept."""
    X = task.X.data if sparse.issparse(task.X) else task.X
    return int(min(BYTES_OF_COLUMNS, SHARE_OF_X * X.nbytes) // (8 * task.n_documents))
