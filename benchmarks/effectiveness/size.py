"""Size of tree ensembles that all libraries share."""

from __future__ import annotations

from typing import NamedTuple


class Size(NamedTuple):
    trees: int
    leaves: int
    rate: float
    rows: float
    columns: float


EQUAL = Size(trees=300, leaves=7, rate=0.05, rows=0.7, columns=0.5)
