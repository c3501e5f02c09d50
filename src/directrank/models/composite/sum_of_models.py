"""A weighted sum of models."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ...arrays import Floats
from ...data import Queries
from ..base import Model, read_model
from ..errors import ModelError
from ..importances import Importances
from ..json_fields import FieldReader, check_sizes, list_of
from ..portable import TreeSum, WeightedSum, split_parts
from ..trees.tree import linear_trees


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

    @property
    def needs_qid(self) -> bool:  # type: ignore[override]
        return any(model.needs_qid for model in self.models)

    def scores(self, X: Any) -> Floats:
        return self._total((model.scores(X) for model in self.models), X.shape[0])

    def scores_of_queries(self, X: Any, queries: Queries) -> Floats:
        return self._total((model.scores_of_queries(X, queries) for model in self.models), X.shape[0])

    def _total(self, parts: Iterable[Floats], n_rows: int) -> Floats:
        total = np.zeros(n_rows)
        with np.errstate(over="ignore", invalid="ignore"):
            for weight, scores in zip(self.weights, parts, strict=True):
                total = total + weight * scores
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
        """A weighted sum if all parts are linear; otherwise trees, which start from the linear parts."""
        parts = [(float(w), split_parts(model.portable())) for w, model in zip(self.weights, self.models, strict=True)]
        trees = [(weight, part.trees) for weight, part in parts if part.trees is not None]
        with np.errstate(over="ignore", invalid="ignore"):
            linear = [part.linear.times(weight) for weight, part in parts if part.linear is not None]
            total = replace(WeightedSum.total(linear), feature_names=self.feature_names) if linear else None
            return total if total is not None and not trees else self._trees(trees, total)

    def _trees(self, parts: list[tuple[float, TreeSum]], linear: WeightedSum | None) -> TreeSum:
        """The trees of weighted sums of trees, after a linear start."""
        first = parts[0][1]
        if any((part.tiny_is_zero, part.categories) != (first.tiny_is_zero, first.categories) for _, part in parts):
            raise ModelError(
                "its parts are trees that read features differently (thresholds of RankBoost beside LightGBM's trees, or "
                "other categories), so they cannot be merged into one sum of trees; export each part separately"
            )
        trees = tuple(tree.times(weight) for weight, part in parts for tree in part.trees)
        if linear is not None and linear.columns.size == 0:
            trees, linear = (*linear_trees(linear), *trees), None
        given = {"categories": first.categories, "tiny_is_zero": first.tiny_is_zero}
        return TreeSum.from_trees(trees, self.n_features, self.feature_names, linear, **given)

    def check(self) -> None:
        if not self.models:
            raise ModelError("it has no model")
        check_sizes("model", len(self.models), weights=self.weights)
        for model in self.models:
            model.check()
            if model.n_features != self.n_features:
                raise ModelError("its models have different numbers of features")
