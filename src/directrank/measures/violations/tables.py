r"""The most violated labelling for any function of the contingency table (Joachims 2005, Algorithm 2), pruned.

Labellings are compared by Psi(y) = 1/n sum_i y_i x_i, as in `labelling`. Among those with a true and b false positives the
one of highest score labels the a relevant and the b other documents of highest score. So the most violated one is where

.. math:: H(a, b) = -value(a, b) + S(a) + T(b)

is highest among the (R + 1)(N + 1) tables of a set with R relevant and N other documents; S(a) and T(b) are 2/n times the
sums of the a and of the b highest scores of the two kinds. The paper's algorithm tries all of them.

Here the tables are cut into blocks of about sqrt(R) by sqrt(N), and the lowest value in each block, and where it is, are
found once: they do not depend on scores. In no block is H above

    - lowest value of the block + highest S of its rows + highest T of its columns

and where the value is lowest H is attained. Only the blocks whose bound is above the best H so far are looked into, the
highest bound first. Nothing is assumed about the function, and rounding keeps the order of sums, so that what is left out
is never above what is found, in floating point too. The values of the blocks looked into are computed anew: memory is
O(sqrt(R N)).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...kernel_compiler import njit, prange
from ..base import MeasureError, Violation
from ..ranking.sorting import order_by_query

#: The values of so many tables are computed at a time, or of one block if it has more.
MAX_TABLES_AT_ONCE = 2**16

#: The value of each table of true positives, false positives, false negatives and true negatives.
ValueOfTables = Callable[[Floats, Floats, Floats, Floats], Floats]


class Blocks(NamedTuple):
    """Blocks of tables: `n_rows` numbers of true positives, from `first_a`, by `n_columns` of false ones, from `first_b`."""

    first_a: Ints
    first_b: Ints
    n_rows: Ints
    n_columns: Ints
    n_relevant: Ints
    n_others: Ints

    @property
    def sizes(self) -> Ints:
        return self.n_rows * self.n_columns


class Best(NamedTuple):
    """The best table of each query so far: its H, its value, and its true and false positives."""

    objective: Floats
    value: Floats
    a: Ints
    b: Ints


class Tables:
    """All tables of some queries, and what is known of their values: the same for queries with the same numbers.

    Parameters
    ----------
    name : str
        That of the measure.
    value : callable
        Finite values for all tables.
    n_relevant, n_others : int64 arrays, one for each query
        With no relevant document a query has no tables.

    Raises
    ------
    MeasureError
        Where a table has a higher value than that of the right labels.

    Attributes
    ----------
    differ : bool array, one for each query
        Whether its tables have different values.
    """

    def __init__(self, name: str, value: ValueOfTables, n_relevant: Ints, n_others: Ints) -> None:
        self._value = value
        shapes, shape_of = np.unique(np.stack((n_relevant, n_others)), axis=1, return_inverse=True)
        self._shape_of: Ints = shape_of.reshape(-1)
        self._first_block, self._blocks = _cut(*shapes)
        self._lowest, self._at, least, most = self._survey()
        self.differ = least < most
        right, wrong = np.stack((n_relevant, n_others))[:, self.differ].astype(np.float64), np.zeros(self.differ.sum())
        self._right = np.zeros(n_relevant.size)
        self._right[self.differ] = value(right[0], wrong, wrong.copy(), right[1])
        higher = self.differ & (most - self._right > 1e-9 * (most - least))  # by more than rounding
        if higher.any():
            q = np.argmax(higher)
            raise MeasureError(
                f"{name}: with {n_relevant[q]} relevant and {n_others[q]} other documents the right labels have the value "
                f"{self._right[q]:g}, and other labels {most[q]:g}; higher must be better, so change the sign of costs"
            )

    def most_violated(self, scores: Floats, relevant: Bools, offsets: Ints) -> Violation:
        """The most violated labelling of each query. The loss is how far its value is below that of the right labels."""
        order = order_by_query(scores, offsets)
        sums = np.empty(scores.size + 2 * self.differ.size)  # S and T of the first query, of the second, ...
        _add_up(scores, relevant, offsets, order, sums)
        starts = offsets + 2 * np.arange(offsets.size)
        best = self._search(sums, starts)
        coefficients = np.zeros(scores.size)
        _mark(relevant, offsets, order, self.differ, best.a, best.b, coefficients)
        return Violation(coefficients, self._right - best.value)

    def _search(self, sums: Floats, starts: Ints) -> Best:
        """The table of highest H of each query."""
        n = self.differ.size
        best = Best(np.full(n, -np.inf), np.zeros(n), np.zeros(n, np.int64), np.zeros(n, np.int64))
        n_blocks = np.diff(self._first_block)[self._shape_of] * self.differ
        ends = np.cumsum(n_blocks)
        bounds, first = np.empty(n_blocks.sum()), self._first_block[self._shape_of]
        _bound(sums, starts, self._blocks, self._lowest, self._at, first, ends, n_blocks, bounds, *best)
        query = np.repeat(np.arange(n), n_blocks)
        worth = np.flatnonzero(bounds > best.objective[query])
        bounds, query, block = bounds[worth], query[worth], worth + (first - ends + n_blocks)[query[worth]]
        order = _highest_first(query, bounds)
        for part in self._parts(block[order]):
            some = order[part]
            some = some[bounds[some] > best.objective[query[some]]]
            if some.size > 0:
                self._look_into(block[some], query[some], sums, starts, best)
        return best

    def _look_into(self, which: Ints, queries: Ints, sums: Floats, starts: Ints, best: Best) -> None:
        values, ends = self._values(which)
        highest, at = np.empty(which.size), np.empty(which.size, np.int64)
        _highest_in_blocks(values, ends, self._blocks, which, sums, starts[queries], highest, at)
        _keep_best(values, ends, self._blocks, which, queries, highest, at, *best)

    def _survey(self) -> tuple[Floats, Ints, Floats, Floats]:
        """The lowest value of each block, and where it is; the lowest and the highest value of each query."""
        n_blocks = self._blocks.n_rows.size
        lowest, highest, at = np.empty(n_blocks), np.empty(n_blocks), np.empty(n_blocks, np.int64)
        for part in self._parts(np.arange(n_blocks)):
            values, ends = self._values(part)
            lowest[part], highest[part], at[part] = _extremes(values, ends)
        of_shape = np.repeat(np.arange(self._first_block.size - 1), np.diff(self._first_block))
        least, most = np.full(self._first_block.size - 1, np.inf), np.full(self._first_block.size - 1, -np.inf)
        np.minimum.at(least, of_shape, lowest)
        np.maximum.at(most, of_shape, highest)
        return lowest, at, least[self._shape_of], most[self._shape_of]

    def _values(self, which: Ints) -> tuple[Floats, Ints]:
        """The values of the tables of some blocks, and where those of each block end."""
        ends = np.cumsum(self._blocks.sizes[which])
        a, b, c, d = np.empty((4, ends[-1]))
        _list_tables(self._blocks, which, ends, a, b, c, d)
        return self._value(a, b, c, d), ends

    def _parts(self, which: Ints) -> Iterator[Ints]:
        """Positions in a list of blocks, as many as are computed at a time."""
        parts = np.cumsum(self._blocks.sizes[which]) // MAX_TABLES_AT_ONCE
        return iter(np.split(np.arange(which.size), np.flatnonzero(np.diff(parts)) + 1) if which.size else [])


def _cut(n_relevant: Ints, n_others: Ints) -> tuple[Ints, Blocks]:
    """The tables of each shape in blocks, row by row: the first block of each shape, and one more; and the blocks."""
    height, width = (np.ceil(np.sqrt(count + 1)).astype(np.int64) for count in (n_relevant, n_others))
    down, across = -(-(n_relevant + 1) // height), -(-(n_others + 1) // width)
    n_blocks = np.where(n_relevant > 0, down * across, 0)
    first_block = np.concatenate(([0], np.cumsum(n_blocks)))
    shape = np.repeat(np.arange(n_blocks.size), n_blocks)
    row, column = np.divmod(np.arange(first_block[-1]) - first_block[shape], across[shape])
    first_a, first_b = row * height[shape], column * width[shape]
    n_rows = np.minimum(height[shape], n_relevant[shape] + 1 - first_a)
    n_columns = np.minimum(width[shape], n_others[shape] + 1 - first_b)
    return first_block, Blocks(first_a, first_b, n_rows, n_columns, n_relevant[shape], n_others[shape])


def _highest_first(query: Ints, bounds: Floats) -> Ints:
    """Positions in a list of queries' blocks: the one of highest bound of each query, then the second one of each, ..."""
    order = np.lexsort((-bounds, query))
    rank = np.arange(order.size) - np.searchsorted(query[order], query[order])
    return order[np.argsort(rank, kind="stable")]


