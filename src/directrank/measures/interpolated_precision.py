"""Interpolated precision at a level of recall."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..core import interpolated_precision as kernels
from .bound import Bound, RelevanceBound
from .capabilities import TieRule
from .errors import MeasureError
from .measure import Measure

#: Tolerance, in documents, for a recall to reach a level: 0.7 times 10 is above 7 in floating point.
ROUNDING = 1e-9


class BoundIPrec(RelevanceBound):
    """Interpolated precision, bound to grades."""

    measure: IPrec

    def evaluate(self, scores: Floats) -> Floats:
        recalls = np.array([self.measure.k], np.float64)
        return precisions_at_recalls(scores, self.relevant, self.offsets, recalls)[:, 0]


class IPrec(Measure):
    r"""Interpolated precision at a level of recall: the highest precision at any rank that reaches it.

    .. math:: \max \{ P@r : R@r \ge k \}

    trec_eval's ``iprec_at_recall``, except where rounding makes trec_eval ask for one document too few: 2 of 3 for a recall
    of 0.7. A query that does not reach the recall counts 0. Tied documents are taken in the worst order, non-relevant ones
    first: the mean over their orders has no closed form.

    Parameters
    ----------
    rel : number, optional
        Smallest relevant grade; by default any grade above 0.
    k : number
        Recall level, from 0 to 1: ``IPrec@0.1``.
    """

    bound: ClassVar[type[Bound]] = BoundIPrec
    nearest_additive: ClassVar[str | None] = "DCG(gain=linear)"

    rel: float | None = None
    k: float | None = None

    def __post_init__(self) -> None:
        if self.k is None:
            raise MeasureError("IPrec needs a level of recall: write IPrec@0.1, for example")
        number = isinstance(self.k, (int, float, np.number)) and not isinstance(self.k, bool) and bool(0 <= self.k <= 1)
        self._check(number, "k", self.k, "a recall between 0 and 1")
        if self.rel is not None:
            self._check_number("rel", self.rel)

    @property
    def truncated(self) -> bool:
        return False  # k is a recall

    @property
    def tie_rule(self) -> TieRule:
        return "worst"


def precisions_at_recalls(scores: Floats, relevant: Bools, offsets: Ints, recalls: Floats) -> Floats:
    """Interpolated precision of each query at each recall."""
    return kernels.precisions_at_recalls(scores, relevant, offsets, recalls, ROUNDING)
