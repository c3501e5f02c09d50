"""Statistics of each feature, dense or sparse."""

from __future__ import annotations

import hashlib
import itertools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..arrays import Bools, Floats, Ints
from ..core import columns as kernels
from .label_order import LabelOrder
from .ranking_data import RankingData
from .sparse_columns import nonempty_columns

#: Number of dense columns read at a time: a cache line of float64.
_BLOCK = 8


class ColumnStatistics(NamedTuple):
    """Statistics of nonempty columns, whose indices are `numbers`.

    Attributes
    ----------
    numbers : int array
    missing : int array
        Number of missing values.
    constant, constant_within : bool arrays
        Whether all values, and all values within each query, are equal.
    typical, largest : arrays
        Median and maximum of the absolute values, of those that are not 0; 0 if there are none.
    area : array
        Mean ROC area of the ranking by this feature, as `LabelOrder` has it; 0.5 where it was not computed.
    digests : list of bytes
        Equal for equal columns.
    filled : int
        Number of nonzero values of all columns.
    """

    numbers: Ints
    missing: Ints
    constant: Bools
    constant_within: Bools
    typical: Floats
    largest: Floats
    area: Floats
    digests: list[bytes]
    filled: int


def column_statistics(data: RankingData) -> ColumnStatistics:
    """Statistics of each column of X that is not empty; columns of a dense X never are."""
    queries = data.by_query()
    grades = data.y if data.has_labels else np.zeros(len(data))
    labels = LabelOrder(queries.to_query_order(grades), queries.offsets, data.n_features)
    return _sparse_columns(data, labels) if sparse.issparse(data.X) else _dense_columns(data, labels)


def _dense_columns(data: RankingData, labels: LabelOrder) -> ColumnStatistics:
    queries, n = data.by_query(), data.n_features
    permutation, starts = (
        (np.empty(0, np.int64) if queries.permutation is None else queries.permutation),
        queries.offsets[:-1],
    )
    missing, constant, within = np.zeros(n, np.int64), np.zeros(n, bool), np.zeros(n, bool)
    typical, largest, area = np.zeros(n), np.zeros(n), np.full(n, 0.5)
    digests, filled = list[bytes](), 0
    for start in range(0, n, _BLOCK):
        block = kernels.transposed(np.asarray(data.X), start, min(start + _BLOCK, n), permutation)
        block += 0.0  # turns -0 into 0, so that equal columns have equal bytes
        for j, column in enumerate(block, start):
            lowest, highest = np.minimum.reduceat(column, starts), np.maximum.reduceat(column, starts)
            missing[j] = np.isnan(column).sum() if np.isnan(lowest).any() else 0
            constant[j] = lowest.min() == highest.max() or missing[j] == column.size
            within[j] = np.all(lowest == highest)  # false if there is a NaN
            sizes = np.abs(column[column != 0])
            filled += sizes.size
            typical[j], largest[j] = _sizes(sizes[~np.isnan(sizes)] if missing[j] else sizes)
            if not within[j]:
                area[j] = labels.area(column)
            digests.append(hashlib.blake2b(column.tobytes()).digest())
    return ColumnStatistics(np.arange(n), missing, constant, within, typical, largest, area, digests, filled)


def _sizes(sizes: Floats) -> tuple[float, float]:
    return (float(np.median(sizes)), float(sizes.max())) if sizes.size else (0.0, 0.0)


def _sparse_columns(data: RankingData, labels: LabelOrder) -> ColumnStatistics:
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
    typical, largest, area = np.zeros(n_columns), np.zeros(n_columns), np.full(n_columns, 0.5)
    in_query_order = queries.to_row_order(np.arange(len(data)))
    for j, (start, end) in enumerate(itertools.pairwise(table.indptr.tolist())):
        sizes = np.abs(values[start:end].astype(np.float64))
        typical[j], largest[j] = _sizes(sizes[(sizes != 0) & ~np.isnan(sizes)])
        if not constant_within[j] and end - start >= labels.n_queries:  # otherwise most queries have no entry
            dense = np.zeros(len(data))
            dense[in_query_order[table.indices[start:end]]] = values[start:end]
            area[j] = labels.area(dense)
    filled, digests = int(np.count_nonzero(values)), _digests(table, values)
    return ColumnStatistics(numbers, missing, constant, constant_within, typical, largest, area, digests, filled)


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
