"""What a learner reaches with some parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..arrays import Floats
from ..data import RankingData
from ..data.splits import fold_rows
from ..matrix.linear_operator import MatrixOperator
from ..measures import SupportsEvaluate
from .judging import Judge
from .training import fitted, fitted_on_fold, scores_of, settled

#: Function that is called with the number of a part of the data and a `Progress`; an exception ends the trial.
OnPartStep = Callable[[int, Any], Any]


@dataclass(frozen=True, eq=False)
class Trial:
    """What a learner reached with some parameters.

    Attributes
    ----------
    parameters : dict
        Those that were tried; empty for the learner as it was given.
    value : float, or None
        The mean of the measure over the queries held out; None for a trial that was given up or refused.
    standard_error : float, or None
        Of this mean.
    seconds : float
    learner : estimator
        With these parameters, not fitted; after a cross-validation, with as many rounds as the folds chose.
    refusal : str, or None
        Why the learner refused these parameters, if it did.
    """

    parameters: dict[str, Any]
    value: float | None
    standard_error: float | None
    seconds: float
    learner: Any
    refusal: str | None = None


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
        self, data: RankingData, validation: RankingData | None, n_folds: int, random_state: int, measure: SupportsEvaluate
    ) -> None:
        self.data, self.validation, self.measure = data, validation, measure
        self.folds = [] if validation is not None else fold_rows(data, n_folds, random_state=random_state)

    def examine(self, learner: Any, on_step: OnPartStep) -> tuple[Floats, Any]:
        """The value of each query held out, and the learner as it is to be trained on all data."""
        if self.validation is not None:
            trained = fitted(learner, self.data, self.validation, partial(on_step, 0))
            return self._values(self.validation, scores_of(trained, self.validation)), learner
        values, of_folds = [], []
        for number, rows in enumerate(self.folds):
            of_folds.append(fitted_on_fold(learner, self.data, rows, partial(on_step, number)))
            test = self.data.select(rows.test)
            values.append(self._values(test, scores_of(of_folds[-1], test)))
        return np.concatenate(values), settled(learner, of_folds)

    def examine_path(self, learner: Any, Cs: Sequence[float] | None, check_time: Callable[[], None]) -> dict[float, Floats]:
        """For each C, the value of each query held out. Those of the first part are tried in all of them."""
        values: dict[float, list[Floats]] = {}
        for number, (train, test) in enumerate(self._trained_and_tested()):
            check_time()
            path = learner.path(train.X, train.y, train.qid, Cs)
            for C, coef in zip(path.Cs.tolist(), path.coefs, strict=True):
                if number == 0 or C in values:
                    values.setdefault(C, []).append(self._values(test, MatrixOperator(test.X).matvec(coef)))
            Cs = list(values)
        n_parts = number + 1
        return {C: np.concatenate(found) for C, found in values.items() if len(found) == n_parts}

    def _trained_and_tested(self) -> Iterator[tuple[RankingData, RankingData]]:
        """What each part trains a learner of given C on, as it trains one that chooses by the validation set."""
        if self.validation is not None:
            yield self.data, self.validation
        for rows in self.folds:
            yield self.data.select(rows.train), self.data.select(rows.test)

    def _values(self, test: RankingData, scores: Floats) -> Floats:
        return Judge(test, self.measure)(scores).values(self.measure)
