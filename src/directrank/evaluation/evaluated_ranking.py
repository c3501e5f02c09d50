"""The rankings that were evaluated, for whoever wants to look at them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from ..data import Queries
from ..data.bytes.names import Names


@dataclass(frozen=True, eq=False)
class Ranking:
    """Scores and grades of the documents of some queries, as they were evaluated.

    Attributes
    ----------
    queries : Queries
    scores, grades : arrays
        One for each row. A score of -inf is that of a document that was not ranked.
    docno : array of strings, or Names, or None
    """

    queries: Queries
    scores: Floats
    grades: Floats
    docno: NDArray[Any] | Names | None

    def rows_by_rank(self) -> Ints:
        """All rows in query order, each query by descending score, documents of equal score in the order of their rows."""
        order = self.queries.order
        query = np.repeat(np.arange(self.queries.ids.size), np.diff(self.queries.offsets))
        return order[np.lexsort((-self.scores[order], query))]

    def names(self, rows: Ints) -> list[str]:
        """The names of the documents in some rows: docnos, or the numbers of the rows, from 1."""
        return [f"row {row + 1}" for row in rows.tolist()] if self.docno is None else self.docno[rows].tolist()
