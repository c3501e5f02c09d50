"""Whether an export scores and ranks data as the model does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Floats, Ints
from ..portable import TreeSum
from .exported_model import portable_of
from .plain_trees import lowest_score, plain_trees
from .threshold_rounding import exactly


@dataclass(frozen=True)
class Agreement:
    """How the scores of an export compare with the model's.

    Attributes
    ----------
    n_rows : int
    largest_difference : float
        Between the two scores of a row.
    n_tied : int
        Neighbouring scores in a query's ranking that differ in the model, and of which two are equal in the export.
    n_reversed : int
        Neighbouring scores in a query's ranking of which the export has two the other way round.
    lowest : float
        The lowest score of the export.
    """

    n_rows: int
    largest_difference: float
    n_tied: int
    n_reversed: int
    lowest: float


def lowest_score_of(model: Any) -> float:
    """A bound on all scores of trees; an export with ``shift`` adds its negative to all."""
    portable = portable_of(model)
    return lowest_score(plain_trees(portable, exactly), np.float64) if isinstance(portable, TreeSum) else 0.0


def agreement(ours: Floats, theirs: Floats, query_of_row: Ints, shift: float = 0.0) -> Agreement:
    """Compare scores; `shift` is the constant that the export adds.

    The documents of a query fall into groups of equal score. The export keeps their order if in each group its lowest score
    is above its highest of the next.
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
