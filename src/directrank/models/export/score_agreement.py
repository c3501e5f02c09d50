"""Agreement of an export's scores and rankings with the model's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Floats, Ints
from .exported_model import as_parts_and_pieces
from .plain_trees import lowest_score, plain_trees
from .threshold_rounding import exactly


@dataclass(frozen=True)
class Agreement:
    """Comparison of an export's scores with the model's.

    Attributes
    ----------
    n_rows : int
    largest_difference : float
        Largest absolute difference between the two scores of a row.
    n_tied : int
        Number of adjacent pairs in the rankings that are tied only in the export.
    n_reversed : int
        Number of adjacent pairs in the rankings that are swapped in the export.
    lowest : float
        Lowest score of the export.
    """

    n_rows: int
    largest_difference: float
    n_tied: int
    n_reversed: int
    lowest: float


def score_lower_bound(model: Any) -> float:
    """Lower bound on the scores of trees, which an export with ``shift`` subtracts; 0 if there is a weighted sum."""
    _, (linear, trees), _ = as_parts_and_pieces(model)
    return 0.0 if linear is not None or trees is None else lowest_score(plain_trees(trees, exactly), np.float64)


def agreement(ours: Floats, theirs: Floats, query_of_row: Ints, shift: float = 0.0) -> Agreement:
    """Compare scores of a model and of its export, which adds the constant `shift`.

    Documents of a query form groups of equal model score. The export preserves the ranking if in each group its lowest score
    is above its highest score in the next group.
    """
    order = np.lexsort((-ours, query_of_row))
    ours, theirs, queries = ours[order], theirs[order], query_of_row[order]
    first = np.flatnonzero(np.diff(ours, prepend=np.nan).astype(bool) | np.diff(queries, prepend=-1).astype(bool))
    lowest, highest = np.minimum.reduceat(theirs, first), np.maximum.reduceat(theirs, first)
    steps = (highest[1:] - lowest[:-1])[np.diff(queries[first]) == 0]
    return Agreement(
        n_rows=ours.size,
        largest_difference=float(np.max(np.abs(theirs - ours - shift))),
        n_tied=int(np.sum(steps == 0)),
        n_reversed=int(np.sum(steps > 0)),
        lowest=float(theirs.min()),
    )
