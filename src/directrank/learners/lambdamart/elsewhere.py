"""Trees that grow where the rows are: the half that directs them."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Floats
from ...data import InputError
from ...models import TreesModel
from ..core.shards import MAX_RETRIES, Shards, WorkersChangedError
from ..core.task import Task, sum_of_weights, with_measure
from .lightgbm import draws_by_machine
from .places import GrownRounds, Plan, grow, prepare
from .sampling import Sample

#: So many rounds are grown at a time, by boosters of their own: should a place be lost, no more than these are grown again.
ROUNDS_AT_A_TIME = 10


class GrownTrees(NamedTuple):
    """The trees of some rounds.

    Attributes
    ----------
    trees : list of TreesModel
        Those of each bag.
    counts : list of lists of int
        After each round, how many of these trees each bag has.
    """

    trees: list[TreesModel]
    counts: list[list[int]]

    @classmethod
    def of(cls, grown: GrownRounds) -> GrownTrees:
        """Those of a place, but for trees without a split: LightGBM gives one where a booster's first round has none."""
        bags = zip(grown.texts, grown.counts[-1], strict=True)
        trees = [TreesModel.from_lightgbm(text, count) for text, count in bags]
        kept = [np.concatenate(([0], np.cumsum([tree.feature.size > 0 for tree in model.trees]))) for model in trees]
        counts = [[int(kept[bag][count]) for bag, count in enumerate(of_bags)] for of_bags in grown.counts]
        return cls([replace(model, trees=tuple(t for t in model.trees if t.feature.size)) for model in trees], counts)

    def of_round(self, number: int) -> list[TreesModel | None]:
        """What a round has added to each bag; None where it found no split."""
        before = self.counts[number - 1] if number else [0] * len(self.trees)
        return [
            trees.only(slice(first, last)) if last > first else None
            for trees, first, last in zip(self.trees, before, self.counts[number], strict=True)
        ]


