"""Sorting of each query's documents by descending score. The sort is stable: tied documents keep the order of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...core import sorting as kernels


def ranked(scores: Floats, values: NDArray[Any], offsets: Ints) -> tuple[Floats, NDArray[Any]]:
    """Scores, and another value of each document such as its grade, sorted by descending score within each query.

    Arrays that are already sorted are returned as they are, so that one sort serves many measures.
    """
    scores = np.ascontiguousarray(scores, dtype=np.float64)
    if kernels.is_ranked(scores, offsets):
        return scores, values
    return kernels.rank(scores, np.ascontiguousarray(values), offsets)


def order_by_query(scores: Floats, offsets: Ints) -> Ints:
    """Stable argsort of each query's documents by descending score, numbered within the query."""
    return kernels.order(np.ascontiguousarray(scores, dtype=np.float64), offsets)
