"""Thresholds on features, and sums over the rows above each of them, in one pass over X."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..arrays import Floats, Ints
from ..core import bins as kernels


class Thresholds:
    """Thresholds on features, numbered one feature after another.

    Attributes
    ----------
    by_feature : list of arrays
        The thresholds of each feature, ascending.
    """

    def __init__(self, by_feature: list[Floats]) -> None:
        self.by_feature = by_feature
        self.values = np.concatenate(by_feature)
        self.size = self.values.size
        self.sizes = np.array([t.size for t in by_feature])
        self._firsts = np.cumsum(self.sizes) - self.sizes

    @classmethod
    def place(cls, columns: Iterable[tuple[Floats, Ints]], at_most: int | None) -> Self:
        """Thresholds halfway between distinct values of each feature.

        They stand between all distinct values if that makes at most `at_most`, else around evenly spaced quantiles of the
        rows, and, where these coincide, of the distinct values.

        Parameters
        ----------
        columns : iterable of pairs of arrays
            The distinct values of each feature, ascending, and how many rows have each.
        at_most : int, optional
            The highest number of thresholds of a feature.
        """
        return cls([_between(values, counts, at_most) for values, counts in columns])

    def at(self, number: int) -> tuple[int, float]:
        """The feature of a threshold, by its number among all, and its value."""
        return self.place_of(number)[0], float(self.values[number])

    def place_of(self, number: int) -> tuple[int, int]:
        """The feature of a threshold, and which of its thresholds it is."""
        feature = int(np.searchsorted(self._firsts, number, side="right")) - 1
        return feature, number - int(self._firsts[feature])


class Bins:
    """X as the number of thresholds that each value is above.

    Dense X becomes a table of small integers; of a CSR matrix only the values it stores are kept.

    Parameters
    ----------
    X : dense array or CSR matrix
    thresholds : Thresholds

    Attributes
    ----------
    shape : tuple of int
        That of X.
    """

    def __init__(self, X: Any, thresholds: Thresholds) -> None:
        self.shape, self.thresholds = X.shape, thresholds
        self.starts = np.concatenate(([0], np.cumsum(thresholds.sizes + 1)))  # of each feature's bins among all
        self.is_last = np.zeros(self.starts[-1], bool)
        self.is_last[self.starts[1:] - 1] = True
        kind = np.min_scalar_type(int(thresholds.sizes.max()))
        self.zero = np.array([np.searchsorted(t, 0.0) for t in thresholds.by_feature])
        if sparse.issparse(X):
            self.table, self.indices, self.indptr = np.empty(X.nnz, kind), X.indices, X.indptr
            kernels.bin(X.data, X.indices, thresholds.values, self.starts, self.table)
        else:
            self.table = np.empty(X.shape, kind)
            kernels.bin(np.asarray(X), thresholds.values, self.starts, self.table)
            self.indptr = None

    def above(self, values: Floats) -> Floats:
        """For each threshold of all features, the sum of the values of the rows above it."""
        n_parts = int(np.clip(2**18 // self.starts[-1], 4, 32))  # not to spend more on adding parts up than on X
        arrays = (self.table,) if self.indptr is None else (self.table, self.indices, self.indptr, self.shape[1])
        sums = kernels.sums(*arrays, self.starts, values, n_parts)
        if self.indptr is not None:  # what is not stored is 0
            sums[self.starts[:-1] + self.zero] += values.sum() - np.add.reduceat(sums, self.starts[:-1])
        return kernels.suffix_sums(sums, self.starts)[~self.is_last]  # type: ignore[no-any-return]

    def is_above(self, number: int) -> NDArray[np.bool_]:
        """Which rows are above a threshold."""
        feature, place = self.thresholds.place_of(number)
        if self.indptr is None:
            return self.table[:, feature] > place
        above = np.full(self.indptr.size - 1, self.zero[feature] > place)
        stored = np.flatnonzero(self.indices == feature)
        rows = np.searchsorted(self.indptr, stored, side="right") - 1
        above[rows] = self.table[stored] > place
        return above


def _between(values: Floats, counts: Ints, at_most: int | None) -> Floats:
    up_to = np.cumsum(counts)
    below = np.arange(values.size - 1)  # which value a threshold is just above
    if at_most is not None and below.size > at_most:
        wanted = up_to[-1] * np.arange(1, at_most + 1) / (at_most + 1)
        chosen = np.unique(np.minimum(np.searchsorted(up_to, wanted), below.size - 1))
        if chosen.size < at_most:
            rest = np.delete(below, chosen)
            more = rest[np.linspace(0, rest.size - 1, at_most - chosen.size).astype(np.int64)]
            chosen = np.sort(np.append(chosen, more))
        below = chosen
    low, high = values[below], values[below + 1]
    with np.errstate(over="ignore"):  # where the difference is beyond a float, the lower value serves as well
        middle = low + (high - low) / 2
    return np.where(middle < high, middle, low)
