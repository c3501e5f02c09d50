"""trec_eval's ranking order: by descending score, in single precision, then by descending name."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....arrays import Floats
from ....core import ranking_order as kernels
from ...parsing.byte_strings import ByteStrings, Codes


def trec_order(scores: Floats, names: ByteStrings, query: NDArray[np.integer], n_queries: int) -> Codes:
    """Rows grouped by query, in trec_eval's order; the sort is stable.

    Parameters
    ----------
    scores : array
        Must not contain NaN.
    names : ByteStrings
        Names of the documents. UTF-8 sorts as its code points do.
    query : integer array
        Code of each row's query, from 0.
    n_queries : int
    """
    scores, query = np.ascontiguousarray(scores, np.float64), np.ascontiguousarray(query, np.int32)
    order: Codes = kernels.order(scores, names.arrays, query, n_queries)
    return order
