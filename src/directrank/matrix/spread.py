"""Spread of features within queries."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Floats
from ..core import spread as kernels
from ..data.ranking_data import Queries
from .linear_operator import arrays_of


def deviations(X: Any, queries: Queries, weights: Floats, units: Floats) -> Floats:
    """Weighted means over queries of absolute deviations, squared deviations and absolute values of each feature.

    Deviations are from the feature's mean in the query; values are in the given units.

    Returns
    -------
    array of shape (3, n_features)
    """
    n_parts = int(np.clip(2**20 // X.shape[1], 1, 32))
    found = kernels.deviations(*arrays_of(X), queries.order, queries.offsets, weights, units, n_parts)
    return found.reshape(3, -1)  # type: ignore[no-any-return]
