"""Weak rankers of AdaRank: their interface, and single features as weak rankers (Xu & Li 2007, section 3.6)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy import sparse

from ...arrays import Floats
from ...data import InputError
from ...measures import name_of
from ...models import Model
from ..core.monitoring import EQUAL_VALUES, first_best
from ..core.scaling import Scaled
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
    training : Shards
        Training shards, with the features that weak rankers are made of.
    candidates : Candidates
        Weak rankers whose phi each model knows, so that `best` need not ask the shards.
    has_others : bool
        Whether `best` has another weak ranker if the last one did not improve the model.
    called : str
        Noun for a weak ranker in messages.
    advice : str
        Advice for the case that none is of use.
    """

    training: Shards
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
    def column_of(self, weak: WeakRanker) -> int | None:
        """Feature, before scaling, that a weak ranker or indicator is made of; None if it is not a single one."""

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
        known = task.memory.get(_WEAK_VALUES)
        return check_range(task.values(self.scores(task)), task) if known is None else known[1][self.number]  # type: ignore[no-any-return]


class AllFeatures(NamedTuple):
    """All features, with `both` also their reverses, as candidates in the order of their numbers."""

    both: bool

    def values(self, task: Task) -> Floats:
        return task.recall(_WEAK_VALUES, self.both, lambda: self._values(task))  # type: ignore[no-any-return]

    def _values(self, task: Task) -> Floats:
        """Value of each feature as a ranking, with `both` also of its reverse, in each query."""
        values = []
        for column in task.columns:
            values.append(task.values(column))
            if self.both:
                values.append(task.values(-column))
        return check_range(np.array(values), task)


class SingleFeatures(WeakRankers):
    """Single features, with `both` also their reverses.

    Parameters
    ----------
    scaled : Scaled
        Training shards with scaled features, and how they were scaled.
    both : bool
    sets_aside : bool
        Whether a feature that did not improve the model is set aside until another one does.
    """

    def __init__(self, scaled: Scaled, both: bool, sets_aside: bool) -> None:
        self.scaled, self.training, self.both, self.has_others = scaled, scaled.training, both, sets_aside
        self.candidates: AllFeatures = AllFeatures(both)
        self.aside = np.zeros(self.training.n_features * (1 + both), bool)
        self.called, self.advice = (
            "feature",
            "varies within queries; try a measure that sees more of the ranking"
            + ("" if both else ", or directions='both'"),
        )

    def best(self, model: BoostedModel) -> tuple[WeakRanker, float]:
        """Feature of the highest phi, the first of equally good ones."""
        phi = np.where(self.aside, -np.inf, model.phi)
        return SingleFeature(first_best(phi), self.both), float(phi.max())

    def tried(self, weak: WeakRanker, improves: bool) -> None:
        assert isinstance(weak, SingleFeature)
        if improves:
            self.aside[:] = False
        elif self.has_others:
            self.aside[weak.number] = True

    def column_of(self, weak: WeakRanker) -> int | None:
        assert isinstance(weak, SingleFeature)
        return self.scaled.column_of(weak.feature)

    def as_model(self, steps: list[tuple[WeakRanker, float]]) -> Model:
        w = np.zeros(self.training.n_features)
        for weak, alpha in steps:
            assert isinstance(weak, SingleFeature)
            w[weak.feature] += weak.direction * alpha
        return self.scaled.model(w)


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
