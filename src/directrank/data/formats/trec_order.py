"""The order in which trec_eval ranks: by descending score, in single precision, then by descending name."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats
from ...core import trec_order as kernels
from ..bytes.names import Names, Numbers


def trec_order(scores: Floats, names: Names, query: NDArray[np.integer], n_queries: int) -> Numbers:
    """The rows of each query in turn, in trec_eval's order; rows of the same score and name stay in order.

    Parameters
    ----------
    scores : array
        Without NaN.
    names : Names
        Of the documents. UTF-8 is ordered as the characters are.
    query : integer array
        The number of each row's query, from 0.
    n_queries : int
    """
    scores, query = np.ascontiguousarray(scores, np.float64), np.ascontiguousarray(query, np.int32)
    order: Numbers = kernels.order(scores, names.places, query, n_queries)
    return order
