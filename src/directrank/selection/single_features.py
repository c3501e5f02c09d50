"""Each feature alone as a ranking, in the direction that ranks better."""

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
class FeatureAlone:
    """A feature that ranks by itself.

    Attributes
    ----------
    feature : int
        Its column.
    name : str
        What it is called: ``bm25 alone``, or ``price alone, ascending`` where low values come first.
    directions : array of 1 and -1
        For each fold, whether high or low values come first; chosen by the queries of the other folds.
    direction : {1, -1}
        The same, chosen by all queries.
    value : float
        The mean of the measure over all queries, each ranked in the direction of its fold.
    """

    feature: int
    name: str
    directions: Ints
    direction: int
    value: float

    def scores(self, data: RankingData, folds: Ints) -> Floats:
        """A score for each row, held out in the fold that `folds` says."""
        return Columns(data.X)[self.feature] * self.directions[folds - 1]

    def model(self, data: RankingData, measure: str) -> Model:
        """The linear model of this feature and no other."""
        coef = np.zeros(data.n_features)
        coef[self.feature] = self.direction
        provenance = Provenance("SingleFeature", {"feature": self.name}, measure, __version__)
        return LinearModel(coef, feature_names=_names(data), provenance=provenance)


def features_alone(
    data: RankingData, values_of: Callable[[Floats], Floats], folds_of_queries: Ints
) -> Iterator[FeatureAlone | None]:
    """Each feature alone; None for one with missing values, by which documents cannot be ranked.

    A query's value depends on its own documents only, so one evaluation in either direction is enough for all folds.

    Parameters
    ----------
    values_of : callable
        Gives the value of each query for scores of the rows.
    folds_of_queries : array
        The fold in which each of these queries is held out, from 1 on.
    """
    for feature, column in enumerate(Columns(data.X)):
        if np.isnan(column).any():
            yield None
            continue
        high_first, low_first = values_of(column), values_of(-column)
        gain = high_first - low_first
        numbers = np.arange(1, folds_of_queries.max() + 1)
        directions = np.array([_direction(gain[folds_of_queries != number]) for number in numbers])
        value = np.where(directions[folds_of_queries - 1] > 0, high_first, low_first).mean()
        direction = _direction(gain)
        yield FeatureAlone(feature, _called(data, feature, direction), directions, direction, float(value))


def _direction(gain: Floats) -> int:
    return 1 if gain.mean() >= 0 else -1


def _called(data: RankingData, feature: int, direction: int) -> str:
    name = f"feature {feature + 1}" if data.feature_names is None else data.feature_names[feature]
    return f"{name} alone" if direction > 0 else f"{name} alone, ascending"


def _names(data: RankingData) -> tuple[str, ...] | None:
    return None if data.feature_names is None else tuple(data.feature_names)
