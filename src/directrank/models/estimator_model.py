"""Models that wrap fitted estimators of other libraries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from ..arrays import Floats
from ..data import InputError
from .base import Model
from .errors import ModelError


@dataclass(frozen=True, eq=False)
class EstimatorModel(Model):
    """Scores of a fitted estimator of any library; it can be pickled, but neither saved as JSON nor exported.

    Attributes
    ----------
    estimator : object
        Its `predict` returns a number for each row.
    width : int
        Number of features of a row.
    """

    estimator: Any
    width: int

    @property
    def n_features(self) -> int:
        return self.width

    def scores(self, X: Any) -> Floats:
        scores = np.asarray(self.estimator.predict(X), np.float64)
        if scores.shape != (X.shape[0],):
            raise InputError(
                f"{self._name} predicts {scores.shape} numbers for {X.shape[0]} rows; a model gives each one score"
            )
        if not np.all(np.isfinite(scores)):
            raise InputError(f"{self._name} predicts scores that are not finite")
        return scores

    def portable(self) -> NoReturn:
        raise ModelError(f"{self._name} is not a learner of directrank, so that its model cannot be exported or explained")

    @property
    def parameters(self) -> NoReturn:
        raise ModelError(f"{self._name} is not a learner of directrank, so that the parameters of its model are not known")

    def _derivatives(self, X: Any) -> Floats:
        return self.parameters

    def check(self) -> None:
        """Nothing to check."""

    def to_dict(self) -> NoReturn:
        raise ModelError(f"{self._name} is not a learner of directrank, so that its model cannot be saved; pickle it")

    @property
    def _name(self) -> str:
        return type(self.estimator).__name__
