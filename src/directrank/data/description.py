"""Statistics of a data set, and warnings about what could cause trouble in training."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .column_statistics import ColumnStatistics, column_statistics
from .description_warnings import warnings_of
from .ranking_data import RankingData

#: Largest absolute value of a feature, in multiples of the typical one, from which on its tail is heavy.
HEAVY_TAIL = 100

#: Ratio of the typical values of two features from which on their scales are far apart.
FAR_APART = 10_000

#: Mean ROC area within queries from which on a feature, or its negative, is probably the label in disguise.
NEARLY_PERFECT = 0.99


@dataclass(frozen=True)
class Description:
    """Statistics of a data set.

    Features are listed by name, or by index from 1. Empty columns of sparse data are only counted, as `empty_features`.
    Data without labels has no `grades`. The typical value of a feature is the median of its absolute values, of those that
    are not 0.

    Attributes
    ----------
    heavy_tails : dict of float
        Largest absolute value over the typical one, where that is at least 100.
    far_scales : dict of float
        Typical values of the features with the smallest and the largest, if they differ by a factor of at least 10,000.
    label_like : dict of float
        Mean ROC area within queries of features that, in either direction, order documents by grade nearly perfectly:
        at least 0.99, or at most 0.01. Not where so few documents are in the right order by chance.
    """

    n_queries: int
    n_documents: int
    n_features: int
    documents_per_query: dict[str, float]
    grades: dict[float, int]
    queries_without_relevant: int
    queries_with_equal_grades: int
    empty_features: int
    constant_features: list[str]
    constant_within_queries: list[str]
    duplicate_features: list[list[str]]
    features_with_missing: dict[str, int]
    heavy_tails: dict[str, float]
    far_scales: dict[str, float]
    label_like: dict[str, float]
    density: float
    warnings: list[str] = field(default_factory=list)


def describe(data: RankingData) -> Description:
    """Compute statistics of a data set, with warnings about what could cause trouble in training."""
    queries = data.by_query()
    sizes, starts = np.diff(queries.offsets), queries.offsets[:-1]
    labels = data.y if data.has_labels else np.zeros(len(data))
    grades = queries.to_query_order(labels)
    highest, lowest = np.maximum.reduceat(grades, starts), np.minimum.reduceat(grades, starts)
    values, counts = np.unique(labels[: len(data) if data.has_labels else 0], return_counts=True)
    features = _features(data)
    description = Description(
        n_queries=sizes.size,
        n_documents=len(data),
        n_features=data.n_features,
        documents_per_query={"min": int(sizes.min()), "median": float(np.median(sizes)), "max": int(sizes.max())},
        grades=dict(zip(values.tolist(), counts.tolist(), strict=True)),
        queries_without_relevant=int(np.sum(highest == 0)),
        queries_with_equal_grades=int(np.sum(highest == lowest)),
        **features,
    )
    description.warnings.extend(warnings_of(description))
    return description


def _features(data: RankingData) -> dict[str, Any]:
    """The statistics that need a pass over each feature."""
    found = column_statistics(data)
    names = [data.feature_names[j] if data.feature_names is not None else str(j + 1) for j in found.numbers.tolist()]
    varies = ~found.constant
    equal: dict[bytes, list[str]] = {}
    for j in np.flatnonzero(varies):
        equal.setdefault(found.digests[j], []).append(names[j])
    return {
        "empty_features": data.n_features - len(names),
        "constant_features": [names[j] for j in np.flatnonzero(found.constant)],
        "constant_within_queries": [names[j] for j in np.flatnonzero(found.constant_within & varies)],
        "duplicate_features": [group for group in equal.values() if len(group) > 1],
        "features_with_missing": {names[j]: int(found.missing[j]) for j in np.flatnonzero(found.missing)},
        "heavy_tails": _heavy_tails(found, names),
        "far_scales": _far_scales(found, names),
        "label_like": _label_like(found, names),
        "density": found.filled / (len(data) * data.n_features),
    }


def _heavy_tails(found: ColumnStatistics, names: list[str]) -> dict[str, float]:
    heavy = np.flatnonzero(found.largest > HEAVY_TAIL * found.typical)
    return {names[j]: float(found.largest[j] / found.typical[j]) for j in heavy if found.typical[j] > 0}


def _far_scales(found: ColumnStatistics, names: list[str]) -> dict[str, float]:
    known = np.flatnonzero((found.typical > 0) & ~found.constant)
    if not known.size:
        return {}
    least, most = known[found.typical[known].argmin()], known[found.typical[known].argmax()]
    if found.typical[most] < FAR_APART * found.typical[least]:
        return {}
    return {names[j]: float(found.typical[j]) for j in (least, most)}


def _label_like(found: ColumnStatistics, names: list[str]) -> dict[str, float]:
    nearly_perfect = np.maximum(found.area, 1 - found.area) >= NEARLY_PERFECT
    return {names[j]: float(found.area[j]) for j in np.flatnonzero(nearly_perfect)}
