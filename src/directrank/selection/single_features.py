"""Rankings by single features, each in the direction that ranks better."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints
from ..data import RankingData
from ..evaluation.feature_ranking import feature_name, feature_scores
from ..matrix.columns import Columns
from ..models import LinearModel, Model, Provenance
from ..version import __version__

#: Ends of the names of rankings by a feature.
ALONE, ASCENDING = " alone", ", ascending"


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
    values : array
        Measure of each query, ranked in the direction of its fold.
    """

    feature: int
    name: str
    directions: Ints
    direction: int
    values: Floats

    @property
    def value(self) -> float:
        """Mean of the measure over all queries."""
        return float(self.values.mean())

    def scores(self, data: RankingData, folds: Ints) -> Floats:
        """Score of each row, in the direction of the fold in which it is held out."""
        column = Columns(data.X)[self.feature]
        descending, ascending = feature_scores(column), feature_scores(column, ascending=True)
        return np.where(self.directions[folds - 1] > 0, descending, ascending)

    def model(self, data: RankingData, measure: str) -> Model:
        """Linear model with a single non-zero weight; missing values, if the data has any, rank last."""
        coef, if_missing, column = np.zeros(data.n_features), None, Columns(data.X)[self.feature]
        coef[self.feature] = self.direction
        missing = np.isnan(column)
        if missing.any():
            if_missing = np.zeros(data.n_features)
            if_missing[self.feature] = feature_scores(column, ascending=self.direction < 0)[missing][0]
        provenance = Provenance("SingleFeature", {"feature": self.name}, measure, __version__)
        return LinearModel(coef, if_missing=if_missing, feature_names=_feature_names(data), provenance=provenance)


def evaluate_single_features(
    data: RankingData, evaluate: Callable[[Floats], Floats], query_folds: Ints
) -> Iterator[SingleFeature]:
    """Evaluate each feature as a ranking, with missing values after all others.

    A query's value depends on its own documents only, so one evaluation in each direction is enough for all folds.

    Parameters
    ----------
    evaluate : callable
        Returns the value of each query for scores of the rows.
    query_folds : array
        Fold in which each of these queries is held out, from 1 on.
    """
    for feature, column in enumerate(Columns(data.X)):
        descending, ascending = evaluate(feature_scores(column)), evaluate(feature_scores(column, ascending=True))
        gain = descending - ascending
        folds = np.arange(1, query_folds.max() + 1)
        directions = np.array([_direction(gain[query_folds != fold]) for fold in folds])
        values = np.where(directions[query_folds - 1] > 0, descending, ascending)
        direction = _direction(gain)
        yield SingleFeature(feature, _display_name(data, feature, direction), directions, direction, values)


def _direction(gain: Floats) -> int:
    return 1 if gain.mean() >= 0 else -1


def _display_name(data: RankingData, feature: int, direction: int) -> str:
    name = feature_name(data, feature)
    return f"{name}{ALONE}" if direction > 0 else f"{name}{ALONE}{ASCENDING}"


def _feature_names(data: RankingData) -> tuple[str, ...] | None:
    return None if data.feature_names is None else tuple(data.feature_names)
