r"""The most violated labelling for any function of the contingency table (Joachims 2005, Algorithm 2), pruned.

Labellings are compared by Psi(y) = 1/n sum_i y_i x_i, as in `labelling`. Among labellings with a true and b false positives,
the highest-scoring one labels the a relevant and the b other documents with the highest scores. So the most violated one is
where

.. math:: H(a, b) = -value(a, b) + S(a) + T(b)

is highest among the (R + 1)(N + 1) tables of a set with R relevant and N other documents; S(a) and T(b) are 2/n times the
sums of the a and b highest scores of relevant and other documents. The paper's algorithm tries all tables.

Here the tables are divided into blocks of about sqrt(R) by sqrt(N), and the lowest value in each block and its position are
found once: they do not depend on scores. In a block, H is at most

    - lowest value of the block + highest S of its rows + highest T of its columns

and H at the position of the lowest value is a lower bound of the maximum. Only blocks whose bound is above the best H so far
are searched, the highest bound first. Nothing is assumed about the function, and rounding is monotone, so that a skipped
table is never better than the one found, in floating point too. The values of searched blocks are computed again: memory is
O(sqrt(R N)).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...core import contingency_tables as kernels
from ..capabilities import Violation
from ..errors import MeasureError

#: Number of tables whose values are computed at a time; a larger block is computed on its own.
MAX_TABLES_AT_ONCE = 2**16

#: The value of each table of true positives, false positives, false negatives and true negatives.
ValueOfTables = Callable[[Floats, Floats, Floats, Floats], Floats]


class Blocks(NamedTuple):
    """Blocks of tables.

    Attributes
    ----------
    n_relevant, n_others : int64 arrays
        Numbers of documents of each set.
    shape, number : int64 arrays, one for each block
        The set that a block belongs to, and its number there, row by row.
    """

    n_relevant: Ints
    n_others: Ints
    shape: Ints
    number: Ints

    def some(self, which: Ints) -> Blocks:
        return self._replace(shape=self.shape[which], number=self.number[which])

    def parts(self) -> Iterator[Ints]:
        """Positions of blocks, in batches that are computed at a time."""
        parts = np.cumsum(kernels.block_sizes(*self)) // MAX_TABLES_AT_ONCE
        return iter(np.split(np.arange(parts.size), np.flatnonzero(np.diff(parts)) + 1) if parts.size else [])


class Lowest(NamedTuple):
    """Lowest value in each block, and the true and false positives of the first table with it."""

    value: Floats
    a: Ints
    b: Ints


class Best(NamedTuple):
    """Best table of each query so far: its H, its value, and its true and false positives."""

    objective: Floats
    value: Floats
    a: Ints
    b: Ints


class Tables:
    """Tables of each query, with the lowest value of each block; queries with equal numbers of documents share them.

    Parameters
    ----------
    name : str
        Name of the measure.
    value : callable
        Finite values for all tables.
    n_relevant, n_others : int64 arrays, one for each query
        A query without relevant documents has no tables.

    Raises
    ------
    MeasureError
        If a table has a higher value than the right labels.

    Attributes
    ----------
    differ : bool array, one for each query
        Whether its tables have different values.
    """

    def __init__(self, name: str, value: ValueOfTables, n_relevant: Ints, n_others: Ints) -> None:
        self._value = value
        shapes, shape_of = np.unique(np.stack((n_relevant, n_others)), axis=1, return_inverse=True)
        self._shapes: tuple[Ints, Ints] = (shapes[0].copy(), shapes[1].copy())
        self._shape_of: Ints = shape_of.reshape(-1)
        self._lowest, least, most = self._survey()
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
        """The most violated labelling of each query. The loss is the value of the right labels minus its value."""
        order, sums = kernels.add_up(scores, relevant, offsets)  # S and T of the first query, of the second, ...
        best = self._search(sums, offsets)
        coefficients = kernels.coefficients(relevant, offsets, order, self.differ, best.a, best.b)
        return Violation(coefficients, self._right - best.value)

    def _search(self, sums: Floats, offsets: Ints) -> Best:
        """The table with the highest H of each query."""
        n = self.differ.size
        best = Best(np.full(n, -np.inf), np.zeros(n), np.zeros(n, np.int64), np.zeros(n, np.int64))
        query, number, bounds = kernels.promising_blocks(
            *self._shapes, self._shape_of, self.differ, *self._lowest, sums, offsets, *best
        )
        blocks = Blocks(*self._shapes, self._shape_of[query], number)
        for part in blocks.parts():
            which = part[bounds[part] > best.objective[query[part]]]
            if which.size > 0:
                some = blocks.some(which)
                kernels.keep_best(*some, query[which], self._values(some), sums, offsets, *best)
        return best

    def _survey(self) -> tuple[Lowest, Floats, Floats]:
        """Lowest value of each block; lowest and highest value of each query."""
        n_blocks = kernels.count_blocks(*self._shapes)
        shape = np.repeat(np.arange(n_blocks.size), n_blocks)
        blocks = Blocks(*self._shapes, shape, np.arange(shape.size) - (np.cumsum(n_blocks) - n_blocks)[shape])
        lowest = Lowest(np.empty(shape.size), np.empty(shape.size, np.int64), np.empty(shape.size, np.int64))
        least, most = np.full(n_blocks.size, np.inf), np.full(n_blocks.size, -np.inf)
        for part in blocks.parts():
            some = blocks.some(part)
            highest, *found = kernels.extremes(*some, self._values(some))
            lowest.value[part], lowest.a[part], lowest.b[part] = found
            np.minimum.at(least, some.shape, found[0])
            np.maximum.at(most, some.shape, highest)
        return lowest, least[self._shape_of], most[self._shape_of]

    def _values(self, blocks: Blocks) -> Floats:
        """Values of the tables of some blocks, row by row."""
        return self._value(*kernels.list_tables(*blocks))
