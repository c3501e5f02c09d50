"""What a learner reaches with some parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..arrays import Floats
from ..data import RankingData
from ..data.splits import Split, fold_rows
from ..evaluation import evaluate
from ..matrix.rows import Rows
from ..measures import Evaluates
from .training import fitted, settled

#: Called with the number of a part of the data, that of a round, and what it reached; an exception ends the trial.
OnStep = Callable[[int, int, Any], Any]


@dataclass(frozen=True, eq=False)
class Trial:
    """What a learner reached with some parameters.

    Attributes
    ----------
    parameters : dict
        Those that were tried; empty for the learner as it was given.
    value : float, or None
        The mean of the measure over the queries held out; None for a trial that was given up.
    standard_error : float, or None
        Of this mean.
    seconds : float
    learner : estimator
        With these parameters, not fitted; after a cross-validation, with as many rounds as the folds chose.
    """

    parameters: dict[str, Any]
    value: float | None
    standard_error: float | None
    seconds: float
    learner: Any


class Parts:
    """What trials train on, choose their rounds by, and are measured by: folds of the data, or a validation set.

    Parameters
    ----------
    data : RankingData
    validation : RankingData or None
        What trials choose their rounds by and are measured by; None for folds.
    n_folds, random_state : int
        See `fold_rows`.
    measure : measure
    """

    def __init__(
        self, data: RankingData, validation: RankingData | None, n_folds: int, random_state: int, measure: Evaluates
    ) -> None:
        self.data, self.validation, self.measure = data, validation, measure
        self.folds = None if validation is not None else fold_rows(data, n_folds, random_state=random_state)

    def __iter__(self) -> Iterator[Split]:
        if self.validation is not None:
            yield Split(self.data, self.validation, self.validation)
        for rows in self.folds or ():
            yield Split(*(self.data.select(part) for part in rows))

    def examine(self, learner: Any, on_step: OnStep) -> tuple[Floats, Any]:
        """The value of each query held out, and the learner as it is to be trained on all data."""
        values, trained = [], []
        for number, (train, validation, test) in enumerate(self):
            trained.append(fitted(learner, train, validation, partial(on_step, number)))
            values.append(self._values(test, trained[-1].predict(test.X)))
        return np.concatenate(values), learner if self.validation is not None else settled(learner, trained)

    def examine_path(self, learner: Any, Cs: Sequence[float] | None, check_time: Callable[[], None]) -> dict[float, Floats]:
        """For each C, the value of each query held out. Those of the first part are tried in all of them."""
        values: dict[float, list[Floats]] = {}
        for number, (train, _, test) in enumerate(self):
            check_time()
            path = learner.path(train.X, train.y, train.qid, Cs)
            if any(solution.interrupted for solution in path.solutions):
                raise KeyboardInterrupt
            for C, coef in zip(path.Cs.tolist(), path.coefs, strict=True):
                if number == 0 or C in values:
                    values.setdefault(C, []).append(self._values(test, Rows(test.X).scores(coef)))
            Cs = list(values)
        n_parts = number + 1
        return {C: np.concatenate(found) for C, found in values.items() if len(found) == n_parts}

    def _values(self, test: RankingData, scores: Floats) -> Floats:
        return evaluate(test.y, scores, test.qid, self.measure).values(self.measure)
