"""Distinct grades of each query, and counts of its documents and pairs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Bools, Floats, Ints
from ...core import levels as kernels, roc_area


class Levels(NamedTuple):
    """Grades of each query, numbered from the lowest.

    Attributes
    ----------
    level : int32 array, one for each document
        0 for the lowest grade of its query, 1 for the next, and so on.
    n_levels : int64 array, one for each query
        Number of its distinct grades.
    """

    level: NDArray[np.int32]
    n_levels: Ints


def levels_of(grades: Floats, offsets: Ints) -> Levels:
    """Number of each document's grade among the distinct grades of its query, from the lowest."""
    return Levels(*kernels.number(grades, offsets))


def count_pairs(levels: Levels, offsets: Ints) -> Ints:
    """Number of pairs of documents of unequal grade in each query."""
    return roc_area.count_pairs(*levels, offsets)


def count_by_query(flags: Bools, offsets: Ints) -> Ints:
    """Number of flagged documents of each query; 0 for an empty query."""
    return kernels.count(flags, offsets)


def values_differ(values: Floats, offsets: Ints) -> Bools:
    """Whether each query has documents of distinct values."""
    return kernels.values_differ(values, offsets)
