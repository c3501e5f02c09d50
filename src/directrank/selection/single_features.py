"""Rankings by single features, each in the direction that ranks better."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints
from ..data import RankingData
from ..matrix.columns import Columns
from ..models import LinearModel, Model, Provenance
from ..version import __version__


@dataclass(frozen=True, eq=False)
class SingleFeature:
    """Ranking by one feature.

    Attributes
    ----------
    feature : int
        Column of the feature.
    name : str
        Name for display: ``bm25 alone``, or ``price alone, ascending`` if low values rank first.
    directions : array of 1 and -1
        For each fold, 1 if high values rank first and -1 if low values do; chosen on the queries of the other folds.
    direction : {1, -1}
        The direction that is chosen on all queries.
    value : float
        Mean of the measure over all queries, each ranked in the direction of its fold.
    """

    feature: int
    name: str
    directions: Ints
    direction: int
    value: float

    def scores(self, data: RankingData, folds: Ints) -> Floats:
        """Score of each row, in the direction of the fold in which it is held out."""
        return Columns(data.X)[self.feature] * self.directions[folds - 1]

    def model(self, data: RankingData, measure: str) -> Model:
        """Linear model with a single non-zero weight."""
        coef = np.zeros(data.n_features)
        coef[self.feature] = self.direction
        provenance = Provenance("SingleFeature", {"feature": self.name}, measure, __version__)
        return LinearModel(coef, feature_names=_feature_names(data), provenance=provenance)


def evaluate_single_features(
    data: RankingData, evaluate: Callable[[Floats], Floats], query_folds: Ints
) -> Iterator[SingleFeature | None]:
    """Evaluate each feature as a ranking; None for a feature with missing values.

    A query's value depends on its own documents only, so one evaluation in each direction is enough for all folds.

    Parameters
    ----------
    evaluate : callable
        Returns the value of each query for scores of the rows.
    query_folds : array
        Fold in which each of these queries is held out, from 1 on.
    """
    for feature, column in enumerate(Columns(data.X)):
        if np.isnan(column).any():
            yield None
            continue
        descending, ascending = evaluate(column), evaluate(-column)
        gain = descending - ascending
        folds = np.arange(1, query_folds.max() + 1)
        directions = np.array([_direction(gain[query_folds != fold]) for fold in folds])
        value = np.where(directions[query_folds - 1] > 0, descending, ascending).mean()
        direction = _direction(gain)
        yield SingleFeature(feature, _display_name(data, feature, direction), directions, direction, float(value))


def _direction(gain: Floats) -> int:
    return 1 if gain.mean() >= 0 else -1


def _display_name(data: RankingData, feature: int, direction: int) -> str:
    name = f"feature {feature + 1}" if data.feature_names is None else data.feature_names[feature]
    return f"{name} alone" if direction > 0 else f"{name} alone, ascending"


def _feature_names(data: RankingData) -> tuple[str, ...] | None:
    return None if data.feature_names is None else tuple(data.feature_names)
