"""Trained rankers as weak rankers: a clone is fitted in each round, on weighted queries or on a sample of them."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sklearn
from sklearn.base import clone

from ...arrays import Floats
from ...caching import cached_property
from ...data import InputError
from ...models import EstimatorModel, LinearModel, Model, SumOfModels
from ..core.content_keys import Keys
from ..core.shards import PerShard, Shards
from ..core.task import Task
from ..core.validation import accepts, routes_metadata
from .distribution import distribution, weighted_value
from .weak_rankers import BoostedModel, NoCandidates, WeakRanker, WeakRankers, check_range


def check_weak_ranker(ranker: Any) -> None:
    """Raise an error unless it has `fit` and `predict`."""
    methods = (getattr(ranker, name, None) for name in ("fit", "predict"))
    if isinstance(ranker, type) or not all(map(callable, methods)):
        raise InputError(f"weak_ranker must have fit and predict, as RankSVM() does, or be None, not {ranker!r}")


@dataclass(frozen=True)
class TrainedRanker:
    """A fitted ranker as a weak ranker, identified by its number within one fit."""

    number: int
    model: Model

    direction = 1.0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TrainedRanker) and other.number == self.number

    def __hash__(self) -> int:
        return hash(self.number)

    def scores(self, task: Task) -> Floats:
        return task.recall("weak scores", self, lambda: task.scores(self.model))  # type: ignore[no-any-return]

    def values(self, task: Task) -> Floats:
        return task.recall("weak values", self, lambda: check_range(task.values(self.scores(task)), task))  # type: ignore[no-any-return]


class TrainedRankers(WeakRankers):
    """A clone of a ranker for each round, trained with P as the weights of the queries, or on queries drawn by P.

    Parameters
    ----------
    training : Shards
    ranker : object with `fit` and `predict`
        With ``fit_shards`` it learns from any shards; without, from rows in one process.
    sample : float, optional
        Number of queries to draw, with replacement, as a share of the queries with a weight above 0.
    random_state : int
    """

    candidates = NoCandidates()
    has_others = False
    called = "weak ranker"
    advice = "ranks at all; try another weak_ranker"

    def __init__(self, training: Shards, ranker: Any, sample: float | None, random_state: int) -> None:
        self.training, self.ranker, self.random_state, self.count = training, ranker, random_state, 0
        if not hasattr(ranker, "fit_shards"):
            _check_one_shard(training, ranker)
            sample = 1.0 if sample is None and not accepts(ranker, "fit", "query_weight") else sample
        self.sample = sample

    @cached_property
    def keys(self) -> Keys:
        """Content keys of all queries."""
        return np.concatenate(self.training.each(_keys_of_queries))

    def best(self, model: BoostedModel) -> tuple[WeakRanker, float]:
        self.count += 1
        random = np.random.default_rng((self.random_state, self.count))
        weights = self._query_weights(model, random)
        ranker = _seeded(clone(self.ranker, safe=False), random)
        fitted = self._fitted(ranker, weights)
        learned = getattr(fitted, "model_", None)
        weak = TrainedRanker(
            self.count, learned if isinstance(learned, Model) else EstimatorModel(fitted, self.training.n_features)
        )
        return weak, float(self.training.total(weighted_value, model, weak))

    def tried(self, weak: WeakRanker, improves: bool) -> None:
        """Nothing to note: the next one is trained anew in any case."""

    def column_of(self, weak: WeakRanker) -> None:
        """None: a trained ranker sees all features."""

    def as_model(self, steps: list[tuple[WeakRanker, float]]) -> Model:
        models = [weak.model for weak, _ in steps if isinstance(weak, TrainedRanker)]
        if not models:
            return LinearModel(np.zeros(self.training.n_features))
        return SumOfModels(np.array([alpha for _, alpha in steps]), models)

    def _query_weights(self, model: BoostedModel, random: np.random.Generator) -> list[Floats]:
        """Weight of each query of each shard, with mean 1 over queries with P > 0; or the number of times it is drawn."""
        P: list[Floats] = self.training.each(distribution, model)
        n_queries = sum(int(np.count_nonzero(part)) for part in P)
        if self.sample is None:
            return [part * n_queries for part in P]
        drawn = _drawn(np.concatenate(P), self.keys, max(1, round(self.sample * n_queries)), random)
        return np.split(drawn, np.cumsum([part.size for part in P])[:-1])

    def _fitted(self, ranker: Any, weights: list[Floats]) -> Any:
        if hasattr(ranker, "fit_shards"):
            return ranker.fit_shards(self.training.map(_with_given, PerShard(weights)))
        return self.training.each(_fit_rows, ranker, weights[0])[0]


def _drawn(P: Floats, keys: Keys, size: int, random: np.random.Generator) -> Floats:
    """Number of times each query is drawn by P; it depends on the content of queries, not on their order or names."""
    order = np.argsort(keys, kind="stable")
    counts = np.zeros(P.size)
    counts[order] = random.multinomial(size, P[order] / P.sum())
    return counts


def _with_given(task: Task, weights: Floats) -> Task:
    """Task with weights as if the user had given them."""
    return replace(task, given=weights, weights=weights, memory={})


def _fit_rows(task: Task, ranker: Any, weights: Floats) -> Any:
    """Ranker fitted on the rows of a shard: with weights of queries, or with each query repeated that many times.

    Where `fit` takes no weights, each copy of a query is a query of its own.
    """
    queries, weighs = task.queries, accepts(ranker, "fit", "query_weight")
    times = (weights > 0).astype(np.int64) if weighs else weights.astype(np.int64)
    place = np.repeat(np.arange(times.size), times)
    each_row, each_grade = (np.split(values, queries.offsets[1:-1]) for values in (queries.order, task.bound.grades))
    rows, sizes = np.concatenate([each_row[q] for q in place]), np.diff(queries.offsets)[place]
    given = {"qid": np.repeat(np.arange(place.size), sizes), "query_weight": np.repeat(weights[place], sizes)}
    grades = np.concatenate([each_grade[q] for q in place])
    taken = {name: values for name, values in given.items() if accepts(ranker, "fit", name)}
    with sklearn.config_context(enable_metadata_routing=True) if routes_metadata(ranker) else nullcontext():
        ranker.fit(task.X[rows], grades, **taken)
    return ranker


def _keys_of_queries(task: Task) -> Keys:
    return task.keys


def _seeded(ranker: Any, random: np.random.Generator) -> Any:
    """The ranker with a seed of this round in each `random_state` of it and of its parts."""
    if hasattr(ranker, "get_params"):
        names = sorted(name for name in ranker.get_params() if name.split("__")[-1] == "random_state")
        ranker.set_params(**{name: int(random.integers(2**16)) for name in names})
    return ranker


def _check_one_shard(training: Shards, ranker: Any) -> None:
    n_shards = len(training.each(_nothing))
    if n_shards > 1:
        raise InputError(
            f"the rows are in {n_shards} shards, and {type(ranker).__name__}, the weak_ranker, learns from rows in one "
            "place; put them in one shard, or take a ranker of directrank as the weak_ranker"
        )


def _nothing(task: Task) -> None:
    """Step that counts shards."""
