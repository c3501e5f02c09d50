r"""Knots at quantiles of the columns over all shards, and the ranks of the rows there.

The range of a column is split into cells, and those that hold many rows are split again, until every cell holds few rows or
one value. What is known of a cell are its lowest and highest value and the sum of its rows' weights, as integers: these have
the same bits for any order of rows and division into shards, and a column's unit does not matter.
"""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

import numpy as np

from ...arrays import Bools, Floats, Ints
from .column_moments import MIN_RANGE, Ranges, weight_shift, whole_weights
from .missing_values import values_by_column
from .shards import Shards
from .task import Task
from .validation import LARGEST_VALUE

#: Number of steps between the quantiles at which the knots are.
STEPS = 16

#: Share of the rows above which a cell is split, number of its parts, and maximum number of rounds of splitting.
LARGE_SHARE, PARTS, MAX_ROUNDS = 1 / 64, 16, 32


class Cells(NamedTuple):
    """Cells of a column, ascending.

    Attributes
    ----------
    counts : int64 array
        Sum of the weights of the rows in each.
    low, high : arrays
        Lowest and highest value in each; inf and -inf for one without rows.
    """

    counts: Ints
    low: Floats
    high: Floats

    def joined(self, other: Cells) -> Cells:
        """The same cells, of the rows of both."""
        return Cells(self.counts + other.counts, np.minimum(self.low, other.low), np.maximum(self.high, other.high))

    def filled(self) -> Cells:
        """The cells that have rows."""
        kept = self.counts > 0
        return Cells(self.counts[kept], self.low[kept], self.high[kept])

    @property
    def is_large(self) -> Bools:
        """Whether each cell is to be split."""
        return (self.counts > LARGE_SHARE * self.counts.sum()) & (self.high - self.low > MIN_RANGE)

    def edges(self) -> Floats:
        """Upper ends of the cells after the large ones are split; the lowest value of a large one has its own."""
        split = self.is_large
        low, width = self.low[split, None], (self.high - self.low)[split, None]
        return np.unique(np.concatenate([self.high, (low + width * (np.arange(PARTS) / PARTS)).ravel()]))

    def knots(self) -> tuple[Floats, Floats]:
        """Knots and the ranks there; both empty unless there are three knots."""
        if not self.counts.size:
            return np.empty(0), np.empty(0)
        up_to, total = np.cumsum(self.counts), int(self.counts.sum())
        at = np.unique(np.searchsorted(up_to, total * np.arange(1, STEPS + 1) / STEPS))
        knots, ranks = self.high[at], (up_to[at] - self.counts[at] / 2) / total
        if self.low[0] < knots[0]:
            knots, ranks = np.append(self.low[0], knots), np.append(0.0, ranks)
        apart = np.concatenate(([True], np.diff(knots) > MIN_RANGE))
        # adding 0 gives zeros one sign, which would depend on the order of rows
        return (knots[apart] + 0.0, ranks[apart]) if apart.sum() > 2 else (np.empty(0), np.empty(0))


def quantile_knots(training: Shards, ranges: Ranges) -> list[tuple[Floats, Floats]]:
    """Knots and ranks of each column, both empty for one of fewer than three knots.

    The lowest and the highest value are knots, and values at every sixteenth of the rows, within a 64th; a value that many
    rows have is one knot. The rank at a knot is the share of the rows below it, and half of those at it. Rows count as in
    `column_moments`.
    """
    none = (np.empty(0), np.empty(0))
    columns = np.flatnonzero((ranges.high - ranges.low > MIN_RANGE) & (ranges.largest <= LARGEST_VALUE))
    cells = _split_cells(training, ranges, columns)
    return [cells[j].knots() if j in cells else none for j in range(ranges.low.size)]


def _split_cells(training: Shards, ranges: Ranges, columns: Ints) -> dict[int, Cells]:
    """Cells of some columns, split until each holds few rows or one value."""
    edges = {j: Cells(np.ones(1, np.int64), ranges.low[[j]], ranges.high[[j]]).edges() for j in columns.tolist()}
    cells: dict[int, Cells] = {}
    for _ in range(MAX_ROUNDS):
        if not edges:
            break
        parts = training.each(_cells, edges, weight_shift(ranges))
        for j, *per_shard in zip(edges, *parts, strict=True):
            cells[j] = reduce(Cells.joined, per_shard).filled()
        edges = {j: cells[j].edges() for j in edges if np.any(cells[j].is_large)}
    return cells


def _cells(task: Task, edges: dict[int, Floats], shift: int | None) -> list[Cells]:
    """Cells of some columns of a shard, by their upper ends."""
    weights = whole_weights(np.repeat(task.given, np.diff(task.queries.offsets)), shift)
    upper_ends = list(edges.values())
    return [_cells_of(values, weights, upper_ends[i]) for i, values in values_by_column(task, np.array(list(edges)))]


def _cells_of(values: Floats, weights: Ints, edges: Floats) -> Cells:
    counted = (weights > 0) & ~np.isnan(values)
    order = np.argsort(values[counted])
    values, up_to = values[counted][order], np.concatenate(([0], np.cumsum(weights[counted][order])))
    ends = np.concatenate(([0], np.searchsorted(values, edges, side="right")))
    first, last = ends[:-1], ends[1:]
    filled = first < last
    low, high = np.full(edges.size, np.inf), np.full(edges.size, -np.inf)
    low[filled], high[filled] = values[first[filled]], values[last[filled] - 1]
    return Cells(np.diff(up_to[ends]), low, high)
