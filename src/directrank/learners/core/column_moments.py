"""Ranges, means and moments of columns over all shards.

They are sums of integers, which have the same bits in any order: for any order of rows, number of threads and division into
shards, dense or sparse. A column is brought into [0, 1] by its range, and the first four powers are rounded to 42 bits, or
to as many as leave room for the sum over all rows in 62. Only rows of queries of a weight above 0 count; where weights
differ, they are rounded to 12 bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...arrays import Bools, Floats, Ints
from ...core import column_moments as kernels
from ...data.checked_arrays import row_blocks
from ...matrix.feature_scaling import signed_log
from .shards import Shards
from .task import Task

#: Bits of a sum over all rows, of a row's value with its weight, and of its weight where weights differ.
SUM_BITS, VALUE_BITS, WEIGHT_BITS = 62, 42, 12

#: Range of a column below which it is constant.
MIN_RANGE = 1e-300


class Ranges(NamedTuple):
    """Ranges of the columns, and what is needed to sum over rows.

    Attributes
    ----------
    low, high : arrays
        Lowest and highest value; inf and -inf for a column without values.
    n_present, n_missing : int64 arrays
        Number of rows with and without a value.
    lightest, heaviest : float
        Lowest and highest weight of a row.
    """

    low: Floats
    high: Floats
    n_present: Ints
    n_missing: Ints
    lightest: float
    heaviest: float

    @property
    def largest(self) -> Floats:
        """Largest absolute values."""
        return np.maximum(np.abs(self.low), np.abs(self.high))

    def joined(self, other: Ranges) -> Ranges:
        """Ranges of two sets of rows."""
        return Ranges(
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            self.n_present + other.n_present,
            self.n_missing + other.n_missing,
            min(self.lightest, other.lightest),
            max(self.heaviest, other.heaviest),
        )


class Moments(NamedTuple):
    """Moments of the columns, or of their signed logarithms; 0 for columns that were not asked for.

    Attributes
    ----------
    mean, deviation : arrays
        Mean and standard deviation.
    kurtosis : array
        Mean fourth power of the standardised values, 3 for a normal distribution; 0 for a constant column.
    """

    mean: Floats
    deviation: Floats
    kurtosis: Floats


class Sums(NamedTuple):
    """What a shard sums: products of (x - low) * factor, rounded to some bits, times the row's weight."""

    columns: Ints
    is_log: bool
    low: Floats
    factor: Floats
    bits: int
    weight_shift: int | None

    def whole(self, weights: Floats) -> Ints:
        return whole_weights(weights, self.weight_shift)


def column_ranges(training: Shards) -> Ranges:
    return reduce(Ranges.joined, training.each(_ranges))


def column_moments(training: Shards, ranges: Ranges, wanted: Bools, *, is_log: bool) -> Moments:
    """Moments of the wanted columns, or of their signed logarithms."""
    moments, columns = Moments(*np.zeros((3, wanted.size))), np.flatnonzero(wanted)
    if columns.size == 0:
        return moments
    low, high = range_of(ranges, columns, is_log)
    sums = sums_of(ranges, columns, is_log, low, high - low)
    weight, *totals = training.total(_power_sums, sums)
    first, second, third, fourth = (mean_of(total, weight, sums.bits) for total in totals)
    variance = np.maximum(second - first**2, 0.0)
    around_mean = fourth - 4 * first * third + 6 * first**2 * second - 3 * first**4
    kurtosis = np.divide(around_mean, variance**2, out=np.zeros(columns.size), where=variance > 0)
    for found, values in zip(moments, (low + first / sums.factor, np.sqrt(variance) / sums.factor, kurtosis), strict=True):
        found[columns] = values
    return moments


def mean_of(total: Ints, weight: Ints, bits: int) -> Floats:
    """Mean of summands in units of 2^-bits; 0 where the weight is."""
    mean: Floats = np.divide(total, weight, out=np.zeros(total.size), where=weight > 0)
    return np.ldexp(mean, -bits)


def range_of(ranges: Ranges, columns: Ints, is_log: bool) -> tuple[Floats, Floats]:
    """Lowest and highest value of some columns, or of their signed logarithms; 0 for a column without values."""
    known = ranges.n_present[columns] > 0
    low, high = (np.where(known, ends[columns], 0.0) for ends in (ranges.low, ranges.high))
    return (signed_log(low), signed_log(high)) if is_log else (low, high)


def weight_shift(ranges: Ranges) -> int | None:
    """Exponent of the power of 2 that brings weights to `WEIGHT_BITS` bits; None if they do not differ."""
    return WEIGHT_BITS - int(np.frexp(ranges.heaviest)[1]) if ranges.lightest < ranges.heaviest else None


def whole_weights(weights: Floats, shift: int | None) -> Ints:
    """Weights as integers: 0 or 1 unless they differ."""
    scaled = weights > 0 if shift is None else np.rint(np.ldexp(weights, shift))
    return scaled.astype(np.int64)


def sums_of(ranges: Ranges, columns: Ints, is_log: bool, low: Floats, size: Floats) -> Sums:
    """What to sum of columns with these lowest values and widths of their ranges."""
    differ = ranges.lightest < ranges.heaviest
    n_rows = int((ranges.n_present + ranges.n_missing)[0])
    bits = min(VALUE_BITS, SUM_BITS - n_rows.bit_length()) - WEIGHT_BITS * differ
    exponent = np.frexp(np.where(size > MIN_RANGE, size, 1.0))[1]  # a power of 2 rounds nothing
    return Sums(columns, is_log, low, np.ldexp(1.0, -exponent), bits, weight_shift(ranges))


