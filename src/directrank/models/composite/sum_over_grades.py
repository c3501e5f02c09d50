"""One model for each grade, summed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...arrays import Floats
from ...caching import cached_property
from ..base import Model
from ..errors import ModelError
from ..json_fields import FieldReader, check_sizes, list_of
from ..linear import LinearModel
from ..portable import WeightedSum


def _read_linear(name: str, content: Any) -> LinearModel:
    model = Model.from_dict(content)
    if not isinstance(model, LinearModel):
        raise ModelError(f"its {name} must be linear")
    return model


@dataclass(frozen=True, eq=False)
class SumOverGrades(Model):
    """Scores sum_c c f_c(x) over the grades c (Welleck 2015, section 5).

    Attributes
    ----------
    grades : array
    models : list of LinearModel
        f_c, the model of each grade. The sum is itself linear.
    """

    kind: ClassVar[str] = "sum over grades"
    allows_missing: ClassVar[bool] = True
    readers: ClassVar[dict[str, FieldReader]] = {"models": list_of(_read_linear)}

    grades: Floats
    models: list[LinearModel]

    @property
    def n_features(self) -> int:
        return self.models[0].n_features

    @cached_property
    def linear(self) -> LinearModel:
        """The sum as one linear model."""
        weighted = list(zip(self.grades, self.models, strict=True))
        with np.errstate(over="ignore", invalid="ignore"):  # `check` rejects values that are not finite
            coef = np.sum([c * model.coef for c, model in weighted], axis=0)
            intercept = float(sum(c * model.intercept for c, model in weighted))
            known = [c * model.if_missing for c, model in weighted if model.if_missing is not None]
        return LinearModel(
            coef,
            intercept,
            log_features=self.models[0].log_features,
            if_missing=np.sum(known, axis=0) if known else None,
            feature_names=self.feature_names,
            provenance=self.provenance,
        )

    @property
    def coef(self) -> Floats:
        return self.linear.coef

    def scores(self, X: Any) -> Floats:
        return self.linear.scores(X)

    @property
    def parameters(self) -> Floats:
        return self.coef

    def _derivatives(self, X: Any) -> Any:
        return self.linear._derivatives(X)

    def portable(self) -> WeightedSum:
        return self.linear.portable()

    def check(self) -> None:
        if not self.models:
            raise ModelError("it has no grade")
        check_sizes("model", len(self.models), grades=self.grades)
        if any(model.n_features != self.n_features for model in self.models):
            raise ModelError("its models have different numbers of features")
        for model in self.models:
            model.check()
            if not np.array_equal(model.log_features, self.models[0].log_features):
                raise ModelError("its models take the logarithms of different features")
        if not (np.all(np.isfinite(self.linear.coef)) and np.isfinite(self.linear.intercept)):
            raise ModelError("its grades and models are too large: their sum is not finite")
