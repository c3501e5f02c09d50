"""Statistics of a data set, and warnings about what could cause trouble in training."""

from __future__ import annotations

import hashlib
import itertools
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..arrays import Bools, Ints
from .ranking_data import RankingData
from .sparse_columns import nonempty_columns


@dataclass(frozen=True)
class Description:
    """Statistics of a data set.

    Features are listed by name, or by index from 1. Empty columns of sparse data are only counted, as `empty_features`.
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
    found = _sparse_columns(data) if sparse.issparse(data.X) else _dense_columns(data)
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
        "density": found.filled / (len(data) * data.n_features),
    }


class _Columns(NamedTuple):
    """Statistics of nonempty columns, whose indices are `numbers`."""

    numbers: Ints
    missing: Ints
    constant: Bools
    constant_within: Bools
    digests: list[bytes]
    filled: int


def _dense_columns(data: RankingData) -> _Columns:
    queries, n = data.by_query(), data.n_features
    found = _Columns(np.arange(n), np.zeros(n, np.int64), np.zeros(n, bool), np.zeros(n, bool), [], 0)
    filled, starts = 0, queries.offsets[:-1]
    for j in range(n):
        column = np.ascontiguousarray(data.X[:, j] + 0.0)  # + 0.0 turns -0 into 0, so that equal columns have equal bytes
        filled += int(np.count_nonzero(column))
        found.missing[j] = np.isnan(column).sum()
        found.constant[j] = np.all(column == column[0]) or found.missing[j] == column.size
        laid_out = queries.to_query_order(column)
        lowest, highest = np.minimum.reduceat(laid_out, starts), np.maximum.reduceat(laid_out, starts)
        found.constant_within[j] = np.all(lowest == highest)  # false if there is a NaN
        found.digests.append(hashlib.blake2b(column.tobytes()).digest())
    return found._replace(filled=filled)


def _sparse_columns(data: RankingData) -> _Columns:
    """Statistics of sparse columns, computed from the entries alone."""
    numbers, table = nonempty_columns(data.X)
    table = table.tocsc()
    queries, n_columns = data.by_query(), numbers.size
    query = queries.to_row_order(np.repeat(np.arange(queries.ids.size), np.diff(queries.offsets)))[table.indices]
    column, values = np.repeat(np.arange(n_columns), np.diff(table.indptr)), table.data + 0.0
    missing = np.bincount(column[np.isnan(values)], minlength=n_columns)
    constant = ~_varies(column, values, np.full(n_columns, len(data))) | (missing == len(data))
    # One group for each pair of column and query that has an entry.
    pairs, group = np.unique(column * queries.ids.size + query, return_inverse=True)
    varies_within = _varies(group, values, np.diff(queries.offsets)[pairs % queries.ids.size])
    constant_within = np.bincount(pairs[varies_within] // queries.ids.size, minlength=n_columns) == 0
    return _Columns(numbers, missing, constant, constant_within, _digests(table, values), int(np.count_nonzero(values)))


def _varies(group: Ints, values: NDArray[Any], sizes: Ints) -> Bools:
    """Whether the values of each group differ; rows of a group without a value are 0. True for NaN."""
    lowest, highest = np.full(sizes.size, np.inf), np.full(sizes.size, -np.inf)
    with np.errstate(invalid="ignore"):
        np.minimum.at(lowest, group, values)
        np.maximum.at(highest, group, values)
    has_zero = np.bincount(group, minlength=sizes.size) < sizes
    lowest[has_zero] = np.minimum(lowest[has_zero], 0.0)
    highest[has_zero] = np.maximum(highest[has_zero], 0.0)
    return lowest != highest


def _digests(table: Any, values: NDArray[Any]) -> list[bytes]:
    """Digests of columns, regardless of explicitly stored zeros."""
    out = []
    for start, end in itertools.pairwise(table.indptr.tolist()):
        there = values[start:end] != 0
        rows, mine = table.indices[start:end][there], values[start:end][there]
        out.append(hashlib.blake2b(rows.tobytes() + b"|" + mine.tobytes()).digest())
    return out


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
