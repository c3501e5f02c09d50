"""Trials: a learner with given parameters, evaluated on held-out queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..arrays import Floats
from ..data import RankingData
from ..data.splits import fold_rows
from ..measures import SupportsEvaluate
from .fit_and_predict import fit_clone, fit_on_fold, predict_scores, prepare_refit
from .held_out_evaluation import HeldOutEvaluator

#: Callback that takes the index of a fold and a `Progress`; an exception ends the trial.
OnTrialStep = Callable[[int, Any], Any]


@dataclass(frozen=True, eq=False)
class Trial:
    """A learner with given parameters, and its value on held-out queries.

    Attributes
    ----------
    parameters : dict
        Parameters of the trial; empty for the learner as it was given.
    value : float or None
        Mean of the measure over the held-out queries; None for a pruned or invalid trial.
    standard_error : float or None
        Standard error of the mean.
    seconds : float
    learner : estimator
        Learner with these parameters, not fitted; after cross-validation, with the median number of rounds of the folds.
    error : str or None
        Why the parameters are invalid.
    values : array or None
        Measure of each held-out query.
    """

    parameters: dict[str, Any]
    value: float | None
    standard_error: float | None
    seconds: float
    learner: Any
    error: str | None = None
    values: Floats | None = None


class TrialEvaluator:
    """Evaluate learners by cross-validation, or on a validation set.

    Parameters
    ----------
    data : RankingData
    validation : RankingData or None
        Data for choosing the number of rounds and for evaluation; None for cross-validation.
    n_folds, random_state : int
        See `fold_rows`.
    measure : measure
    """

    def __init__(
        self, data: RankingData, validation: RankingData | None, n_folds: int, random_state: int, measure: SupportsEvaluate
    ) -> None:
        self.data, self.validation, self.measure = data, validation, measure
        self.folds = [] if validation is not None else fold_rows(data, n_folds, random_state=random_state)
        self._notes: dict[str, None] = {}

    @property
    def notes(self) -> list[str]:
        """Notes on the gains and ties of the evaluations so far; see `Evaluation.notes`."""
        return list(self._notes)

    def evaluate(self, learner: Any, on_step: OnTrialStep) -> tuple[Floats, Any]:
        """Values of the held-out queries, and the learner for a refit on all data."""
        if self.validation is not None:
            fitted = fit_clone(learner, self.data, self.validation, partial(on_step, 0))
            return self._values(self.validation, predict_scores(fitted, self.validation)), learner
        values, estimators = [], []
        for fold, rows in enumerate(self.folds):
            estimators.append(fit_on_fold(learner, self.data, rows, partial(on_step, fold)))
            test = self.data.select(rows.test)
            values.append(self._values(test, predict_scores(estimators[-1], test)))
        return np.concatenate(values), prepare_refit(learner, estimators)

    def evaluate_path(self, learner: Any, Cs: Sequence[float] | None, check_time: Callable[[], None]) -> dict[float, Floats]:
        """Values of the held-out queries for each C of a regularization path; the first fold sets the values of C."""
        values: dict[float, list[Floats]] = {}
        for fold, (train, test) in enumerate(self._splits()):
            check_time()
            path = learner.path(train.X, train.y, train.qid, Cs)
            for C, model in zip(path.Cs.tolist(), path.models, strict=True):
                if fold == 0 or C in values:
                    values.setdefault(C, []).append(self._values(test, model.predict(test.X, test.qid)))
            Cs = list(values)
        n_folds = fold + 1
        return {C: np.concatenate(found) for C, found in values.items() if len(found) == n_folds}

    def _splits(self) -> Iterator[tuple[RankingData, RankingData]]:
        """Training and test data of each fold; validation rows are left out, as when C is chosen on them."""
        if self.validation is not None:
            yield self.data, self.validation
        for rows in self.folds:
            yield self.data.select(rows.train), self.data.select(rows.test)

    def _values(self, test: RankingData, scores: Floats) -> Floats:
        evaluation = HeldOutEvaluator(test, self.measure).evaluate(scores)
        self._notes.update(dict.fromkeys(evaluation.notes()))
        return evaluation.values(self.measure)
