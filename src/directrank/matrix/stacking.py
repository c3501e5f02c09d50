"""Vertical stacking of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse


def stacked(parts: list[Any]) -> Any:
    """Stack dense arrays or CSR matrices vertically; a single part is returned as it is."""
    if len(parts) == 1:
        return parts[0]
    return sparse.vstack(parts, format="csr") if sparse.issparse(parts[0]) else np.concatenate(parts)
