"""How much each feature varies within queries."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Floats
from ..core import spread as kernels
from ..data.ranking_data import Queries
from .rows import arrays_of


def deviations(X: Any, queries: Queries, weights: Floats, units: Floats) -> Floats:
    """Of each feature's deviations from its mean in each query: weighted means of their sizes, of their squares and of the
    sizes of the feature itself, all in given units.

    Returns
    -------
    array of three rows
    """
    n_parts = int(np.clip(2**20 // X.shape[1], 1, 32))
    found = kernels.deviations(*arrays_of(X), queries.order, queries.offsets, weights, units, n_parts)
    return found.reshape(3, -1)  # type: ignore[no-any-return]
