"""One model for each grade, summed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..arrays import Floats
from ..caching import cached_property
from .checks import ModelError, check_sizes
from .linear import LinearModel
from .of_models import ModelOfModels
from .portable import WeightedSum


@dataclass(frozen=True, eq=False)
class SumOverGrades(ModelOfModels):
    """Scores sum_c c f_c(x) over the grades c (Welleck 2015, section 5).

    Attributes
    ----------
    grades : array
    models : list of LinearModel
        f_c, that of each grade. The sum is itself linear.
    """

    kind: ClassVar[str] = "sum over grades"

    grades: Floats
    models: list[LinearModel]

    @property
    def n_features(self) -> int:
        return self.models[0].n_features

    @cached_property
    def linear(self) -> LinearModel:
        """The sum as one linear model."""
        weighted = list(zip(self.grades, self.models, strict=True))
        with np.errstate(over="ignore", invalid="ignore"):  # `check` refuses what is not finite
            coef = np.sum([c * model.coef for c, model in weighted], axis=0)
            intercept = float(sum(c * model.intercept for c, model in weighted))
        return LinearModel(coef, intercept, feature_names=self.feature_names, provenance=self.provenance)

    @property
    def coef(self) -> Floats:
        return self.linear.coef

    def scores(self, X: Any) -> Floats:
        return self.linear.scores(X)

    @property
    def parameters(self) -> Floats:
        return self.coef

    def _derivatives(self, X: Any) -> Any:
        return X

    def portable(self) -> WeightedSum:
        return self.linear.portable()

    def check(self) -> None:
        if not self.models:
            raise ModelError("it has no grade")
        check_sizes("model", len(self.models), grades=self.grades)
        if any(model.n_features != self.n_features for model in self.models):
            raise ModelError("its models are of different numbers of features")
        if not (np.all(np.isfinite(self.linear.coef)) and np.isfinite(self.linear.intercept)):
            raise ModelError("its grades and models are too large: their sum is not finite")

    @classmethod
    def _from_json(cls, name: str, value: Any) -> Any:
        found = super()._from_json(name, value)
        if name == "models" and not all(isinstance(model, LinearModel) for model in found):
            raise ModelError("its models must be linear")
        return found
