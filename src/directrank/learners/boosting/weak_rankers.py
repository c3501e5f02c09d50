"""Weak rankers of AdaRank: their interface, and single features as weak rankers (Xu & Li 2007, section 3.6)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from scipy import sparse

from ...arrays import Floats
from ...data import InputError
from ...measures import name_of
from ...models import LinearModel, Model
from ..core.column_moments import column_ranges
from ..core.monitoring import EQUAL_VALUES, first_best
from ..core.shards import Shards
from ..core.task import Task
from ..core.validation import check_summable

#: Weak rankers of a model with their weights, in the order of their rounds.
Steps = tuple[Any, ...]

#: Maximum size of the columns that a shard caches, in bytes and as a share of the size of X.
MAX_CACHED_BYTES, MAX_CACHED_SHARE = 2**28, 0.1


#: Name of the values of all candidates in a task's memory.
_WEAK_VALUES = "weak values"


class WeakRanker(Protocol):
    """A weak ranker h: a value that is sent to the shards, and is equal only to itself."""

    @property
    def feature(self) -> int | None:
        """Number of the feature; None if it is not a single feature."""

    @property
    def direction(self) -> float:
        """1, or -1 for a feature in reverse."""

    def scores(self, task: Task) -> Floats:
        """Score h(x) of each document, in query order."""

    def values(self, task: Task) -> Floats:
        """E(q, h) of each query."""


class Candidates(Protocol):
    """Weak rankers that are known before the first round: a value that is sent to the shards."""

    def values(self, task: Task) -> Floats:
        """E(q, h), with a row for each candidate and a column for each query."""


class NoCandidates:
    """No candidates: each weak ranker is trained in its round."""

    def values(self, task: Task) -> Floats:
        return np.empty((0, task.n_queries))


class BoostedModel(NamedTuple):
    """A model, and its facts on the training queries.

    Attributes
    ----------
    update : {"adarank", "adaboost"}
    steps : tuple of (weak ranker, alpha)
    value : float
        Mean of the measure.
    log_normalizer : float
        Log of the normaliser of P.
    phi : array
        Sum of P(q) E(q, h) for each candidate h.
    remains : float
        Product of Theorem 1, an upper bound of the loss.
    """

    update: str
    steps: Steps
    value: float
    log_normalizer: float
    phi: Floats
    remains: float


class WeakRankers(ABC):
    """Source of weak rankers.

    Attributes
    ----------
    candidates : Candidates
        Weak rankers whose phi each model knows, so that `best` need not ask the shards.
    has_others : bool
        Whether `best` has another weak ranker if the last one did not improve the model.
    called : str
        Noun for a weak ranker in messages.
    advice : str
        Advice for the case that none is of use.
    """

    candidates: Candidates
    has_others: bool
    called: str
    advice: str

    @abstractmethod
    def best(self, model: BoostedModel) -> tuple[WeakRanker, float]:
        r"""The weak ranker for the distribution P that a model leaves, and its :math:`\varphi = \sum_q P(q) E(q, h)`."""

    @abstractmethod
    def tried(self, weak: WeakRanker, improves: bool) -> None:
        """Take note of whether a weak ranker improved the model."""

    @abstractmethod
    def as_model(self, steps: list[tuple[WeakRanker, float]]) -> Model:
        """Weighted sum of weak rankers."""


class SingleFeature(NamedTuple):
    """A feature as a weak ranker.

    Attributes
    ----------
    number : int
        Number of the weak ranker; with `both`, features and their reverses alternate.
    both : bool
    missing : float
        Value of the feature that a missing one counts as: the one that is ranked last.
    """

    number: int
    both: bool
    missing: float = 0.0

    @property
    def feature(self) -> int:
        return self.number // 2 if self.both else self.number

    @property
    def direction(self) -> float:
        return -1.0 if self.both and self.number % 2 else 1.0

    def scores(self, task: Task) -> Floats:
        column = filled(_column(task, self.feature), self.missing)
        return -column if self.direction < 0 else column

    def values(self, task: Task) -> Floats:
        known = task.memory.get(_WEAK_VALUES)
        return check_range(task.values(self.scores(task)), task) if known is None else known[1][self.number]  # type: ignore[no-any-return]


class AllFeatures(NamedTuple):
    """All features, with `both` also their reverses, as candidates in the order of their numbers.

    Attributes
    ----------
    both : bool
    ends : mapping from features to pairs of floats
        Lowest and highest value of each feature with missing values.
    """

    both: bool
    ends: Mapping[int, tuple[float, float]]

    @classmethod
    def of(cls, training: Shards, both: bool) -> Self:
        ranges = column_ranges(training)
        gaps = np.flatnonzero((ranges.n_missing > 0) & (ranges.n_present > 0)).tolist()
        return cls(both, {j: (float(ranges.low[j]), float(ranges.high[j])) for j in gaps})

    def weak_ranker(self, number: int) -> SingleFeature:
        """Weak ranker of a number."""
        weak = SingleFeature(number, self.both)
        low, high = self.ends.get(weak.feature, (0.0, 0.0))
        return weak._replace(missing=high if weak.direction < 0 else low)

    def values(self, task: Task) -> Floats:
        return task.recall(_WEAK_VALUES, self.both, lambda: self._values(task))  # type: ignore[no-any-return]

    def _values(self, task: Task) -> Floats:
        """Value of each feature as a ranking, with `both` also of its reverse, in each query."""
        values = []
        for feature, column in enumerate(task.columns):
            low, high = self.ends.get(feature, (0.0, 0.0))
            values.append(task.values(filled(column, low)))
            if self.both:
                values.append(task.values(-filled(column, high)))
        return check_range(np.array(values), task)


class SingleFeatures(WeakRankers):
    """Single features, with `both` also their reverses.

    Parameters
    ----------
    training : Shards
    both : bool
    sets_aside : bool
        Whether a feature that did not improve the model is set aside until another one does.
    """

    def __init__(self, training: Shards, both: bool, sets_aside: bool) -> None:
        self.n_features, self.both, self.has_others = training.n_features, both, sets_aside
        self.candidates: AllFeatures = AllFeatures.of(training, both)
        self.aside = np.zeros(training.n_features * (1 + both), bool)
        self.called, self.advice = (
            "feature",
            "varies within queries; try a measure that sees more of the ranking"
            + ("" if both else ", or directions='both'"),
        )

    def best(self, model: BoostedModel) -> tuple[WeakRanker, float]:
        """Feature of the highest phi, the first of equally good ones."""
        phi = np.where(self.aside, -np.inf, model.phi)
        return self.candidates.weak_ranker(first_best(phi)), float(phi.max())

    def tried(self, weak: WeakRanker, improves: bool) -> None:
        assert isinstance(weak, SingleFeature)
        if improves:
            self.aside[:] = False
        elif self.has_others:
            self.aside[weak.number] = True

    def as_model(self, steps: list[tuple[WeakRanker, float]]) -> LinearModel:
        coef, if_missing = np.zeros(self.n_features), np.zeros(self.n_features)
        for weak, alpha in steps:
            assert isinstance(weak, SingleFeature)
            coef[weak.feature] += weak.direction * alpha
            if_missing[weak.feature] += weak.direction * alpha * weak.missing
        return LinearModel(coef, if_missing=if_missing if np.any(if_missing) else None)


def filled(column: Floats, value: float) -> Floats:
    """A column with a value where it is missing."""
    missing = np.isnan(column)
    return np.where(missing, value, column) if missing.any() else column


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
    """Maximum number of columns to cache."""
    X = task.X.data if sparse.issparse(task.X) else task.X
    return int(min(MAX_CACHED_BYTES, MAX_CACHED_SHARE * X.nbytes) // (8 * task.n_documents))


def check_range(values: Floats, task: Task) -> Floats:
    """Values, or an error if any is outside of [-1, 1]."""
    outside = values[np.abs(values) > 1 + EQUAL_VALUES]
    if outside.size:
        measure = name_of(task.bound.measure)
        raise InputError(f"AdaRank needs a measure with values in [-1, 1], and {measure} has {outside[0]:.4g} here")
    return values
