"""A weighted sum of models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...arrays import Floats
from ..base import Model, read_model
from ..errors import ModelError
from ..importances import Importances
from ..json_fields import FieldReader, check_sizes, list_of
from ..portable import TreeSum, WeightedSum
from ..trees import TreesModel


@dataclass(frozen=True, eq=False)
class SumOfModels(Model):
    r"""Scores :math:`\sum_t \alpha_t f_t(x)`.

    Attributes
    ----------
    weights : array
        alpha_t, the weight of each model.
    models : list of Model
        f_t, all of the same features in the same order.
    """

    kind: ClassVar[str] = "sum of models"
    readers: ClassVar[dict[str, FieldReader]] = {"models": list_of(read_model)}

    weights: Floats
    models: list[Model]

    @property
    def n_features(self) -> int:
        return self.models[0].n_features

    @property
    def allows_missing(self) -> bool:  # type: ignore[override]
        return all(model.allows_missing for model in self.models)

    def scores(self, X: Any) -> Floats:
        total = np.zeros(X.shape[0])
        with np.errstate(over="ignore", invalid="ignore"):
            for weight, model in zip(self.weights, self.models, strict=True):
                total = total + weight * model.scores(X)
        return total

    @property
    def parameters(self) -> Floats:
        return self.weights

    def _derivatives(self, X: Any) -> Floats:
        return np.column_stack([model.scores(X) for model in self.models])

    def importances(self) -> Importances:
        """Importances of the sum if all parts have weights, or all have steps; otherwise empty.

        Gains of trees do not add up across models: they measure the training objective, not a change of scores.
        """
        kinds = {model.importances().kind for model in self.models}
        return super().importances() if kinds in ({"weight"}, {"step"}) else Importances("none", (), ())

    def portable(self) -> WeightedSum | TreeSum:
        """A weighted sum if all parts are linear; otherwise trees, with a linear part as trees of a single linear leaf."""
        parts = [model.portable() for model in self.models]
        linear = [part for part in parts if isinstance(part, WeightedSum)]
        with np.errstate(over="ignore", invalid="ignore"):
            return self._linear(linear) if len(linear) == len(parts) else self._trees(parts)

    def _linear(self, parts: list[WeightedSum]) -> WeightedSum:
        columns = np.concatenate([part.columns for part in parts])
        weights = np.concatenate([weight * part.weights for weight, part in zip(self.weights, parts, strict=True)])
        intercept = float(np.dot(self.weights, [part.intercept for part in parts]))
        return WeightedSum.from_terms(columns, weights, intercept, self.n_features, self.feature_names)

    def _trees(self, parts: list[WeightedSum | TreeSum]) -> TreeSum:
        sums = [part for part in parts if isinstance(part, TreeSum)]
        first = sums[0]
        if any((part.tiny_is_zero, part.categories) != (first.tiny_is_zero, first.categories) for part in sums):
            raise ModelError(
                "its parts are trees that read features differently (thresholds of RankBoost beside LightGBM's trees, or "
                "other categories), so they cannot be merged into one sum of trees; export each part separately"
            )
        grown = [TreesModel.from_portable(part).trees for part in parts]
        trees = tuple(tree.times(float(weight)) for weight, own in zip(self.weights, grown, strict=True) for tree in own)
        given = {"categories": first.categories, "tiny_is_zero": first.tiny_is_zero}
        return TreeSum.from_trees(trees, self.n_features, self.feature_names, **given)

    def check(self) -> None:
        if not self.models:
            raise ModelError("it has no model")
        check_sizes("model", len(self.models), weights=self.weights)
        for model in self.models:
            model.check()
            if model.n_features != self.n_features:
                raise ModelError("its models have different numbers of features")