class DistributedBags:
    """The trees of several seeds as one model, grown where the rows are; with the calls of `Bags`.

    Some rounds are grown at a time, and their trees come here. So whoever is lost, the others go on from there; and it is
    decided here, round after round, when it is enough.

    Parameters
    ----------
    training, validation : Shards
    plan : Plan
    samples : sequence of Sample or None
        The sample that each bag draws.
    n_rounds : int
        The most that will be grown.
    """

    def __init__(
        self, training: Shards, validation: Shards | None, plan: Plan, samples: Sequence[Sample | None], n_rounds: int
    ) -> None:
        self.training, self.validation, self.plan, self.samples = training, validation, plan, samples
        self.most_rounds, self.number = n_rounds, 0
        self.at_a_time = 1 if draws_by_machine(plan.settings[0]) else ROUNDS_AT_A_TIME
        self.parts: list[GrownTrees] = []
        self.reached: list[tuple[float, float | None]] = []
        self.counts: list[list[int]] = []
        self.weight = float(training.total(sum_of_weights))
        self.weight_of_validation = 1.0 if validation is None else float(validation.total(sum_of_weights))
        self.is_prepared = False

    @property
    def has_validation(self) -> bool:
        return self.validation is not None

    @property
    def can_split(self) -> bool:
        return self.plan.bins.can_split

    def grow(self) -> None:
        """A round: those that follow may be grown with it."""
        if self.number == len(self.reached):
            self._grow_some()
        self.number += 1

    def values(self) -> tuple[float, float | None]:
        """The measure of the mean scores so far, on the training queries and on the validation set."""
        return self.reached[self.number - 1] if self.number else self._values_of_none()

    def end_round(self) -> tuple[int, None]:
        """Number of trees; there is no watchlist."""
        return sum(self.counts[self.number - 1]) if self.number else 0, None

    def model(self, n_rounds: int) -> TreesModel:
        """The trees of so many rounds."""
        wanted = self.counts[n_rounds - 1] if n_rounds and self.counts else [0] * len(self.plan.settings)
        bags = self._trees() or [TreesModel((), self.training.n_features)] * len(wanted)
        return TreesModel.mean_of([trees.only(slice(count)) for trees, count in zip(bags, wanted, strict=True)])

    def _grow_some(self) -> None:
        done = len(self.reached)
        rounds = range(done, min(done + self.at_a_time, self.most_rounds))
        draws = [[None if sample is None else sample.draw(number) for sample in self.samples] for number in rounds]
        grown: list[GrownRounds] = self._together(draws)
        part = GrownTrees.of(grown[0])
        on_validation = self._on_validation(part)
        before = self.counts[-1] if self.counts else [0] * len(part.trees)
        self.parts.append(part)
        for number, count in enumerate(part.counts):
            of_shards = {shard: value for place in grown for shard, value in place.values[number].items()}
            value = sum(of_shards[shard] for shard in sorted(of_shards)) / self.weight
            self.reached.append((value, on_validation[number]))
            self.counts.append([a + b for a, b in zip(before, count, strict=True)])

    def _together(self, draws: list[Any]) -> list[GrownRounds]:
        """The next rounds of all places, which begin with what is here where any was lost."""
        done, why = len(self.reached), WorkersChangedError()
        for _ in range(MAX_RETRIES):
            try:
                if not self.is_prepared:
                    self.training.run_collective(prepare, self.plan, self._trees(), done)
                    self.is_prepared = True
                return self.training.run_collective(grow, self.plan.name, done, draws)
            except WorkersChangedError as error:
                self.is_prepared, why = False, error
        cause = str(why.__cause__ or "") or "a worker was lost"
        raise InputError(f"workers were lost {MAX_RETRIES} times in a row while trees were grown; at last: {cause}") from why

    def _trees(self) -> list[TreesModel]:
        """Those of each bag so far."""
        if not self.parts:
            return []
        return [TreesModel.joined([part.trees[bag] for part in self.parts]) for bag in range(len(self.samples))]

    def _on_validation(self, part: GrownTrees) -> list[float | None]:
        """The measure on the validation set after each of the next rounds."""
        if self.validation is None:
            return [None] * len(part.counts)
        found = self.validation.each(_values_after, self.plan.name, len(self.reached), part)
        if any(values is None for values in found):  # a shard that has no scores of the rounds before
            found = self.validation.each(_values_from_start, self.plan.name, self.plan.start, [*self.parts, part])
        return [float(value) for value in sum(found[1:], found[0]) / self.weight_of_validation]

    def _values_of_none(self) -> tuple[float, float | None]:
        """The measure before any round."""
        sets = (self.training.map(with_measure, self.plan.measure), self.validation)
        value, validation = (None if shards is None else value_of_start(shards, self.plan.start) for shards in sets)
        assert value is not None
        return value, validation


def plan_name() -> str:
    return uuid.uuid4().hex


def value_of_start(shards: Shards, start: TreesModel | None) -> float:
    """The weighted mean of the measure over the queries, at the scores of a start; without any, at equal scores."""
    return float(shards.total(_value_of_start, start) / shards.total(sum_of_weights))


def _value_of_start(task: Task, start: TreesModel | None) -> float:
    return task.weighted_value(task.queries.to_query_order(_start_scores(task, start)))


def _start_scores(task: Task, start: TreesModel | None) -> Floats:
    before = np.zeros(task.n_documents) if task.init_score is None else task.init_score
    return before if start is None else before + start.scores(task.X)


def _values_after(task: Task, name: str, n_rounds: int, part: GrownTrees) -> Floats | None:
    """The sum of the queries' values after each of the rounds of a part; None without the scores before them."""
    known = task.memory.get("scores of bags")
    if known is None or known[:2] != (name, n_rounds):
        return None
    scores, values = known[2], np.empty(len(part.counts))
    for number in range(values.size):
        for bag, trees in enumerate(part.of_round(number)):
            if trees is not None:
                scores[bag] = scores[bag] + trees.scores(task.X)
        mean = scores[0] if len(scores) == 1 else np.mean(scores, axis=0)
        values[number] = task.weighted_value(task.queries.to_query_order(mean))
    task.memory["scores of bags"] = (name, n_rounds + values.size, scores)
    return values


def _values_from_start(task: Task, name: str, start: TreesModel | None, parts: list[GrownTrees]) -> Floats:
    """The same, without any scores before."""
    first = _start_scores(task, start)
    task.memory["scores of bags"] = (name, 0, [first] * len(parts[0].trees))
    n_rounds = 0
    for part in parts:
        values = _values_after(task, name, n_rounds, part)
        n_rounds += len(part.counts)
    assert values is not None
    return values