@njit(cache=True, parallel=True)
def _add_up(scores, relevant, offsets, order, sums):  # type: ignore[no-untyped-def]
    """S and T of each query, one behind the other."""
    for q in prange(offsets.size - 1):
        lo, hi = offsets[q], offsets[q + 1]
        of_relevant, of_others = lo + 2 * q, lo + 2 * q + relevant[lo:hi].sum() + 1
        sums[of_relevant], sums[of_others] = 0.0, 0.0
        for document in order[lo:hi]:
            part = 2 * scores[lo + document] / (hi - lo)
            if relevant[lo + document]:
                sums[of_relevant + 1] = sums[of_relevant] + part
                of_relevant += 1
            else:
                sums[of_others + 1] = sums[of_others] + part
                of_others += 1


@njit(cache=True, parallel=True)
def _mark(relevant, offsets, order, differ, best_a, best_b, coefficients):  # type: ignore[no-untyped-def]
    """Psi(y*) - Psi(y^) as a coefficient of each document."""
    for q in prange(offsets.size - 1):
        lo, hi = offsets[q], offsets[q + 1]
        n_relevant, n_others = 0, 0
        for document in order[lo:hi] if differ[q] else order[:0]:
            if relevant[lo + document]:
                if n_relevant >= best_a[q]:
                    coefficients[lo + document] = 2.0 / (hi - lo)
                n_relevant += 1
            else:
                if n_others < best_b[q]:
                    coefficients[lo + document] = -2.0 / (hi - lo)
                n_others += 1


