"""Position bias where nothing in the log tells it from relevance: click rates, which assume equal relevance at all ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Floats
from .bias_fit import BiasFit
from .rank_counts import Cells, summed


@dataclass(frozen=True, eq=False)
class ClickRates:
    """Click rate of each rank divided by that of rank 1: the position bias, if relevance is the same at all ranks."""

    cells: Cells

    def fit(self, shown: Floats, clicks: Floats, start: Any = None) -> BiasFit:
        """Fit to the impressions and clicks of each cell; alpha is relative to the first rank."""
        rank, n_ranks = self.cells.rank, self.cells.ranks.size
        rates = summed(rank, clicks, n_ranks) / np.maximum(summed(rank, shown, n_ranks), 1)
        alpha = rates / rates[0] if rates[0] > 0 else np.full(n_ranks, np.nan)
        return BiasFit(alpha, np.zeros(n_ranks), None)
