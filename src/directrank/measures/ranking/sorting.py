"""Ranking by score: the documents of each query by descending score.

The sort is stable, so documents of equal score keep the order of the rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...core import sorting as kernels


def ranked(scores: Floats, values: NDArray[Any], offsets: Ints) -> tuple[Floats, NDArray[Any]]:
    """Scores, and a value of each document such as its grade, with each query's documents by descending score.

    Arrays that are ranked already come back as they are, so that ranking once serves many measures.
    """
    scores = np.ascontiguousarray(scores, dtype=np.float64)
    if kernels.is_ranked(scores, offsets):
        return scores, values
    return kernels.rank(scores, np.ascontiguousarray(values), offsets)


def order_by_query(scores: Floats, offsets: Ints) -> Ints:
    """The documents of each query by descending score, numbered within it."""
    return kernels.order(np.ascontiguousarray(scores, dtype=np.float64), offsets)
