"""The order in which trec_eval ranks: by descending score, in single precision, then by descending name."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....arrays import Floats
from ....core import ranking_order as kernels
from ...parsing.byte_strings import ByteStrings, Codes


def trec_order(scores: Floats, names: ByteStrings, query: NDArray[np.integer], n_queries: int) -> Codes:
    """The rows of each query in turn, in trec_eval's order; rows of the same score and name stay in order.

    Parameters
    ----------
    scores : array
        Without NaN.
    names : ByteStrings
        Of the documents. UTF-8 is ordered as the characters are.
    query : integer array
        The number of each row's query, from 0.
    n_queries : int
    """
    scores, query = np.ascontiguousarray(scores, np.float64), np.ascontiguousarray(query, np.int32)
    order: Codes = kernels.order(scores, names.arrays, query, n_queries)
    return order
