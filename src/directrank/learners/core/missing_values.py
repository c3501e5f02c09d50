r"""Missing values of features: whether documents that lack a feature are better or worse, and what their grades say of it.

Let :math:`r_i` be the number of documents of the query with a lower grade than document i, less the number of those with a
higher one, and :math:`m_i` 1 where its feature is missing. If values are missing at random,

.. math:: S_q = \sum_i m_i r_i

has the mean 0 over all permutations of the n documents, and with M missing values the variance

.. math:: V_q = \frac{M (n - M)}{n (n - 1)} \sum_i r_i^2

(Wilcoxon's rank sum test). The z-value of a feature is :math:`\sum_q S_q / n` over the root of :math:`\sum_q V_q / n^2` (van
Elteren 1960).

The expected value of a missing x follows from the regression of x on :math:`\rho_i = r_i / n` where it is present,

.. math:: \bar x + \frac{\operatorname{cov}(x, \rho)}{\operatorname{var}(\rho)} (\bar\rho_{missing} - \bar\rho),

clipped to the range of x: the mean for values missing at random, less for a good feature that bad documents lack.

All is summed as integers, so that neither shards nor the order of rows change a bit.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...matrix.columns import Columns
from ...matrix.feature_scaling import signed_log
from .column_moments import Ranges, Sums, mean_of, range_of, sums_of
from .shards import Shards
from .task import Task

#: Bits after the point of the integers.
BITS = 20

#: Number of bits of a variance of ranks that are nothing but rounding.
ROUNDED_BITS = 10


def z_of_missing(training: Shards, columns: Ints, *, joined: bool = False) -> Floats:
    """z-value of each of some columns: above 0 where documents that lack it are better than others.

    Parameters
    ----------
    training : Shards
    columns : int64 array
    joined : bool
        Whether the rows of all shards are one set, of two classes: grades of 0 and above.
    """
    if joined:
        total, variance = _joined(*training.total(_missing_of_classes, columns))
    else:
        total, variance = (np.ldexp(sums, -BITS) for sums in training.total(_sums, columns))
    return np.divide(total, np.sqrt(variance), out=np.zeros(columns.size), where=variance > 0)


def expected_values(training: Shards, ranges: Ranges, wanted: Bools, *, is_log: bool, joined: bool = False) -> Floats:
    """Expected value of the wanted columns where they are missing, or of their signed logarithms; 0 for other columns.

    Parameters
    ----------
    training : Shards
    ranges : Ranges
    wanted : bool array
        Columns, which must have values and missing ones.
    is_log : bool
    joined : bool
        Whether the rows of all shards are one set, of two classes: grades of 0 and above.
    """
    expected, columns = np.zeros(wanted.size), np.flatnonzero(wanted)
    if columns.size == 0:
        return expected
    low, high = range_of(ranges, columns, is_log)
    sums = sums_of(ranges, columns, is_log, low, high - low)
    present, missing, *totals, total_of_missing = training.total(_products_with_ranks, sums, joined)
    x, r, x_r, r_r = (mean_of(total, present, sums.bits) for total in totals)
    variance = r_r - r**2
    varies = variance > np.ldexp(1.0, ROUNDED_BITS - sums.bits)
    slope = np.divide(x_r - x * r, variance, out=np.zeros(columns.size), where=varies)
    relative = x + slope * (mean_of(total_of_missing, missing, sums.bits) - r)
    expected[columns] = np.clip(low + relative / sums.factor, low, high)
    return expected


def _products_with_ranks(task: Task, sums: Sums, joined: bool) -> Ints:
    """Weights of documents with and without x; sums of x, r, x r and r^2 with it, and of r without.

    Here r is the relative rank, or in a joined set the class, 0 or 1, of which that is a linear function.
    """
    sizes, grades = np.diff(task.queries.offsets), task.bound.grades
    ranks = (grades > 0).astype(np.float64) if joined else _ranks(grades, task.queries.offsets) / np.repeat(sizes, sizes)
    weights, totals = np.repeat(sums.whole(task.given), sizes), np.zeros((7, sums.columns.size), np.int64)
    for place, values in values_by_column(task, sums.columns):
        is_missing = np.isnan(values)
        present, missing = np.flatnonzero(~is_missing & (weights > 0)), np.flatnonzero(is_missing)
        x, r = values[present], ranks[present]
        x = ((signed_log(x) if sums.is_log else x) - sums.low[place]) * sums.factor[place]
        of_present = [_total(part, weights[present], sums.bits) for part in (x, r, x * r, r * r)]
        of_missing = _total(ranks[missing], weights[missing], sums.bits)
        totals[:, place] = weights[present].sum(), weights[missing].sum(), *of_present, of_missing
    return totals


def _total(summands: Floats, weights: Ints, bits: int) -> int:
    """Weighted sum of rounded summands, in units of 2^-bits."""
    return int(np.sum(np.rint(np.ldexp(summands, bits)).astype(np.int64) * weights))


def _sums(task: Task, columns: Ints) -> tuple[Ints, Ints]:
    """Sums of S_q / n and of V_q / n^2, as integers in units of 2^-BITS."""
    starts, sizes = task.queries.offsets[:-1], np.diff(task.queries.offsets)
    ranks, counts = _ranks(task.bound.grades, task.queries.offsets), task.given > 0
    square = np.add.reduceat(ranks.astype(np.float64) ** 2, starts) / sizes**2
    totals, variances = np.zeros(columns.size, np.int64), np.zeros(columns.size, np.int64)
    for place, values in values_by_column(task, columns):
        missing = np.isnan(values)
        total = np.add.reduceat(missing * ranks, starts) / sizes
        variance = _variance(np.add.reduceat(missing, starts, dtype=np.int64), sizes, square)
        totals[place] = np.rint(np.ldexp(total[counts], BITS)).astype(np.int64).sum()
        variances[place] = np.rint(np.ldexp(variance[counts], BITS)).astype(np.int64).sum()
    return totals, variances


def _missing_of_classes(task: Task, columns: Ints) -> tuple[Ints, Ints, int, int]:
    """Number of missing values of each column among the positive rows and among all; numbers of these rows."""
    positive, found = task.bound.grades > 0, np.zeros((2, columns.size), np.int64)
    for place, values in values_by_column(task, columns):
        missing = np.isnan(values)
        found[:, place] = np.sum(missing & positive), np.sum(missing)
    return found[0], found[1], int(positive.sum()), positive.size


def _joined(missing_positive: Ints, n_missing: Ints, n_positive: int, n: int) -> tuple[Floats, Floats]:
    """S / n and V / n^2 of the rows of two classes as one query."""
    n_negative = n - n_positive
    total = (missing_positive * n_negative - (n_missing - missing_positive) * n_positive) / n
    return total, _variance(n_missing, n, n_positive / n * n_negative)


def _variance(n_missing: Ints, n: Ints | int, square: Floats | float) -> Floats:
    """V / n^2, for the sum of r^2 / n^2."""
    variance: Floats = n_missing * (n - n_missing) / (n * np.maximum(n - 1.0, 1.0)) * square
    return variance


def values_by_column(task: Task, columns: Ints) -> Iterator[tuple[int, Floats]]:
    """Place of each column, and its values in query order."""
    for start in np.unique(columns // Columns.BLOCK * Columns.BLOCK).tolist():
        block = task.columns.block(start)
        for place in np.flatnonzero((columns >= start) & (columns < start + Columns.BLOCK)).tolist():
            yield place, block[columns[place] - start]


def _ranks(grades: Floats, offsets: Ints) -> Ints:
    """Number of documents of the query with a lower grade, less the number of those with a higher one."""
    starts, ends = (np.repeat(bounds, np.diff(offsets)) for bounds in (offsets[:-1], offsets[1:]))
    order = np.lexsort((grades, starts))
    ascending, first = grades[order], starts[order]
    is_new = np.concatenate(([True], (ascending[1:] != ascending[:-1]) | (first[1:] != first[:-1])))
    begins = np.flatnonzero(is_new)
    sizes = np.diff(begins, append=grades.size)
    lower, upto = np.repeat(begins, sizes) - first, np.repeat(begins + sizes, sizes) - first
    ranks = np.empty(grades.size, np.int64)
    ranks[order] = lower - (ends[order] - first - upto)
    return ranks
