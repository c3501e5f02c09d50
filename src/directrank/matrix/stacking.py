"""Matrices one below another."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse


def stacked(parts: list[Any]) -> Any:
    """One matrix of all rows, dense or CSR as the parts are; a single part as it is."""
    if len(parts) == 1:
        return parts[0]
    return sparse.vstack(parts, format="csr") if sparse.issparse(parts[0]) else np.concatenate(parts)
