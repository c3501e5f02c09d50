"""Statistics of a data set, and warnings about what could cause trouble in training."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .ranking_data import RankingData


@dataclass(frozen=True)
class Description:
    """Statistics of a data set.

    Features are given by name, or by their index, starting at 1. Features of sparse data that have no entry are only
    counted, as `empty_features`.
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
    density: float
    warnings: list[str] = field(default_factory=list)


def describe(data: RankingData) -> Description:
    """Compute statistics of a data set, with warnings about what could cause trouble in training."""
    queries = data.by_query()
    sizes, starts = np.diff(queries.offsets), queries.offsets[:-1]
    grades = queries.to_query_order(data.y)
    highest, lowest = np.maximum.reduceat(grades, starts), np.minimum.reduceat(grades, starts)
    values, counts = np.unique(data.y, return_counts=True)
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
    description.warnings.extend(_warnings(description))
    return description


def _features(data: RankingData) -> dict[str, Any]:
    """The statistics that need a pass over each feature."""
    queries, table, columns = data.by_query(), data.X, range(data.n_features)
    if sparse.issparse(table):  # only columns with entries: there may be billions of empty ones
        columns = np.unique(table.indices).tolist()
        table = sparse.csc_array(table[:, columns])
    constant, within, missing, filled = [], [], {}, 0
    equal: dict[bytes, list[str]] = {}
    for at, j in enumerate(columns):
        name = data.feature_names[j] if data.feature_names is not None else str(j + 1)
        column = _dense_column(table, at)
        filled += int(np.count_nonzero(column))
        n_missing = int(np.isnan(column).sum())
        if n_missing:
            missing[name] = n_missing
        if np.all(column == column[0]) or n_missing == column.size:
            constant.append(name)
            continue
        if not n_missing and _constant_within(queries.to_query_order(column), queries.offsets):
            within.append(name)
        equal.setdefault(hashlib.blake2b(column.tobytes()).digest(), []).append(name)
    return {
        "empty_features": data.n_features - len(columns),
        "constant_features": constant,
        "constant_within_queries": within,
        "duplicate_features": [names for names in equal.values() if len(names) > 1],
        "features_with_missing": missing,
        "density": filled / (len(data) * data.n_features),
    }


def _dense_column(table: Any, j: int) -> NDArray[Any]:
    column = table[:, [j]].toarray()[:, 0] if sparse.issparse(table) else table[:, j]
    return np.ascontiguousarray(column + 0.0)  # + 0.0 turns -0 into 0, so that equal columns have equal bytes


def _constant_within(column: NDArray[Any], offsets: NDArray[np.int64]) -> bool:
    starts = offsets[:-1]
    return bool(np.all(np.maximum.reduceat(column, starts) == np.minimum.reduceat(column, starts)))


def _warnings(d: Description) -> list[str]:
    said = []
    if d.queries_with_equal_grades == d.n_queries:
        said.append("No query has documents of different grades, so there is nothing to learn.")
    elif d.queries_with_equal_grades:
        said.append(f"{d.queries_with_equal_grades} queries have only one grade and are skipped in training.")
    if d.queries_without_relevant:
        said.append(f"{d.queries_without_relevant} queries have no relevant document and count 0 in every ranking measure.")
    if d.n_queries == 1:
        said.append("There is only one query: check that the file has query ids.")
    if d.empty_features:
        said.append(f"{d.empty_features:,} features are empty in every row.")
    if d.constant_features:
        said.append(f"{len(d.constant_features)} features have the same value in every row and can be dropped.")
    if d.constant_within_queries:
        said.append(
            f"{len(d.constant_within_queries)} features are constant within every query; no linear model can use them."
        )
    if d.duplicate_features:
        extra = sum(len(names) - 1 for names in d.duplicate_features)
        said.append(f"{extra} features are exact duplicates of others.")
    if d.features_with_missing:
        said.append(f"{len(d.features_with_missing)} features have missing values, which only LambdaMART handles.")
    if max(d.grades) > 30:
        said.append(
            f"The highest grade is {max(d.grades):g}: with the gain 2^grade - 1 it outweighs all others; use gain=linear."
        )
    return said
