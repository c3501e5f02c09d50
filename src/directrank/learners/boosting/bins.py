"""Thresholds on features, and sums over the rows above each threshold, in one pass over X."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...arrays import Floats, Ints
from ...core import bins as kernels
from ...matrix.linear_operator import as_permutation


class Thresholds:
    """Thresholds on features, indexed feature by feature.

    Attributes
    ----------
    by_feature : list of arrays
        Ascending thresholds of each feature.
    """

    def __init__(self, by_feature: list[Floats]) -> None:
        self.by_feature = by_feature
        self.values = np.concatenate(by_feature)
        self.size = self.values.size
        self.sizes = np.array([t.size for t in by_feature])
        self._firsts = np.cumsum(self.sizes) - self.sizes

    @classmethod
    def place(cls, columns: Iterable[tuple[Floats, Ints]], max_thresholds: int | None) -> Self:
        """Thresholds halfway between distinct values of each feature.

        There is a threshold between all distinct values if these are at most `max_thresholds`; otherwise thresholds are at
        evenly spaced quantiles of the rows and, where these coincide, of the distinct values.

        Parameters
        ----------
        columns : iterable of pairs of arrays
            Distinct values of each feature, ascending, and their counts.
        max_thresholds : int, optional
            Maximum number of thresholds of a feature.
        """
        return cls([_between(values, counts, max_thresholds) for values, counts in columns])

    def at(self, number: int) -> tuple[int, float]:
        """Feature and value of a threshold, given its index."""
        return self.place_of(number)[0], float(self.values[number])

    def place_of(self, number: int) -> tuple[int, int]:
        """Feature of a threshold, and its position among the feature's thresholds."""
        feature = int(np.searchsorted(self._firsts, number, side="right")) - 1
        return feature, number - int(self._firsts[feature])


class Bins:
    """X as bins: the number of thresholds below each value.

    A dense X becomes a table of small integers; for a CSR matrix, only stored values are binned.

    Parameters
    ----------
    X : dense array or CSR matrix
    thresholds : Thresholds
    order : array of integers, optional
        Permutation of the rows, in which values of rows are given and returned; row order by default.

    Attributes
    ----------
    shape : tuple of int
        Shape of X.
    """

    def __init__(self, X: Any, thresholds: Thresholds, order: Ints | None = None) -> None:
        self.shape, self.thresholds, self.order = X.shape, thresholds, as_permutation(order)
        self.starts = np.concatenate(([0], np.cumsum(thresholds.sizes + 1)))  # index of each feature's first bin
        self.is_last = np.zeros(self.starts[-1], bool)
        self.is_last[self.starts[1:] - 1] = True
        kind = np.min_scalar_type(int(thresholds.sizes.max()))
        self.zero = np.array([np.searchsorted(t, 0.0) for t in thresholds.by_feature])
        if sparse.issparse(X):
            self.table, self.indices, self.indptr = np.empty(X.nnz, kind), X.indices, X.indptr
            kernels.bin(X.data, X.indices, thresholds.values, self.starts, self.table)
        else:
            self.table = np.empty(X.shape, kind)
            kernels.bin(np.asarray(X), self.order, thresholds.values, self.starts, self.table)
            self.indptr = None

    def above(self, values: Floats) -> Floats:
        """Sum of the values of the rows above each threshold."""
        n_parts = int(np.clip(2**18 // self.starts[-1], 4, 32))  # adding up parts must not cost more than the pass over X
        if self.indptr is None:
            sums = kernels.sums(self.table, self.starts, values, n_parts)
        else:
            entries = (self.table, self.indices, self.indptr, self.shape[1])
            sums = kernels.sums(*entries, self.order, self.starts, values, n_parts)
            # entries that are not stored are 0
            sums[self.starts[:-1] + self.zero] += values.sum() - np.add.reduceat(sums, self.starts[:-1])
        return kernels.suffix_sums(sums, self.starts)[~self.is_last]  # type: ignore[no-any-return]

    def is_above(self, number: int) -> NDArray[np.bool_]:
        """Mask of the rows above a threshold."""
        feature, place = self.thresholds.place_of(number)
        if self.indptr is None:
            return self.table[:, feature] > place
        above = np.full(self.indptr.size - 1, self.zero[feature] > place)
        stored = np.flatnonzero(self.indices == feature)
        rows = np.searchsorted(self.indptr, stored, side="right") - 1
        above[rows] = self.table[stored] > place
        return above[self.order] if self.order.size else above


def _between(values: Floats, counts: Ints, max_thresholds: int | None) -> Floats:
    up_to = np.cumsum(counts)
    below = np.arange(values.size - 1)  # index of the value just below each threshold
    if max_thresholds is not None and below.size > max_thresholds:
        wanted = up_to[-1] * np.arange(1, max_thresholds + 1) / (max_thresholds + 1)
        chosen = np.unique(np.minimum(np.searchsorted(up_to, wanted), below.size - 1))
        if chosen.size < max_thresholds:
            rest = np.delete(below, chosen)
            more = rest[np.linspace(0, rest.size - 1, max_thresholds - chosen.size).astype(np.int64)]
            chosen = np.sort(np.append(chosen, more))
        below = chosen
    low, high = values[below], values[below + 1]
    with np.errstate(over="ignore"):  # if the difference overflows, the lower value serves as well
        middle = low + (high - low) / 2
    return np.where(middle < high, middle, low)
