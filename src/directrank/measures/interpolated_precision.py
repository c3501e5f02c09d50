"""Interpolated precision at a level of recall."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..kernel_compiler import njit, prange
from .base import Bound, Measure, MeasureError, RelevanceBound
from .ranking.sorting import ranked
from .ranking.ties import group_end, ranked_end

#: By how much less than a level a recall may be and still reach it, in documents: 0.7 times 10 is above 7 in floats.
ROUNDING = 1e-9


class BoundIPrec(RelevanceBound):
    """Interpolated precision on queries of some grades."""

    measure: IPrec

    def evaluate(self, scores: Floats) -> Floats:
        recalls = np.array([self.measure.k], np.float64)
        return precisions_at_recalls(*ranked(scores, self.relevant, self.offsets), self.offsets, recalls)[:, 0]


class IPrec(Measure):
    r"""Interpolated precision at a level of recall: the highest precision at any rank that reaches it.

    .. math:: \max \{ P@r : R@r \ge k \}

    trec_eval's ``iprec_at_recall``, but where rounding makes trec_eval ask for one document too few: 2 of 3 for a recall
    of 0.7. A query that does not reach the recall counts 0. Among documents of equal score those that are not relevant come
    first: the mean over their orders has no closed form.

    Parameters
    ----------
    rel : number, optional
        The smallest grade that is relevant; by default any above 0.
    k : number
        The recall, from 0 to 1: ``IPrec@0.1``.
    """

    bound: ClassVar[type[Bound]] = BoundIPrec

    rel: float | None = None
    k: float | None = None

    def __post_init__(self) -> None:
        if self.k is None:
            raise MeasureError("IPrec needs a level of recall: write IPrec@0.1, for example")
        number = isinstance(self.k, (int, float, np.number)) and not isinstance(self.k, bool) and bool(0 <= self.k <= 1)
        self._check(number, "k", self.k, "a recall between 0 and 1")
        if self.rel is not None:
            self._check_number("rel", self.rel)


def precisions_at_recalls(scores: Floats, relevant: Bools, offsets: Ints, recalls: Floats) -> Floats:
    """Interpolated precision of each query at each recall; scores are ranked."""
    values = np.zeros((offsets.size - 1, recalls.size))
    _interpolate(scores, relevant, offsets, recalls, values)
    return values


@njit(cache=True, parallel=True)
def _interpolate(scores, relevant, offsets, recalls, values):  # type: ignore[no-untyped-def]
    for q in prange(offsets.size - 1):
        lo, hi = offsets[q], offsets[q + 1]
        _of_query(scores[lo:hi], relevant[lo:hi], recalls, values[q])


@njit(cache=True)
def _of_query(scores, relevant, recalls, values):  # type: ignore[no-untyped-def]
    """Precision is highest where a relevant document was just found, so only those ranks are looked at."""
    n_relevant = relevant.sum()
    best = _precision_at_relevant(scores, relevant, n_relevant)
    for found in range(n_relevant - 1, 0, -1):
        best[found - 1] = max(best[found - 1], best[found])
    for level in range(recalls.size if n_relevant else 0):
        needed = int(np.ceil(recalls[level] * n_relevant - ROUNDING))
        values[level] = best[max(needed, 1) - 1]


@njit(cache=True)
def _precision_at_relevant(scores, relevant, n_relevant):  # type: ignore[no-untyped-def]
    """At the rank of each relevant document, those of a tie after all others; 0 for those that were not retrieved."""
    precision = np.zeros(n_relevant)
    end, found, start = ranked_end(scores), 0, 0
    while start < end:
        stop = group_end(scores, start)
        among_equals = relevant[start:stop].sum()
        for i in range(1, among_equals + 1):
            precision[found] = (found + 1) / (stop - among_equals + i)
            found += 1
        start = stop
    return precision
