"""Sets of queries that are watched while a learner trains: the values of measures, round after round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...arrays import Floats
from ...measures import SupportsEvaluate, name_of
from ...models import Model
from .task import Task, with_measure

#: For the name of each set, and of each measure, its value after each round.
Values = dict[str, dict[str, list[float]]]


class Watched:
    """Some sets, and the measures that they are watched by.

    Parameters
    ----------
    tasks : mapping from names to tasks
        The mean of a measure is over all queries, by the weights that the user gave.
    measures : sequence of measures
    each_round : bool
        Whether they are watched round after round, or only where a learner takes nothing down itself.
    """

    def __init__(self, tasks: Mapping[str, Task], measures: Sequence[SupportsEvaluate], *, each_round: bool) -> None:
        self.each_round = each_round
        by_name = {name_of(measure): measure for measure in measures}
        self.sets = {name: {m: with_measure(task, by_name[m]) for m in by_name} for name, task in tasks.items()}
        self.rows = {name: task.X for name, task in tasks.items()}
        self.before = {name: _scores_of_no_model(task) for name, task in tasks.items()}
        self.scores = dict(self.before)
        self.values: Values = {name: {measure: [] for measure in by_name} for name in tasks}

    @property
    def n_rounds(self) -> int:
        """How many there have been."""
        return len(next(iter(next(iter(self.values.values())).values())))

    def start_from(self, model: Model) -> None:
        """Have the scores of a model for those before the first round."""
        self._add(model)
        self.before = dict(self.scores)

    def see(self, model: Model) -> None:
        """Take down what a model reaches, added to what there was before the first round."""
        self.scores = dict(self.before)
        self.see_more(model)

    def see_more(self, model: Model) -> None:
        """Take down what a model reaches, added to what was seen last."""
        self._add(model)
        for name, by_measure in self.sets.items():
            for measure, task in by_measure.items():
                value = task.weighted_value(task.queries.to_query_order(self.scores[name])) / task.weights.sum()
                self.values[name][measure].append(float(value))

    def _add(self, model: Model) -> None:
        for name, X in self.rows.items():
            self.scores[name] = self.scores[name] + model.scores(X)


def _scores_of_no_model(task: Task) -> Floats:
    return np.zeros(task.n_documents) if task.init_score is None else task.init_score
