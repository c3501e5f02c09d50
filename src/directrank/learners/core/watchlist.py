"""Sets of queries on which measures are evaluated while a learner trains."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence

import numpy as np

from ...arrays import Floats
from ...caching import cached_property
from ...measures import SupportsEvaluate, name_of
from ...models import Model
from .shards import Shards, sum_of_parts
from .task import Task, sum_of_weights, with_measure

#: Value of each measure on each set, by their names.
Evals = dict[str, dict[str, float]]

#: Names of the scores so far and of the tasks of all measures in a task's memory.
_SCORES, _TASKS = "watched scores", "watched tasks"


class Watchlist:
    """Sets of queries on which measures are evaluated while a learner trains.

    Parameters
    ----------
    sets : mapping from names to Shards
        A mean is over all queries of a set, with the weights that the user gave.
    measures : sequence of measures
    each_round : bool
        Whether to evaluate after each round, or only the final model of a learner that evaluates nothing itself.
    """

    def __init__(self, sets: Mapping[str, Shards], measures: Sequence[SupportsEvaluate], *, each_round: bool) -> None:
        self.sets, self.each_round = dict(sets), each_round
        self._measures = {name_of(measure): measure for measure in measures}
        self._key = uuid.uuid4().hex
        self._start: list[Model] = []
        self._rounds: list[Model] = []

    def start_from(self, model: Model) -> None:
        """Add the scores of a model to all others."""
        self._start = [model]

    def evaluate(self, model: Model) -> Evals:
        """Values of a model, added to the initial scores."""
        models = [*self._start, model]
        return {name: self._means(name, shards.each(_values, self._measures, models)) for name, shards in self.sets.items()}

    def evaluate_round(self, model: Model) -> Evals:
        """Values after one more round, whose model is added to the models of all rounds before."""
        self._rounds.append(model)
        return {name: self._means(name, self._sums_after_round(shards)) for name, shards in self.sets.items()}

    def _sums_after_round(self, shards: Shards) -> list[Floats]:
        models = [*self._start, *self._rounds]
        if len(self._rounds) > 1:
            found = shards.each(_values_after, self._measures, (self._key, len(models) - 1), models[-1])
            if all(values is not None for values in found):
                return found
        return shards.each(_values_of_all, self._measures, self._key, models)  # shards without the scores so far

    def _means(self, name: str, sums: list[Floats]) -> dict[str, float]:
        total = sum_of_parts(sums)
        return {measure: float(value / self._weights[name]) for measure, value in zip(self._measures, total, strict=True)}

    @cached_property
    def _weights(self) -> dict[str, float]:
        """Sum of the weights of each set."""
        return {name: shards.total(sum_of_weights) for name, shards in self.sets.items()}


def _values(task: Task, measures: dict[str, SupportsEvaluate], models: list[Model]) -> Floats:
    """Weighted sum of the queries' values by each measure, at the sum of the models' scores."""
    return _weighted_values(task, measures, _scores(task, models))


def _values_of_all(task: Task, measures: dict[str, SupportsEvaluate], key: str, models: list[Model]) -> Floats:
    """`_values`; the scores are remembered for the next round."""
    scores = _scores(task, models)
    task.memory[_SCORES] = ((key, len(models)), scores)
    return _weighted_values(task, measures, scores)


def _values_after(task: Task, measures: dict[str, SupportsEvaluate], known: tuple[str, int], model: Model) -> Floats | None:
    """`_values_of_all`, from the scores of the models before; None if they are not known."""
    key, scores = task.memory.get(_SCORES, (None, None))
    if key != known:
        return None
    scores = scores + task.scores(model)
    task.memory[_SCORES] = ((known[0], known[1] + 1), scores)
    return _weighted_values(task, measures, scores)


def _scores(task: Task, models: list[Model]) -> Floats:
    """Sum of the models' scores and the initial ones, in query order."""
    scores = np.zeros(task.n_documents) if task.init_score is None else task.init_score
    for model in models:
        scores = scores + task.scores(model)
    return scores


def _weighted_values(task: Task, measures: dict[str, SupportsEvaluate], scores: Floats) -> Floats:
    tasks = task.recall(_TASKS, tuple(measures), lambda: [with_measure(task, measure) for measure in measures.values()])
    return np.array([bound.weighted_value(scores) for bound in tasks])