@njit(cache=True, parallel=True)
def _list_tables(blocks, which, ends, a, b, c, d):  # type: ignore[no-untyped-def]
    """The tables of some blocks, row by row."""
    for i in prange(which.size):
        block = which[i]
        at = ends[i] - blocks.n_rows[block] * blocks.n_columns[block]
        for row in range(blocks.first_a[block], blocks.first_a[block] + blocks.n_rows[block]):
            for column in range(blocks.first_b[block], blocks.first_b[block] + blocks.n_columns[block]):
                a[at], b[at] = row, column
                c[at], d[at] = blocks.n_relevant[block] - row, blocks.n_others[block] - column
                at += 1


@njit(cache=True, parallel=True)
def _extremes(values, ends):  # type: ignore[no-untyped-def]
    """The lowest and the highest value of each block, and where in it the lowest is."""
    lowest, highest, at = np.empty(ends.size), np.empty(ends.size), np.empty(ends.size, np.int64)
    for i in prange(ends.size):
        start = ends[i - 1] if i > 0 else 0
        mine = values[start : ends[i]]
        at[i] = np.argmin(mine)
        lowest[i], highest[i] = mine[at[i]], mine.max()
    return lowest, highest, at


@njit(cache=True, parallel=True)
def _bound(  # type: ignore[no-untyped-def]
    sums, starts, blocks, lowest, at, first, ends, n_blocks, bounds, best_objective, best_value, best_a, best_b
):
    """What H is at most in each block of each query, and the best H of the tables where a block's value is lowest."""
    for q in prange(n_blocks.size):
        if n_blocks[q] > 0:
            split = starts[q] + blocks.n_relevant[first[q]] + 1
            of_relevant, of_others = sums[starts[q] : split], sums[split : starts[q + 1]]
            height, width = blocks.n_rows[first[q]], blocks.n_columns[first[q]]
            highest_of_rows, highest_of_columns = _highest_of_runs(of_relevant, height), _highest_of_runs(of_others, width)
            for i in range(n_blocks[q]):
                block = first[q] + i
                row, column = blocks.first_a[block], blocks.first_b[block]
                bounds[ends[q] - n_blocks[q] + i] = (highest_of_rows[row // height] - lowest[block]) + highest_of_columns[
                    column // width
                ]
                a, b = row + at[block] // blocks.n_columns[block], column + at[block] % blocks.n_columns[block]
                objective = (of_relevant[a] - lowest[block]) + of_others[b]
                if objective > best_objective[q]:
                    best_objective[q], best_value[q], best_a[q], best_b[q] = objective, lowest[block], a, b


@njit(cache=True)
def _highest_of_runs(values, length):  # type: ignore[no-untyped-def]
    """The highest of each so many values in a row."""
    highest = np.empty(-(-values.size // length))
    for i in range(highest.size):
        highest[i] = values[i * length : (i + 1) * length].max()
    return highest


@njit(cache=True, parallel=True)
def _highest_in_blocks(values, ends, blocks, which, sums, starts, highest, at):  # type: ignore[no-untyped-def]
    """The highest H of each block, and where in it that is."""
    for i in prange(which.size):
        block = which[i]
        of_relevant = starts[i] + blocks.first_a[block]
        of_others = starts[i] + blocks.n_relevant[block] + 1 + blocks.first_b[block]
        n_rows, n_columns = blocks.n_rows[block], blocks.n_columns[block]
        table = ends[i] - n_rows * n_columns
        highest[i], at[i] = -np.inf, 0
        for row in range(n_rows):
            for column in range(n_columns):
                objective = (sums[of_relevant + row] - values[table]) + sums[of_others + column]
                if objective > highest[i]:
                    highest[i], at[i] = objective, row * n_columns + column
                table += 1


@njit(cache=True)
def _keep_best(  # type: ignore[no-untyped-def]
    values, ends, blocks, which, queries, highest, at, best_objective, best_value, best_a, best_b
):
    """One block after the other: several may be of one query."""
    for i in range(which.size):
        q, block = queries[i], which[i]
        if highest[i] > best_objective[q]:
            n_columns = blocks.n_columns[block]
            best_objective[q], best_value[q] = highest[i], values[ends[i] - blocks.n_rows[block] * n_columns + at[i]]
            best_a[q], best_b[q] = blocks.first_a[block] + at[i] // n_columns, blocks.first_b[block] + at[i] % n_columns
