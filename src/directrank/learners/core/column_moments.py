"""Ranges, means and moments of columns over all shards.

They are sums of integers, which have the same bits in any order: for any order of rows, number of threads and division into
shards, dense or sparse. A column is brought into [-1, 1] by its range, and its values, squares or fourth powers are rounded
to as many bits as leave room for the sum over all rows in 62 bits: 42 for a million rows. Only rows of queries of a weight
above 0 count; weights are rounded to 12 bits where they differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...arrays import Bools, Floats, Ints
from ...data.checked_arrays import row_blocks
from ...matrix.feature_scaling import signed_log
from .shards import Shards
from .task import Task

#: Bits of a sum, and of a row's weight where weights differ.
SUM_BITS, WEIGHT_BITS = 62, 12

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


class _Sums(NamedTuple):
    """What a shard sums: powers of (x - centre) * factor, rounded to some bits."""

    columns: Ints
    is_log: bool
    centre: Floats
    factor: Floats
    powers: tuple[int, ...]
    bits: int
    weight_scale: float


def column_ranges(training: Shards) -> Ranges:
    return reduce(Ranges.joined, training.each(_ranges))


def column_moments(training: Shards, ranges: Ranges, wanted: Bools, *, is_log: bool) -> Moments:
    """Moments of the wanted columns, or of their signed logarithms."""
    moments, columns = Moments(*np.zeros((3, wanted.size))), np.flatnonzero(wanted)
    if columns.size == 0:
        return moments
    low, high = _range_of(ranges, columns, is_log)
    sums = _sums(ranges, columns, is_log, centre=low, radius=high - low, powers=(1,))
    weight, total = training.total(_integer_sums, sums)
    mean = low + _mean(total, weight, sums.bits) / sums.factor
    sums = _sums(ranges, columns, is_log, centre=mean, radius=np.maximum(high - mean, mean - low), powers=(2, 4))
    weight, squares, fourths = training.total(_integer_sums, sums)
    variance, fourth = _mean(squares, weight, sums.bits), _mean(fourths, weight, sums.bits)
    kurtosis = np.divide(fourth, variance**2, out=np.zeros_like(fourth), where=variance > 0)
    for found, values in zip(moments, (mean, np.sqrt(variance) / sums.factor, kurtosis), strict=True):
        found[columns] = values
    return moments


def _range_of(ranges: Ranges, columns: Ints, is_log: bool) -> tuple[Floats, Floats]:
    known = ranges.n_present[columns] > 0
    low, high = (np.where(known, ends[columns], 0.0) for ends in (ranges.low, ranges.high))
    return (signed_log(low), signed_log(high)) if is_log else (low, high)


def _sums(ranges: Ranges, columns: Ints, is_log: bool, centre: Floats, radius: Floats, powers: tuple[int, ...]) -> _Sums:
    differ = ranges.lightest < ranges.heaviest
    n_rows = int((ranges.n_present + ranges.n_missing)[0])
    bits = SUM_BITS - n_rows.bit_length() - WEIGHT_BITS * differ
    exponent = np.frexp(np.where(radius > MIN_RANGE, radius, 1.0))[1]  # a power of 2 rounds nothing
    scale = 2.0 ** (WEIGHT_BITS - np.frexp(ranges.heaviest)[1]) if differ else 0.0
    return _Sums(columns, is_log, centre, np.ldexp(1.0, -exponent), powers, bits, float(scale))


def _mean(total: Ints, weight: Ints, bits: int) -> Floats:
    mean: Floats = np.divide(total, weight, out=np.zeros(total.size), where=weight > 0)
    return np.ldexp(mean, -bits)


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


def _integer_sums(task: Task, sums: _Sums) -> tuple[Ints, ...]:
    """Sums of the weights and of the powers of each column."""
    weights = _row_weights(task)
    whole = np.rint(weights * sums.weight_scale).astype(np.int64) if sums.weight_scale else (weights > 0).astype(np.int64)
    return _sums_of_entries(task.X, weights, whole, sums) if sparse.issparse(task.X) else _sums_of_rows(task.X, whole, sums)


def _sums_of_rows(X: Any, whole: Ints, sums: _Sums) -> tuple[Ints, ...]:
    totals = [np.zeros(sums.columns.size, np.int64) for _ in range(1 + len(sums.powers))]
    start, every = 0, sums.columns.size == X.shape[1]
    for block in row_blocks(np.asarray(X)):
        counted = whole[start : start + len(block)]
        start += len(block)
        rows = counted > 0
        values = np.array(block if every else block[:, sums.columns], np.float64)
        if not rows.all():
            values, counted = values[rows], counted[rows]
        equal = bool(counted.size) and int(counted.min()) == int(counted.max())
        missing = np.isnan(values)
        some = bool(missing.any())
        if some:
            values[missing] = 0.0
        for total, powers in zip(totals[1:], _rounded_powers(values, sums), strict=True):
            if some:
                powers[missing] = 0
            total += powers.sum(axis=0) * counted[0] if equal else counted @ powers
        totals[0] += int(counted.sum()) - (counted @ missing if some else 0)
    return tuple(totals)


def _sums_of_entries(X: Any, weights: Floats, whole: Ints, sums: _Sums) -> tuple[Ints, ...]:
    values, columns, rows = _counted_entries(X, weights)
    place = np.full(X.shape[1], -1)
    place[sums.columns] = np.arange(sums.columns.size)
    kept = place[columns] >= 0
    values, columns, counted = values[kept], place[columns[kept]], whole[rows[kept]]
    missing = np.isnan(values)
    values[missing] = 0.0
    stored, present = np.zeros(sums.columns.size, np.int64), np.zeros(sums.columns.size, np.int64)
    np.add.at(stored, columns, counted)
    np.add.at(present, columns, counted * ~missing)
    not_stored = int(whole.sum()) - stored
    totals = [present + not_stored]
    of_entries = _rounded_powers(values, sums._replace(centre=sums.centre[columns], factor=sums.factor[columns]))
    of_zeros = _rounded_powers(np.zeros(sums.columns.size), sums)
    for powers, zeros in zip(of_entries, of_zeros, strict=True):
        total = not_stored * zeros
        np.add.at(total, columns, counted * powers * ~missing)
        totals.append(total)
    return tuple(totals)


def _rounded_powers(values: Floats, sums: _Sums) -> Iterator[Ints]:
    """Powers of values as integers, in units of 2^-bits."""
    relative = (signed_log(values) if sums.is_log else values) - sums.centre
    relative *= sums.factor
    power = {1: lambda: relative, 2: lambda: relative**2, 4: lambda: (relative**2) ** 2}
    compute: Callable[[], Floats]
    for compute in (power[number] for number in sums.powers):
        yield np.rint(compute() * 2.0**sums.bits).astype(np.int64)


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