def _ranges(task: Task) -> Ranges:
    weights, X = _row_weights(task), task.X
    counted = weights[weights > 0]
    parts = [_ranges_of_entries(X, weights)] if sparse.issparse(X) else map(_ranges_of_block, _counted_blocks(X, weights))
    none, zero = np.full(X.shape[1], np.inf), np.zeros(X.shape[1], np.int64)
    nothing = Ranges(none, -none, zero, zero, np.inf, 0.0)
    found = reduce(Ranges.joined, parts, nothing)
    return found._replace(lightest=float(counted.min(initial=np.inf)), heaviest=float(counted.max(initial=0.0)))


def _ranges_of_block(block: NDArray[Any]) -> Ranges:
    low, high = block.min(axis=0).astype(np.float64), block.max(axis=0).astype(np.float64)
    n_missing = np.zeros(low.size, np.int64)
    gaps = np.flatnonzero(np.isnan(low))
    if gaps.size:
        some = block[:, gaps]
        missing = np.isnan(some)
        n_missing[gaps] = missing.sum(axis=0)
        low[gaps] = np.where(missing, np.inf, some).min(axis=0)
        high[gaps] = np.where(missing, -np.inf, some).max(axis=0)
    return Ranges(low, high, len(block) - n_missing, n_missing, np.inf, 0.0)


def _ranges_of_entries(X: Any, weights: Floats) -> Ranges:
    """Ranges of a CSR matrix, whose entries that are not stored are 0."""
    values, columns, _ = _counted_entries(X, weights)
    missing, n_rows, width = np.isnan(values), int(np.sum(weights > 0)), X.shape[1]
    low, high = np.full(width, np.inf), np.full(width, -np.inf)
    np.minimum.at(low, columns[~missing], values[~missing])
    np.maximum.at(high, columns[~missing], values[~missing])
    n_missing = np.bincount(columns[missing], minlength=width)
    has_zeros = np.bincount(columns, minlength=width) < n_rows
    low[has_zeros], high[has_zeros] = np.minimum(low[has_zeros], 0.0), np.maximum(high[has_zeros], 0.0)
    return Ranges(low, high, n_rows - n_missing, n_missing, np.inf, 0.0)


def _power_sums(task: Task, sums: Sums) -> tuple[Ints, ...]:
    """Sum of the weights of the rows with a value, and weighted sums of its powers, for each column."""
    weights = _row_weights(task)
    whole = sums.whole(weights)
    if sparse.issparse(task.X):
        return _power_sums_of_entries(task.X, weights, whole, sums)
    n_parts = int(np.clip(2**18 // max(sums.columns.size, 1), 1, 32))
    arguments = (whole, sums.columns, sums.is_log, sums.low, sums.factor, sums.bits, n_parts)
    return tuple(kernels.power_sums(np.asarray(task.X), *arguments).reshape(-1, sums.columns.size))


def _power_sums_of_entries(X: Any, weights: Floats, whole: Ints, sums: Sums) -> tuple[Ints, ...]:
    values, columns, rows = _counted_entries(X, weights)
    place = np.full(X.shape[1], -1)
    place[sums.columns] = np.arange(sums.columns.size)
    kept = place[columns] >= 0
    values, columns, counted = values[kept], place[columns[kept]], whole[rows[kept]]
    stored = _added(sums.columns.size, columns, counted)
    not_stored, is_present = int(whole.sum()) - stored, ~np.isnan(values)
    values, columns, counted = values[is_present], columns[is_present], counted[is_present]
    totals = [not_stored + _added(sums.columns.size, columns, counted)]
    of_zeros = np.where(not_stored > 0, -sums.low * sums.factor, 0.0)
    relative = ((signed_log(values) if sums.is_log else values) - sums.low[columns]) * sums.factor[columns]
    for stored_power, zero_power in zip(_powers(relative), _powers(of_zeros), strict=True):
        rounded, of_zero = (np.rint(np.ldexp(power, sums.bits)).astype(np.int64) for power in (stored_power, zero_power))
        totals.append(not_stored * of_zero + _added(sums.columns.size, columns, counted * rounded))
    return tuple(totals)


def _powers(x: Floats) -> tuple[Floats, ...]:
    """The first four powers, multiplied as in the kernel."""
    square = x * x
    return x, square, square * x, square * square


def _added(size: int, columns: Ints, values: Ints) -> Ints:
    """Sum of the values of each column."""
    total = np.zeros(size, np.int64)
    np.add.at(total, columns, values)
    return total


def _row_weights(task: Task) -> Floats:
    """Weight of each row as the user gave it."""
    return task.queries.to_row_order(np.repeat(task.given, np.diff(task.queries.offsets)))


def _counted_blocks(X: Any, weights: Floats) -> Iterator[NDArray[Any]]:
    """Blocks of the rows whose weight is above 0."""
    start = 0
    for block in row_blocks(np.asarray(X)):
        rows = weights[start : start + len(block)] > 0
        start += len(block)
        if rows.any():
            yield block if rows.all() else block[rows]


def _counted_entries(X: Any, weights: Floats) -> tuple[Floats, Ints, Ints]:
    """Values, columns and rows of the stored entries of the rows whose weight is above 0."""
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    counted = weights[rows] > 0
    return X.data[counted].astype(np.float64), X.indices[counted].astype(np.int64), rows[counted]
